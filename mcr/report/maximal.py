"""What maximal causality reduction counts, below the line of its result ([huang-2016] tables 3 and 5)."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.explorers.maximal_causality.statistics import MaximalStatistics


def maximal_lines(figures: MaximalStatistics) -> Iterator[str]:
    """Executions, seeds, times and races; the same words in the same places, so that models compare line by line."""
    yield (
        f"executions: {_number(figures.redundant)} redundant, {_number(figures.overlooked)} that no seed led to; "
        f"data races: {_number(figures.races)}"
    )
    yield (
        f"seeds:      {_number(figures.tried)} tried, {_number(figures.satisfiable)} satisfiable, "
        f"{_number(figures.skipped)} skipped; solver {figures.solving:.2f} s, replay {figures.replaying:.2f} s"
    )


def _number(count: int) -> str:
    return f"{count:>5}"
