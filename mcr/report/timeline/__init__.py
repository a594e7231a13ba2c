"""The timeline: one HTML file in which a reader steps through a trace.

All that it shows is computed here: the page's script moves a mark and draws arrows between rows.
"""

from mcr.report.timeline.page import timeline

__all__ = ["timeline"]
