"""A process that visits part of all execution graphs, and tells of those that may be worth to be executed (`news`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from mcr.exploration.limits import Stopped
from mcr.exploration.stage import Stage
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.news import Found, Teller
from mcr.explorers.trust.travel import PackedFork, PackedGraph, pack_fork, pack_graph, unpack_fork, unpack_graph
from replay.errors import CheckerError

_EVERY = 0.02
"""Seconds between two looks at the line."""

Packed = tuple[str, PackedGraph | PackedFork]
"""A piece of work by names: "graph" or "fork", and it."""


class Helper:
    """Visits pieces of work. It is a twin of the process that shares them, and knows all that was executed there."""

    def __init__(
        self, stage: Stage, trust: Trust, executed: set[int], figures: Callable[[], tuple[tuple[str, int], ...]]
    ) -> None:
        self._stage = stage
        self._trust = trust
        self._figures = figures
        self._teller = Teller(stage, trust, executed)

    def serve(self, line: Connection, waiting: list[Graph | Fork]) -> None:
        """Do the pieces that come along the line: indices of `waiting`, or packed ones; until there comes None."""
        while (message := line.recv()) is not None:
            match message:
                case "give":
                    line.send(("kept", None))
                case int():
                    self._visit([waiting[message]], line)
                case _:
                    self._visit([self._unpacked(message)], line)

    def _unpacked(self, packed: Packed) -> Graph | Fork:
        kind, content = packed
        unpack = unpack_fork if kind == "fork" else unpack_graph
        return unpack(self._stage, self._trust, content)

    def _visit(self, stack: list[Graph | Fork], line: Connection) -> None:
        try:
            self._visit_all(stack, line)
        except Stopped as stopped:
            line.send(("stopped", stopped.stop))

    def _visit_all(self, stack: list[Graph | Fork], line: Connection) -> None:
        trust, visited, found = self._trust, 0, list[Found]()
        self._teller.begin()
        next_look = time.monotonic() + _EVERY
        before = dict(self._figures())
        while stack:
            try:
                full = trust.advance(stack.pop())
                stack += trust.aside
                trust.aside.clear()
                visited += full is not None
                found += self._teller.told(visited, full)
            except CheckerError as error:
                found.append(Found(visited, False, error=error))
                stack.clear()
            if time.monotonic() >= next_look:
                line.send(("found", found))
                found = []
                if line.poll():
                    assert line.recv() == "give"
                    line.send(_given(self._stage, stack))
                next_look = time.monotonic() + _EVERY
        after = self._figures()
        line.send(("ended", (found, visited, {name: count - before[name] for name, count in after})))


def _given(stage: Stage, stack: list[Graph | Fork]) -> tuple[str, Packed | None]:
    """Part with what would be visited last, which is most of it; ("kept", None) if there is but one way to go on."""
    last = stack[0] if stack else None
    if isinstance(last, Fork) and len(last.options) > 1:
        half = len(last.options) // 2
        given = Fork(last.graph.copy(), last.number, last.options[:half], last.reads)
        last.options = last.options[half:]
        return "given", ("fork", pack_fork(stage, given))
    if last is None or len(stack) < 2:
        return "kept", None
    del stack[0]
    return "given", ("fork", pack_fork(stage, last)) if isinstance(last, Fork) else ("graph", pack_graph(stage, last))
