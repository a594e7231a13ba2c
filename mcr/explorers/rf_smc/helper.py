"""A process that does calls of RF-SMC, and tells what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mcr.exploration.contract import Run
from mcr.exploration.stage import Stage
from mcr.exploration.travel import pack_run
from mcr.explorers.rf_smc.calls import Call, Key
from mcr.explorers.rf_smc.explorer import RFSMC
from mcr.explorers.rf_smc.travel import Luggage, PackedCall
from replay.errors import CheckerError

REFUTED, KNOWN = -1, -2
"""What a mutation leads to that is not realizable, and one that was scheduled before as far as a helper knows."""

Packed = tuple[int, PackedCall]
"""A call that a helper has parted with: its number in the piece of work, and it."""


class Offer(NamedTuple):
    """A mutation of a call.

    slot      the number of its slot
    key       its name among the schedules of that
    leads_to  number of the call that it leads to, or REFUTED, or KNOWN
    """

    slot: int
    key: Key
    leads_to: int


@dataclass(slots=True)
class Done:
    """What became of a call.

    number  counts the calls of a piece of work
    run     its execution by names; None if there is none, as the model is broken
    opened  what is scheduled for each of the slots that are new
    offers  its mutations
    error   how the model is broken
    """

    number: int
    run: object = None
    opened: list[list[Key]] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    error: CheckerError | None = None


class Caller:
    """Does pieces of work: a call, and those that come of it (`crew.Helper`)."""

    def __init__(self, stage: Stage, inner: RFSMC, waiting: list[Call]) -> None:
        """`waiting` are the calls that waited when the work was shared."""
        self._stage = stage
        self._inner = inner
        self._waiting = waiting
        self._luggage = Luggage(stage)
        self._stack: list[tuple[int, Call]] = []
        self._numbers = 0
        self._told: list[Done] = []

    def take(self, work: int | Packed) -> None:
        """A piece knows what was scheduled when it was given, and nothing that comes after it in order."""
        self._luggage = Luggage(self._stage)
        call = self._own(self._waiting[work]) if isinstance(work, int) else self._luggage.unpack(work[1])
        self._stack = [(0, call)]
        self._numbers = 0

    def _own(self, call: Call) -> Call:
        own = [replace(slot, schedules=set(slot.schedules)) for slot in call.slots]
        return replace(call, slots=tuple(own))

    @property
    def is_done(self) -> bool:
        return not self._stack

    def step(self) -> None:
        number, call = self._stack.pop()
        done = Done(number)
        self._told.append(done)
        try:
            trace = self._inner.extended(call)
            done.run = pack_run(self._stage, Run(trace.choices, trace.machine))
            slots = self._inner.slots(trace, call)
            done.opened = [sorted(slot.schedules) for slot in slots[len(call.slots) :]]
            for slot, key, mutation in self._inner.offers(trace, call, slots):
                leads_to = KNOWN
                if key not in slots[slot].schedules:
                    slots[slot].schedules.add(key)
                    leads_to = self._announce(self._inner.remade(mutation, slots[:slot]))
                done.offers.append(Offer(slot, key, leads_to))
        except CheckerError as error:
            done.error = error

    def _announce(self, call: Call | None) -> int:
        if call is None:
            return REFUTED
        self._numbers += 1
        self._stack.append((self._numbers, call))
        return self._numbers

    def told(self) -> list[Done]:
        told, self._told = self._told, []
        return told

    def give(self) -> Packed | None:
        """The first call on the stack: what comes of it is most of what is left."""
        if len(self._stack) < 2:
            return None
        number, call = self._stack.pop(0)
        return number, self._luggage.pack(call)

    def figures(self) -> dict[str, int]:
        return {}
