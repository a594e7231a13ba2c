"""What an execution graph means to the machine: a schedule, and what is in memory at its end."""

from __future__ import annotations

from mcr.explorers.trust.event import Event
from mcr.explorers.trust.graph import Graph
from replay.machine.machine import Choice, make_choice
from replay.machine.state import NOTHING, LocationId, State
from replay.world.memory_model import Access, Buffering, MemoryModel
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
    """Choices that drive the machine through a graph, every store committed.

    Stores enter their buffer as late as program order allows.
    """
    buffered = model.buffering is not Buffering.NONE
    choices: list[Choice] = []
    runs = [_runs(end) for end in graph.ends]
    done = [0] * len(runs)

    def run_up_to(thread: int, count: int) -> None:
        choices.extend(runs[thread][done[thread] : count])
        done[thread] = max(done[thread], count)

    # What is before an event is a larger set than what is before those in it.
    for number in sorted(range(len(graph.events)), key=lambda number: graph.before[number].bit_count()):
        event = graph.events[number]
        if event.access in (Access.LOCAL, Access.STORE_BARRIER) or _writes_later(graph, event):
            continue
        if event.joins != NOTHING:
            run_up_to(event.joins, graph.ends[event.joins].depth)
        run_up_to(event.thread, event.state.depth + 1)
        if buffered and event.access is Access.STORE:
            choices.append(make_choice(event.thread, event.loc))
    for thread, all_of_it in enumerate(runs):
        run_up_to(thread, len(all_of_it))
    return choices


def _runs(end: State) -> list[Choice]:
    """What lets a thread run from its beginning to a local state."""
    runs: list[Choice] = []
    plain = make_choice(end.thread)
    state = end
    while state.parent is not None:
        runs.append(make_choice(end.thread, NOTHING, state.read) if state.parent.inputs else plain)
        state = state.parent
    runs.reverse()
    return runs


def memory(graph: Graph) -> dict[LocationId, ValueId]:
    """What was written last, by location."""
    return {loc: graph.events[order[-1]].value for loc, order in graph.co.items()}
