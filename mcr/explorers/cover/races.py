"""Data races: two accesses of a plain cell that nothing orders, for any two lines, with a schedule for each order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from mcr.encoding.formula import Formula
from mcr.encoding.races import Races, Racing
from mcr.encoding.seed import Candidate, Past
from mcr.exploration.goals import RACES
from mcr.explorers.cover.afterwards import Afterwards
from replay.machine.machine import Choice


class ThenRaces(Afterwards):
    """Every two lines that race."""

    objective: ClassVar[str] = RACES

    def _ask(self) -> Iterator[list[Choice]]:
        formula = self._formula()
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
