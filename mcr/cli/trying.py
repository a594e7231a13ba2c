"""`mcr compare --algorithms`: what algorithms take for programs, side by side."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence

from mcr.cli.arguments import asked_solver
from mcr.cli.status import Status
from mcr.diagnosis.trials import Trial, subjects, trials, unable
from mcr.exploration.goals import STATES
from mcr.exploration.options import Options
from mcr.explorers.registry import names, parse
from replay.errors import CheckerError
from replay.world.memory_models import MODELS
from solvers.registry import DEFAULT_SOLVER


def run(arguments: argparse.Namespace) -> Status:
    """Try all, and report as the arguments say. Ctrl-C ends it with what was tried until then."""
    from mcr.report.picture import prepare, save
    from mcr.report.trials import draw_trials

    if arguments.algorithm is not None:
        raise CheckerError("--algorithm and --algorithms exclude each other")
    if arguments.plot is not None:
        prepare(arguments.plot)
    objective = arguments.objective or STATES
    asked = _asked(arguments.algorithms)
    models = arguments.model or tuple(MODELS)
    silent = unable(asked, objective, models)
    if silent == asked:
        raise CheckerError(f"none of {', '.join(asked)} looks for {objective} under {', '.join(models)}")
    found: list[Trial] = []
    interrupted = False
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the programs print is not part of the report
            for trial in _trials(arguments, asked, objective, models):
                found.append(trial)  # one by one, so that Ctrl-C keeps them
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        interrupted = True
    _report(arguments, found, objective, silent)
    if arguments.plot is not None and found:
        save(lambda: draw_trials(found), arguments.plot)
    return Status.INCOMPLETE if interrupted or any(trial.stop for trial in found) else Status.VERIFIED


def _asked(text: str) -> list[str]:
    """Algorithms by name; every one if none is named."""
    asked = [name.strip() for name in text.split(",") if name.strip()] or [name for name in names() if ":" not in name]
    for name in asked:
        parse(name)
    return list(dict.fromkeys(asked))


def _trials(arguments: argparse.Namespace, asked: list[str], objective: str, models: Sequence[str]) -> Iterator[Trial]:
    options = Options(
        solver=asked_solver(arguments) or DEFAULT_SOLVER,
        timeout=arguments.timeout,
        memory=arguments.memory,
        max_executions=arguments.max_executions,
        merge=arguments.merge is not False,
    )
    for subject in subjects(arguments.targets, dict(arguments.settings), models):
        yield from trials(subject, asked, objective, options)


def _report(arguments: argparse.Namespace, found: list[Trial], objective: str, silent: list[str]) -> None:
    from mcr.report.document import write_document
    from mcr.report.style import style_for
    from mcr.report.terminal import terminal_width
    from mcr.report.trials import render_trials, trials_document

    if arguments.json:
        write_document(trials_document(found, objective, silent), sys.stdout)
    elif found:
        print("\n".join(render_trials(found, silent, terminal_width(), style_for(sys.stdout, arguments.color))))
