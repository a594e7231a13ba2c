"""Looking how safe classes are, as a command line asks: whether they are linearizable, and tables of levels."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from mcr.cli.progress import Progress
from mcr.cli.request import Request, answer, until_interrupted
from mcr.cli.status import Status, complain, gravest
from mcr.linearizability.client import named
from mcr.linearizability.levels import Levels, levels
from mcr.linearizability.search import Linearizability, linearizable
from mcr.report.history import page, picture
from mcr.report.layout import Style
from mcr.report.linearizability import (
    levels_document,
    linearizability_document,
    render_levels,
    render_linearizability,
)
from replay.errors import CheckerError
from replay.files import write_atomically

Found = TypeVar("Found")


def run(arguments: argparse.Namespace) -> Status:
    """`mcr linearizable`."""

    def look(make: Callable[..., Any], **how: Any) -> Linearizability:
        calls = arguments.calls if len(arguments.calls) > 1 else arguments.calls[0]
        with Progress(1) as bar:
            return linearizable(
                make, threads=arguments.threads, calls=calls, only=dict(arguments.only), level=arguments.level,
                on_progress=bar.update, **how,
            )  # fmt: skip

    def drawn(found: Sequence[Linearizability]) -> None:
        file = arguments.picture
        if file is not None:
            write_atomically(file, page(found) if file.suffix == ".html" else "".join(map(picture, found[:1])))

    return _answered(
        arguments, look, linearizability_document, render_linearizability, lambda found: Status.of(found.verdict), drawn
    )


def run_levels(arguments: argparse.Namespace) -> Status:
    """`mcr levels`."""
    invariant = None if arguments.invariant is None else named(arguments.invariant)

    def tell(done: int, pairs: int, seconds: float) -> None:
        if sys.stderr.isatty():
            left = seconds / done * (pairs - done)
            print(f"\r{done} of {pairs} pairs, about {left:.0f} s left ", end="", file=sys.stderr, flush=True)

    def look(make: Callable[..., Any], **how: Any) -> Levels:
        return levels(make, before=arguments.before, after=arguments.after, invariant=invariant, on_pair=tell, **how)

    def status(found: Levels) -> Status:
        return Status.VERIFIED if found.word == "atomic" else Status.BUG if found.word else Status.INCOMPLETE

    return _answered(arguments, look, levels_document, lambda found, *_: render_levels(found), status)


def _answered(
    arguments: argparse.Namespace,
    look: Callable[..., Found],
    document: Callable[[Sequence[Found]], dict[str, Any]],
    render: Callable[[Found, int, Style], Iterable[str]],
    status: Callable[[Found], Status],
    write: Callable[[Sequence[Found]], None] = lambda found: None,
) -> Status:
    """Look at each class and model, and tell what came of it."""
    wrong: list[Status] = []
    found, interrupted = until_interrupted(_found(arguments, look, wrong))
    if found or arguments.json:
        answer(
            arguments,
            lambda *_: document(found),
            lambda width, style: (line for each in found for line in [*render(each, width, style), ""]),
        )
    write(found)
    statuses = [*map(status, found), *wrong]
    return gravest([*statuses, *([Status.INCOMPLETE] if interrupted else [])])


def _found(arguments: argparse.Namespace, look: Callable[..., Found], wrong: list[Status]) -> Iterator[Found]:
    """What came of each class and model; what is wrong with one is told, and goes to `wrong`."""
    request = Request.of(arguments)
    for target in request.targets:
        try:
            make = named(target)
            spec = None if arguments.spec is None else named(arguments.spec)
            for model in arguments.models or (None,):
                yield look(
                    make, operations=arguments.operations, spec=spec, model=model, options=request.options,
                    folder=request.folder,
                )  # fmt: skip
        except CheckerError as error:
            complain(error)
            wrong.append(Status.WRONG_USE)
