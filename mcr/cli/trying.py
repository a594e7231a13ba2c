"""`mcr compare --algorithms`: what algorithms take for programs, side by side."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from mcr.cli.request import Request, answer, aside, until_interrupted
from mcr.cli.status import Status
from mcr.diagnosis.trials import Trial, subjects, trials, unable
from mcr.explorers.registry import names, parse
from mcr.report.growth import prepare, save
from mcr.report.trials import draw_trials, render_trials, trials_document
from replay.errors import CheckerError


def compare_algorithms(arguments: argparse.Namespace, request: Request) -> Status:
    """Try all, and report as the arguments say. Ctrl-C ends it with what was tried until then."""
    if arguments.algorithm is not None:
        raise CheckerError("--algorithm and --algorithms exclude each other")
    if arguments.plot is not None:
        prepare(arguments.plot)
    asked = _asked(arguments.algorithms)
    silent = unable(asked, request.objective, request.models)
    if silent == asked:
        raise CheckerError(
            f"none of {', '.join(asked)} looks for {request.objective} under {', '.join(request.models)}"
        )
    with aside():
        found, interrupted = until_interrupted(_trials(request, asked))
    if found or arguments.json:
        answer(
            arguments,
            lambda *_: trials_document(found, request.objective, silent),
            lambda width, style: render_trials(found, silent, width, style),
        )
    if arguments.plot is not None and found:
        save(lambda: draw_trials(found), arguments.plot)
    return Status.INCOMPLETE if interrupted or any(trial.stop for trial in found) else Status.VERIFIED


def _trials(request: Request, asked: list[str]) -> Iterator[Trial]:
    for subject in subjects(request.targets, request.settings, request.models):
        yield from trials(subject, asked, request.objective, request.options)


def _asked(text: str) -> list[str]:
    """Algorithms by name; every one if none is named."""
    asked = [name.strip() for name in text.split(",") if name.strip()] or [name for name in names() if ":" not in name]
    for name in asked:
        parse(name)
    return list(dict.fromkeys(asked))
