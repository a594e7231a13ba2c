"""The relations of the literature, derived in one place: po, ppo, rf, co, fr (docs/semantics.md 4).

Everything that reasons about finished executions (consistency, class keys,
reports) takes its relations from here. Events are named by their ids in the
trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mcr.executions.program_order import Pair, Placed, preserved
from replay.traces.trace import Event, Trace
from replay.world.memory_models import memory_model
from replay.world.operation import ACCESS, KINDS


def neighbours(co: Mapping[str, Sequence[int]]) -> tuple[Pair, ...]:
    """co as pairs of a write and the next one to its location; the transitive closure is all of co."""
    return tuple(pair for writes in co.values() for pair in pairwise(writes))


def placed(event: Event) -> Placed:
    """An event of a trace, as ppo sees it."""
    return Placed(ACCESS[KINDS[event.kind]], event.location)


@dataclass(frozen=True)
class Relations:
    """The relations of one trace.

    po   of each thread: the next event
    ppo  preserved program order, without most pairs that others imply
    rf   by event that reads from memory: its source, None for the initial value
    co   per location the writes that reached memory, in that order
    fr   pairs (read, the first write after its source in co); own writes of an rmw do not count
    """

    po: tuple[Pair, ...]
    ppo: tuple[Pair, ...]
    rf: dict[int, int | None]
    co: dict[str, tuple[int, ...]]
    fr: tuple[Pair, ...]


def relations(trace: Trace) -> Relations:
    """The relations of a trace, whose events are taken as they stand: nothing is checked."""
    lines = [list(trace.of_thread(thread)) for thread in trace.threads]
    model = memory_model(trace.model)
    po = [(one.id, two.id) for line in lines for one, two in pairwise(line)]
    ppo = [
        (line[earlier].id, line[later].id)
        for line in lines
        for earlier, later in preserved(list(map(placed, line)), model).pairs
    ]
    rf = {event.id: event.source for event in trace.events if event.reads_memory}
    co = trace.coherence()
    return Relations(tuple(po), tuple(ppo), rf, co, tuple(_from_reads(trace, rf, co)))


def _from_reads(trace: Trace, rf: dict[int, int | None], co: dict[str, tuple[int, ...]]) -> list[Pair]:
    """fr, to the first write after the source; the later ones follow by co."""
    following = dict(neighbours(co))
    pairs: list[Pair] = []
    for read, source in rf.items():
        writes = co.get(trace.events[read].location, ())
        first = (writes[0] if writes else None) if source is None else following.get(source)
        if first == read:
            first = following.get(read)
        if first is not None:
            pairs.append((read, first))
    return pairs
