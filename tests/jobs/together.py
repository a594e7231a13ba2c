"""One exploration by several processes against the same by one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from unittest.mock import patch

from mcr.api import open_session
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.world.memory_models import MODELS

TOLD = ("verdict", "failures", "outcomes", "witnesses", "census", "stop", "complete", "unreached", "not_compared")
SCHEDULES = ("failures", "witnesses")
WHOLE = ("local_states", "checks", "realizable")
COUNTS = (
    *("executions", "blocked", "longest", "graphs", "classes", "blocked_classes", "redundant"),
    *("redirected", "proposals", "cycles"),
)


@contextmanager
def shared_at_once(batch: int = 3) -> Iterator[None]:
    """Work is shared as soon as a batch is whole; batches are small, and so much is not done before it is shared."""
    rooms = "mcr.explorers.trust"
    with (
        patch("mcr.exploration.context.WORTH", 0),
        patch(f"{rooms}.parallel.NEWS", math.inf),
        patch(f"{rooms}.parallel.SUBTREES", 4),
        patch(f"{rooms}.parallel.BATCH", batch),
        patch(f"{rooms}.survey.BATCH", batch),
    ):
        yield


def told(
    program: Program, model: str, algorithm: str, objective: str, jobs: int, *, keep_going: bool
) -> dict[str, object]:
    """All that a report tells of an exploration, but for times."""
    options = Options(jobs=jobs, keep_going=keep_going, shorten=False)
    session = open_session(program, MODELS[model], objective=objective, algorithm=algorithm, options=options)
    result = session.explore()
    threads = session.context.unfolding.threads
    spawns = not all(info.is_declared or info.is_final for info in threads)  # perhaps first after work was shared
    told = {name: getattr(result, name) for name in TOLD if not (spawns and name in SCHEDULES)}
    told["counted"] = result.classes
    counts = asdict(result.statistics)
    told.update((name, counts[name]) for name in COUNTS)
    if result.complete:  # where a bug ended it, these are of what was looked at
        told.update(figures=result.figures, **{name: counts[name] for name in WHOLE})
    return told


def differs(program: Program, model: str, algorithm: str, objective: str, jobs: int, *, keep_going: bool) -> str:
    """What the two tell differently, "" if nothing."""
    alone, together = (
        told(program, model, algorithm, objective, number, keep_going=keep_going) for number in (1, jobs)
    )
    wrong = [name for name in alone if alone[name] != together.get(name)]
    return f"{program.title} {model} {algorithm} {objective} with {jobs}: {', '.join(wrong)}" if wrong else ""
