"""Whether threads wait for ever at the end of an execution graph."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.explorers.trust.graph import INITIAL, Graph
from mcr.explorers.trust.label import Label
from mcr.explorers.trust.schedule import memory
from replay.code.terminals import Blocked, Ended
from replay.machine.machine import Machine, Past
from replay.machine.state import NOTHING, LocationId
from replay.machine.unfolding import Unfolding
from replay.traces.deadlock import find_deadlock
from replay.traces.trace import Failure
from replay.world.memory_model import MemoryModel
from replay.world.values import ValueId


def someone_waits(full: Graph, final: int) -> bool:
    """Whether a thread of a full graph has not ended, the final function left out."""
    return any(not isinstance(end.terminal, Ended) for thread, end in enumerate(full.ends) if thread != final)


def read_by_waits(graph: Graph, unfolding: Unfolding) -> Iterator[tuple[LocationId, ValueId]]:
    """What the evaluations of failed waits have read, and the turns of loops that only look."""
    for thread, end in enumerate(graph.ends):
        if isinstance(end.terminal, Blocked) and end.terminal.wait_from >= 0:
            for number in reversed(graph.lines[thread]):
                event = graph.events[number]
                if event.state.depth < end.terminal.wait_from:
                    break
                if event.reads:
                    yield event.loc, value_read(graph, number, unfolding)


def value_read(graph: Graph, number: int, unfolding: Unfolding) -> ValueId:
    """What a read of a graph has read."""
    source = graph.source[number]
    return unfolding.initial[graph.events[number].loc] if source == INITIAL else graph.events[source].value


def deadlock_of(graph: Graph, unfolding: Unfolding, model: MemoryModel) -> Failure | None:
    """Who waits for whom at the end of a full graph, in the memory that it leaves; None if nobody waits for ever."""
    left = memory(graph)
    if any(left.get(loc, unfolding.initial[loc]) != value for loc, value in read_by_waits(graph, unfolding)):
        return None
    machine = Machine.at_rest(unfolding, model, graph.ends, left)
    for thread, end in enumerate(graph.ends):
        if isinstance(end.terminal, Blocked) and end.terminal.wait_from >= 0:
            machine.pasts[thread] = _past(graph, thread, unfolding)
    return find_deadlock(machine)


def _past(graph: Graph, thread: int, unfolding: Unfolding) -> Past | None:
    """What a thread did."""
    past: Past | None = None
    for number in graph.lines[thread]:
        event = graph.events[number]
        if event.reads or not event.updates:  # else it is the write of an update, whose read has gone before
            past = Past(event.state.edges[_taken(graph, number, event, unfolding)], past)
    return past


def _taken(graph: Graph, number: int, event: Label, unfolding: Unfolding) -> ValueId:
    """What an event has read, or chosen; NOTHING if it does neither."""
    if event.reads:
        return value_read(graph, number, unfolding)
    return event.chosen if event.joins == NOTHING else unfolding.returned(graph.ends[event.joins])
