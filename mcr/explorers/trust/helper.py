"""A process that visits part of all execution graphs, and tells of those that may be worth to be executed (`news`)."""

from __future__ import annotations

from collections.abc import Callable

from mcr.exploration.stage import Stage
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.news import Found, Teller
from mcr.explorers.trust.travel import PackedFork, PackedGraph, pack_fork, pack_graph, unpack_fork, unpack_graph
from replay.errors import CheckerError

Packed = tuple[str, PackedGraph | PackedFork]
"""A piece of work by names: "graph" or "fork", and it."""

VISITED, REPEATED = "visited", "repeated"
"""The figures of a piece that say how many full graphs it had, and how many were of classes seen before."""


class Visitor:
    """Visits pieces of work (`crew.Helper`)."""

    def __init__(
        self,
        stage: Stage,
        trust: Trust,
        teller: Teller,
        figures: Callable[[], tuple[tuple[str, int], ...]],
        waiting: list[Graph | Fork],
    ) -> None:
        """
        teller   knows what executions had shown before the work was shared
        figures  what is counted beside graphs
        waiting  the graphs that waited then
        """
        self._stage = stage
        self._trust = trust
        self._teller = teller
        self._figures = figures
        self._waiting = waiting
        self._stack: list[Graph | Fork] = []
        self._found: list[Found] = []
        self._visited = 0
        self._before: dict[str, int] = {}

    def take(self, work: int | Packed) -> None:
        self._stack = [self._waiting[work] if isinstance(work, int) else self._unpacked(work)]
        self._visited = 0
        self._before = dict(self._figures())
        self._teller.begin()

    def _unpacked(self, packed: Packed) -> Graph | Fork:
        kind, content = packed
        unpack = unpack_fork if kind == "fork" else unpack_graph
        return unpack(self._stage, self._trust, content)

    @property
    def is_done(self) -> bool:
        return not self._stack

    def step(self) -> None:
        trust = self._trust
        try:
            full = trust.advance(self._stack.pop())
            self._stack += trust.aside
            trust.aside.clear()
            self._visited += full is not None
            self._found += self._teller.told(self._visited, full)
        except CheckerError as error:
            self._found.append(Found(self._visited, False, error=error))
            self._stack.clear()

    def told(self) -> list[Found]:
        found, self._found = self._found, []
        return found

    def give(self) -> Packed | None:
        """What would be visited last, which is most of it."""
        stack = self._stack
        last = stack[0] if stack else None
        if isinstance(last, Fork) and len(last.options) > 1:
            half = len(last.options) // 2
            given = Fork(last.graph.copy(), last.number, last.options[:half], last.reads)
            last.options = last.options[half:]
            return "fork", pack_fork(self._stage, given)
        if last is None or len(stack) < 2:
            return None
        del stack[0]
        return (
            ("fork", pack_fork(self._stage, last))
            if isinstance(last, Fork)
            else ("graph", pack_graph(self._stage, last))
        )

    def figures(self) -> dict[str, int]:
        counted = {VISITED: self._visited, REPEATED: self._teller.repeated}
        return {**counted, **{name: count - self._before[name] for name, count in self._figures()}}
