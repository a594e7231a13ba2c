"""The table of measurements: a line for each program, size, model, objective and algorithm, however often it ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from mcr.bench.case import KEY
from mcr.bench.rows import Row, as_csv, as_markdown
from mcr.bench.text import number, seconds
from mcr.exploration.goals import Goals

Line = dict[str, Any]
"""A line of the table: the columns of `COLUMNS`."""

COUNTS = (
    "seeds_asked", "seeds_satisfiable", "seeds_enforced", "executions", "blocked", "redundant", "classes",
    "blocked_classes", "local_states", "global_states",
)  # fmt: skip
"""The same in each run, on each machine, unless a limit ended it."""

_OF_CLASSES = ("redundant", "classes", "blocked_classes")
"""Counts that mean something only where an objective counts classes."""

_MEDIANS = {"seconds": "wall_s", "solver_s": "solving_s", "replay_s": "replaying_s", "peak_mb": "peak_mb"}
"""Columns that hold the median of all runs, by the column of a row that they are taken from."""

COLUMNS = (*KEY[:-1], *COUNTS, "seconds", "fastest", "slowest", "solver_s", "replay_s", "peak_mb", "runs", "verdict",
           "why")  # fmt: skip

_SHOWN = {
    "program": "program", "parameters": "parameters", "model": "model", "objective": "objective",
    "algorithm": "algorithm", "seeds_asked": "seeds", "seeds_satisfiable": "satisfiable", "seeds_enforced": "enforced",
    "executions": "executions", "blocked": "blocked", "redundant": "redundant", "classes": "classes",
    "blocked_classes": "blocked classes", "local_states": "local states", "global_states": "global states",
    "seconds": "s", "fastest": "s, least", "slowest": "s, most", "solver_s": "solver s", "replay_s": "replay s",
    "peak_mb": "peak MB", "verdict": "verdict",
}  # fmt: skip
"""How readers call the columns."""

_TIMES = ("seconds", "fastest", "slowest", "solver_s", "replay_s")


def lines(rows: Iterable[Row]) -> list[Line]:
    """A line for the runs of each measurement."""
    runs: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        runs.setdefault(tuple(str(row[column]) for column in KEY), []).append(row)
    return [_line(found) for found in runs.values()]


def _line(runs: Sequence[Row]) -> Line:
    """Counts of the first run that was not cut, else of the first one."""
    told = next((row for row in runs if not row["why"]), runs[0])
    times = [row["wall_s"] for row in runs if row["wall_s"] is not None]
    unknown = [] if Goals.parse(told["objective"]).equivalence else [*_OF_CLASSES]
    unknown += [] if told.get("global_states") else ["global_states"]
    return {
        **{name: told.get(name) for name in (*KEY[:-1], *COUNTS, "verdict", "why")},
        **dict.fromkeys(unknown),
        **{name: _median(runs, column) for name, column in _MEDIANS.items()},
        "fastest": min(times, default=None),
        "slowest": max(times, default=None),
        "runs": len(times),
    }


def _median(runs: Sequence[Row], column: str) -> float | None:
    values = [row[column] for row in runs if row[column] is not None]
    return round(median(values), 4) if values else None


def unsteady(rows: Iterable[Row]) -> list[str]:
    """Measurements whose runs differ in what they count: each the same input, so it is an error."""
    first: dict[tuple[str, ...], Row] = {}
    found = []
    for row in (row for row in rows if not row["why"]):
        other = first.setdefault(tuple(str(row[column]) for column in KEY), row)
        different = [name for name in (*COUNTS, "verdict") if row[name] != other[name]]
        if different:
            found.append(f"{titled(row)}: two runs differ in {', '.join(different)}")
    return found


def titled(row: Mapping[str, Any]) -> str:
    """How messages name a row."""
    program = f"{row['program']}({row['parameters']})" if row["parameters"] else row["program"]
    return f"{program} under {row['model'].upper()}, {row['objective']} by {row['algorithm']}"


def shown_columns(table: Sequence[Line]) -> dict[str, str]:
    """The columns in which some line has something, by what readers call them; spread only where there are runs."""
    spread = any(line["runs"] > 1 for line in table)
    return {
        name: title
        for name, title in _SHOWN.items()
        if any(line[name] not in (None, "") for line in table) and (spread or name not in ("fastest", "slowest"))
    }


def cell(line: Line, column: str) -> str:
    """Returns the text of a column in a table; "" for nothing."""
    value = line[column]
    if value is None:
        return ""
    if column in _TIMES:
        return seconds(value)
    if isinstance(value, str):
        return value
    return f"{number(value)}{'+' if column == 'executions' and line['verdict'] == 'incomplete' else ''}"


def markdown(table: Sequence[Line], notes: Iterable[str]) -> str:
    """The table and what is to be said below it, as Markdown."""
    columns = shown_columns(table)
    cells = [[cell(line, column) for column in columns] for line in table]
    return "\n\n".join([as_markdown([*columns.values()], cells), *notes]) + "\n"


def csv(table: Sequence[Line]) -> str:
    """The table as CSV, every column of it."""
    return as_csv([{column: line[column] for column in COLUMNS} for line in table])
