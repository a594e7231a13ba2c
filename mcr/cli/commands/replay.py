"""Play a recorded execution again, step by step, and compare every step with what was recorded. A program that
does not fit the recording any more is an error that says which step differs.

examples:
  mcr replay .mcr/peterson-tso.json
  mcr replay .mcr/peterson-tso.json --program fixed.py::peterson
  mcr replay --pdb .mcr/peterson-tso.json:5
  mcr replay .mcr/peterson-tso.json --html peterson.html --graph peterson.svg
  mcr replay .mcr/two_clients-sc.json --cpython
  mcr replay .mcr/two_clients-sc.json --script repro.py

Here exit status 1 means that the failure occurs again, 0 that it is gone. With --cpython, 1 means that CPython's own
threads fail like this, 0 that they do not, and 3 that they could not follow the schedule to its end, or fail otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from mcr.api import replay
from mcr.cli.arguments import LIBRARY, add_options, add_output_arguments
from mcr.cli.of_cpython import check_alone, played_by_cpython
from mcr.cli.request import answer, aside
from mcr.cli.status import Status
from mcr.diagnosis.fewest import Fewest, fewest
from mcr.diagnosis.possibility import Inquiry, Possibility
from mcr.exploration.goals import FAILURES
from mcr.exploration.options import Options
from mcr.report.document import REPLAY_SCHEMA, failure_document
from mcr.report.explanation import explain
from mcr.report.failure import FailureReport, possibility_sentence, render_fewest, render_replay
from mcr.report.graph.svg import graph
from mcr.report.layout import Style, wrap
from mcr.report.source import shown_path
from mcr.report.timeline.page import timeline
from replay.code.printing import shown_run
from replay.errors import CheckerError, ScheduleError
from replay.files import write_atomically
from replay.frontend.program import Program
from replay.traces.files import load_trace
from replay.traces.loader import find_programs, resolve, with_arguments
from replay.traces.project import looking_first
from replay.traces.trace import SOUGHT_FOR, Trace, without_calls
from replay.world.memory_models import memory_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE.json", type=Path, help="a file that `mcr check` wrote")
    add_options(
        parser,
        {
            "--program FILE::NAME": "play it on this program instead of the recorded one",
            "--fewest": "say with how few context switches and reordered stores the program can fail like this at all",
            "--path FOLDER": "look up imports there before anywhere else: with another version of a package",
            "--times N": "play what repeats in a run without end so many times (default: once)",
            "--pdb": "stop in Python's debugger before the first row of the report, or the one that TRACE.json:ROW "
            "names; `schedule`, `memory`, `buffers` and `back` are commands there",
            **LIBRARY,
        },
    )
    of_cpython = {
        "--cpython": "play it on threads of this CPython, with the code as it is, and say whether they fail like this",
        "--script FILE.py": "write a file that does so without mcr, to attach to a report",
    }
    add_options(parser.add_argument_group("ordinary classes"), of_cpython)
    pictures = {
        "--html FILE.html": "write a timeline to step through in a browser",
        "--graph FILE.svg": "write the execution graph",
    }
    add_options(parser.add_argument_group("pictures"), pictures)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> Status:
    with looking_first([arguments.path] if arguments.path else []):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> Status:
    check_alone(arguments)
    file, row = _file_and_row(arguments.trace) if arguments.pdb else (arguments.trace, 1)
    with aside(), shown_run(appears=not arguments.pdb):
        recorded = _recorded(file, arguments.times)
        program = _program(recorded, file, arguments.program)
        changed = program.fingerprint() != recorded.program.fingerprint
        try:
            played = replay(program, recorded, times=arguments.times or 1)
        except ScheduleError as error:
            raise CheckerError(f"{file}: {error}; {_reason(changed, arguments.program)}") from None
        models = _possibilities(program, played) if played.failure else {}
    of_cpython = played_by_cpython(arguments, program, recorded)
    if arguments.pdb:
        from mcr.cli.debugging import debug  # late, as it brings Python's debugger

        debug(program, recorded, row)
    report = FailureReport(without_calls(played) if arguments.library else played, models)
    pictures = _write_pictures(report, arguments.html, arguments.graph)
    least = _fewest(program, played) if arguments.fewest else None
    status = of_cpython.status if arguments.cpython else Status.BUG if played.failure else Status.VERIFIED
    conclusion = conclusion_of(recorded, played)

    def document(width: int, style: Style) -> dict[str, object]:
        return {
            "schema": REPLAY_SCHEMA,
            "status": status,
            "trace": str(file),
            "program": played.program,
            "program_changed": changed,
            "model": played.model,
            "conclusion": conclusion,
            "recorded_failure": recorded.failure,
            "failure": played.failure and failure_document(played.failure, played.repeats),
            "models": models,
            "pictures": pictures,
            **({"fewest": least} if arguments.fewest else {}),
            **of_cpython.document,
        }

    def lines(width: int, style: Style) -> Iterator[str]:
        note = f"{shown_path(played.program.file)} is not what it was when this was recorded." if changed else ""
        yield from render_replay(report, conclusion, note, width, style)
        if least is not None:
            yield from render_fewest(least)
        yield from (f"The {name} is in {file}." for name, file in pictures.items())
        yield from (wrapped for line in of_cpython.lines for wrapped in wrap(line, width, ""))

    answer(arguments, document, lines)
    return status


def _file_and_row(text: Path) -> tuple[Path, int]:
    """FILE, or FILE:ROW."""
    file, _, row = str(text).rpartition(":")
    return (Path(file), int(row)) if file and row.isdecimal() and not text.exists() else (text, 1)


def _recorded(file: Path, times: int | None) -> Trace:
    """The trace in a file. Raises FormatError for what is none, CheckerError for what cannot be played so."""
    recorded = load_trace(file)
    if recorded.events and not recorded.steps:
        raise CheckerError(f"{file}: there is no schedule in it to play; `mcr verify --save` finds one")
    if times is not None and recorded.repeats is None:
        raise CheckerError(f"{file}: nothing repeats in it: leave out --times")
    return recorded


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
        return "the program has changed since this was recorded, or something that it imports or reads"
    return "its file and what it imports are as they were, so it is not deterministic, or reads something else"


def _possibilities(program: Program, played: Trace) -> Mapping[str, Possibility]:
    """Under which models the failure is possible, as far as that is quickly found out."""
    error = played.failure.error if played.failure else ""
    inquiry = Inquiry(program, [played])
    inquiry.explore_briefly(SOUGHT_FOR.get(error, FAILURES), Options())
    return inquiry.answer()


def conclusion_of(recorded: Trace, played: Trace) -> str:
    """Returns what a trace that was played says of the failure that was recorded, as a sentence."""
    expected, found = recorded.failure, played.failure
    if found is None:
        return "The failure is gone." if expected else "The execution can be repeated; nothing fails in it."
    if expected is None:
        return "The execution fails now."
    if (expected.error, expected.message) == (found.error, found.message):
        return "The failure occurs again."
    return f"Another failure occurs; recorded was {expected}."


def _fewest(program: Program, played: Trace) -> Fewest | None:
    """None if nothing fails, or if no thread raises what does."""
    if played.failure is None or not played.failure.is_raised:
        return None
    with aside():
        return fewest(program, memory_model(played.model), played.failure.identity)


def _write_pictures(report: FailureReport, html: Path | None, svg: Path | None) -> dict[str, str]:
    """Write the timeline and the graph as far as they are asked for; returns their files by what they show.

    Raises CheckerError for a file that cannot be written.
    """
    pictures: dict[str, str] = {}
    for what, file in (("timeline", html), ("graph", svg)):
        if file is None:
            continue
        picture = graph(report.trace) if what == "graph" else timeline(report.trace, _sentences(report))
        try:
            write_atomically(file, picture)
        except OSError as error:
            raise CheckerError(f"{file}: the {what} cannot be written: {error.strerror}") from None
        pictures[what] = str(file)
    return pictures


def _sentences(report: FailureReport) -> list[str]:
    """The sentences of the report; none if nothing fails."""
    if report.trace.failure is None:
        return []
    return [possibility_sentence(report.models), *explain(report.trace, report.needs_buffers)]
