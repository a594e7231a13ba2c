"""Calls by names: a schedule, the order of its events, and the reads that are not marked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import TypedDict
from weakref import WeakValueDictionary

from mcr.executions.execution import Place
from mcr.exploration.events import Trace
from mcr.exploration.stage import Stage
from mcr.exploration.travel import (
    PackedPlace,
    Steps,
    pack_place,
    pack_schedule,
    read_as,
    refuse,
    unpack_place,
    unpack_schedule,
)
from mcr.explorers.rf_smc.calls import Call, Key, Slot
from mcr.explorers.rf_smc.mutations import named
from replay.machine.machine import Choice


class PackedSlot(TypedDict):
    """A slot, as in `Slot`; its schedules as they are when it is packed."""

    base: int
    occupant: PackedPlace
    is_turn: bool
    schedules: list[Key]


class PackedCall(TypedDict):
    """A call, as in `Call`."""

    tau: list[PackedPlace]
    sigma: Steps
    slots: list[PackedSlot]
    fresh: list[PackedPlace]


class Luggage:
    """Packs and unpacks the calls of one explorer.

    A call takes along what was scheduled for its prefixes when it is packed. A prefix has one name everywhere, so calls
    that come together again share its schedules again, and few mutations are scheduled on both sides.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._known: WeakValueDictionary[Hashable, set[Key]] = WeakValueDictionary()

    def pack(self, call: Call) -> PackedCall:
        trace = self._played(call.sigma)
        trace.arrange(call.tau)
        return PackedCall(
            tau=[self._named(place) for place in call.tau],
            sigma=pack_schedule(self._stage, call.sigma),
            slots=[self._packed(slot, trace) for slot in call.slots],
            fresh=[self._named(place) for place in sorted(call.fresh)],
        )

    def unpack(self, packed: object) -> Call:
        """The call. Raises CheckerError if it is none of the program."""
        read = read_as(packed, PackedCall)
        trace = self._played(unpack_schedule(self._stage, read["sigma"]))
        tau, fresh = self._places(read["tau"]), self._places(read["fresh"])
        if sorted(tau) != sorted(event.place for event in trace.events):
            refuse("its events are not those of its schedule")
        trace.arrange(tau)
        slots = [self._unpacked(slot, trace) for slot in read["slots"]]
        if not all(place in trace for place in (*fresh, *(slot.occupant for slot in slots))):
            refuse("it has a read that does not happen")
        return Call(tuple(tau), tuple(trace.choices), tuple(slots), frozenset(fresh))

    def _played(self, sigma: Iterable[Choice]) -> Trace:
        trace = Trace(self._stage.unfolding, self._stage.model, covers_final=self._stage.goals.decides_final)
        trace.play(sigma)
        return trace

    def _packed(self, slot: Slot, trace: Trace) -> PackedSlot:
        occupant, schedules = self._named(slot.occupant), self._shared(slot, trace)
        return PackedSlot(base=slot.base, occupant=occupant, is_turn=slot.is_turn, schedules=sorted(schedules))

    def _unpacked(self, packed: PackedSlot, trace: Trace) -> Slot:
        (occupant,) = self._places([packed["occupant"]])
        slot = Slot(packed["base"], occupant, packed["is_turn"], set(packed["schedules"]))
        return replace(slot, schedules=self._shared(slot, trace))

    def _shared(self, slot: Slot, trace: Trace) -> set[Key]:
        """The schedules of a slot and of all others that had the same prefix here."""
        prefix = [named(event, self._stage.unfolding) for event in trace.events[: slot.base]]
        known = self._known.setdefault((*prefix, None if slot.is_turn else slot.occupant), slot.schedules)
        known |= slot.schedules
        return known

    def _named(self, place: Place) -> PackedPlace:
        return pack_place(self._stage, place)

    def _places(self, packed: Iterable[PackedPlace]) -> list[Place]:
        return [unpack_place(self._stage, each) for each in packed]
