"""Local graphs that are closed: there is an edge for each value that a thread may find, by what is said here.

Threads only go forward: each step leads one deeper. With each value that is written goes a *note*: how deep, at least,
each thread was by then. So a thread that finds a value of another one has come as deep as the note says, and learns
from it how deep the others have. Of its own values it finds the last at most, and the first value only if it wrote
none. This holds whatever the buffers do (docs/semantics.md 3): a value is written before anybody finds it, and those of
one thread reach a location in their order. Every step of an execution is found so, by induction on their order. More
are found, as nothing says which of the values of others is the latest; a graph that is closed all the same is right.
"""

from __future__ import annotations

from collections import deque
from operator import le
from typing import NamedTuple

from replay.certify.form import Rejected
from replay.certify.local_graphs import END, NONE, READS, WAITS, LocalGraphs, Node

Depths = tuple[int, ...]
"""How deep each thread is at least."""


class Note(NamedTuple):
    """A thread has written a value somewhere; then threads were so deep."""

    writer: int
    value: int
    then: Depths


class Closure:
    """Depths that threads may know, by local state, and values that may have been written.

    `confirm` raises Rejected if an edge is missing.
    """

    def __init__(self, graphs: LocalGraphs, *, deadlocks: bool) -> None:
        self._graphs, self._deadlocks = graphs, deadlocks
        if any(thread.like != number for number, thread in enumerate(graphs.threads)):
            raise Rejected("threads share a graph: only states show that")
        self._ends = {thread: loc for loc, thread in graphs.ends.items()}
        self._knows = {node: list[Depths]() for node in graphs.nodes}
        self._notes: list[dict[tuple[int, int], list[Depths]]] = [{} for _ in graphs.names]
        self._readers: list[dict[Node, None]] = [{} for _ in graphs.names]
        self._todo = list[tuple[Node, Depths]]()
        self._news = deque[tuple[int, Note]]()
        self._own = self._own_values()

    def _own_values(self) -> dict[Node, dict[int, set[int]]]:
        """By local state and location, what the thread itself may have written there last; NONE for nothing."""
        nobody, found = {NONE}, dict[Node, dict[int, set[int]]]()
        for node in sorted((node for node in self._graphs.nodes if node.kind), key=lambda node: node.depth):
            mine = found.setdefault(node, {})
            for edge in node.edges.values():
                if edge.after.depth != node.depth + 1:
                    raise Rejected(f"{node}: an edge leads back, so that nobody knows how deep the thread is")
                new = mine if edge.wrote == NONE else {**mine, node.loc: {edge.wrote}}
                old = found.get(edge.after, new)
                found[edge.after] = {
                    loc: old.get(loc, nobody) | new.get(loc, nobody) for loc in old.keys() | new.keys()
                }
        return found

    def confirm(self) -> int:
        """Returns how many notes there are."""
        for thread in self._graphs.threads:
            self._learn(thread.root, (0,) * len(self._graphs.threads))
        while self._todo or self._news:
            if self._todo:
                node, depths = self._todo.pop()
                if depths in self._knows[node]:
                    self._look(node, depths)
                continue
            loc, note = self._news.popleft()
            for node in self._readers[loc]:
                for depths in [*self._knows[node]]:
                    self._find(node, depths, note)
        return sum(len(depths) for notes in self._notes for depths in notes.values())

    def _look(self, node: Node, depths: Depths) -> None:
        """A thread may be in a local state, when others are so deep at least."""
        waits = node.kind in (WAITS, "join") or getattr(node.request, "ready", None) is not None
        if self._deadlocks and waits and node.kind != "start":
            raise Rejected(f"{node}: it may wait there, and closed graphs say nothing of deadlocks")
        if node.kind == END:
            self._write(self._ends[node.thread], node, node.value, depths)
        elif node.kind in READS:
            self._readers[node.loc][node] = None
            for value in self._own[node].get(node.loc, {NONE}):
                self._read(node, self._graphs.first[node.loc] if value == NONE else value, depths)
            notes = self._notes[node.loc].items()
            for note in [Note(writer, value, then) for (writer, value), known in notes for then in known]:
                self._find(node, depths, note)
        elif not node.has_come_to_end:
            for choice in node.choices or (NONE,):
                self._step(node, choice, depths)

    def _find(self, node: Node, depths: Depths, note: Note) -> None:
        """A thread may find what another has written, unless it was deeper then than it is now."""
        if note.writer != node.thread and note.then[node.thread] <= node.depth:
            self._read(node, note.value, tuple(map(max, depths, note.then)))

    def _read(self, node: Node, value: int, depths: Depths) -> None:
        if self._graphs.may_execute(node, value):
            self._step(node, value, depths)

    def _step(self, node: Node, read: int, depths: Depths) -> None:
        edge = self._graphs.step(node, read)
        if edge.wrote != NONE:
            self._write(node.loc, node, edge.wrote, depths)
        self._learn(edge.after, depths)

    def _write(self, loc: int, node: Node, value: int, depths: Depths) -> None:
        then = (*depths[: node.thread], node.depth + 1, *depths[node.thread + 1 :])
        if _is_new(self._notes[loc].setdefault((node.thread, value), []), then):
            self._news.append((loc, Note(node.thread, value, then)))

    def _learn(self, node: Node, depths: Depths) -> None:
        depths = (*depths[: node.thread], 0, *depths[node.thread + 1 :])  # its own is that of the node
        if _is_new(self._knows[node], depths):
            self._todo.append((node, depths))


def _is_new(known: list[Depths], depths: Depths) -> bool:
    """Adds depths to those that say least, from which all others follow; False if they do, too."""
    if any(all(map(le, each, depths)) for each in known):
        return False
    known[:] = [each for each in known if not all(map(le, depths, each))]
    known.append(depths)
    return True
