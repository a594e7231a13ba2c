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
def shared_at_once(batch: int = 3, *, ahead: bool = False) -> Iterator[None]:
    """Work is shared as soon as a batch is whole; batches are small, and helpers are asked for work all the time.

    With `ahead`, `trust` has one helper that visits all graphs. `auto` visits graphs from the first executions on.
    """
    rooms = "mcr.explorers.trust"
    with (
        patch("mcr.exploration.stage.WORTH", 0),
        patch(f"{rooms}.together.EACH", 0),
        patch(f"{rooms}.together.LEAD", 20),
        patch(f"{rooms}.together.NEWS", 0 if ahead else math.inf),
        patch("mcr.exploration.crew._EVERY", 0),
        patch(f"{rooms}.together.BATCH", batch),
        patch(f"{rooms}.news.BATCH", batch),
        patch(f"{rooms}.survey.BATCH", batch),
        patch(f"{rooms}.ahead.AHEAD", 20),
        patch(f"{rooms}.ahead.BATCH", batch),
        patch(f"{rooms}.scout.BATCH", batch),
        patch(f"{rooms}.scout._EVERY", 0),
        patch("mcr.explorers.auto.SMALL", 0),
        patch("mcr.explorers.auto.FIRST_EXECUTIONS", 2),
    ):
        yield


@contextmanager
def divided_at_once() -> Iterator[None]:
    """Every question to a solver is hard, and divided among processes."""
    with patch("solvers.sat._PATIENCE", 0), patch("solvers.sat._ALONE", 0), patch("solvers.dividing.PARTS", 2):
        yield


def told(
    program: Program, model: str, algorithm: str, objective: str, jobs: int, *, keep_going: bool
) -> dict[str, object]:
    """All that a report tells of an exploration, but for times."""
    options = Options(jobs=jobs, keep_going=keep_going, shorten=False)
    session = open_session(program, MODELS[model], objective=objective, algorithm=algorithm, options=options)
    result = session.explore()
    threads = session.stage.unfolding.threads
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
