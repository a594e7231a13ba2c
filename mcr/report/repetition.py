"""Repetition in an interleaving: a thread that goes round and round without anything changing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mcr.report.interleaving import Row

_LONGEST = 4
"""Rows that are looked for as a round."""

_FEWEST = 3
"""Rounds that are worth folding."""


@dataclass(frozen=True)
class Repetition:
    """Rounds of `length` rows that are like the one before them."""

    rounds: int
    length: int

    @property
    def text(self) -> str:
        return f"the same {'step' if self.length == 1 else f'{self.length} steps'} {self.rounds} times more"


def folded(rows: Sequence[Row], cuts: Iterable[int]) -> Iterator[Row | Repetition]:
    """The rows; rounds that repeat the one before them as one thing, but not across these places."""
    for begin, end in pairwise([0, *sorted(cuts), len(rows)]):
        yield from _folded(rows[begin:end])


def _folded(rows: Sequence[Row]) -> Iterator[Row | Repetition]:
    place = 0
    while place < len(rows):
        found = [Repetition(_rounds(rows, place, length), length) for length in range(1, _LONGEST + 1)]
        best = max(found, key=lambda each: (each.rounds * each.length, -each.length))
        if best.rounds < _FEWEST - 1:
            yield rows[place]
            place += 1
        else:
            yield from rows[place : place + best.length]
            yield best
            place += best.length * (best.rounds + 1)


def _rounds(rows: Sequence[Row], start: int, length: int) -> int:
    """How often the `length` rows from `start` come again right after them; 0 if that is too seldom to fold."""
    end = start + length
    while end < len(rows) and _look(rows[end]) == _look(rows[end - length]):
        end += 1
    rounds = (end - start) // length - 1
    return rounds if rounds >= _FEWEST - 1 else 0


def _look(row: Row) -> tuple[object, ...]:
    """What a reader sees of a row, but for its number."""
    return (row.thread, row.text, row.line, row.commit, row.buffers)
