"""How to explore: limits and choices that hold for every objective."""

from __future__ import annotations

from dataclasses import dataclass

from mcr.exploration.memory import resident
from replay.errors import CheckerError
from replay.machine.unfolding import DEFAULT_BOUND
from replay.traces.trace import FailureIdentity
from solvers.registry import DEFAULT_SOLVER, check_name


@dataclass(frozen=True)
class Options:
    """How to explore.

    solver          name of the solver (`solvers.make_solver`)
    timeout         seconds, None for no limit
    memory          bytes that the process may hold, None for three quarters of what the machine or its container has
    max_executions  None for no limit
    max_operations  per thread; a thread that goes on is cut, and the result is incomplete
    keep_going      look for further bugs after the first
    sought          stop only at this bug (`Failure.identity`), whatever `keep_going` says
    shorten         look for a short schedule for each bug
    paranoid        check every execution for consistency with the memory model
    census          count the classes of each equivalence that the executions belong to

    Raises SolverError for an unknown solver, CheckerError for limits that are not positive, or that cannot be kept.
    """

    solver: str = DEFAULT_SOLVER
    timeout: float | None = None
    memory: int | None = None
    max_executions: int | None = None
    max_operations: int = DEFAULT_BOUND
    keep_going: bool = False
    sought: FailureIdentity | None = None
    shorten: bool = True
    paranoid: bool = False
    census: bool = False

    def __post_init__(self) -> None:
        check_name(self.solver)
        for name in ("timeout", "memory", "max_executions", "max_operations"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise CheckerError(f"{name} must be more than 0, not {value}")
        if self.memory is not None and resident() is None:
            raise CheckerError("memory: this system does not tell how much a process holds; leave the limit out")
