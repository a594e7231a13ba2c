"""Accesses that an execution has out of program order, and the fences that would forbid it.

An execution that a stronger model forbids has a cycle there (`mcr.consistency.explain`).
Its program-order edges that the execution's own model does not preserve are the
delay pairs of Shasha and Snir: a store and a later access of the same thread. Some of
them were reordered in the execution, or it would not exist; fences between all of them
would make the cycle hold under the weaker model, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcr.consistency.cycle import CycleEdge, forbidden_cycle, preserved_before, settled
from mcr.consistency.explain import ConsistencyExplanation, explain
from mcr.consistency.instance import Instance
from mcr.consistency.reading import instance_of
from mcr.executions.relations import Pair, neighbours
from replay.traces.trace import Trace, TraceEvent
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS, memory_model

_SHORT = 64
"""Events of traces for which all orders of writes are considered; of longer ones, only the recorded order."""

_LONGEST = 400
"""Events of the longest trace that is looked into: the time grows with the square of their number, or worse."""


@dataclass(frozen=True)
class Overtaking:
    """A store and a later access of its thread that may take effect first.

    store, later  ids of the two events
    happened      whether it did: the store was still in its buffer
    witness       id of the event that came before the store in memory: a read of an older value, or an
                  overwritten store of another thread; None if that is not a single event
    """

    store: int
    later: int
    happened: bool
    witness: int | None


@dataclass(frozen=True)
class Reordering:
    """Why an execution needs its memory model.

    stronger  the weakest stronger model, which forbids it
    cycle     what forbids it there: edges of the execution itself, its order of writes included
    pairs     fences between each of them forbid it under its own model, and in short traces no fewer of them do;
              those that happened come first
    """

    stronger: MemoryModel
    cycle: tuple[CycleEdge, ...]
    pairs: tuple[Overtaking, ...]


def find_reordering(trace: Trace) -> Reordering | None:
    """Finds what is out of order in the execution; None if all stronger models allow it, or it is too long to tell."""
    model = memory_model(trace.model)
    stronger = [other for other in MODELS.values() if model.allows(other) and other is not model]
    if not stronger or len(trace.events) > _LONGEST:
        return None
    instance = instance_of(trace)
    recorded = neighbours(settled(trace).coherence())
    for coherence in ((), recorded) if len(trace.events) <= _SHORT else (recorded,):
        for other in reversed(stronger):
            explanation = explain(instance, other, coherence)
            if explanation is not None and explanation.is_whole:
                return _Finder(trace, instance, model, coherence).reordering(other, explanation)
    return None


class _Finder:
    """Finds the pairs behind an explanation."""

    def __init__(self, trace: Trace, instance: Instance, model: MemoryModel, coherence: tuple[Pair, ...]) -> None:
        self._trace = settled(trace)
        self._instance = instance
        self._model = model
        self._coherence = coherence
        self._order = preserved_before(trace, model)

    def reordering(self, stronger: MemoryModel, explanation: ConsistencyExplanation) -> Reordering:
        edges: list[CycleEdge] = []
        for cycle in explanation.cycles:
            edges += (*cycle.edges, *(edge for reason in cycle.reasons for edge in reason.path))
        relaxed = dict.fromkeys((edge.source, edge.target) for edge in edges if self._is_relaxed(edge))
        needed = self._fewest(sorted(relaxed, key=lambda pair: (self._happened(pair), pair)))
        pairs = [Overtaking(*pair, self._happened(pair), self._witness(pair, edges)) for pair in sorted(needed)]
        pairs.sort(key=lambda pair: not pair.happened)
        return Reordering(stronger, forbidden_cycle(self._trace, stronger), tuple(pairs))

    def _is_relaxed(self, edge: CycleEdge) -> bool:
        events = self._trace.events
        if max(edge.source, edge.target) >= len(events) or edge.relation not in ("po", "ppo", "fence"):
            return False
        return not self._order[edge.target] >> edge.source & 1

    def _happened(self, pair: Pair) -> bool:
        """Returns whether the later access took effect before the store reached memory."""
        store, later = (self._trace.events[id] for id in pair)
        return later.moment < store.moment

    def _fewest(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Pairs without those that need no fence: the others forbid the execution already."""
        kept = list(pairs)
        for pair in pairs if len(self._trace.events) <= _SHORT else ():
            fewer = [other for other in kept if other != pair]
            if any(map(self._happened, fewer)):
                without = explain(self._instance, self._model, self._coherence, fenced=tuple(fewer))
                if without is not None and without.is_whole:
                    kept = fewer
        return kept

    def _witness(self, pair: Pair, edges: Sequence[CycleEdge]) -> int | None:
        """The event that shows that the store was not in memory yet: of the explanation and a read, if that can be."""
        store, later = (self._trace.events[id] for id in pair)
        found = {edge.relation: edge.source for edge in reversed(edges) if edge.target == store.id}
        told = [found[relation] for relation in ("fr", "co") if relation in found]
        rivals = (other for other in self._trace.events if other.thread != store.thread and later.moment < other.moment)
        between = [other.id for other in rivals]
        return next((id for id in (*told, *between) if _notices(self._trace.events[id], store)), None)


def _notices(event: TraceEvent, store: TraceEvent) -> bool:
    """Returns whether an event took place while the store was in its buffer: if it read, it read something else."""
    if event.location != store.location or event.source == store.id:
        return False
    return store.executed < event.moment < store.moment
