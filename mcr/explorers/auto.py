"""The default: explore global states, cover local states and look at the program on terms, by turns.

Where threads do few things to few cells there are few global states, and
nothing comes near to visiting them; where memory has very many values, or
values multiply, a formula is at its best, over local states or over terms.
Nobody can tell beforehand which it is. So they take turns, each in a world of
its own, and the first that has nothing left to do ends it: a proof by one is a
proof, and so is a failure. An explorer that comes to its end without one, because
a loop without end was cut, leaves it to the others.

What a turn costs is counted in steps, not in seconds, so that the same input
takes the same way. Global states come first, as most programs that people write
are done before a cover has begun. After that, how many are left can mostly be
told: they are explored as far as all of them seem to cost no more than the
others have, and a tenth of that if there is no end in sight.

A thread that was cut after the bound on operations, as in a test under stress with a thousand rounds, makes a proof
unlikely. From then on random schedules (`mcr.explorers.sample`), in which threads may go on longer, have half of the
effort. They find failures, and prove nothing.

Terms give no certificates. Where one is asked for, and global states are many, threads are explored alone as well
(`mcr.explorers.closed`), which is a proof or nothing, and is known soon.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from mcr.executions.equivalence import TRACES
from mcr.exploration.context import ExplorationContext, Paused
from mcr.exploration.contract import Claim, Explorer, GoOn, Run, Work, enqueue
from mcr.exploration.evidence import cut
from mcr.explorers.registry import ALGORITHMS, STATEFUL
from replay.code.terminals import Cut
from replay.errors import ModelError, TakenForConstant
from replay.machine.options import DEFAULT_BOUND
from replay.machine.unfolding import Unfolding

if TYPE_CHECKING:
    from mcr.explorers.stateful.explorer import Stateful


class ExplorerQueue:
    """One of the explorers that take turns on a program, with the work that it has announced.

    is_open    it may come to a proof that it has not
    has_proof  it has nothing left to do, and nothing was cut
    """

    def __init__(self, context: ExplorationContext, explorer: Explorer) -> None:
        self.explorer = explorer
        self.is_open = True
        self.has_proof = False
        self._context = context
        self._waiting: deque[Work] = deque()
        self._has_begun = False
        self._cost = 0
        self._since: int | None = None
        """The effort of all when its turn began; None while others have theirs."""

    @property
    def cost(self) -> int:
        """Returns what its turns have cost, as `ExplorationContext.effort` counts."""
        return self._cost if self._since is None else self._cost + self._context.effort() - self._since

    def turn(self, may_go_on: Callable[[], bool]) -> Iterator[Run]:
        """Do a piece of work; a question to a solver that may not go on waits for the next turn."""
        self._since = self._context.effort()
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
        with self._context.patient(may_go_on):
            piece = self._waiting.popleft() if self._waiting else self.explorer.remaining()
        if piece is None:
            self.is_open = False
            self.has_proof = self.explorer.claim().stop is None and cut(self.explorer.unfolding) is None
            return
        for news in self.explorer.expand(piece):
            if isinstance(news, Run):
                yield news
            else:
                enqueue(self._waiting, (news,))


FIRST, SOON = 500_000, 1_500_000
"""What global states may cost before a cover begins, and if it seems to be all: most programs are done by then."""

FIRST_CERTIFYING = 2_000_000
"""The same where a certificate is asked for: there are no terms, and of the two others global states are the faster."""

GUESSES = 6
"""Guesses of what all global states cost, of which the lowest counts: states come in waves, and a crest deceives."""

LEAST_SHARE = 0.1
"""What global states may cost where no end is in sight, as a share of what the others have."""

LATER = 750_000
"""What local states may cost before the program is looked at on terms: most bugs are found by then."""

CERTIFYING = 300_000_000
"""The same, where a certificate is asked for: terms give none."""

CLOSED_FAVOUR = 24
"""Threads alone may cost so many times what all else has, at most."""

FAVOUR, MANY_VALUES, MORE_FAVOUR = 2, 16, 4
"""Terms may cost so many times what all else has, and where one read took so many values so many times."""

FAVOUR_OF_OBJECTS = 0.1
"""The same where ordinary objects are shared: most of what they hold is no number, and terms say nothing of it."""

TURN = 200_000
"""What a question to a solver may cost before it waits, if it is another's turn."""

