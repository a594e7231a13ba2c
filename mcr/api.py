"""The functions behind `import mcr`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace as replace_in

from mcr.exploration.bugs import OnFailure
from mcr.exploration.goals import FAILURES, Goals
from mcr.exploration.growth import OnLong
from mcr.exploration.observers import Observer
from mcr.exploration.options import Options
from mcr.exploration.session import Progress, Session
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import Result
from mcr.explorers.registry import ALGORITHMS, AUTO, SERVES, Algorithm, check_supports, parse
from mcr.notebook import shown_progress
from replay.code.user_code import exploring
from replay.displays import Displayed
from replay.errors import TellsCalls, TooManyInputs
from replay.frontend.program import Program
from replay.traces import player
from replay.traces.trace import DATA_RACE, NOT_ROBUST, Trace
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS, memory_model


def check(
    program: Program,
    model: str = "sc",
    *,
    objective: str = FAILURES,
    algorithm: str = AUTO,
    options: Options | None = None,
    on_progress: Progress | None = None,
    on_failure: OnFailure | None = None,
    on_long: OnLong | None = None,
) -> Result:
    """Explore a program under one memory model ("sc", "tso" or "pso"); stops at the first bug unless told otherwise.

    program      what `@mcr.program` makes; parameters are set by a call: `check(bakery(n=3))`
    objective    what to look for: "failures" (deadlocks among them), "states" (every local state), "outcomes",
                 "values", "rf", "traces", "deadlocks" or "robustness"; or several that go together, like
                 "values,rf,deadlocks" (see `mcr.exploration.goals`)
    algorithm    how: "auto", "cover", "trust", "trust-rf", "mcr", "rf-smc", "rvf-smc", "bmc", "stateful" or
                 "exhaustive" (`mcr.explorers.registry`); docs/algorithms.md says what each is good for
    options      limits, the solver, whether to go on after a bug, whether a deadlock is none
    on_progress  called after every execution, with the figures so far (times in seconds); in a notebook, a bar if None
    on_failure   called with the trace of every bug as soon as it is found, and again when it was made short
    on_long      called once if it takes longer than ten seconds, with how large it is by then

    Raises ModelError if the program is broken, CheckerError for an unknown model, objective or algorithm, and for
    what does not go together.
    """
    with exploring(program.place), shown_progress(f"{program.title} under {model.upper()}", on_progress) as progress:
        session = open_session(
            program,
            memory_model(model),
            objective=objective,
            algorithm=algorithm,
            options=options,
            on_progress=progress,
            on_failure=on_failure,
            on_long=on_long,
        )
        return session.explore()


def sought(program: Program, objective: str, options: Options) -> Goals:
    """What is looked for in a program. Raises CheckerError for an objective that does not exist."""
    goals = Goals.parse(objective)
    return goals if options.deadlocks and program.deadlocks else goals.allowing_deadlocks()


def open_session(
    program: Program,
    model: MemoryModel,
    *,
    objective: str | Iterable[str] = FAILURES,
    algorithm: str = AUTO,
    options: Options | None = None,
    on_progress: Progress | None = None,
    on_failure: OnFailure | None = None,
    observers: Iterable[Observer] = (),
    on_long: OnLong | None = None,
) -> Session:
    """An exploration that has not begun; `observers` see each of its executions. Raises like `check`."""
    options = options or Options()
    goals = sought(program, objective if isinstance(objective, str) else ",".join(objective), options)
    check_supports(algorithm, goals, [model.name], options)
    found, variant = parse(algorithm)

    def stage_for(found: Algorithm) -> Stage:
        return Stage(program, model, goals, options, on_failure, merges=found.merges, on_terms=found.on_terms)

    with exploring(program.place):  # the program declares what it has
        stage = stage_for(found)
        if found.name == AUTO and goals.only_failures:
            try:
                stage.unfolding  # noqa: B018  made now, as it tells what cannot be explored by turns
            except (TooManyInputs, TellsCalls) as error:
                found = ALGORITHMS[SERVES[type(error)]]
                stage = stage_for(found)
        return Session(stage, lambda stage: found.make(stage, variant), on_progress, observers, on_long)


class Results(dict[str, Result], Displayed):
    """Results by model name; a notebook shows them as one table."""


def check_all(program: Program, *, options: Options | None = None) -> Results:
    """Explore a program under every memory model, strongest first; results by model name. Raises like `check`."""
    return Results((model, check(program, model, options=options)) for model in MODELS)


def replay(program: Program, trace: Trace, *, times: int = 1) -> Trace:
    """Play a recorded trace on `program`, which may have changed since; returns what happens now.

    What repeats in a run without end is played so many times. The `failure` is
    None if the program does not fail any more. Raises ScheduleError where the
    schedule does not fit, ModelError if the program is broken.
    """
    with exploring(program.place):
        played = player.replay(program, memory_model(trace.model), trace, times)
    if trace.failure is None or trace.failure.error not in (NOT_ROBUST, DATA_RACE):
        return played
    from mcr.exploration.unraised import found_again  # late, as few look for it

    return replace_in(played, failure=found_again(trace.failure, played) or played.failure)
