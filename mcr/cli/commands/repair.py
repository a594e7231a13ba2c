"""Find the least fences with which programs are verified, and print them as a diff.

A fence goes directly after a line that stores, for all threads that execute it. A full fence costs 2, a store fence 1
(and does nothing under TSO). What is printed is verified, and nothing that costs less is. Where a program fails
under SC, no fences help.

examples:
  mcr repair peterson.py                         a diff for TSO, and one for PSO
  mcr repair bakery.py::bakery --set n=3 --model pso --all
  mcr repair peterson.py::peterson_fenced --redundant
                                                 which of the program's own fences it needs

Here exit status 0 means that the fences were found, or none are needed, and 1 that none help.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator

from mcr.cli.arguments import add_options, add_output_arguments, add_targets
from mcr.cli.request import Request, aside, until_interrupted
from mcr.cli.status import Status, complain, gravest
from mcr.fencing.search import FenceAnswer, LeastFences, needed, repair
from mcr.keys import KEYS, add_keys
from mcr.report.document import write_document
from mcr.report.fencing import render_needed, render_repair, repair_document
from mcr.report.layout import style_for, terminal_width
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.world.memory_models import MODELS, memory_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_targets(parser)
    add_keys(parser, "models", models=f"{KEYS['models'].help} (default: all but SC)")
    what = {
        "--all": "every set of least cost",
        "--redundant": "which fences of the program itself it needs, and which not",
    }
    add_options(parser, what)
    limits = parser.add_argument_group("limits, for each program and model")
    add_keys(limits, "timeout", "memory", "max_operations", timeout="time for all its checks")
    add_keys(parser, "solver")
    add_output_arguments(parser)


_STATUS = {
    FenceAnswer.NONE_NEEDED: Status.VERIFIED,
    FenceAnswer.FOUND: Status.VERIFIED,
    FenceAnswer.NONE_HELPS: Status.BUG,
    FenceAnswer.INCOMPLETE: Status.INCOMPLETE,
}


def run(arguments: argparse.Namespace) -> Status:
    style, width, own = style_for(sys.stdout, arguments.color), terminal_width(), arguments.redundant
    if arguments.models == tuple(MODELS):
        arguments.models = None
    buffered = tuple(name for name, model in MODELS.items() if model.buffers is not None)
    request = Request.of(arguments, {"models": buffered})

    def tell(each: LeastFences | CheckerError) -> None:
        if isinstance(each, LeastFences) and not arguments.json:
            lines = render_needed(each, width, style) if own else [*render_repair(each, width, style), ""]
            print("\n".join(lines), flush=True)

    with aside() if arguments.json else contextlib.nullcontext():
        found, interrupted = until_interrupted(_findings(request, every=arguments.all, own=own), tell)
    statuses = [_STATUS[each.answer] if isinstance(each, LeastFences) else Status.WRONG_USE for each in found]
    status = gravest([*statuses, *([Status.INCOMPLETE] if interrupted else [])])
    if arguments.json:
        errors = [str(each) for each in found if isinstance(each, CheckerError)]
        findings = [each for each in found if isinstance(each, LeastFences)]
        write_document(repair_document(findings, errors, status, own=own), sys.stdout)
    return status


def _findings(request: Request, *, every: bool, own: bool) -> Iterator[LeastFences | CheckerError]:
    """Yields the finding for each program and model; the error where a program is broken.

    every  all least sets, not one
    own    which of the programs' own fences are needed, not which to add
    """
    search = needed if own else repair
    for program in request.programs():
        try:
            _check_fits(program)
            for model in request.models:
                yield search(program, memory_model(model), every=every, options=request.options)
        except CheckerError as error:
            complain(error)
            yield error


def _check_fits(program: Program) -> None:
    if program.file.endswith(".litmus"):
        raise CheckerError(
            f"{program.file}: fences go between lines of Python; mcr litmus --emit-python makes a model of the test"
        )
