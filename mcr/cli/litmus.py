"""What `mcr litmus` and `mcr diy` do."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from mcr.cli.request import Request, until_interrupted
from mcr.cli.status import Status, complain, gravest
from mcr.exploration.goals import Goals
from mcr.exploration.options import Options
from mcr.explorers.registry import check_supports
from mcr.litmus.diy.relations import DEFAULT_RELATIONS, relations
from mcr.litmus.diy.survey import Collection, collect, survey, survey_table
from mcr.litmus.errors import LitmusError
from mcr.litmus.expect import Expectations, as_row, herd_text, summary, table
from mcr.litmus.parser import parse_file
from mcr.litmus.run import FileResult, litmus_files, objective_by, run_files
from mcr.report.printable import printable_json
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.world.memory_models import MODELS

Item = TypeVar("Item")


def run(arguments: argparse.Namespace) -> Status:
    """`mcr litmus`."""
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


def with_progress(items: Iterable[Item], count: int, what: str) -> Iterator[Item]:
    """The items, with a progress bar on standard error if that is a terminal and there are many."""
    if count < 20 or not sys.stderr.isatty():
        return iter(items)
    from tqdm import tqdm

    return iter(tqdm(items, total=count, desc=what, file=sys.stderr, leave=False, dynamic_ncols=True))


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
    from mcr.litmus.emit_python import emit_python

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
    from mcr.litmus.from_python import from_python
    from replay.traces.loader import find_programs

    statuses = [Status.VERIFIED]
    for target in targets:
        for program in find_programs(target):
            try:
                print(from_python(program), end="")
            except CheckerError as error:
                complain(error)
                statuses.append(Status.WRONG_USE)
    return gravest(statuses)


def run_diy(arguments: argparse.Namespace) -> Status:
    """Generate tests, write them, run_diy them, and print which models forbid what."""
    folder, models = arguments.output, arguments.models or tuple(MODELS)
    if arguments.only_write and folder is None:
        raise CheckerError("--only-write needs -o FOLDER")
    vocabulary = relations(arguments.relations or " ".join(DEFAULT_RELATIONS))
    found = collect(vocabulary, arguments.threads, arguments.edges)
    if not found.tests:
        raise CheckerError("these relations make no cycle within the limits; raise --edges or name more --relations")
    if folder is not None:
        _write(found, folder)
    if not arguments.only_write:
        running = survey(found.tests, models, Options(), arguments.jobs)
        surveyed = list(with_progress(running, len(found.tests), "generated tests"))
        print(survey_table(surveyed, models, found.left_out))
    return Status.VERIFIED


def _write(found: Collection, folder: Path) -> None:
    for test in found.tests:
        write_atomically(folder / f"{test.name}.litmus", test.text)
    print(f"{len(found.tests)} tests written to {folder}")
