"""What a worker of a cluster does with a request."""

from __future__ import annotations

from mcr.cli.check_message import Answer, digest, new_failures, read_request
from mcr.cli.check_task import Exploration
from mcr.jobs.said import listening
from replay.errors import CheckerError
from replay.traces.trace import Trace
from solvers.errors import SolverError


def perform(text: str) -> str:
    """The sealed answer to a sealed request. Raises FormatError for what is no request of this very version."""
    request = read_request(text, "this worker")
    told: list[Trace] = []
    explored, broken = None, None
    with listening() as said:
        try:
            item = Exploration(request.found(), request.model)
            explored = request.question.explore(item, told.append, lambda statistics: None)
        except (CheckerError, SolverError) as error:
            broken = getattr(error, "message", str(error)), getattr(error, "where", "")
    return Answer(digest(text), explored, new_failures(told), tuple(said), broken).sealed()
