"""The timeline: one HTML file in which a reader steps through a trace. Its script moves a mark and draws arrows."""
