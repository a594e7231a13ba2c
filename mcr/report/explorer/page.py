"""The page of `mcr explore`: a person chooses what happens next, and sees where it can lead.

It is given the graph as plain data: for each place the moves, each with what it changes and what a replay file needs of
it. The page takes the state at a place from the moves that lead there.
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import asdict
from importlib import resources
from typing import Any

from mcr.diagnosis.configurations import ConfigurationMove, LocalConfiguration
from mcr.diagnosis.walks import UNKNOWN, Walks
from mcr.report.interleaving import outcome_of
from mcr.report.printable import markup, on_one_line
from mcr.report.source import headline
from mcr.report.timeline.arrows import embedded
from mcr.report.timeline.page import filled, stylesheet
from mcr.report.timeline.table import listing
from replay.machine.state import NOTHING, Edge, State
from replay.sentences import counted
from replay.traces.files import SCHEMA
from replay.traces.player import end_of, reference, shown_value
from replay.traces.trace import Failure
from replay.world.operation import LOCK, Kind, Operation, Source
from replay.world.shown import shown

COMPRESSED_FROM = 1_000_000
"""Characters from which the states are compressed, to about a seventh."""


def explorer_page(found: Walks) -> str:
    """The HTML in which a reader goes through the states that were found."""
    data = Data(found)
    kind, text = _embedded(data.document())
    size = counted(len(found), "state")
    return filled(
        _part("explorer.html"),
        {
            "title": markup(f"{found.program.title} under {found.model.name.upper()}"),
            "model": markup(found.model.title),
            "size": f"{size}, {found.open:,} of them not explored" if found.open else size,
            "listing": listing(sorted(data.lines, key=str)),
            "kind": kind,
            "data": text,
            "style": stylesheet() + _part("explorer.css"),
            "script": _part("explorer.js"),
        },
    )


def _embedded(document: dict[str, Any]) -> tuple[str, str]:
    """The type and the text of a script element that holds a document, which is compressed where it is large."""
    text = embedded(document)
    if len(text) < COMPRESSED_FROM:
        return "application/json", text
    return "application/gzip", base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


class Data:
    """The data of the page. Whatever occurs often stands once, and is referred to by its number."""

    def __init__(self, found: Walks) -> None:
        self._found = found
        self._requests: dict[int, int] = {}
        self._request_rows: list[list[Any]] = []
        self._steps: dict[tuple[int, int, int], int] = {}
        self._step_rows: list[dict[str, Any]] = []
        self.lines: set[Source] = set()

    def document(self) -> dict[str, Any]:
        found, unfolding = self._found, self._found.unfolding
        begin = found.configuration(0)
        sets = {each: number for number, each in enumerate(dict.fromkeys(map(found.leads, range(len(found)))))}
        return {
            "trace": {"schema": SCHEMA, "program": asdict(reference(found.program)), "model": found.model.name},
            "file": f"{found.program.name}-{found.model.name}.json",
            "threads": [
                {"name": info.name, "title": on_one_line(info.title)}
                | {"declared": info.is_declared, "final": info.is_final}
                for info in unfolding.threads
            ],
            "locations": [[each.name, shown(unfolding.values[unfolding.initial[number]])]
                          for number, each in enumerate(unfolding.locations)],
            "mutexes": self._mutexes(),
            "values": [shown(unfolding.values[number]) for number in range(len(unfolding.values))],
            "outcomes": self._outcomes(),
            "locals": [self._local(local) for local in found.tables.locals],
            "moves": [self._move(move) for move in found.tables.moves],
            "requests": self._request_rows,
            "steps": self._step_rows,
            "begin": [found.tables.local(begin, thread).number for thread in range(found.tables.threads)],
            "memory": found.tables.memory(begin),
            "graph": self._graph(),
            "failures": {place: self._failure(failure) for place, failure in sorted(found.failures.items())},
            "sets": [sorted(each) for each in sets],
            "leads": [sets[found.leads(place)] for place in range(len(found))],
            "first": self._first(),
        }  # fmt: skip

    def _graph(self) -> list[int]:
        """For each place the number of its moves, -1 if it was not explored, and then each move with what it leads to.

        That is a difference to the number of places that were named before: 0 is a new one.
        """
        graph: list[int] = []
        named = 1
        for place in range(len(self._found)):
            row = self._found.row(place)
            graph.append(-1 if row is None else len(row) // 2)
            for move, after in zip(*[iter(row or ())] * 2, strict=True):
                graph += (move, named - after)
                named = max(named, after + 1)
        return graph

    def _outcomes(self) -> list[list[str]]:
        """Returns the text of each outcome, and whether it is "good", "bad" or "open"."""
        bad = {str(failure): headline(failure) for failure in self._found.failures.values()}
        kinds = {UNKNOWN: "open", **dict.fromkeys(bad, "bad")}
        return [[on_one_line(bad.get(text, text)), kinds.get(text, "good")] for text in self._found.outcomes]

    def _mutexes(self) -> list[int]:
        """The locations that threads lock."""
        asked = ((state.operation, state.loc) for state in self._found.unfolding.states)
        return sorted({location for operation, location in asked if operation is not None and operation.tag == LOCK})

    def _first(self) -> list[int]:
        """Which of the moves at each place the reader has made already."""
        made, place = [], 0
        for move in self._found.first:
            moves = self._found.moves(place) or []
            number = next(number for number, (each, _) in enumerate(moves) if each is move)
            made.append(number)
            place = moves[number][1]
        return made

    def _failure(self, failure: Failure) -> dict[str, Any]:
        return {
            "thread": failure.thread, "error": failure.error, "message": failure.message,
            "stack": [self._line(source) for source in failure.stack], "text": on_one_line(headline(failure)),
        }  # fmt: skip

    def _local(self, local: LocalConfiguration) -> list[Any]:
        """The number of what the thread does next, and its buffer."""
        return [self._request(local.state), [[store.location, store.value] for store in local.buffer]]

    def _request(self, state: State) -> int:
        if state.number not in self._requests:
            self._requests[state.number] = len(self._request_rows)
            asks = state.operation or state.terminal
            source = getattr(asks, "source", None)
            end = end_of(state)
            text = state.operation.describe() if state.operation is not None else f"{end.how}: {end.detail}"
            if state.operation is not None and state.operation.kind is Kind.FINAL:
                text = "waits for all threads"
            self._request_rows.append([on_one_line(text), self._line(source), end.how, end.detail])
        return self._requests[state.number]

    def _line(self, source: Source | None) -> str | None:
        if source is None:
            return None
        self.lines.add(source)
        return f"{source.file}:{source.line}:{source.function}"

    def _move(self, move: ConfigurationMove) -> list[Any]:
        """The thread, the kind, how the move leaves the thread, what it writes, and what the kind needs."""
        changes = [move.local, move.writes]
        if move.edge is not None:
            return [move.thread, "run", *changes, self._step(move.edge)]
        if move.store is not None:
            return [move.thread, "commit", *changes, move.store.location, move.store.value]
        return [move.thread, "again", *changes, move.undone]

    def _step(self, edge: Edge) -> int:
        key = (edge.before.number, edge.read, edge.wrote)
        if key not in self._steps:
            self._steps[key] = len(self._step_rows)
            operation, values = edge.before.operation, self._found.unfolding.values
            assert operation is not None
            self._step_rows.append(
                {
                    "kind": operation.called,
                    "operation": operation.describe(),
                    "location": operation.location.name if operation.location else "",
                    "loc": edge.before.loc if operation.location else -1,
                    "reads": edge.before.reads,
                    "read": shown_value(operation, values[edge.read]) if edge.read != NOTHING else None,
                    "written": shown_value(operation, values[edge.wrote]) if edge.wrote != NOTHING else None,
                    "line": self._line(operation.source),
                    "silent": operation.kind in (Kind.START, Kind.FINAL),
                    "text": self._text(operation, edge),
                }
            )
        return self._steps[key]

    def _text(self, operation: Operation, edge: Edge) -> str:
        """A step with the value that it got."""
        values = self._found.unfolding.values
        read, wrote = (
            None if each == NOTHING else shown_value(operation, values[each]) for each in (edge.read, edge.wrote)
        )
        text = operation.describe()
        if operation.kind is Kind.UPDATE and not operation.tag:
            return (text + outcome_of(text, operation.where, read, wrote)).replace(" -> ", " → ")
        has_value = operation.kind in (Kind.LOAD, Kind.CHOOSE) or (operation.kind is Kind.JOIN and read != "None")
        return f"{text} → {read}" if has_value else text
