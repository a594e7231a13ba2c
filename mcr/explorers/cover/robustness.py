"""Whether a program does what SC does not.

All that a program can do under a model is in the formula of its complete unfolding. If no execution of it has a cycle
in po, rf, co and fr, the program is robust: under that model it has the traces of SC and no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from mcr.encoding.seed import Candidate, Past
from mcr.encoding.slot import Slot
from mcr.encoding.unordered import Unordered
from mcr.exploration.goals import ROBUSTNESS
from mcr.explorers.cover.afterwards import Afterwards
from replay.machine.machine import Choice


class ThenRobustness(Afterwards):
    """An execution that SC does not have, if there is one."""

    objective: ClassVar[str] = ROBUSTNESS

    def _ask(self) -> Iterator[list[Choice]]:
        stage = self._stage
        if stage.model.buffers is None:
            return
        formula = self._formula()
        unordered = Unordered(formula)
        while True:
            with stage.asking():
                if not formula.solver.propose():
                    return
            past = _past(Candidate(formula), unordered.cycle())
            order = formula.solver.sort(past.events)
            if order is not None:
                yield past.schedule(order)
                return
            stage.statistics.cycles += 1


def _past(candidate: Candidate, cycle: list[Slot]) -> Past:
    """What a cycle depends on; its order of writes has those that its own threads read from their buffers."""
    sources = [source for slot in cycle if slot.reads and (source := candidate.source(slot)) is not None]
    return Past.of_events(candidate, [*cycle, *sources])
