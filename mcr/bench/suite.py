"""A suite: measurements that belong together, what they are compared with, and the report on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcr.bench.case import BenchCase
from mcr.bench.figures import Figure
from mcr.bench.rows import Row, as_markdown
from mcr.bench.text import executions, how_it_ended, number, seconds
from replay.traces.loader import load_module
from replay.world.memory_models import MODELS
from solvers.registry import DEFAULT_SOLVER

TIMEOUT = 120.0
"""Seconds for a row, unless something else is asked for."""


@dataclass(frozen=True)
class SuiteSelection:
    """A selection of what the suites measure.

    models    names of memory models
    programs  names of programs; all if there are none
    solver    None for the default
    """

    models: tuple[str, ...] = tuple(MODELS)
    programs: tuple[str, ...] = ()
    solver: str | None = None

    @property
    def the_solver(self) -> str:
        return self.solver or DEFAULT_SOLVER

    def of(self, cases: Iterable[BenchCase]) -> list[BenchCase]:
        """Returns the selected cases, each once."""
        wanted = (case for case in cases if case.model in self.models)
        return list(dict.fromkeys(case for case in wanted if not self.programs or case.program in self.programs))


@dataclass(frozen=True)
class Suite:
    """Assigned to `SUITE` in a file of its own, which `mcr bench` takes for a target.

    cases        everything that is to be measured, in order
    sections     Markdown after the title: tables and sentences
    figures      plots
    extra_files  further files by name
    contradicted sentences on figures that contradict known ones
    has_solver   `SuiteSelection.solver` means something here
    counts       its times do not matter, so that several rows may be measured at once
    """

    name: str
    title: str
    summary: str
    cases: Callable[[SuiteSelection], list[BenchCase]]
    sections: Callable[[list[Row]], list[str]]
    figures: Callable[[list[Row]], list[Figure]]
    extra_files: Callable[[list[Row]], dict[str, str]] = field(default=lambda rows: {})
    contradicted: Callable[[list[Row]], list[str]] = field(default=lambda rows: [])
    has_solver: bool = True
    counts: bool = False


def suite_in(target: str) -> Suite | None:
    """The suite that a file defines; None for all other targets. Raises ModelError for a file that is broken."""
    path = Path(target)
    if path.suffix != ".py" or not path.is_file() or b"SUITE" not in path.read_bytes():
        return None
    found = getattr(load_module(path), "SUITE", None)
    return found if isinstance(found, Suite) else None


def under_all_models(case: BenchCase) -> list[BenchCase]:
    """A case for every memory model, strongest first."""
    return [replace(case, model=model) for model in MODELS]


COLUMNS = (
    "program", "parameters", "model", "executions", "redirected", "graphs", "redundant", "local states", "classes",
    "first bug at", "wall s", "CPU s", "solving", "replaying", "encoding", "graphs s", "peak MB", "verdict",
)  # fmt: skip


def full_table(rows: Sequence[Row]) -> str:
    """Everything that every row has."""
    return as_markdown(COLUMNS, map(_full_line, rows))


def _full_line(row: Row) -> list[str]:
    times = (row[f"{name}_s"] for name in ("wall", "cpu", "solving", "replaying", "encoding", "surveying"))
    classes = "" if row["objective"] == "states" else f"{number(row['classes'])} + {number(row['blocked_classes'])}"
    return [
        row["program"], row["parameters"], row["model"], executions(row), number(row["redirected"]),
        number(row["graphs"]), number(row["redundant"]), number(row["local_states"]), classes, number(row["first_bug"]),
        *map(seconds, times), number(row["peak_mb"]), how_it_ended(row),
    ]  # fmt: skip
