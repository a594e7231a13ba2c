"""One measurement, as data: it travels to the process that takes it, and is the key of the row that comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from mcr.explorers.registry import AUTO
from replay.frontend.program import Program
from solvers.registry import DEFAULT_SOLVER

END, FIRST_BUG = "end", "first bug"

Key = tuple[str, ...]
KEY = ("program", "parameters", "model", "algorithm", "objective", "solver", "until")
"""The columns that identify a row."""


@dataclass(frozen=True)
class Case:
    """What to measure.

    module      its full name
    parameters  of the program, (name, value) in order
    algorithm   name in `mcr.explorers.registry`, with its variant
    merge       let histories that leave a thread in one local state share it
    until       "end": everything that can be reached; or "first bug"
    census      count the classes of every equivalence that the executions belong to
    growth      note how time and memory grow
    cover       with objective "values": compute the fewest executions that show every local state
    profile     note what the time goes into, and nothing else (it slows things down a little)
    """

    module: str
    program: str
    parameters: tuple[tuple[str, int], ...]
    model: str
    algorithm: str = AUTO
    objective: str = "states"
    solver: str = DEFAULT_SOLVER
    merge: bool = True
    until: str = END
    census: bool = False
    growth: bool = False
    cover: bool = False
    profile: bool = False

    @property
    def shown_parameters(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.parameters)

    @property
    def title(self) -> str:
        """For progress: everything that tells it from other cases."""
        parts = (self.model, self.algorithm, self.objective, self.solver, self.until)
        return " ".join([f"{self.program}({self.shown_parameters})", *parts])

    @property
    def key(self) -> Key:
        return key_of(self.columns())

    def columns(self) -> dict[str, str]:
        """The columns of its row that are known beforehand."""
        return {
            "program": self.program,
            "parameters": self.shown_parameters,
            "model": self.model,
            "algorithm": self.algorithm,
            "objective": self.objective,
            "solver": self.solver,
            "until": self.until,
        }

    def resolved(self) -> Program:
        """The program with its parameters."""
        program: Program = getattr(import_module(self.module), self.program)
        return program(**dict(self.parameters))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Case:
        return cls(**{**data, "parameters": tuple((name, value) for name, value in data["parameters"])})


def key_of(row: Mapping[str, Any]) -> Key:
    """What identifies a row."""
    return tuple(str(row[column]) for column in KEY)


def parameters(**given: int) -> tuple[tuple[str, int], ...]:
    """Parameters in the order in which they are written."""
    return tuple(given.items())


def short_title(row: Mapping[str, Any]) -> str:
    """The program of a row with what changes its size: "bakery(n=3)"."""
    sizes = [part for part in row["parameters"].split(", ") if part and not part.startswith("check=")]
    return f"{row['program']}({', '.join(sizes)})" if sizes else str(row["program"])
