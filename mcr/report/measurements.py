"""The report of `mcr bench`: a table, a document, and what is to be said of it all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcr.bench.agreement import Compared
from mcr.bench.table import COLUMNS, Line, cell, shown_columns, titled
from mcr.report.layout import VERDICT_ROLES, Column, Style, TextCell, TextTable, wrap
from mcr.report.printable import on_one_line
from replay.sentences import counted

BENCH_SCHEMA = "mcr-bench/1"

_DISPENSABLE = (
    "replay_s", "solver_s", "seeds_enforced", "seeds_satisfiable", "seeds_asked", "peak_mb", "fastest", "slowest",
    "redundant", "blocked_classes", "global_states", "blocked",
)  # fmt: skip
"""Columns that are left out, one after the other, until the table fits."""

_ROLES = {verdict.value: role for verdict, role in VERDICT_ROLES.items()}

_GROUPING = ("program", "parameters")

_TEXTS = ("program", "parameters", "model", "objective", "algorithm", "verdict")


def render_bench(table: Sequence[Line], notes: Sequence[str], width: int, style: Style) -> Iterator[str]:
    """The table without the columns for which there is no room, then the notes."""
    columns = shown_columns(table)
    for name in _DISPENSABLE:
        if not _table(table, columns).fits(width):
            columns.pop(name, None)
    yield from _table(table, columns).render(width, style)
    yield ""
    for note in notes:
        yield from wrap(note, width)


def _table(table: Sequence[Line], columns: Mapping[str, str]) -> TextTable:
    shown = [Column(title, _least(table, name, title), right=name not in _TEXTS) for name, title in columns.items()]
    above: list[Line | None] = [None, *table]
    return TextTable(
        shown,
        [
            [TextCell() if _repeats(line, before, name) else _cell(line, name) for name in columns]
            for line, before in zip(table, above, strict=False)
        ],
    )


def _least(table: Sequence[Line], column: str, title: str) -> int:
    """How narrow a column may become: words and numbers stay whole, names of programs wrap."""
    texts = [] if column in _GROUPING else [cell(line, column) for line in table]
    return max(len(word) + 2 * (place > 0) for text in (title, *texts) for place, word in enumerate(text.split()))


def _repeats(line: Line, above: Line | None, column: str) -> bool:
    """Returns True where a cell stands for the same program, or size, as the one above it."""
    names = _GROUPING[: _GROUPING.index(column) + 1] if column in _GROUPING else ()
    return bool(names) and above is not None and all(line[name] == above[name] for name in names)


def _cell(line: Line, column: str) -> TextCell:
    text = cell(line, column)
    return TextCell(on_one_line(text), _ROLES.get(text, "") if column == "verdict" else "")


def total(table: Sequence[Line], errors: Sequence[str], check: Compared | None) -> Iterator[str]:
    """The total line, the errors, what an earlier table said, and why rows were cut or not asked."""
    verdicts = Counter(line["verdict"] for line in table)
    told = ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.items())
    spent = sum(line["seconds"] or 0 for line in table)
    wrong = f"{counted(len(errors), 'disagreement')}, which is an error" if errors else "no disagreement"
    yield f"{counted(len(table), 'row')}: {told}; {spent:.2f} s; {wrong}."
    yield from errors
    if check is not None:
        yield (
            f"Compared with the earlier table: {check.equal} equal, {len(check.different)} different, "
            f"{check.cut} cut by a limit, {check.missing} not in it."
        )
        yield from check.different
    reasons: dict[str, list[Line]] = {}
    for line in table:
        if line["why"]:
            reasons.setdefault(line["why"], []).append(line)
    for why, lines in reasons.items():
        more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        yield f"{titled(lines[0])}{more}: {why}."


def bench_document(table: Sequence[Line], errors: Sequence[str], check: Compared | None) -> dict[str, Any]:
    """Returns the table as a JSON document; null stands for what was not told."""
    document: dict[str, Any] = {
        "schema": BENCH_SCHEMA,
        "rows": [{column: line[column] for column in COLUMNS} for line in table],
        "disagreements": list(errors),
    }
    return document if check is None else {**document, "compared": check._asdict()}
