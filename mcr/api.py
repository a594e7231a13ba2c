"""The functions behind `import mcr`."""

from __future__ import annotations

from mcr.exploration.engine import OnFailure, Progress
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
from mcr.explorers.objectives import engine_for
from replay.code.user_code import exploring
from replay.frontend.program import Program
from replay.traces import player
from replay.traces.trace import Trace
from replay.world.memory_model import MODELS, memory_model


def check(
    program: Program,
    model: str = "sc",
    *,
    objective: str = "states",
    options: Options | None = None,
    on_progress: Progress | None = None,
    on_failure: OnFailure | None = None,
) -> Result:
    """Explore a program under one memory model ("sc", "tso" or "pso"); stops at the first bug unless told otherwise.

    program      what `@mcr.program` makes; parameters are set by a call: `check(bakery(n=3))`
    objective    what to look for: "states" (every local state, so every assertion), "outcomes", "values",
                 "rf", "traces" or "deadlocks"; or several that go together, like "values,rf,deadlocks"
                 (see `mcr.explorers.objectives`)
    options      limits, the solver, whether to go on after a bug
    on_progress  called after every execution, with the figures so far (times in seconds)
    on_failure   called with the trace of every bug as soon as it is found, and again when it was made short

    Raises ModelError if the program is broken, CheckerError for an unknown model or objective, and for
    objectives that do not go together.
    """
    make = engine_for(objective)
    with exploring(program.place):
        return make(program, memory_model(model), options or Options(), on_progress, on_failure).explore()


def check_all(program: Program, *, options: Options | None = None) -> dict[str, Result]:
    """Explore a program under every memory model, strongest first; results by model name. Raises like `check`."""
    return {model: check(program, model, options=options) for model in MODELS}


def replay(program: Program, trace: Trace) -> Trace:
    """Play a recorded trace on `program`, which may have changed since; returns what happens now.

    Its `failure` is None if the program does not fail any more. Raises
    ScheduleError where the schedule does not fit, ModelError if the program is
    broken.
    """
    with exploring(program.place):
        return player.replay(program, memory_model(trace.model), trace)
