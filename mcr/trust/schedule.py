"""What an execution graph means to the machine: a schedule, and what is in memory at its end."""

from __future__ import annotations

from itertools import pairwise

from mcr.trust.event import Event
from mcr.trust.graph import Graph
from replay.machine import Choice, make_choice
from replay.memory_model import Access, Buffering, MemoryModel
from replay.state import NOTHING, LocationId
from replay.values import ValueId


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
    paths = [end.path() for end in graph.ends]
    done = [0] * len(paths)

    def run_up_to(thread: int, count: int) -> None:
        path, begun = paths[thread], done[thread]
        if count <= begun:
            return
        for before, after in pairwise(path[begun : count + 1]):
            choices.append(make_choice(thread, NOTHING, after.read if before.inputs else NOTHING))
        done[thread] = count

    # What is before an event is a larger set than what is before those in it.
    sizes = [earlier.bit_count() for earlier in graph.before]
    for number in sorted(range(len(sizes)), key=sizes.__getitem__):
        event = graph.events[number]
        if event.access in (Access.LOCAL, Access.STORE_BARRIER) or _writes_later(graph, event):
            continue
        if event.joins != NOTHING:
            run_up_to(event.joins, graph.ends[event.joins].depth)
        run_up_to(event.thread, event.state.depth + 1)
        if buffered and event.access is Access.STORE:
            choices.append(make_choice(event.thread, event.loc))
    for thread, path in enumerate(paths):
        run_up_to(thread, len(path) - 1)
    return choices


def memory(graph: Graph) -> dict[LocationId, ValueId]:
    """What was written last, by location."""
    return {loc: graph.events[order[-1]].value for loc, order in graph.co.items()}
