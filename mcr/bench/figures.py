"""Plots as data: what `drawing` draws, and what tests can look at."""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]
Bars = dict[str, list[float | None]]
"""By series one height for each label; None where there is no figure."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes. Exactly one of bars, lines and dots says what is drawn.

    labels    of the groups of bars
    bars      side by side in each group, or `stacked`
    lines     by series, points from left to right
    dots      by series; with the `diagonal`, where both axes are equal
    notes     text at a point
    flat      horizontal bars, for many labels or long ones
    """

    title: str
    x: str = ""
    y: str = ""
    labels: tuple[str, ...] = ()
    bars: Bars | None = None
    lines: dict[str, list[Point]] | None = None
    dots: dict[str, list[Point]] | None = None
    notes: tuple[tuple[Point, str], ...] = ()
    stacked: bool = False
    flat: bool = False
    log_x: bool = False
    log_y: bool = False
    diagonal: bool = False


@dataclass(frozen=True)
class Figure:
    """Panels side by side, in as many rows as `columns` asks for; size in inches."""

    name: str
    title: str
    panels: tuple[Panel, ...]
    size: tuple[float, float]
    columns: int = 3
