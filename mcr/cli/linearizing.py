"""Looking whether classes are linearizable, as a command line asks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from mcr.cli.request import Request, answer, until_interrupted
from mcr.cli.status import Status, complain, gravest
from mcr.linearizability.client import named
from mcr.linearizability.search import Linearizability, linearizable
from mcr.report.linearizability import linearizability_document, render_linearizability
from replay.errors import CheckerError


def run(arguments: argparse.Namespace) -> Status:
    """`mcr linearizable`."""
    wrong: list[Status] = []
    found, interrupted = until_interrupted(_found(arguments, wrong))
    if found or arguments.json:
        answer(
            arguments,
            lambda *_: linearizability_document(found),
            lambda width, style: (line for each in found for line in [*render_linearizability(each, width, style), ""]),
        )
    statuses = [*(Status.of(each.verdict) for each in found), *wrong]
    return gravest([*statuses, *([Status.INCOMPLETE] if interrupted else [])])


def _found(arguments: argparse.Namespace, wrong: list[Status]) -> Iterator[Linearizability]:
    """What came of each class and model; what is wrong with one is told, and goes to `wrong`."""
    request = Request.of(arguments)
    for target in request.targets:
        try:
            make = named(target)
            spec = None if arguments.spec is None else named(arguments.spec)
            for model in arguments.models or (None,):
                yield linearizable(
                    make, arguments.operations, spec=spec, threads=arguments.threads, calls=arguments.calls,
                    model=model, options=request.options, folder=request.folder,
                )  # fmt: skip
        except CheckerError as error:
            complain(error)
            wrong.append(Status.WRONG_USE)