LAST, TIMES = 2_000_000, 2
"""What global states may cost when all others have come to their end without a proof: so much, and so many times what
they have."""


def by_turns(context: ExplorationContext) -> Explorer:
    """The explorer of a context; where only one answers what is asked, there are no turns."""
    if context.goals.runs:
        return ALGORITHMS[STATEFUL].make(context, "")
    if context.goals.equivalence is TRACES:  # every graph is a class
        return ALGORITHMS["trust"].make(context, "")
    return Auto(context)


SAMPLES = 1_000
"""Random schedules of a program of which a thread was cut."""


class Auto:
    """Explores a program in several ways by turns.

    Threads are cut after the bound on operations, if somebody has set one, and nobody goes on behind that.
    """

    def __init__(self, context: ExplorationContext) -> None:
        goals, options = context.goals, context.options
        asks_states = set(goals.names) <= set(ALGORITHMS[STATEFUL].objectives)
        self._has_stateful = context.can_merge and not options.census and asks_states
        self._has_terms = goals.only_failures and not options.census and not options.paranoid
        self._context = context
        self._latest: ExplorerQueue | None = None
        self._cover: ExplorerQueue | None = None
        self._stateful: ExplorerQueue | None = None
        self._global_states: Stateful | None = None
        self._guesses, self._guess_at = deque[float](maxlen=GUESSES), 0
        self._terms: ExplorerQueue | None = None
        self._favour: float = FAVOUR
        self._has_closed = self._has_terms and options.certificate and self._has_stateful
        self._closed: ExplorerQueue | None = None
        self._closed_favour = 1
        """Global states grow as the product of threads alone: with two threads they are not worse."""
        self._has_samples = goals.only_failures and not self._is_bounded
        self._samples: ExplorerQueue | None = None
        self._samples_found = False
        """A bug was found by a random schedule."""
        self._was_cut, self._looked_at = False, 0

    @property
    def _is_bounded(self) -> bool:
        return self._context.options.max_operations != DEFAULT_BOUND

    @property
    def unfolding(self) -> Unfolding:
        return self._context.unfolding if self._latest is None else self._latest.explorer.unfolding

    def begin(self) -> Iterable[Work]:
        return (GoOn(),)

    def expand(self, work: Work) -> Iterator[Run]:
        side = self._next()()
        if side is self._samples:
            yield from self._sample(side)
            return
        self._latest = side
        before = side.cost
        try:
            yield from side.turn(lambda: side.cost - before <= TURN or self._next()() is side)
        except ModelError as error:
            if side is not self._terms or isinstance(error, TakenForConstant):
                raise
            side.is_open = False  # the same code may be right on values

    def remaining(self) -> Work | None:
        if self._latest is not None and self._latest.has_proof:
            return None
        if _is_open(self._cover) or self._is_worth_waiting_for():
            return GoOn()
        self._latest = self._covering()  # it says why there is no proof
        return None

    def claim(self) -> Claim:
        claim = self._new_cover().claim() if self._latest is None else self._latest.explorer.claim()
        if self._samples is None:
            return claim
        sampled = self._samples.explorer.claim()
        return replace(claim, bound=sampled.bound, taken=sampled.taken if self._samples_found else claim.taken)

    def _new_cover(self) -> Explorer:
        return ALGORITHMS["cover"].make(self._context, "")

    # -- whose turn it is --------------------------------------------------------------

    def _next(self) -> Callable[[], ExplorerQueue]:
        """Returns the side that has the next turn; a side is made when it has its first."""
        if self._is_worth_sampling():
            return self._sampling
        if self._is_worth_closing():
            return self._closing
        if self._is_due() or not _is_open(self._cover):
            return self._exploring
        later = CERTIFYING if self._context.options.certificate else LATER
        if not self._has_terms or not _is_open(self._terms) or _cost(self._cover) <= later:
            return self._covering
        others = _cost(self._cover) + _cost(self._stateful)
        return self._on_terms if _cost(self._terms) / self._favour < others else self._covering

    def _covering(self) -> ExplorerQueue:
        if self._cover is None:
            self._cover = ExplorerQueue(self._context, self._new_cover())
        return self._cover

    def _exploring(self) -> ExplorerQueue:
        if self._stateful is None:
            from mcr.explorers.stateful.explorer import Stateful

            self._global_states = Stateful(self._context)
            self._stateful = ExplorerQueue(self._context, self._global_states)
        return self._stateful

    def _closing(self) -> ExplorerQueue:
        if self._closed is None:
            from mcr.explorers.closed.explorer import Closed

            explorer = Closed(self._context)
            self._closed = ExplorerQueue(self._context, explorer)
            self._closed_favour = min(CLOSED_FAVOUR, explorer.threads * (explorer.threads - 2))
        return self._closed

    def _on_terms(self) -> ExplorerQueue:
        if self._terms is None:
            from mcr.explorers.bmc.explorer import BMC

            self._terms = ExplorerQueue(self._context, BMC(self._context, alone=False))
        unfolding = self._context.unfolding
        if unfolding.ordinary:
            self._favour = FAVOUR_OF_OBJECTS
        elif max(len(state.edges) for state in unfolding.states) >= MANY_VALUES:
            self._favour = MORE_FAVOUR
        return self._terms

    def _sampling(self) -> ExplorerQueue:
        if self._samples is None:
            from mcr.explorers.sample.explorer import OPERATIONS, Sample

            context = self._context
            unfolding = context.new_unfolding(merges=context.merges, operations=OPERATIONS)
            self._samples = ExplorerQueue(context, Sample(context, SAMPLES, unfolding))
        return self._samples

    def _sample(self, side: ExplorerQueue) -> Iterator[Run]:
        """Run a random schedule."""
        had_bugs = bool(self._context.bugs)
        try:
            yield from side.turn(lambda: True)
        finally:
            self._samples_found |= bool(self._context.bugs) and not had_bugs

    def _is_worth_sampling(self) -> bool:
        """Returns whether a random schedule is next: a thread was cut, and others have had as much as these had."""
        if not self._has_samples or not _is_open(self._samples) or not self._cuts():
            return False
        return _cost(self._samples) <= _cost(self._stateful) + self._cost_of_others()

    def _cuts(self) -> bool:
        """Returns whether a thread was cut in executions of a cover."""
        if self._cover is not None and not self._was_cut:
            states = self._context.unfolding.states
            new = itertools.islice(states, self._looked_at, None)
            self._was_cut = any(isinstance(state.terminal, Cut) and not state.terminal.spins for state in new)
            self._looked_at = len(states)
        return self._was_cut

    def _is_worth_closing(self) -> bool:
        """Returns whether threads are explored alone next: global states seem to be many, or not to come to an end."""
        if not self._has_closed or not _is_open(self._closed) or _cost(self._stateful) <= FIRST:
            return False
        if _is_open(self._stateful) and self._whole_cost() <= FIRST_CERTIFYING:
            return False
        return _cost(self._closed) < self._closed_favour * (_cost(self._stateful) + _cost(self._cover))

    def _is_due(self) -> bool:
        """Returns whether it is the turn of global states."""
        side = self._stateful
        if not self._has_stateful or not _is_open(side):
            return False
        if self._is_bounded and _cost(self._cover) <= FIRST:
            return False
        if side is None:
            return True
        others, whole = SOON + _cost(self._cover), self._whole_cost()
        first = FIRST_CERTIFYING if self._context.options.certificate else FIRST
        if side.cost <= max(first, others * min(1.0, others / whole)):
            return True
        return side.cost <= LEAST_SHARE * self._cost_of_others()

    def _whole_cost(self) -> float:
        """Returns an estimate of what all global states cost, renewed now and then."""
        assert self._global_states is not None and self._stateful is not None
        if self._stateful.cost >= self._guess_at:
            self._guess_at = self._stateful.cost * 11 // 10
            self._guesses.append(self._global_states.whole_effort())
        return min(self._guesses)

    def _cost_of_others(self) -> int:
        return _cost(self._cover) + _cost(self._terms)

    def _is_worth_waiting_for(self) -> bool:
        """Returns whether global states, alone, may still come to a proof: of a thread that counts for ever there
        is none."""
        side = self._stateful
        if side is None or not side.is_open or self._is_bounded:
            return False
        return side.cost <= LAST + TIMES * self._cost_of_others()


def _is_open(side: ExplorerQueue | None) -> bool:
    """Returns whether a side may come to a proof; one that has not begun may."""
    return side is None or side.is_open


def _cost(side: ExplorerQueue | None) -> int:
    return 0 if side is None else side.cost
