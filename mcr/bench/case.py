"""One measurement, as data: it travels to the process that takes it, and is the key of the row that comes back."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mcr.explorers.registry import AUTO
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from solvers.registry import DEFAULT_SOLVER

END, FIRST_BUG = "end", "first bug"

Key = tuple[str, ...]
KEY = ("program", "parameters", "model", "algorithm", "objective", "solver", "until")
"""The columns that identify a measurement."""

OPTIONAL = {"origin": "", "run": "1"}
"""More such columns, and what they hold where a row does not have them."""

Parameters = tuple[tuple[str, object], ...]
"""Parameters of a program, (name, value) in order."""


@dataclass(frozen=True)
class BenchCase:
    """One measurement.

    file       of the program, from the current folder
    program    its name in that file
    algorithm  name in `mcr.explorers.registry`, with its variant
    merge      let histories that leave a thread in one local state share it, where algorithm and objective can
    until      "end": everything that can be reached; or "first bug"
    shorten    make the schedule of each bug short
    census     count the classes of every equivalence that the executions belong to
    probe      what else to find out: FILE::NAME of a `mcr.bench.probe.Probe`, "" for nothing
    label      what the table calls the program, "" for its name
    origin     a digest of all text that the row depends on: a row of another text is not reused; "" to reuse any
    run        the number of this run, where several are measured
    plugins    files to import before the program is
    memory     bytes that the process may hold, None for the default
    """

    file: str
    program: str
    parameters: Parameters
    model: str
    algorithm: str = AUTO
    objective: str = "states"
    solver: str = DEFAULT_SOLVER
    merge: bool = True
    until: str = END
    shorten: bool = False
    census: bool = False
    probe: str = ""
    label: str = ""
    origin: str = ""
    run: int = 1
    plugins: tuple[str, ...] = ()
    memory: int | None = None

    @property
    def shown_parameters(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.parameters)

    @property
    def title(self) -> str:
        """For progress: everything that tells it from other cases."""
        parts = (self.model, self.algorithm, self.objective, self.solver, self.until)
        run = [f"run {self.run}"] if self.run > 1 else []
        return " ".join([f"{self.label or self.program}({self.shown_parameters})", *parts, *run])

    def __str__(self) -> str:
        return self.title

    @property
    def key(self) -> Key:
        return key_of(self.columns())

    def columns(self) -> dict[str, Any]:
        """The columns of its row that are known beforehand."""
        told = {
            "program": self.label or self.program,
            "parameters": self.shown_parameters,
            "model": self.model,
            "algorithm": self.algorithm,
            "objective": self.objective,
            "solver": self.solver,
            "until": self.until,
        }
        return told if not self.origin else {**told, "origin": self.origin, "run": self.run}

    def resolved(self) -> Program:
        """The program with its parameters. Raises ModelError if it is not there, or does not have them."""
        (program,) = find_programs(f"{self.file}::{self.program}")
        return program(**dict(self.parameters)) if self.parameters else program

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "parameters": [[name, repr(value)] for name, value in self.parameters]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BenchCase:
        parameters = tuple((name, ast.literal_eval(value)) for name, value in data["parameters"])
        return cls(**{**data, "parameters": parameters, "plugins": tuple(data["plugins"])})


def key_of(row: Mapping[str, Any]) -> Key:
    return (*(str(row[column]) for column in KEY), *(str(row.get(name, value)) for name, value in OPTIONAL.items()))


def parameters(**given: object) -> Parameters:
    """Parameters in the order in which they are written."""
    return tuple(given.items())


def short_title(row: Mapping[str, Any]) -> str:
    """The program of a row with what changes its size: "bakery(n=3)"."""
    sizes = [part for part in row["parameters"].split(", ") if part and not part.startswith("check=")]
    return f"{row['program']}({', '.join(sizes)})" if sizes else str(row["program"])
