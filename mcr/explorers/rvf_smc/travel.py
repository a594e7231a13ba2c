"""Calls and loops by names: a schedule, good-writes, the causal map, and the reads to process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypedDict

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
from mcr.explorers.rvf_smc.calls import Call, Good, Loop
from replay.machine.machine import Choice


class PackedWork(TypedDict):
    """A call, as in `Call`; for a loop the trace, C as it is now, and the reads that were not processed yet."""

    sigma: Steps
    good: list[tuple[PackedPlace, list[PackedPlace | None]]]
    causal: list[tuple[PackedPlace, list[PackedPlace]]]
    mutate: list[PackedPlace]


class Luggage:
    """Packs and unpacks the work of one explorer.

    What is done elsewhere sends no signals. So whoever waits for one goes on, from the moment that work is packed.
    """

    def __init__(self, stage: Stage, play: Callable[[Iterable[Choice]], Trace]) -> None:
        self._stage = stage
        self._play = play

    def pack(self, work: Call | Loop) -> PackedWork:
        call, sigma = (work.call, work.trace.choices) if isinstance(work, Loop) else (work, work.sigma)
        for signal in call.ancestors:
            signal.is_sent = True
        return PackedWork(
            sigma=pack_schedule(self._stage, sigma),
            good=[
                (self._named(read), [write and self._named(write) for write in sorted(writes, key=_initial_first)])
                for read, writes in call.good.items()
            ],
            causal=[
                (self._named(read), [self._named(end) for end in counts.items()])
                for read, counts in call.causal.items()
            ],
            mutate=[self._named(read) for read in work.mutate] if isinstance(work, Loop) else [],
        )

    def unpack(self, packed: object) -> Call | Loop:
        """The work. Raises CheckerError if it is none of the program."""
        read = read_as(packed, PackedWork)
        trace = self._play(unpack_schedule(self._stage, read["sigma"]))
        good = {
            self._place(place): frozenset(write and self._place(write) for write in writes)
            for place, writes in read["good"]
        }
        causal = {self._place(place): dict(map(self._place, ends)) for place, ends in read["causal"]}
        _check(trace, good)
        call = Call(tuple(trace.choices), good, causal)
        mutate = tuple(map(self._place, read["mutate"]))
        if not mutate:
            return call
        enabled = {(state.thread, state.depth) for state in trace.open_states()}
        if not enabled.issuperset(mutate):
            refuse("a read is not the next one of its thread")
        return Loop(call, trace, mutate)

    def _named(self, place: Place) -> PackedPlace:
        return pack_place(self._stage, place)

    def _place(self, packed: PackedPlace) -> Place:
        return unpack_place(self._stage, packed)


def _initial_first(write: Place | None) -> Place:
    return write or (-1, -1)


def _check(trace: Trace, good: Good) -> None:
    """Whether the trace shows the good-writes."""
    reads = {event.place: event.source for event in trace.events if event.reads}
    if reads.keys() != good.keys() or not all(source in good[read] for read, source in reads.items()):
        refuse("its reads do not read from their good-writes")
    if not all(write is None or write in trace for writes in good.values() for write in writes):
        refuse("it has a good-write that does not happen")
