"""RF-SMC by several processes: helpers do calls, and the first process deals with them in the order of a single one.

What becomes of a call depends on the call alone, but for the question whether
a mutation was scheduled before. A helper knows only part of what was. So it
tells of every mutation, and the first process, which knows all, takes those
that are new: the same calls, in the same order, as by itself. What helpers did
beside these is passed over. What they left out, as they knew it from a call
that is passed over, is done here. Where most of what they do turns out to be
passed over, the first process goes on alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.crew import Crew, Piece
from mcr.exploration.stage import Stage
from mcr.exploration.travel import unpack_run
from mcr.explorers.rf_smc.calls import Call, Key, Slot
from mcr.explorers.rf_smc.explorer import RFSMC
from mcr.explorers.rf_smc.helper import KNOWN, REFUTED, Caller, Done, Offer
from mcr.explorers.rf_smc.mutations import Mutation
from replay.errors import InternalError
from replay.machine.machine import Choice

SAMPLE = 100
"""Calls between two looks at what is done in vain."""


@dataclass(eq=False, slots=True)
class _Afar:
    """A call that is done elsewhere.

    piece, number  what will be told of it: the call with this number in a piece of work
    schedules      by slot, what was scheduled
    call           the call, where it is known here
    parent, offer  else it is what this mutation of another call leads to
    choices        its execution, when that was told
    """

    piece: Piece[Done]
    number: int
    schedules: list[set[Key]]
    call: Call | None = None
    parent: _Afar | None = None
    offer: Offer | None = None
    choices: list[Choice] = field(default_factory=list)
    depth_first: ClassVar[bool] = True


class CallsTogether:
    """Does what `inner` does; after a while, several processes do its calls."""

    def __init__(self, stage: Stage, inner: RFSMC) -> None:
        self._stage = stage
        self._inner = inner
        self._waiting: list[Work] = []
        self._crew: Crew[Done] | None = None
        self._shared: dict[Call, _Afar] = {}
        self._is_over = False
        self._taken = self._passed_over = 0
        """Calls that helpers did, and a single process does as well; and those that it does not."""
        self.given = self.made_here = 0
        """Pieces of work that travelled from one helper to another; calls that were left out, and done here."""

    def begin(self) -> Iterable[Work]:
        self._waiting = [*self._inner.begin()]
        return [*self._waiting]

    def expand(self, work: Work) -> Iterator[News]:
        try:
            statistics = self._stage.statistics
            seconds = statistics.checking + statistics.replaying
            if self._crew is None and not self._is_over and self._stage.may_share(seconds):
                self._share()
            elif self._crew is not None and self._is_in_vain():
                self._stop()
            self._waiting.pop()
            for news in self._expand(work):
                if not isinstance(news, Run):
                    self._waiting.append(news)
                yield news
        except BaseException:
            self._stop()
            raise

    def _expand(self, work: Work) -> Iterator[News]:
        afar = self._shared.get(work) if isinstance(work, Call) else work
        if afar is None:
            return self._inner.expand(work)
        assert isinstance(afar, _Afar)
        return self._inner.expand(self._call(afar)) if self._is_over else self._look_at(afar)

    def _share(self) -> None:
        calls = [work for work in self._waiting if isinstance(work, Call)]
        self._crew = Crew(self._stage, len(calls), lambda: Caller(self._stage, self._inner, calls))
        for call, piece in zip(reversed(calls), self._crew.pieces, strict=True):
            self._shared[call] = _Afar(piece, 0, [slot.schedules for slot in call.slots], call)

    def _is_in_vain(self) -> bool:
        """Whether too much of what helpers do comes to nothing, as far as that is known: looked at now and then."""
        if self._taken % SAMPLE:
            return False
        vain = self._passed_over + sum(_in_vain(afar) for afar in self._shared.values())
        return vain > max(SAMPLE, self._taken / 2)

    def _look_at(self, afar: _Afar) -> Iterator[News]:
        """Do what a single process would have done at a call."""
        statistics = self._stage.statistics
        done = self._done(afar)
        self._taken += 1
        self._stage.limits.check_executions(statistics.executions)
        if done.run is not None:
            with self._stage.timed("replaying"):
                run = unpack_run(self._stage, done.run)
            self._inner.see(run)
            afar.choices = run.choices
            yield run
        if done.error is not None:
            raise done.error
        schedules = [*afar.schedules, *map(set, done.opened)]
        for offer in done.offers:
            known = schedules[offer.slot]
            if offer.key in known:
                continue
            known.add(offer.key)
            if offer.leads_to == KNOWN:
                yield from self._make_here(afar, offer, schedules)
                continue
            statistics.checks += 1
            if offer.leads_to != REFUTED:
                statistics.realizable += 1
                own = schedules[: offer.slot + 1]
                yield _Afar(afar.piece, offer.leads_to, own, parent=afar, offer=offer)

    def _done(self, afar: _Afar) -> Done:
        """What became of a call. What was told before it is of calls that a single process does not do."""
        crew = self._crew
        assert crew is not None
        while True:
            for piece in crew.pieces:
                if piece.giver is afar.piece and piece.work[0] == afar.number:
                    afar.piece, afar.number = piece, 0
            crew.skip_to(afar.piece)
            while afar.piece.told:
                done = afar.piece.told.popleft()
                if done.number == afar.number:
                    return done
                self._passed_over += 1
            if afar.piece.figures is not None:
                raise InternalError(f"{self._stage.title}: a call that was shared is lost")
            with self._stage.timed("checking"):
                crew.wait()

    # -- what helpers left out -----------------------------------------------------

    def _make_here(self, afar: _Afar, offer: Offer, schedules: list[set[Key]]) -> Iterator[Call]:
        self.made_here += 1
        mutation, slots = self._found_again(afar, offer)
        known = [replace(slot, schedules=own) for slot, own in zip(slots, schedules, strict=True)]
        mutation = replace(mutation, slot=replace(mutation.slot, schedules=schedules[offer.slot]))
        call = self._inner.mutated(mutation, known[: offer.slot])
        if call is not None:
            yield call

    def _found_again(self, afar: _Afar, offer: Offer) -> tuple[Mutation, list[Slot]]:
        """A mutation of a call that was done elsewhere, and the slots of that."""
        call = self._call(afar)
        trace = self._inner.extended(call, afar.choices)
        slots = self._inner.slots(trace, call)
        for number, key, mutation in self._inner.offers(trace, call, slots):
            if (number, key) == (offer.slot, offer.key):
                return mutation, slots
        raise InternalError(f"{self._stage.title}: a mutation that was told of is none")

    def _call(self, afar: _Afar) -> Call:
        if afar.call is None:
            assert afar.parent is not None
            assert afar.offer is not None
            mutation, slots = self._found_again(afar.parent, afar.offer)
            afar.call = self._inner.remade(mutation, slots[: afar.offer.slot])
            assert afar.call is not None, "whoever told of it found it realizable"
        own = [replace(slot, schedules=known) for slot, known in zip(afar.call.slots, afar.schedules, strict=True)]
        return replace(afar.call, slots=tuple(own))

    # -- the rest of the contract ----------------------------------------------------

    def remaining(self) -> Work | None:
        return None

    def pack(self, work: Work) -> object:
        return self._inner.pack(self._call(work) if isinstance(work, _Afar) else work)

    def unpack(self, packed: object) -> Work:
        return self._inner.unpack(packed)

    def see(self, run: Run) -> None:
        self._inner.see(run)

    def claim(self) -> Claim:
        self._stop()
        return self._inner.claim()

    def _stop(self) -> None:
        if self._crew is not None:
            self.given = self._crew.given
            self._crew.close()
            self._crew, self._is_over = None, True


def _in_vain(root: _Afar) -> int:
    """How many calls were done, and not looked at, that come of a mutation which was scheduled meanwhile.

    For a slot, that is, of `root`, a call that waited when the work was shared, and that nobody has looked at.
    """
    of_root = {0: len(root.schedules)}
    """By call, how many of its first slots are those of the root."""
    vain = set[int]()
    for done in root.piece.told:
        own = of_root.get(done.number, 0)
        for slot, key, leads_to in done.offers:
            if done.number in vain or (slot < own and key in root.schedules[slot]):
                vain.add(leads_to)
            of_root[leads_to] = min(own, slot + 1)
    return sum(done.number in vain for done in root.piece.told)
