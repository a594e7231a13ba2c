"""One of several explorers that take turns on the same program, with the work that it has announced."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from mcr.exploration.contract import Explorer, Run, Work, enqueue
from mcr.exploration.evidence import cut
from mcr.exploration.stage import Paused, Stage


class Side:
    """An explorer with its turns.

    is_open    it may come to a proof that it has not
    has_proof  it has nothing left to do, and nothing was cut
    """

    def __init__(self, stage: Stage, explorer: Explorer) -> None:
        """To be made right after the explorer, which has said what there is to see of it (`Stage.seen`)."""
        self.explorer = explorer
        self.is_open = True
        self.has_proof = False
        self._stage = stage
        self._seen = stage.seen
        self._waiting: deque[Work] = deque()
        self._has_begun = False
        self._cost = 0
        self._since: int | None = None
        """The effort of all when its turn began; None while others have theirs."""

    @property
    def cost(self) -> int:
        """What its turns have cost, as `Stage.effort` counts."""
        return self._cost if self._since is None else self._cost + self._stage.effort() - self._since

    def show(self) -> None:
        """What this side has seen is what there is to see."""
        self._stage.seen = self._seen

    def turn(self, may_go_on: Callable[[], bool]) -> Iterator[Run]:
        """Do a piece of work; a question to a solver that may not go on waits for the next turn."""
        self.show()
        self._since = self._stage.effort()
        try:
            yield from self._turn(may_go_on)
        except Paused:
            pass
        finally:
            self._cost, self._since = self.cost, None

    def _turn(self, may_go_on: Callable[[], bool]) -> Iterator[Run]:
        if not self._has_begun:
            self._has_begun = True
            enqueue(self._waiting, self.explorer.begin())
        with self._stage.patient(may_go_on):
            piece = self._waiting.popleft() if self._waiting else self.explorer.remaining()
        if piece is None:
            self.is_open = False
            self.has_proof = self.explorer.claim().stop is None and cut(self._seen) is None
            return
        for news in self.explorer.expand(piece):
            if isinstance(news, Run):
                yield news
            else:
                enqueue(self._waiting, (news,))
