"""Looking for fences: which to add, or which of a program's own it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mcr.cli.errors import complain
from mcr.cli.status import Status
from mcr.exploration.options import Options
from mcr.fencing.search import Answer, Finding, needed, repair
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from replay.world.memory_models import memory_model

STATUS = {
    Answer.NONE_NEEDED: Status.VERIFIED,
    Answer.FOUND: Status.VERIFIED,
    Answer.NONE_HELPS: Status.BUG,
    Answer.INCOMPLETE: Status.INCOMPLETE,
}


@dataclass(frozen=True)
class RepairRequest:
    """What to repair, and how.

    targets   files, FILE::NAME, folders
    models    names of memory models, strongest first
    settings  values for the programs' parameters
    every     all least sets, not one
    own       which of the programs' own fences are needed, not which to add
    """

    targets: Sequence[str]
    models: Sequence[str]
    settings: Mapping[str, object] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    every: bool = False
    own: bool = False


def findings(request: RepairRequest) -> Iterator[Finding | CheckerError]:
    """What came of each program and model; the error where a program is broken."""
    for target in request.targets:
        for program in find_programs(target):
            yield from _of_program(request, program)


def _of_program(request: RepairRequest, program: Program) -> Iterator[Finding | CheckerError]:
    search = needed if request.own else repair
    try:
        if program.file.endswith(".litmus"):
            raise CheckerError(
                f"{program.file}: fences go between lines of Python; mcr litmus --emit-python makes a model of the test"
            )
        given = program(**request.settings) if request.settings else program
        for model in request.models:
            yield search(given, memory_model(model), every=request.every, options=request.options)
    except CheckerError as error:
        complain(error)
        yield error


def status_of(found: Sequence[Finding | CheckerError]) -> list[Status]:
    """What each comes to."""
    return [STATUS[each.answer] if isinstance(each, Finding) else Status.WRONG_USE for each in found]
