"""The functions behind `import mcr`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from dataclasses import replace as replace_in
from pathlib import Path
from typing import Any

from mcr.exploration.context import ExplorationContext
from mcr.exploration.evidence import OnFailure
from mcr.exploration.goals import AFTERWARDS, FAILURES, Goals
from mcr.exploration.growth import OnLong
from mcr.exploration.observers import Observer
from mcr.exploration.options import Options
from mcr.exploration.session import Progress, Session
from mcr.exploration.verdict import Result
from mcr.explorers.registry import ALGORITHMS, AUTO, SERVES, STATEFUL, Algorithm, check_supports, parse
from mcr.keys import KEYS, read_models
from replay.announced import Displayed
from replay.code.printing import shown_run
from replay.code.user_code import exploring
from replay.errors import CheckerError, TellsCalls, TooManyInputs
from replay.frontend.functions import program_of
from replay.frontend.program import Program
from replay.sentences import there_are
from replay.traces import following
from replay.traces.files import load_trace
from replay.traces.trace import GIL, SOUGHT_FOR, Trace
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import memory_model


def check(
    program: Program | Callable[..., object],
    model: str = "sc",
    *,
    objective: str = FAILURES,
    algorithm: str = AUTO,
    options: Options | None = None,
    on_progress: Progress | None = None,
    on_failure: OnFailure | None = None,
    on_long: OnLong | None = None,
    looks_ahead: bool = True,
    **limits: Any,
) -> Result:
    """Explore a program under one memory model ("sc", "tso" or "pso"); stops at the first bug unless told otherwise.

    program      what `@mcr.program` makes; parameters are set by a call: `check(bakery(n=3))`. Or a function
                 that starts threads, as tests do (`replay.frontend.functions`)
    objective    what to look for: "failures" (deadlocks among them), "states" (every local state), or another one
                 of `mcr.exploration.goals`; or several that go together, like "values,rf,deadlocks"
    algorithm    how: "auto", "cover", "trust", "trust-rf", "mcr", "rf-smc", "rvf-smc", "bmc", "stateful" or
                 "exhaustive" (`mcr.explorers.registry`); docs/algorithms.md says what each is good for
    options      limits, the solver, whether to go on after a bug, whether a deadlock is none
    limits       single options by name, as in `check(program, timeout=60)`; they go before `options`
    on_progress  called after every execution, with the figures so far (times in seconds); in a notebook, a bar if None
    on_failure   called with the trace of every bug as soon as it is found, and again when it was made short
    on_long      called once if it takes longer than ten seconds, with how large it is by then
    looks_ahead  estimate how much is left for `on_progress` and `on_long`; False saves that time

    Raises ModelError if the program is broken, CheckerError for an unknown model, objective or algorithm, and for
    what does not go together.
    """
    from mcr.notebook import shown_progress  # late, as commands have a line of their own

    found = memory_model(model)
    program = _program(program, options)
    options = with_options(options, limits, program)
    with exploring(program.place), shown_progress(f"{program.title} under {model.upper()}", on_progress) as progress:
        session = open_session(
            program,
            found,
            objective=objective,
            algorithm=algorithm,
            options=options,
            on_progress=progress,
            on_failure=on_failure,
            on_long=on_long,
            looks_ahead=looks_ahead,
        )
        return session.explore()


_ELSEWHERE = {
    "models": "mcr.check_all takes several models, mcr.check one: model",
    "settings": "parameters are set by a call of the program: mcr.check(program(n=3))",
    "allow_incomplete": "it is for tests: @mcr.test, or [tool.mcr]",
    "collect": "it is for tests: [tool.mcr], or --mcr-collect",
    "folder": "mcr.save_trace(result.failures[0], file) writes a trace",
}
"""Where options belong that users know from other places."""


def with_options(options: Options | None, said: Mapping[str, Any], program: Program | None = None) -> Options:
    """Options, some of them given by name. Raises CheckerError for names and values that there are not."""
    known = [field.name for field in fields(Options)]
    values: dict[str, Any] = {}
    for name, value in said.items():
        if name not in known:
            parameter = program is not None and name in (each.name for each in program.parameters)
            where = f"it is a parameter of the program: {program.name}({name}=...)" if parameter and program else ""
            raise CheckerError(f"{name}: {where or _ELSEWHERE.get(name) or f'no option; {there_are(known, name)}'}")
        try:
            values[name] = KEYS[name].read(value) if name in KEYS and value is not None else value
        except ValueError as error:
            raise CheckerError(f"{name}: {error}") from None
    return replace_in(options or Options(), **values)


def sought(program: Program, objective: str, options: Options) -> Goals:
    """Returns the goals of a check. Raises CheckerError for an objective that does not exist."""
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
    looks_ahead: bool = True,
) -> Session:
    """An exploration that has not begun; `observers` see each of its executions. Raises like `check`."""
    options = options or Options()
    goals = sought(program, objective if isinstance(objective, str) else ",".join(objective), options)
    check_supports(algorithm, goals, [model.name], options)
    found, variant = parse(algorithm)
    program = program.apart()
    if options.python == GIL:
        program = program.under_global_lock()
        found = ALGORITHMS[STATEFUL] if found.name == AUTO else found

    def stage_for(found: Algorithm) -> ExplorationContext:
        return ExplorationContext(
            program, model, goals, options, on_failure, merges=found.merges, on_terms=found.on_terms
        )

    if options.sample and (algorithm != AUTO or not goals.only_failures):
        raise CheckerError("--sample looks for failures and deadlocks by itself: no algorithm, no objective")

    def sampled() -> Session:
        from mcr.explorers.sample.explorer import OPERATIONS, Sample  # late, as few ask for it

        most = OPERATIONS if options.max_operations == Options.max_operations else options.max_operations
        limited = replace_in(options, max_operations=most)
        context = ExplorationContext(program, model, goals, limited, on_failure, merges=True)

        def sampling(context: ExplorationContext) -> Sample:
            return Sample(context, options.sample, context.unfolding)

        return Session(context, sampling, on_progress, observers, on_long, looks_ahead)

    def opened() -> Session:
        nonlocal found
        context = stage_for(found)
        if found.name == AUTO and goals.only_failures:
            try:
                context.unfolding  # noqa: B018  made now, as it tells what cannot be explored by turns
            except (TooManyInputs, TellsCalls) as error:
                found = ALGORITHMS[SERVES[type(error)]]
                context = stage_for(found)
        return Session(
            context, lambda context: found.make(context, variant), on_progress, observers, on_long, looks_ahead
        )

    with exploring(program.place):  # the program declares what it has
        return program.known(sampled if options.sample else opened)


class Results(dict[str, Result], Displayed):
    """Results by model name; a notebook shows them as one table."""


def check_all(
    program: Program | Callable[..., object],
    *,
    models: str | Iterable[str] = "all",
    options: Options | None = None,
    **asked: Any,
) -> Results:
    """Explore a program under several memory models, strongest first; results by model name.

    models   as `mcr check --model` and `mcr.test` take them: "tso", ["sc", "tso"] or "sc,tso"
    asked    whatever else `check` takes; raises like `check`
    """
    try:
        names = read_models(models if isinstance(models, str) else list(models))
    except ValueError as error:
        raise CheckerError(f"models: {error}") from None
    return Results((model, check(program, model, options=options, **asked)) for model in names)


def _program(thing: object, options: object = None) -> Program:
    """The program that is meant: a function without `p` is one that starts threads. Raises CheckerError for what is
    no program, and no options.
    """
    program = program_of(thing)
    if program is None:
        what = getattr(thing, "__name__", repr(thing))
        raise CheckerError(
            f"{what} is no program: one is a function that starts threads, or is made by @mcr.program above a function "
            "that declares them"
        )
    if options is not None and not isinstance(options, Options):
        raise CheckerError(f"options are made by mcr.Options(timeout=60, ...), not {options!r}")
    return program


def replay(program: Program | Callable[..., object], trace: Trace | Path | str, *, times: int = 1) -> Trace:
    """Play a recorded trace, or the one in a file, on `program`, which may have changed since.

    Returns what happens now; what user code prints on the way appears. What repeats
    in a run without end is played so many times. The `failure` is None if the
    program does not fail any more. Raises ScheduleError where the
    schedule does not fit, ModelError if the program is broken.
    """
    program = _program(program)
    if not isinstance(trace, Trace):
        trace = load_trace(trace)
    with exploring(program.place), shown_run():
        played = following.replay(program, memory_model(trace.model), trace, times)
    objective = "" if trace.failure is None else SOUGHT_FOR.get(trace.failure.error, "")
    if objective not in AFTERWARDS:
        return played
    from mcr.exploration.unraised import finding  # late, as few look for it

    return replace_in(played, failure=finding(objective, played) or played.failure)
