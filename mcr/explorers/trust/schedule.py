"""What an execution graph means: an execution, a schedule, and what is in memory at its end."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.executions.execution import Execution, Place
from mcr.executions.schedule import runs
from mcr.executions.schedule import schedule as scheduled
from mcr.explorers.trust.event import Event
from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, Graph
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.values import ValueId


def _writes_later(graph: Graph, event: Event) -> bool:
    """Whether it is the read of an update that writes, which happens when the write does."""
    line = graph.lines[event.thread]
    return (
        event.updates
        and event.reads
        and event.position + 1 < len(line)
        and graph.events[line[event.position + 1]].state is event.state
    )


def schedule(graph: Graph, model: MemoryModel) -> list[Choice]:
    """Choices that drive the machine through a graph, every store committed."""
    return scheduled([runs(end) for end in graph.ends], _order(graph), model)


def _order(graph: Graph) -> Iterator[State]:
    """The events, each after those that are before it: a larger set than what is before these."""
    for number in sorted(range(len(graph.events)), key=lambda number: graph.before[number].bit_count()):
        event = graph.events[number]
        if event.joins != NOTHING:
            yield graph.ends[event.joins]
        if not _writes_later(graph, event):
            yield event.state


def memory(graph: Graph) -> dict[LocationId, ValueId]:
    """What was written last, by location."""
    return {loc: graph.events[order[-1]].value for loc, order in graph.co.items()}


def execution(graph: Graph, unfolding: Unfolding) -> Execution:
    """The execution of a full graph."""
    final = unfolding.final.index if unfolding.final else NOTHING
    places: list[Place] = [(event.thread, event.state.depth) for event in graph.events]
    waiting = {graph.lines[thread][-1] for thread in graph.blocked}
    return Execution(
        ends=tuple(end for thread, end in enumerate(graph.ends) if thread != final),
        sources={
            places[number]: None if source == INITIAL else places[source]
            for number, source in enumerate(graph.source)
            if source != NO_SOURCE and number not in waiting and not graph.events[number].starts
        },
        coherence={loc: [places[write] for write in order] for loc, order in graph.co.items()},
    )
