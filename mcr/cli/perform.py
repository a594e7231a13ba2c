"""What a worker of a cluster does with a request."""

from __future__ import annotations

from mcr.api import check
from mcr.cli.check_message import Answer, digest, new_failures, read_request
from mcr.exploration.growth import Growth
from mcr.exploration.verdict import Statistics
from mcr.jobs.said import listening
from replay.errors import CheckerError
from replay.traces.trace import Trace
from solvers.errors import SolverError


def perform(text: str) -> str:
    """The sealed answer to a sealed request. Raises FormatError for what is no request of this very version."""
    request = read_request(text, "this worker")
    told: list[Trace] = []
    growth = Growth() if request.grows else None

    def on_progress(statistics: Statistics) -> None:
        if growth is not None:
            growth.sample(statistics)

    result, broken = None, None
    with listening() as said:
        try:
            result = check(
                request.found(),
                request.model,
                objective=request.objective,
                algorithm=request.algorithm,
                options=request.options,
                on_progress=on_progress,
                on_failure=told.append,
            )
        except (CheckerError, SolverError) as error:
            broken = getattr(error, "message", str(error)), getattr(error, "where", "")
    if growth is not None and result is not None:
        growth.end(result)
    return Answer(digest(text), result, growth, new_failures(told), tuple(said), broken).sealed()
