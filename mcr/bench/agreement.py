"""Rows held against each other, and against an earlier table."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from mcr.bench.case import KEY
from mcr.bench.rows import Row
from mcr.bench.table import COUNTS, lines, titled
from mcr.exploration.goals import OUTCOMES, STATES, Goals
from replay.errors import CheckerError
from replay.files import parsed, read_text

_SAME = ("program", "parameters", "model", "objective")
"""The columns of rows that explore the same thing."""


def disagreements(rows: Iterable[Row]) -> list[str]:
    """Two algorithms that found different things where both must find the same: one of them is wrong."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in _SAME), []).append(row)
    return [sentence for group in groups.values() for sentence in _within(group)]


def _within(rows: Sequence[Row]) -> Iterator[str]:
    """A bug of one row contradicts every row that claims that there is none."""
    bug = next((row for row in rows if row["verdict"] == "bug"), None)
    for row in rows:
        if bug is not None and row["verdict"] == "verified" and row["complete"]:
            yield f"{titled(row)}: verified, but {bug['algorithm']} found a bug"
    told: dict[str, list[tuple[Row, object]]] = {}
    for row in rows:
        for what, value in _findings(row):
            told.setdefault(what, []).append((row, value))
    for what, found in told.items():
        for (one, first), (other, second) in pairwise(found):
            if first != second:
                yield f"{titled(other)}: {what} {second}, but {first} by {one['algorithm']}"


def _findings(row: Row) -> Iterator[tuple[str, object]]:
    """Yields what every algorithm finds that explores the objective to its end; nothing of a row that was cut."""
    if row["verdict"] not in ("verified", "bug") or row["why"]:
        return
    goals = Goals.parse(row["objective"])
    if goals.equivalence is not None:
        yield f"classes of {goals.equivalence.name}", f"{row['classes']} + {row['blocked_classes']}"
    if OUTCOMES in goals.names:
        yield "outcomes", row["details"]["outcomes"]
        yield "outcomes, as a digest,", row["details"]["outcomes_digest"]
    if STATES in goals.names:
        yield f"local states{_told_apart(row)}", row["local_states"]


def _told_apart(row: Row) -> str:
    """How an algorithm tells local states apart: numbers are comparable between those that do it alike."""
    if row["global_states"]:
        return " that operations done before do not tell apart"
    return ", merged:" if row["details"]["merged"] else ""


class Compared(NamedTuple):
    """The result of comparing lines with an earlier table.

    equal       how many have the same counts and verdict
    cut         how many cannot be compared, as a limit ended one of the two
    missing     how many the earlier table does not have
    different   a sentence on each difference
    """

    equal: int
    cut: int
    missing: int
    different: list[str]


def compared(table: Sequence[Mapping[str, Any]], earlier: Sequence[Mapping[str, Any]]) -> Compared:
    """Hold counts and verdicts of a table against those of an earlier one, as far as both have them."""
    known = {_key(line): line for line in earlier}
    equal, cut, missing = 0, 0, 0
    different: list[str] = []
    for line in table:
        before = known.get(_key(line))
        if before is None:
            missing += 1
        elif line["why"] or before["why"]:
            cut += 1
        elif found := [*_differences(line, before)]:
            different.append(f"{titled(line)}: {', '.join(found)}")
        else:
            equal += 1
    return Compared(equal, cut, missing, different)


def _key(line: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(line.get(column) or "") for column in KEY[:-1])


def _differences(line: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    for column in (*COUNTS, "verdict"):
        told = before.get(column)
        if told is not None and str(told) != str(line[column]):
            yield f"{column.replace('_', ' ')} {line[column]}, was {told}"


def _is_line(line: object) -> bool:
    return isinstance(line, dict) and {*KEY[:-1], "why"} <= line.keys()


def read_table(file: Path) -> list[dict[str, Any]]:
    """The lines of a table that was written as JSON, JSON lines or CSV. Raises CheckerError for anything else."""
    text = read_text(file)
    if file.suffix == ".csv":
        told = [{name: value or None for name, value in line.items()} for line in csv.DictReader(text.splitlines())]
        found: Any = [{**line, "why": line.get("why") or ""} for line in told]
    elif file.suffix == ".jsonl":
        found = lines(parsed(line, file, number) for number, line in enumerate(text.splitlines(), 1))
    else:
        document = parsed(text, file)
        found = document.get("rows") if isinstance(document, dict) else document
    if not isinstance(found, list) or not all(map(_is_line, found)):
        raise CheckerError(f"{file}: not a table of mcr bench, which are JSON, JSON lines or CSV")
    return found
