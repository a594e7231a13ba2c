"""The fewest executions that show every local state: a minimum hitting set over the classes of values.

A maximal execution takes each thread to one end of its tree of histories, and
its class of values says to which ends. The classes are enumerated, and the
fewest are chosen that pass the ends of all trees. What any explorer needs at
least is known for programs whose classes can be enumerated, then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcr.bench.probe import Probe
from mcr.exploration.contract import Run
from mcr.exploration.session import Session
from mcr.exploration.verdict import Result
from replay.code.terminals import Ended
from replay.machine.state import State
from replay.machine.unfolding import Unfolding

FEWEST = f"{__file__}::ClassEnds"
"""The probe, for cases with the objective values."""

Ends = tuple[State, ...]
"""Where the threads of a maximal execution ended, or are blocked."""


class ClassEnds(Probe):
    """Looks at an exploration of the classes of values, and keeps the ends of each."""

    def __init__(self) -> None:
        self.ends: list[Ends] = []

    def see(self, run: Run) -> None:
        self.ends.append(tuple(run.machine.states))

    def details(self, session: Session, result: Result) -> dict[str, Any]:
        return {"cover": self._figures(session.context.unfolding)} if result.complete else {}

    def _figures(self, unfolding: Unfolding) -> dict[str, int]:
        """After the exploration.

        minimum       executions that show every local state
        blocked_only  local states that no execution shows in which all threads end
        """
        complete = [ends for ends in self.ends if all(isinstance(end.terminal, Ended) for end in ends)]
        shown = {state for ends in complete for end in ends for state in _path(end)}
        counted = [state for state in unfolding.states if unfolding.is_counted(state)]
        return {"minimum": least_cover(self.ends), "blocked_only": sum(state not in shown for state in counted)}


def _path(end: State) -> Iterable[State]:
    return end.path()


def least_cover(classes: list[Ends]) -> int:
    """How many classes it takes to pass every state that some class passes."""
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    passed: dict[State, list[int]] = {}
    for number, ends in enumerate(classes, 1):
        for end in ends:
            for state in _path(end):
                passed.setdefault(state, []).append(number)
    formula = WCNF()
    for number in range(1, len(classes) + 1):
        formula.append([-number], weight=1)
    for numbers in passed.values():
        formula.append(numbers)
    with RC2(formula) as solver:
        solver.compute()
        return int(solver.cost)
