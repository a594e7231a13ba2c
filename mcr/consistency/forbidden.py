"""Which cycle forbids a recorded execution under a model, in the order of writes that it has itself.

Under SC that is the criterion of Shasha and Snir: an execution is one of SC if and only if po, rf, co and fr together
have no cycle ([alglave-2013] section 4, [bui-2021] section 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcr.consistency.cycle import Edge, Graph
from mcr.consistency.partial_order import bit_set, members
from mcr.executions.program_order import preserved
from mcr.executions.relations import neighbours, placed, relations
from replay.frontend.threads import end_location
from replay.traces.trace import Event, Step, Trace
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind


def settled(trace: Trace) -> Trace:
    """The trace going on until all buffers are empty, the oldest store first."""
    pending = sorted((event for event in trace.events if _is_pending(event)), key=lambda event: event.executed)
    steps = (*trace.steps, *(Step(event.thread, event.id, commit=True) for event in pending))
    moments = {event.id: len(trace.steps) + number for number, event in enumerate(pending)}
    events = tuple(
        replace(event, committed=moments[event.id]) if event.id in moments else event for event in trace.events
    )
    return replace(trace, events=events, steps=steps)


def _is_pending(event: Event) -> bool:
    return event.written is not None and event.committed is None


def preserved_before(trace: Trace, model: MemoryModel) -> list[int]:
    """For each event the set of those that ppo puts before it, as bits."""
    before = [0] * len(trace.events)
    for thread in trace.threads:
        line = list(trace.of_thread(thread))
        for event, positions in zip(line, preserved(list(map(placed, line)), model).before, strict=True):
            before[event.id] = bit_set([line[position].id for position in members(positions)])
    return before


def forbidden_cycle(trace: Trace, model: MemoryModel) -> tuple[Edge, ...]:
    """A shortest cycle of ppo under the model, external rf, co and fr in a settled trace; empty if there is none."""
    graph, found = Graph(len(trace.events)), relations(trace)
    co = [(one, "co", two) for one, two in neighbours(found.co)]
    rf = [(source, "rf", read) for read, source in found.rf.items() if source is not None]
    fr = [(read, "fr", write) for read, write in found.fr]
    external = [edge for edge in rf if trace.events[edge[0]].thread != trace.events[edge[2]].thread]
    for source, relation, target in (*external, *co, *fr, *_ends(trace)):
        graph.add(Edge(source, relation, target))
    for later, before in enumerate(preserved_before(trace, model)):
        for earlier in members(before):
            graph.add(Edge(earlier, "po", later))
    return tuple(graph.shortest_cycle() or ())


def _ends(trace: Trace) -> Iterator[tuple[int, str, int]]:
    """From everything that a thread does to who waits for its end."""
    for waiting in trace.events:
        for event in trace.events:
            joined = waiting.kind == Kind.JOIN.value and waiting.location == end_location(event.thread).name
            if joined or (waiting.kind == Kind.FINAL.value and event.thread != waiting.thread):
                yield event.id, "end", waiting.id
