"""What executions reach of the programs that a check is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcr.api import open_session
from mcr.cli.checking import CheckRequest
from mcr.coverage.survey import Coverage, cover
from mcr.exploration.goals import STATES
from mcr.report.state_graph import draw_states
from replay.errors import CheckerError
from replay.traces.loader import find_all, find_programs
from replay.world.memory_models import MODELS


def states_of(request: CheckRequest) -> str:
    """The picture of the local states of the one program that is asked for. Raises CheckerError for several."""
    programs = [program for target in request.targets for program in find_programs(target)]
    if len(programs) != 1:
        raise CheckerError(f"--states draws one program, not {len(programs)}: use FILE::NAME")
    program = programs[0](**request.settings) if request.settings else programs[0]
    model = MODELS[request.models[-1]]
    options = replace(request.options, keep_going=True, shorten=False)
    session = open_session(program, model, objective=STATES, options=options)
    session.explore()
    return draw_states(session.stage.unfolding, cover(program, model, request.options))


def coverages(request: CheckRequest) -> Iterator[Coverage]:
    """One for each program that is in order, under the weakest of the models: it has the executions of the others."""
    model = MODELS[request.models[-1]]
    for target in request.targets:
        for found in find_all(target):
            if isinstance(found, CheckerError):
                continue  # the check has complained
            program = found(**request.settings) if request.settings else found
            yield cover(program, model, replace(request.options, paranoid=False, census=False))
