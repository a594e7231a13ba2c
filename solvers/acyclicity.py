"""A propagator for CaDiCaL (IPASIR-UP): what is assigned never orders events in a cycle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solvers.interface import Event, Statement
from solvers.orders import shortest_cycle


class Edge(NamedTuple):
    """`earlier` is before `later` while all of `reasons` hold."""

    earlier: Event
    later: Event
    reasons: tuple[Statement, ...]


class Acyclicity:
    """Follows the solver's assignment, and forbids each cycle when its last edge appears.

    Between two of the solver's calls to `has_clause`, new edges wait in
    `_unchecked`. What is assigned for good is never taken back.
    """

    is_lazy = False

    def __init__(self) -> None:
        self._waiting: dict[Statement, list[Edge]] = {}
        self._missing: dict[Edge, int] = {}
        self._active: dict[tuple[Event, Event], list[Edge]] = {}
        self._before: dict[Event, int] = {}
        self._true: set[Statement] = set()
        self._fixed: set[Statement] = set()
        self._levels: list[list[Statement]] = [[]]
        self._unchecked: list[Edge] = []
        self._clause: list[Statement] = []

    def add_edge(self, earlier: Event, later: Event, reasons: Sequence[Statement]) -> None:
        """Watch an order; the solver must observe its reasons."""
        edge = Edge(earlier, later, tuple(reasons))
        missing = sum(reason not in self._true for reason in reasons)
        self._missing[edge] = missing
        for reason in reasons:
            self._waiting.setdefault(reason, []).append(edge)
        if not missing:
            self._activate(edge)

    # -- what the solver calls -------------------------------------------------

    def on_assignment(self, lit: int, fixed: bool = False) -> None:
        if fixed:
            self._fixed.add(lit)
        if lit not in self._true:
            self._true.add(lit)
            self._levels[-1].append(lit)
            for edge in self._waiting.get(lit, ()):
                self._missing[edge] -= 1
                if not self._missing[edge]:
                    self._activate(edge)

    def on_new_level(self) -> None:
        self._levels.append([])

    def on_backtrack(self, to: int) -> None:
        undone = [lit for level in self._levels[to + 1 :] for lit in level]
        del self._levels[to + 1 :]
        for lit in undone:
            if lit in self._fixed:
                self._levels[0].append(lit)
                continue
            self._true.discard(lit)
            for edge in self._waiting.get(lit, ()):
                if not self._missing[edge]:
                    self._deactivate(edge)
                self._missing[edge] += 1

    def check_model(self, model: Sequence[int]) -> bool:
        return not self.has_clause()

    def decide(self) -> int:
        return 0

    def propagate(self) -> list[int]:
        return []

    def provide_reason(self, lit: int) -> list[int]:
        raise AssertionError("nothing is propagated, so there is nothing to give reasons for")

    def has_clause(self) -> bool:
        while self._unchecked and not self._clause:
            edge = self._unchecked.pop()
            if edge in self._active.get((edge.earlier, edge.later), ()):
                self._clause = self._conflict(edge)
        return bool(self._clause)

    def add_clause(self) -> list[int]:
        clause, self._clause = self._clause, []
        return clause

    # -- edges -----------------------------------------------------------------

    def _activate(self, edge: Edge) -> None:
        self._active.setdefault((edge.earlier, edge.later), []).append(edge)
        self._before[edge.later] = self._before.get(edge.later, 0) | 1 << edge.earlier
        self._before.setdefault(edge.earlier, 0)
        self._unchecked.append(edge)

    def _deactivate(self, edge: Edge) -> None:
        same = self._active[edge.earlier, edge.later]
        same.remove(edge)
        if not same:
            self._before[edge.later] &= ~(1 << edge.earlier)

    def _conflict(self, edge: Edge) -> list[Statement]:
        """The clause that forbids a shortest cycle through an edge; empty if there is none."""
        cycle = shortest_cycle(self._before, edge.later)
        if cycle is None:
            return []
        clause: dict[Statement, None] = {}
        for earlier, later in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            for reason in self._active[earlier, later][0].reasons:
                clause[-reason] = None
        return list(clause)
