"""Rows of the tables in results/, each with what measures it again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path

from mcr.bench.rows import Row

RESULTS = Path(__file__).parent


class NotHere(Exception):
    """What a table was made from is not on this machine; the message says what it is."""


@dataclass(frozen=True)
class Known:
    """A row of a table.

    title        how messages name it
    seconds      what it took when the table was made, 0 if the table does not say
    differences  measures it again: sentences on what is not as in the table
    """

    title: str
    seconds: float
    differences: Callable[[], Iterable[str]]


def known(title: str, seconds: float, told: Sequence[object], measure: Callable[[], Sequence[object]]) -> Known:
    """A row whose cells are compared as text."""

    def differences() -> Iterator[str]:
        now, before = [str(each) for each in measure()], [str(each) for each in told]
        if now != before:
            yield f"{title}: {' | '.join(now)}, was {' | '.join(before)}"

    return Known(title, seconds, differences)


def known_checks(
    rows: Iterable[Row], title: Callable[[Row], str], columns: Sequence[str], check: Callable[[Row], Row]
) -> Iterator[Known]:
    """The rows of checks that no limit cut, compared by these columns; `check` makes one again."""
    told: Callable[[Row], Sequence[object]] = itemgetter(*columns)
    for row in rows:
        if row["verdict"] != "incomplete":
            again = partial(lambda row: told(check(row)), row)
            yield known(title(row), float(row["s"] or 0), told(row), again)


def written_tables(name: str) -> list[list[tuple[str, ...]]]:
    """The tables of a page in results/, without their heads: the cells of each row, as they are written."""
    found: list[list[tuple[str, ...]]] = []
    before = ""
    for line in (RESULTS / name).read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"\|[-| ]+\|", line):
            found.append([])
        elif line.startswith("|") and before.startswith("|"):
            found[-1].append(_cells(line))
        before = line
    return found


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
