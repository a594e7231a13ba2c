"""Bounded model checking by turns with others who explore the same program: whoever ends first ends the exploration.

One formula about values as terms may prove that nothing fails long before every
local state was seen, and may as well never end. Nobody can tell beforehand, so
whatever the others are not soon done with is looked at on terms too, as long as
this has cost no more than they have. A question to a solver waits where it is
when its turn is over. What the side that ends has cost, the others have cost
at most. Costs are counted, in propagations of a solver, so that the same input
takes the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mcr.exploration.contract import Claim, Run
from mcr.exploration.stage import Paused, Stage
from mcr.explorers.side import Side
from replay.errors import ModelError

if TYPE_CHECKING:
    from mcr.explorers.bmc.explorer import BMC

AFTER = 1_000_000
"""What the others may cost before the program is looked at on terms: most are done by then."""

TURN = 200_000
"""What a question may cost beyond what the other side has, before it waits."""

STEP = 10_000
"""What a step on terms costs, with what it adds to the formula."""

MANY_VALUES, FAVOUR = 16, 4
"""Where one read took so many values before the first turn, terms may cost so many times what the others have."""


class OnTerms:
    """A side of an exploration.

    ended  it has proved that nothing fails
    """

    def __init__(self, stage: Stage, cost_of_others: Callable[[], float]) -> None:
        """`cost_of_others` tells what they have cost so far, the `effort` of this side apart."""
        self.ended = False
        self._stage = stage
        self._cost_of_others = cost_of_others
        self._side: Side[BMC] | None = None
        self._favour = 1
        self._is_possible = stage.goals.only_failures and not stage.options.census and not stage.options.paranoid

    def effort(self) -> int:
        """What its solvers have cost."""
        return 0 if self._side is None else self._side.explorer.effort()

    def _cost(self) -> float:
        return 0 if self._side is None else (self.effort() + self._side.explorer.steps * STEP) / self._favour

    def is_due(self) -> bool:
        """Whether it is its turn."""
        return self._is_possible and max(AFTER, self._cost()) < self._cost_of_others()

    def others_may_go_on(self) -> bool:
        """Whether a question of the others may go on."""
        return not self._is_possible or self._cost_of_others() <= max(AFTER, self._cost()) + TURN

    def _may_go_on(self) -> bool:
        return self._cost() <= self._cost_of_others() + TURN

    def turn(self) -> Iterator[Run]:
        """Do a piece of work; it may be the last, if it ends everything or shows what cannot be done on terms."""
        try:
            yield from self._turn()
        except Paused:
            pass
        except ModelError:
            self._is_possible = False

    def _turn(self) -> Iterator[Run]:
        side = self._side or self._begun()
        with self._stage.patient(self._may_go_on):
            piece = side.take()
        if piece is not None:
            for news in side.explorer.expand(piece):
                if isinstance(news, Run):
                    yield news
                else:
                    side.announce((news,))
        else:
            self.ended = side.explorer.claim().stop is None
            self._is_possible = self.ended

    def _begun(self) -> Side[BMC]:
        from mcr.explorers.bmc.explorer import BMC  # late, as most programs do without

        if max(len(state.edges) for state in self._stage.unfolding.states) >= MANY_VALUES:
            self._favour = FAVOUR
        self._side = Side(BMC(self._stage, alone=False))
        return self._side

    def claim(self) -> Claim:
        """What it has shown."""
        assert self._side is not None
        return self._side.explorer.claim()
