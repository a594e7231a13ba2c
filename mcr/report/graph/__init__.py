"""The execution graph of a trace as SVG, in the style of the literature."""

from mcr.report.graph.svg import graph

__all__ = ["graph"]
