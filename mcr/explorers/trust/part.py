"""A part of all execution graphs: those that one graph leads to."""

from __future__ import annotations


class Part:
    """A part of all graphs, while it is visited.

    size    events of its root
    whole   the part that it belongs to; None for all graphs
    events  those of the graphs that were visited in it: what it has cost
    open    how many parts of it wait or are visited
    """

    __slots__ = ("events", "open", "size", "whole")

    def __init__(self, size: int, whole: Part | None) -> None:
        self.size = size
        self.whole = whole
        self.events = 0
        self.open = 0
