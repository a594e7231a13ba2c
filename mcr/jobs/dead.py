"""What to say of an exploration whose process ended before it was done."""

from __future__ import annotations

from collections.abc import Sequence

from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Statistics, Stop, decide
from replay.frontend.program import Program
from replay.traces.trace import Trace


def stop_of_the_dead(how: str) -> Stop:
    """`how` the process ended, and what may help."""
    return Stop(how, "where the system had no memory left, say --memory, or fewer --jobs")


def result_of_the_dead(
    program: Program,
    model: str,
    how: str,
    *,
    objective: str,
    algorithm: str,
    options: Options,
    failures: Sequence[Trace] = (),
) -> Result:
    """Incomplete; but what it had found until then is a bug all the same."""
    stop = stop_of_the_dead(how)
    return Result(
        program=program.title,
        file=program.file,
        line=program.line,
        model=model,
        verdict=decide(tuple(failures), stop),
        statistics=Statistics(),
        failures=tuple(failures),
        objective=objective,
        stop=stop,
        solver=options.solver,
        algorithm=algorithm,
    )
