"""The page of `mcr explore`: a person chooses what happens next, and sees where it can lead.

The states of the program are given to it as plain data: texts, places, moves, and what a replay file needs of each.
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import asdict
from importlib import resources
from typing import Any

from mcr.diagnosis.walks import UNKNOWN, GlobalState, Move, Walks
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
from replay.world.operation import LOCK, Kind, Operation, Source
from replay.world.shown import shown

COMPRESSED_FROM = 1_000_000
"""Characters from which the states are compressed, to about a seventh."""


def explorer_page(found: Walks) -> str:
    """The HTML in which a reader goes through the states that were found."""
    data = Data(found)
    kind, text = _embedded(data.document())
    size = counted(len(found.places), "state")
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
    return "application/gzip", base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


class Data:
    """The data of the page. Whatever occurs often stands once, and is referred to by its number."""

    def __init__(self, found: Walks) -> None:
        self._found = found
        self._locals: dict[int, int] = {}
        self._local_rows: list[list[Any]] = []
        self._steps: dict[tuple[int, int, int], int] = {}
        self._step_rows: list[dict[str, Any]] = []
        self.lines: set[Source] = set()

    def document(self) -> dict[str, Any]:
        found, unfolding = self._found, self._found.unfolding
        places = [self._place(place) for place in found.places]
        leads = {place.leads: None for place in found.places}
        numbers = {each: number for number, each in enumerate(leads)}
        for row, place in zip(places, found.places, strict=True):
            row["l"] = numbers[place.leads]
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
            "leads": [sorted(each) for each in leads],
            "locals": self._local_rows,
            "steps": self._step_rows,
            "places": places,
            "first": self._first(),
        }  # fmt: skip

    def _outcomes(self) -> list[list[str]]:
        """Returns the text of each outcome, and whether it is "good", "bad" or "open"."""
        bad = {place.outcome: headline(place.failure) for place in self._found.places if place.failure is not None}
        kinds = {UNKNOWN: "open", **dict.fromkeys(bad, "bad")}
        return [[on_one_line(bad.get(text, text)), kinds.get(text, "good")] for text in self._found.outcomes]

    def _mutexes(self) -> list[int]:
        """The locations that threads lock."""
        asked = ((state.operation, state.loc) for state in self._found.unfolding.states)
        return sorted({location for operation, location in asked if operation is not None and operation.tag == LOCK})

    def _first(self) -> list[int]:
        """The numbers of the moves that the reader has made already."""
        here, made = self._found.places[0], []
        for choice in self._found.first:
            moves = here.moves or []
            number = next(number for number, move in enumerate(moves) if _is(move, choice))
            made.append(number)
            here = self._found.places[moves[number].after]
        return made

    def _place(self, place: GlobalState) -> dict[str, Any]:
        machine = place.machine
        unborn = [info.root for info in self._found.unfolding.threads[len(machine.states) :]]
        row: dict[str, Any] = {
            "s": [self._local(state) for state in [*machine.states, *unborn]],
            "m": [[location, value] for location, value in machine.memory.items() if self._is_shown(location)],
            "b": [[[store.location, store.value] for store in buffer] for buffer in machine.buffers],
        }
        if place.moves is not None:
            row["n"] = [self._move(move) for move in place.moves]
        if place.failure is not None:
            failure = place.failure
            row["f"] = {
                "thread": failure.thread, "error": failure.error, "message": failure.message,
                "stack": [self._line(source) for source in failure.stack], "text": on_one_line(headline(failure)),
            }  # fmt: skip
        return row

    def _is_shown(self, location: int) -> bool:
        """Not what stands for the beginning and the end of threads."""
        name = self._found.unfolding.locations[location].name
        return not name.startswith(("start of thread ", "end of thread "))

    def _local(self, state: State) -> int:
        if state.number not in self._locals:
            self._locals[state.number] = len(self._local_rows)
            asks = state.operation or state.terminal
            source = getattr(asks, "source", None)
            end = end_of(state)
            text = state.operation.describe() if state.operation is not None else f"{end.how}: {end.detail}"
            if state.operation is not None and state.operation.kind is Kind.FINAL:
                text = "waits for all threads"
            self._local_rows.append([on_one_line(text), self._line(source), end.how, end.detail])
        return self._locals[state.number]

    def _line(self, source: Source | None) -> str | None:
        if source is None:
            return None
        self.lines.add(source)
        return f"{source.file}:{source.line}:{source.function}"

    def _move(self, move: Move) -> list[Any]:
        if move.edge is not None:
            return [move.thread, "run", move.after, self._step(move.edge)]
        if move.store is not None:
            return [move.thread, "commit", move.after, move.store.location, move.store.value]
        return [move.thread, "again", move.after, move.undone]

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


def _is(move: Move, choice: Any) -> bool:
    """Returns whether a move is what a schedule says."""
    if move.thread != choice.thread:
        return False
    if choice.commit != NOTHING:
        return move.store is not None and move.store.location == choice.commit
    return move.edge is not None and choice.chosen in (NOTHING, move.edge.read)
