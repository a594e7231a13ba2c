"""Whether accesses race, and whether a program does what SC does not: asked of its complete unfolding.

All that a program can do under a model is in the formula of its complete unfolding. If no execution of it has a cycle
in po, rf, co and fr, the program is robust: under that model it has the traces of SC and no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from mcr.encoding.formula import Formula
from mcr.encoding.races import Races, Racing
from mcr.encoding.seed import Candidate, Past
from mcr.encoding.slot import Slot
from mcr.encoding.unordered import Unordered
from mcr.exploration.contract import Claim
from mcr.exploration.goals import RACES, ROBUSTNESS
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import Stop
from mcr.explorers.cover.afterwards import Afterwards
from replay.code.terminals import Blocked
from replay.machine.machine import Choice
from replay.machine.spinning import SPIN


def _formula(stage: Stage) -> Formula:
    """All that the threads can do, as far as anybody wants to look."""
    formula = Formula(stage.unfolding, stage.model, stage.new_solver(), goals=False, final=False)
    with stage.timed("encoding"):
        formula.grow()
    return formula


class ThenRaces(Afterwards):
    """Every two lines that race."""

    objective: ClassVar[str] = RACES

    def _ask(self) -> Iterator[list[Choice]]:
        formula = _formula(self._stage)
        races = Races(formula, self._stage.unfolding.plain or None)
        for one, other in races.pairs():
            racing = races.between(one, other)
            if racing.pairs:
                yield from self._between(formula, racing)

    def _between(self, formula: Formula, racing: Racing) -> Iterator[list[Choice]]:
        """Two schedules that end with a race; none, proved, if there is none."""
        stage, solver = self._stage, formula.solver
        while True:
            with stage.asking():
                if not solver.propose((racing.some,)):
                    return
            first, second = next((one, two) for statement, one, two in racing.pairs if solver.holds(statement))
            past = Past.of_events(Candidate(formula), (first, second))
            order = solver.sort(past.events)
            if order is not None:
                yield past.schedule(_ending(order, first.event, second.event))
                yield past.schedule(_ending(order, second.event, first.event))
                return
            stage.statistics.cycles += 1


def _ending(order: list[int], *last: int) -> list[int]:
    """The same with these events at the end: nothing depends on them."""
    return [*(event for event in order if event not in last), *last]


class ThenRobustness(Afterwards):
    """An execution that SC does not have, if there is one."""

    objective: ClassVar[str] = ROBUSTNESS
    _is_refuted = False

    def _ask(self) -> Iterator[list[Choice]]:
        stage = self._stage
        if stage.model.buffers is None:
            return
        formula = _formula(self._stage)
        unordered = Unordered(formula)
        while True:
            with stage.asking():
                if not formula.solver.propose():
                    return
            past = _past(Candidate(formula), unordered.cycle())
            order = formula.solver.sort(past.events)
            if order is not None:
                self._is_refuted = True
                yield past.schedule(order)
                return
            stage.statistics.cycles += 1

    def claim(self) -> Claim:
        """Nothing is proved of a wait_until whose failing evaluation makes several loads: what follows is not compared.

        Of a loop that waits a whole turn is kept (`replay.machine.spinning`).
        """
        claim = super().claim()
        if claim.stop is not None or self._is_refuted or self._stage.model.buffers is None:
            return claim
        for state in self._stage.unfolding.states:
            end = state.terminal
            if isinstance(end, Blocked) and end.reason != SPIN and 0 <= end.wait_from < state.depth - 1:
                reason = f"an evaluation of wait_until that fails makes several loads ({end.source})"
                return replace(claim, stop=Stop(reason, "write it as a loop: `while not (...): pass`"))
        return claim


def _past(candidate: Candidate, cycle: list[Slot]) -> Past:
    """What a cycle depends on; its order of writes has those that its own threads read from their buffers."""
    sources = [source for slot in cycle if slot.reads and (source := candidate.source(slot)) is not None]
    return Past.of_events(candidate, [*cycle, *sources])
