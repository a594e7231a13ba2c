"""The execution graph of a trace as SVG, in the style of the literature."""
