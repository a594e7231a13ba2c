"""`mcr repair`: which fences a program needs."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcr.cli.arguments import (
    add_memory_argument,
    add_model_argument,
    add_output_arguments,
    add_setting_argument,
    add_solver_argument,
    asked_solver,
    positive_number,
    positive_seconds,
)
from mcr.cli.command import Command
from mcr.cli.status import Status
from replay.world.memory_models import MODELS

if TYPE_CHECKING:
    from mcr.cli.repairing import RepairRequest
    from mcr.fencing.search import Finding
    from mcr.report.style import Style
    from replay.errors import CheckerError

_DESCRIPTION = """\
Find the least fences with which programs are verified, and print them as a diff.

A fence goes directly after a line that stores, for all threads that come there. A full fence costs 2, a store fence 1
(and does nothing under TSO). What is printed is verified, and nothing that costs less is. Where a program fails
under SC, no fences help.

examples:
  mcr repair peterson.py                         a diff for TSO, and one for PSO
  mcr repair bakery.py::bakery --set n=3 --model pso --all
  mcr repair peterson.py::peterson_fenced --redundant
                                                 which of the program's own fences it needs

Here exit status 0 means that the fences were found, or none are needed, and 1 that none help.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="FILE, FILE::NAME, or a folder")
    add_model_argument(parser, default="all but SC")
    add_setting_argument(parser)
    parser.add_argument("--all", action="store_true", help="every set of least cost")
    parser.add_argument(
        "--redundant", action="store_true", help="which fences of the program itself it needs, and which not"
    )
    limits = parser.add_argument_group("limits, for each program and model")
    limits.add_argument("--timeout", metavar="SECONDS", type=positive_seconds, help="time for all its checks")
    add_memory_argument(limits)
    limits.add_argument(
        "--max-operations", metavar="N", type=positive_number, help="operations of a thread (default: 400)"
    )
    add_solver_argument(parser)
    add_output_arguments(parser)


def _request(arguments: argparse.Namespace) -> RepairRequest:
    from mcr.cli.repairing import RepairRequest
    from mcr.exploration.options import Options
    from replay.machine.unfolding import DEFAULT_BOUND
    from solvers.registry import DEFAULT_SOLVER

    buffered = tuple(name for name, model in MODELS.items() if model.buffers is not None)
    return RepairRequest(
        targets=arguments.targets,
        models=buffered if arguments.model in (None, tuple(MODELS)) else arguments.model,
        settings=dict(arguments.settings),
        options=Options(
            solver=asked_solver(arguments) or DEFAULT_SOLVER,
            timeout=arguments.timeout,
            memory=arguments.memory,
            max_operations=arguments.max_operations or DEFAULT_BOUND,
        ),
        every=arguments.all,
        own=arguments.redundant,
    )


def _run(arguments: argparse.Namespace) -> Status:
    from mcr.cli.repairing import findings, status_of
    from mcr.cli.status import gravest
    from mcr.report.document import write_document
    from mcr.report.fencing import repair_document
    from mcr.report.style import style_for
    from mcr.report.terminal import terminal_width

    request = _request(arguments)
    style, width = style_for(sys.stdout, arguments.color), terminal_width()
    found: list[Finding | CheckerError] = []
    interrupted = False
    try:
        with contextlib.redirect_stdout(sys.stderr) if arguments.json else contextlib.nullcontext():
            for each in findings(request):
                found.append(each)
                if not arguments.json:
                    print("\n".join(_lines(each, request, width, style)), flush=True)
    except KeyboardInterrupt:
        interrupted = True
    status = gravest([*status_of(found), *([Status.INCOMPLETE] if interrupted else [])])
    if arguments.json:
        errors = [str(each) for each in found if isinstance(each, Exception)]
        shown = [each for each in found if not isinstance(each, Exception)]
        write_document(repair_document(shown, errors, status, own=request.own), sys.stdout)
    elif interrupted:
        print("Interrupted.")
    return status


def _lines(each: Finding | CheckerError, request: RepairRequest, width: int, style: Style) -> Iterator[str]:
    from mcr.report.fencing import render_needed, render_repair

    if not isinstance(each, Exception):
        render = render_needed if request.own else render_repair
        yield from (*render(each, width, style), *([] if request.own else [""]))


COMMAND = Command("repair", "which fences a program needs", _DESCRIPTION, _add_arguments, _run)
