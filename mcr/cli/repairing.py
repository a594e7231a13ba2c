"""Looking for fences: which to add, or which of a program's own it needs."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator

from mcr.cli.request import Request, aside, until_interrupted
from mcr.cli.status import Status, complain, gravest
from mcr.fencing.search import Answer, Finding, needed, repair
from mcr.report.document import write_document
from mcr.report.fencing import render_needed, render_repair, repair_document
from mcr.report.layout import style_for, terminal_width
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.world.memory_models import MODELS, memory_model

_STATUS = {
    Answer.NONE_NEEDED: Status.VERIFIED,
    Answer.FOUND: Status.VERIFIED,
    Answer.NONE_HELPS: Status.BUG,
    Answer.INCOMPLETE: Status.INCOMPLETE,
}


def run(arguments: argparse.Namespace) -> Status:
    """`mcr repair`."""
    style, width, own = style_for(sys.stdout, arguments.color), terminal_width(), arguments.redundant
    if arguments.models == tuple(MODELS):
        arguments.models = None
    buffered = tuple(name for name, model in MODELS.items() if model.buffers is not None)
    request = Request.of(arguments, {"models": buffered})

    def tell(each: Finding | CheckerError) -> None:
        if isinstance(each, Finding) and not arguments.json:
            lines = render_needed(each, width, style) if own else [*render_repair(each, width, style), ""]
            print("\n".join(lines), flush=True)

    with aside() if arguments.json else contextlib.nullcontext():
        found, interrupted = until_interrupted(_findings(request, every=arguments.all, own=own), tell)
    statuses = [_STATUS[each.answer] if isinstance(each, Finding) else Status.WRONG_USE for each in found]
    status = gravest([*statuses, *([Status.INCOMPLETE] if interrupted else [])])
    if arguments.json:
        errors = [str(each) for each in found if isinstance(each, CheckerError)]
        findings = [each for each in found if isinstance(each, Finding)]
        write_document(repair_document(findings, errors, status, own=own), sys.stdout)
    return status


def _findings(request: Request, *, every: bool, own: bool) -> Iterator[Finding | CheckerError]:
    """What came of each program and model; the error where a program is broken.

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
