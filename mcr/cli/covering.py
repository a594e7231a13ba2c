"""What executions reach of the programs that a check is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mcr.api import open_session
from mcr.cli.request import Request
from mcr.coverage.survey import Coverage, cover
from mcr.exploration.goals import STATES
from mcr.report.coverage import write_coverage
from mcr.report.state_graph import draw_states
from replay.errors import CheckerError
from replay.traces.loader import find_all
from replay.world.memory_models import MODELS


def states_of(request: Request) -> str:
    """The picture of the local states of the one program that is asked for. Raises CheckerError for several."""
    programs = list(request.programs())
    if len(programs) != 1:
        raise CheckerError(f"--states draws one program, not {len(programs)}: use FILE::NAME")
    model = MODELS[request.models_of(programs[0])[-1]]
    options = replace(request.options, keep_going=True, shorten=False)
    session = open_session(programs[0], model, objective=STATES, algorithm="cover", options=options)
    session.explore()
    return draw_states(session.stage.unfolding, cover(programs[0], model, request.options))


def covered(request: Request, file: Path | None, show: Callable[[Coverage], None]) -> list[Coverage]:
    """What is reached of each program that is in order, shown as soon as it is known, and written to a file.

    Under the weakest of its models: it has the executions of the others.
    """
    found: list[Coverage] = []
    for target in request.targets:
        for program in find_all(target):
            if isinstance(program, CheckerError):
                continue  # the check has complained
            options = replace(request.options, paranoid=False, census=False)
            found.append(cover(program := request.set_up(program), MODELS[request.models_of(program)[-1]], options))
            show(found[-1])
    if file:
        write_coverage(found, file)
    return found
