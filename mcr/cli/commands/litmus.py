"""Run litmus tests: X86 and X86_64 as herd7 and diy7 write them, and C with atomics.

Every final state that a memory model allows is found. Tests with loops, mixed sizes, unknown instructions or other
architectures are refused with file and line, and counted.

Other commands take .litmus files too. To `mcr check`, `~exists` and `forall` are assertions, and `exists` claims
nothing: the states that satisfy it are marked *>. With --set "ask='witness'" it looks for such a state as if it
were a bug, so that there is a short trace of it to replay.

examples:
  mcr litmus SB.litmus                                    in herd's layout, under SC, TSO and PSO
  mcr litmus tests/ --model tso --table --jobs 2          one row for each test
  mcr litmus tests/ --expect truth.jsonl                  compare with known states; status 1 if any differ
  mcr litmus SB.litmus --emit-python > sb.py              the same test as a Python model
  mcr litmus --from-python examples/litmus.py::iriw       a Python model as a litmus test
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcr.cli.arguments import add_options
from mcr.cli.progress import with_progress
from mcr.cli.request import Request, until_interrupted
from mcr.cli.status import Status, complain, gravest
from mcr.exploration.goals import Goals
from mcr.explorers.registry import check_supports
from mcr.keys import add_keys
from mcr.litmus.emit_python import emit_python
from mcr.litmus.errors import LitmusError
from mcr.litmus.expect import Expectations, as_row, herd_text, summary, table
from mcr.litmus.from_python import from_python
from mcr.litmus.parser import parse_file
from mcr.litmus.run import FileResult, litmus_files, objective_by, run_files
from mcr.report.printable import printable_json
from replay.errors import CheckerError
from replay.traces.loader import find_programs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = "litmus tests; FILE.py::NAME with --from-python"
    parser.add_argument("targets", metavar="FILE|FOLDER", nargs="+", help=what)
    limit = "time limit for each test and model"
    add_keys(parser, "models", "jobs", "timeout", "memory", "algorithm", "merge", timeout=limit)
    layouts = {
        "--table": "one row for each test",
        "--json": "one line of JSON for each test and model",
        "--expect FILE": "lines of JSON to compare with, as --json writes them",
        "--emit-python": "print the tests as Python models, and do not run them",
        "--from-python": "print Python models as litmus tests",
    }
    add_options(parser.add_mutually_exclusive_group(), layouts)


def run(arguments: argparse.Namespace) -> Status:
    if arguments.emit_python:
        return _emit_python(arguments.targets)
    if arguments.from_python:
        return _from_python(arguments.targets)
    request = Request.of(arguments)
    objective = Goals.parse(objective_by(request.algorithm))  # every final state, under every one of these models
    check_supports(request.algorithm, objective, request.models, request.options)
    if arguments.expect is not None:
        return _compare(request, arguments.expect)
    return _show(request, "table" if arguments.table else "json" if arguments.json else "herd")


def _results(request: Request) -> Iterator[FileResult]:
    files = litmus_files(request.targets)
    found = run_files(files, request.models, request.options, request.jobs, request.algorithm)
    return with_progress(found, len(files), "litmus tests")


def _status(result: FileResult) -> Status:
    """Wrong use if the file was refused, incomplete if states may be missing."""
    if result.refusal:
        return Status.WRONG_USE
    return Status.INCOMPLETE if any(report.incomplete for report in result.reports) else Status.VERIFIED


def _show(request: Request, layout: str) -> Status:
    """Run the tests and print what they do: layout "herd", "table" or "json"."""
    started = time.monotonic()

    def tell(result: FileResult) -> None:
        if result.refusal:
            complain(LitmusError(result.refusal))
        elif layout != "table":
            _print_reports(result, layout, name_models=len(request.models) > 1)

    results, interrupted = until_interrupted(_results(request), tell)
    if layout == "table":
        print(table(results, request.models))
    if layout == "table" or any(result.refusal for result in results):
        out = sys.stdout if layout == "table" else sys.stderr
        print(summary(results, request.models, time.monotonic() - started), file=out)
    return gravest([_ending(interrupted), *map(_status, results)])


def _ending(interrupted: bool) -> Status:
    return Status.INCOMPLETE if interrupted else Status.VERIFIED


def _print_reports(result: FileResult, layout: str, *, name_models: bool) -> None:
    for report in result.reports:
        if layout == "json":
            print(printable_json(json.dumps(as_row(report), ensure_ascii=False)))
        else:
            print(herd_text(report, name_model=name_models), end="")


def _compare(request: Request, expected: Path) -> Status:
    """Run the tests and print every difference from known answers."""
    started = time.monotonic()
    expectations = Expectations(expected)
    differences: list[str] = []

    def tell(result: FileResult) -> None:
        for difference in expectations.differences(result):
            differences.append(difference)
            print(difference)

    results, interrupted = until_interrupted(_results(request), tell)
    print(summary(results, request.models, time.monotonic() - started))
    print(f"{len(differences)} differences; {expectations.used} of {expectations.count} known answers compared")
    return gravest([_ending(interrupted), Status.BUG if differences else Status.VERIFIED, *map(_status, results)])


def _emit_python(targets: Sequence[str]) -> Status:
    """Print litmus tests as Python models."""
    statuses = [Status.VERIFIED]
    for path in litmus_files(targets):
        try:
            print(emit_python(parse_file(path)), end="")
        except CheckerError as error:
            complain(error)
            statuses.append(Status.WRONG_USE)
    return gravest(statuses)


def _from_python(targets: Sequence[str]) -> Status:
    """Print Python models as litmus tests."""
    statuses = [Status.VERIFIED]
    for target in targets:
        for program in find_programs(target):
            try:
                print(from_python(program), end="")
            except CheckerError as error:
                complain(error)
                statuses.append(Status.WRONG_USE)
    return gravest(statuses)
