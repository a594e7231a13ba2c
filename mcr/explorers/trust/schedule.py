"""The execution and schedule of an execution graph, the memory at its end, and a deadlock there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from mcr.executions.equivalence import MaximalExecution, OperationId
from mcr.executions.schedule import schedule
from mcr.explorers.trust.graph import INITIAL, NO_SOURCE, ExecutionGraph
from replay.code.terminals import Blocked, Ended
from replay.machine.machine import Choice, Machine, Past, make_choice
from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.traces.liveness import find_deadlock
from replay.traces.trace import Failure
from replay.world.memory_model import MemoryModel
from replay.world.values import ValueId


def schedule_of(graph: ExecutionGraph, model: MemoryModel) -> list[Choice]:
    """Choices that drive the machine through a graph, every store committed."""
    return schedule([_runs(graph, thread) for thread in range(len(graph.ends))], _order(graph), model)


def _runs(graph: ExecutionGraph, thread: int) -> list[Choice]:
    """Returns the choices by which a thread executes its operations, of which an update is two events."""
    events = (graph.events[number] for number in graph.lines[thread])
    operations = (event for event in events if event.reads or not event.updates)
    return [make_choice(thread, NOTHING, event.chosen) for event in islice(operations, graph.ends[thread].depth)]


def _order(graph: ExecutionGraph) -> Iterable[State]:
    """The events, each after those that are before it: a larger set than what is before these."""
    order: dict[State, None] = {}
    for number in sorted(range(len(graph.events)), key=lambda number: graph.before[number].bit_count()):
        event = graph.events[number]
        if event.joins != NOTHING:
            order[graph.ends[event.joins]] = None
        order.pop(event.state, None)  # the read of an update, which happens when its write does
        order[event.state] = None
    return order


def memory(graph: ExecutionGraph) -> dict[LocationId, ValueId]:
    """Returns the last write of each location."""
    return {loc: graph.events[order[-1]].value for loc, order in graph.co.items()}


def execution(graph: ExecutionGraph, unfolding: Unfolding) -> MaximalExecution:
    """The execution of a full graph."""
    final = unfolding.final.index if unfolding.final else NOTHING
    places: list[OperationId] = [(event.thread, event.state.depth) for event in graph.events]
    waiting = {graph.lines[thread][-1] for thread in graph.blocked}
    return MaximalExecution(
        ends=tuple(end for thread, end in enumerate(graph.ends) if thread != final),
        sources={
            places[number]: None if source == INITIAL else places[source]
            for number, source in enumerate(graph.source)
            if source != NO_SOURCE and number not in waiting and not graph.events[number].starts
        },
        coherence={loc: [places[write] for write in order] for loc, order in graph.co.items()},
    )


def someone_waits(full: ExecutionGraph, final: int) -> bool:
    """Returns whether a thread of a full graph has not ended, the final function left out."""
    return any(not isinstance(end.terminal, Ended) for thread, end in enumerate(full.ends) if thread != final)


def read_by_waits(graph: ExecutionGraph, unfolding: Unfolding) -> Iterator[tuple[LocationId, ValueId]]:
    """Yields what failed waits, and the turns of loops that only look, have read."""
    for thread, end in enumerate(graph.ends):
        if isinstance(end.terminal, Blocked) and end.terminal.wait_from >= 0:
            for number in reversed(graph.lines[thread]):
                event = graph.events[number]
                if event.state.depth < end.terminal.wait_from:
                    break
                if event.reads:
                    yield event.loc, value_read(graph, number, unfolding)


def deadlock_of(graph: ExecutionGraph, unfolding: Unfolding, model: MemoryModel) -> Failure | None:
    """The deadlock at the end of a full graph, in the memory that it leaves; None if no thread waits for ever."""
    left = memory(graph)
    if any(left.get(loc, unfolding.initial[loc]) != value for loc, value in read_by_waits(graph, unfolding)):
        return None
    machine = Machine.at_rest(unfolding, model, graph.ends, left)
    for thread, end in enumerate(graph.ends):
        if isinstance(end.terminal, Blocked) and end.terminal.wait_from >= 0:
            machine.pasts[thread] = _past(graph, thread, unfolding)
    return find_deadlock(machine)


def _past(graph: ExecutionGraph, thread: int, unfolding: Unfolding) -> Past | None:
    past: Past | None = None
    for number in graph.lines[thread]:
        event = graph.events[number]
        if event.reads:
            past = Past(event.state.edges[value_read(graph, number, unfolding)], past)
        elif not event.updates:  # else it is the write of an update, whose read has gone before
            joined = event.joins != NOTHING
            past = Past(
                event.state.edges[unfolding.returned(graph.ends[event.joins]) if joined else event.chosen], past
            )
    return past


def value_read(graph: ExecutionGraph, number: int, unfolding: Unfolding) -> ValueId:
    source = graph.source[number]
    return unfolding.initial[graph.events[number].loc] if source == INITIAL else graph.events[source].value
