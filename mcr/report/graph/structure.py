"""The structure of an execution graph: events by thread, initial writes, and edges between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from string import ascii_lowercase

from mcr.consistency.cycle import settled
from mcr.diagnosis.reordering import Reordering
from mcr.executions.relations import Relations, neighbours, relations
from mcr.report.layout import shortened
from replay.traces.trace import Trace, TraceEvent
from replay.world.operation import LOCK

_LONGEST = 30
"""Characters of a node's text; more are cut, and shown when the mouse points at it."""

_SHOWN = frozenset({"load", "store", "rmw", "lock", "unlock", "fence", "store fence"})
"""Kinds of events that are nodes."""


@dataclass(frozen=True)
class GraphNode:
    """An event, or the write of an initial value.

    text    as in "a: Wx=1", cut if it is long
    whole   the same with the line of the program
    column  its thread's place among the threads; -1 for an initial write
    row     its place in the column from 0; among the initial writes if it is one
    """

    key: str
    text: str
    whole: str
    column: int
    row: int


@dataclass(frozen=True)
class DrawnEdge:
    """An edge of a relation: po, rf, co, fr; or another one, if the forbidden cycle takes it."""

    relation: str
    source: str
    target: str
    forbidden: bool = False


@dataclass(frozen=True)
class Structure:
    """An execution graph without places. `columns` are the names of the threads."""

    columns: tuple[str, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[DrawnEdge, ...]


def structure(trace: Trace, reordering: Reordering | None) -> Structure:
    """The graph of a trace in which what is still buffered reaches memory in the end."""
    return _Builder(settled(trace), reordering).structure()


class _Builder:
    def __init__(self, trace: Trace, reordering: Reordering | None) -> None:
        self._trace = trace
        self._reordering = reordering
        self._relations: Relations = relations(trace)
        shown = [event for event in trace.events if event.kind in _SHOWN]
        self._columns = [name for name in trace.threads if any(event.thread == name for event in shown)]
        self._lines = [[event for event in shown if event.thread == name] for name in self._columns]
        self._keys = {event.id: _letters(number) for number, event in enumerate(chain(*self._lines))}
        self._tight = all(len(event.location) <= 2 for event in shown)

    def structure(self) -> Structure:
        edges = {(edge.source, edge.target, edge.relation): edge for edge in self._edges()}
        for edge in self._cycle():
            same = edges.get((edge.source, edge.target, edge.relation), edge)
            edges[edge.source, edge.target, edge.relation] = replace(same, forbidden=True)
        nodes = (*self._initial(), *self._events())
        return Structure(tuple(self._columns), nodes, tuple(edges.values()))

    def _events(self) -> Iterator[GraphNode]:
        for column, line in enumerate(self._lines):
            for row, event in enumerate(line):
                key = self._keys[event.id]
                text = f"{key}: {self._text(event)}"
                whole = f"{text} ({event.line})" if event.line else text
                yield GraphNode(key, shortened(text, _LONGEST), whole, column, row)

    def _initial(self) -> Iterator[GraphNode]:
        """Initial writes that are read."""
        for row, location in enumerate(self._read_initially()):
            text = f"W{'' if self._tight else ' '}{location}={self._trace.initial[location]}"
            yield GraphNode(f"init {location}", shortened(text, _LONGEST), f"initially {text}", -1, row)

    def _read_initially(self) -> dict[str, None]:
        sources = self._relations.rf.items()
        found = (self._trace.events[read] for read, source in sources if source is None and read in self._keys)
        return dict.fromkeys(event.location for event in found if event.kind != LOCK)

    def _text(self, event: TraceEvent) -> str:
        space = "" if self._tight else " "
        match event.kind:
            case "load":
                return f"R{space}{event.location}={event.read}"
            case "store":
                return f"W{space}{event.location}={event.written}"
            case "rmw":
                return f"RMW {event.location}: {event.read}{'' if event.written is None else f'→{event.written}'}"
        return event.operation

    def _edges(self) -> Iterator[DrawnEdge]:
        """All edges between nodes."""
        keys = self._keys
        for line in self._lines:
            yield from (DrawnEdge("po", keys[one.id], keys[two.id]) for one, two in pairwise(line))
        for read, source in self._relations.rf.items():
            if read in keys and (source in keys or source is None):
                initial = f"init {self._trace.events[read].location}"
                if source is not None or self._trace.events[read].kind != LOCK:
                    yield DrawnEdge("rf", initial if source is None else keys[source], keys[read])
        for relation, pairs in (("co", neighbours(self._relations.co)), ("fr", self._relations.fr)):
            yield from (DrawnEdge(relation, keys[one], keys[two]) for one, two in pairs if one in keys and two in keys)

    def _cycle(self) -> Iterator[DrawnEdge]:
        """The edges of the forbidden cycle; where it runs through events that are no nodes, one edge across."""
        if self._reordering is None:
            return
        edges = self._reordering.cycle
        first = next((place for place, edge in enumerate(edges) if edge.source in self._keys), None)
        if first is None:
            return
        source, names = edges[first].source, list[str]()
        for edge in (*edges[first:], *edges[:first]):
            names.append(edge.relation)
            if edge.target in self._keys:
                yield DrawnEdge(names[0] if len(names) == 1 else "sync", self._keys[source], self._keys[edge.target])
                source, names = edge.target, []


def _letters(number: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    text = ""
    while number >= 0:
        number, digit = divmod(number, 26)
        text = ascii_lowercase[digit] + text
        number -= 1
    return text
