"""The relations of the literature, derived in one place: po, ppo, rf, co, fr (docs/semantics.md 4).

Everything that reasons about finished executions (consistency, class keys,
reports) takes its relations from here. Events are named by their ids in the
trace.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from replay.traces.trace import Trace, TraceEvent
from replay.world.memory_model import Access, MemoryModel
from replay.world.memory_models import memory_model
from replay.world.operation import KINDS

Pair = tuple[int, int]


class Placed(NamedTuple):
    """An operation as preserved program order sees it."""

    access: Access
    where: str


class Preserved(NamedTuple):
    """ppo of one thread, by position.

    pairs   (earlier, later) without most that others imply, by the later position, the nearest earlier one first
    before  by position all those before it, as bits
    """

    pairs: Sequence[Pair]
    before: Sequence[int]


def preserved(line: Sequence[Placed], model: MemoryModel) -> Preserved:
    """ppo of a thread's operations; explorers ask for the same ones again and again."""
    return _preserved(tuple(line), model)


@functools.lru_cache(1 << 10)
def _preserved(line: tuple[Placed, ...], model: MemoryModel) -> Preserved:
    pairs: list[Pair] = []
    befores: list[int] = []
    for later, after in enumerate(line):

        def keeps(earlier: int, after: Placed = after) -> bool:
            first = line[earlier]
            return model.keeps(first.access, after.access, first.where, after.where)

        direct, before = preceding(befores, keeps)
        pairs.extend((earlier, later) for earlier in direct)
        befores.append(before)
    return Preserved(pairs, befores)


def preceding(before: Sequence[int], keeps: Callable[[int], bool]) -> tuple[list[int], int]:
    """Returns what comes directly before the next position, nearest first, and all that comes before it, as bits.

    before  the latter, by earlier position
    keeps   whether an earlier position is ordered before the next one by itself
    """
    direct: list[int] = []
    implied = 0
    for earlier in range(len(before) - 1, -1, -1):
        if not implied >> earlier & 1 and keeps(earlier):
            direct.append(earlier)
            implied |= before[earlier] | 1 << earlier
    return direct, implied


def neighbours(co: Mapping[str, Sequence[int]]) -> tuple[Pair, ...]:
    """co as pairs of a write and the next one to its location; the transitive closure is all of co."""
    return tuple(pair for writes in co.values() for pair in pairwise(writes))


def placed(event: TraceEvent) -> Placed:
    """An event of a trace, as ppo sees it."""
    return Placed(KINDS[event.kind].access, event.location)


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
