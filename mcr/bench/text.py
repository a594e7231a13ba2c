"""Figures as text, the same in all tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def seconds(value: float | None) -> str:
    """Three digits at most behind the point, fewer for long times; "-" for none."""
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def number(value: float | None) -> str:
    """A count with separators, another number with up to six digits; "-" for none."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def ratio(value: float | None) -> str:
    """A quotient with two significant digits."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def how_it_ended(row: Mapping[str, Any]) -> str:
    """The verdict, and why it is not complete."""
    return f"{row['verdict']}: {row['why']}" if row["why"] else str(row["verdict"])


def executions_by_end(row: Mapping[str, Any]) -> str:
    """Shows executions in two numbers: in how many every thread came to its end, and in how many one was blocked."""
    if row["executions"] is None:
        return "-"
    return f"{row['executions'] - row['blocked']:,} + {row['blocked']:,}{' and more' if row['why'] else ''}"


def executions(row: Mapping[str, Any] | None) -> str:
    """The number of executions, "+" after it if a limit ended the exploration; "-" if nothing is known."""
    if row is None or row["executions"] is None:
        return "-"
    return f"{row['executions']:,}{'+' if row['why'] else ''}"
