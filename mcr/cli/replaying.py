"""Playing a recorded trace again, and drawing it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mcr.api import replay
from mcr.cli.request import answer, aside
from mcr.cli.status import Status
from mcr.diagnosis.fewest import Fewest, fewest
from mcr.diagnosis.possibility import Inquiry, Possibility
from mcr.exploration.goals import FAILURES
from mcr.exploration.options import Options
from mcr.report.document import REPLAY_SCHEMA, failure_document, program_document
from mcr.report.explanation import explain
from mcr.report.failure import FailureReport, possibility_sentence, render_fewest, render_replay
from mcr.report.graph import graph
from mcr.report.layout import Style
from mcr.report.source import shown_path
from mcr.report.timeline import timeline
from replay.code.printing import shown_run
from replay.errors import CheckerError, ScheduleError
from replay.files import write_atomically
from replay.frontend.program import Program
from replay.traces.files import load_trace
from replay.traces.loader import find_programs, resolve, with_arguments
from replay.traces.trace import SOUGHT_FOR, Trace, without_calls
from replay.world.memory_models import memory_model


def write_pictures(report: FailureReport, html: Path | None, svg: Path | None) -> dict[str, str]:
    """Write the timeline and the graph as far as they are asked for; returns their files by what they show.

    Raises CheckerError for a file that cannot be written.
    """
    wanted: list[tuple[str, Path | None, Callable[[], str]]] = [
        ("timeline", html, lambda: timeline(report.trace, _sentences(report))),
        ("graph", svg, lambda: graph(report.trace)),
    ]
    for what, file, picture in wanted:
        if file is not None:
            _write(what, file, picture())
    return {what: str(file) for what, file, _ in wanted if file is not None}


def _write(what: str, file: Path, text: str) -> None:
    try:
        write_atomically(file, text)
    except OSError as error:
        raise CheckerError(f"{file}: the {what} cannot be written: {error.strerror}") from None


def _sentences(report: FailureReport) -> list[str]:
    """The sentences of the report; none if nothing fails."""
    if report.trace.failure is None:
        return []
    return [possibility_sentence(report.models), *explain(report.trace, report.needs_buffers)]


def run(arguments: argparse.Namespace) -> Status:
    """`mcr replay`."""
    file, row = _file_and_row(arguments.trace) if arguments.pdb else (arguments.trace, 1)
    with aside(), shown_run(appears=not arguments.pdb):
        replayed = play(file, arguments.program, arguments.times)
    if arguments.pdb:
        from mcr.cli.debugging import debug  # late, as it brings Python's debugger

        debug(replayed.program, replayed.recorded, row)
    played = without_calls(replayed.played) if arguments.library else replayed.played
    report = FailureReport(played, replayed.models)
    pictures = write_pictures(report, arguments.html, arguments.graph)
    least = _fewest(replayed) if arguments.fewest else None
    more = {"fewest": least and asdict(least)} if arguments.fewest else {}

    def lines(width: int, style: Style) -> Iterator[str]:
        yield from render_replay(report, replayed.conclusion, replayed.note, width, style)
        if least is not None:
            yield from render_fewest(least)
        yield from (f"The {name} is in {file}." for name, file in pictures.items())

    answer(arguments, lambda *_: {**_document(replayed), "pictures": pictures, **more}, lines)
    return replayed.status


def _file_and_row(text: Path) -> tuple[Path, int]:
    """FILE, or FILE:ROW."""
    file, _, row = str(text).rpartition(":")
    return (Path(file), int(row)) if file and row.isdecimal() and not text.exists() else (text, 1)


def _fewest(replayed: Replayed) -> Fewest | None:
    """None if nothing fails, or if no thread raises what does."""
    failure = replayed.played.failure
    if failure is None or not failure.is_raised:
        return None
    with aside():
        return fewest(replayed.program, memory_model(replayed.played.model), failure.identity)


@dataclass(frozen=True)
class Replayed:
    """What came of it.

    file      where the recording is
    recorded  what should have happened
    played    what did
    changed   the text of the program is not what it was
    program   on which it was played
    models    under which memory models the failure is possible; nothing if none occurred
    """

    file: Path
    recorded: Trace
    played: Trace
    changed: bool
    models: Mapping[str, Possibility]
    program: Program

    @property
    def status(self) -> Status:
        return Status.BUG if self.played.failure else Status.VERIFIED

    @property
    def note(self) -> str:
        """What the reader has to know besides, "" for nothing."""
        file = shown_path(self.played.program.file)
        return f"{file} is not what it was when this was recorded." if self.changed else ""

    @property
    def conclusion(self) -> str:
        """What to conclude, in a sentence."""
        expected, found = self.recorded.failure, self.played.failure
        if found is None:
            return "The failure is gone." if expected else "The execution can be repeated; nothing fails in it."
        if expected is None:
            return "The execution fails now."
        if (expected.error, expected.message) == (found.error, found.message):
            return "The failure occurs again."
        return f"Another failure occurs; recorded was {expected}."


def play(file: Path, target: str | None, times: int | None = None) -> Replayed:
    """Play the trace in `file`, on the program that `target` names if it is given; what repeats in it, so many times.

    Raises FormatError for what is no trace, ModelError if the program is gone
    or broken, and CheckerError with the step that does not fit.
    """
    recorded = load_trace(file)
    if recorded.events and not recorded.steps:
        raise CheckerError(f"{file}: there is no schedule in it to play; `mcr verify --save` finds one")
    if times is not None and recorded.repeats is None:
        raise CheckerError(f"{file}: nothing repeats in it: leave out --times")
    program = _program(recorded, file, target)
    changed = program.fingerprint() != recorded.program.fingerprint
    try:
        played = replay(program, recorded, times=times or 1)
    except ScheduleError as error:
        raise CheckerError(f"{file}: {error}; {_reason(changed, target)}") from None
    return Replayed(file, recorded, played, changed, _possibilities(program, played) if played.failure else {}, program)


def _possibilities(program: Program, played: Trace) -> Mapping[str, Possibility]:
    """Under which models the failure is possible, as far as that is quickly found out."""
    error = played.failure.error if played.failure else ""
    objective = SOUGHT_FOR.get(error, FAILURES)
    inquiry = Inquiry(program, [played])
    inquiry.explore_briefly(objective, Options())
    return inquiry.answer()


def _program(recorded: Trace, file: Path, target: str | None) -> Program:
    if target is None and not (recorded.program.file and recorded.program.name):
        raise CheckerError(f"{file}: it names no program; --program says on which to play it")
    if target is None:
        return resolve(recorded.program, file, announce)
    programs = list(find_programs(target))
    if len(programs) > 1:
        raise CheckerError(f"{target} names several programs; use FILE::NAME")
    return with_arguments(programs[0], recorded.program)


def announce(program: Path) -> None:
    """Say which file a trace makes us run, before it runs: traces are sent around."""
    print(f"runs {shown_path(str(program))}, which the trace names", file=sys.stderr)


def _reason(changed: bool, target: str | None) -> str:
    """Why the schedule may not fit."""
    if target is not None:
        return "the recording is of another program"
    if changed:
        return "the program has changed since this was recorded"
    return "its file is as it was, so something that it imports has changed, or it is not deterministic"


def _document(replayed: Replayed) -> dict[str, Any]:
    """The result for machines."""
    failure, expected = replayed.played.failure, replayed.recorded.failure
    return {
        "schema": REPLAY_SCHEMA,
        "status": replayed.status,
        "trace": str(replayed.file),
        "program": program_document(replayed.played.program),
        "program_changed": replayed.changed,
        "model": replayed.played.model,
        "conclusion": replayed.conclusion,
        "recorded_failure": expected and failure_document(expected),
        "failure": failure and failure_document(failure, replayed.played.repeats),
        "models": {name: asdict(answer) for name, answer in replayed.models.items()},
    }
