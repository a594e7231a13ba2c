"""How to explore: limits and choices that hold for every objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from mcr.exploration.memory import SHARE, available, resident
from replay.errors import CheckerError
from replay.machine.options import DEFAULT_BOUND
from replay.traces.trace import FREE_THREADED, GIL, FailureIdentity
from solvers.registry import DEFAULT_SOLVER, check_name


@dataclass(frozen=True)
class Options:
    """How to explore.

    solver          name of the solver (`solvers.make_solver`)
    timeout         seconds, None for no limit
    spent           seconds of these that something else has taken, before the exploration began
    memory          bytes that the process may hold, None for three quarters of what the machine or its container has
    effort          counted work (`ExplorationContext.effort`) after which to stop, on any machine; None for no limit
    max_executions  None for no limit
    max_operations  per thread; a thread that goes on is cut, and the result is incomplete
    buffer          stores that a thread may have in its buffers, where global states are explored
    keep_going      look for further bugs after the first
    sought          stop only at this bug (`Failure.identity`), whatever `keep_going` says
    deadlocks       a run that ends while threads wait for what never comes is a bug, unless the program allows it
    merge           let histories that leave a thread in one local state share it, where algorithm and objective can;
                    without, no comparison of local states decides anything
    turns           without merging, strike out turns of loops all the same, by comparison of local states: for who
                    looks at histories, such as coverage
    reduce          leave out orders of steps that make no difference, where global states are explored
    symmetry        take threads that nobody can tell apart for each other, where global states are explored
    native          explore global states in C where that was built; False for the loop in Python, which finds the same
    shorten         look for a short schedule for each bug
    paranoid        check every execution for consistency with the memory model
    census          count the classes of each equivalence that the executions belong to
    sample          run so many random schedules instead of exploring; 0 to explore
    sampler         how these are drawn (`mcr.explorers.sample.samplers`)
    python          "free-threaded", or "gil" for CPython with its global lock, where only ordinary objects are shared
    certificate     make what shows a verified program to be so, for `mcr certify`
    jobs            how many processes the exploration may use, where its algorithm can

    Raises SolverError for an unknown solver, CheckerError for an unknown kind of Python, and for limits that
    are not positive, or that cannot be kept.
    """

    solver: str = DEFAULT_SOLVER
    timeout: float | None = None
    spent: float = 0
    memory: int | None = None
    effort: int | None = None
    max_executions: int | None = None
    max_operations: int = DEFAULT_BOUND
    buffer: int = 64
    keep_going: bool = False
    sought: FailureIdentity | None = None
    deadlocks: bool = True
    merge: bool = True
    turns: bool = False
    reduce: bool = True
    symmetry: bool = True
    native: bool = True
    shorten: bool = True
    paranoid: bool = False
    census: bool = False
    sample: int = 0
    sampler: str = "mix"
    python: str = FREE_THREADED
    certificate: bool = False
    jobs: int = 1

    def __post_init__(self) -> None:
        check_name(self.solver)
        if self.python not in (FREE_THREADED, GIL):
            raise CheckerError(f"python is {FREE_THREADED!r} or {GIL!r}, not {self.python!r}")
        for name in ("timeout", "memory", "max_executions", "max_operations", "buffer", "jobs"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise CheckerError(f"{name} must be a number above 0, not {value!r}")
        if self.memory is not None and resident() is None:
            raise CheckerError("memory: this system does not tell how much a process holds; leave the limit out")

    @property
    def compares(self) -> bool:
        """True if comparisons of local states decide anything: which histories are merged, or where a loop repeats."""
        return self.merge or self.turns

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Options:
        """Options from values by name; names that are no option are ignored."""
        return cls(**{field.name: said[field.name] for field in fields(cls) if field.name in said})

    def beside(self, processes: int) -> Options:
        """Returns the options of each of several processes that explore at once: together they use as much as one
        would.

        What was asked for, each of them may hold.
        """
        whole = available()
        if self.memory is not None or processes <= 1 or whole is None or resident() is None:
            return self
        return replace(self, memory=max(1, int(whole * SHARE / processes)))
