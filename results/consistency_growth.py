"""How verification time grows with the number of actions, for two and three threads.

Two families:

run    a random run of the machine (realizable), with 4 locations
worst  not realizable, which shows only after all lower sets: a forbidden
       outcome behind writes that nobody constrains; closure is off
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Sequence

from mcr.bench.environment import environment
from mcr.bench.rows import Row, Rows, as_markdown
from mcr.consistency.instance import INITIAL, NOWHERE, Instance, InstanceAction, SearchOptions
from mcr.consistency.verify import realize
from replay.world.memory_model import Access, MemoryModel
from replay.world.memory_models import MODELS
from tests.consistency.brute_force import random_run
from tests.consistency.instances import random_actions

SIZES = (24, 36, 48, 72, 100, 140, 200, 280, 400)
THREADS = (2, 3)
FAMILIES = ("run", "worst")
GROWTH_KEY = ("family", "model", "threads", "actions")


def measure_growth(rows: Rows, largest: int) -> None:
    """A row per family, model, number of threads and size: mean seconds and explored prefixes, without closure."""
    for model in MODELS.values():
        for threads in THREADS:
            for size in SIZES:
                for family in FAMILIES if size <= largest else ():
                    if rows.get(family, model.name, threads, size) is None:
                        key = (family, model.name, threads, size)
                        measured = _measured(family, model, threads, size)
                        rows.add({**dict(zip(GROWTH_KEY, key, strict=True)), **measured, "environment": environment()})


def _measured(family: str, model: MemoryModel, threads: int, size: int) -> Row:
    instances = [_run(model, threads, size, seed) for seed in range(5)] if family == "run" else [_worst(threads, size)]
    seconds, explored = 0.0, 0
    for instance in instances:
        started = time.process_time()
        answer = realize(instance, model, SearchOptions(closure=False))
        seconds += time.process_time() - started
        explored += answer.explored
        assert answer.is_realizable == (family == "run")
    return {"seconds": round(seconds / len(instances), 6), "explored": explored // len(instances)}


def explored(family: str, model: MemoryModel, threads: int, size: int) -> int:
    """Explored prefixes, as a row has them."""
    found: int = _measured(family, model, threads, size)["explored"]
    return found


def _run(model: MemoryModel, threads: int, size: int, seed: int) -> Instance:
    """What a random run of the machine showed."""
    rng = random.Random(f"growth {threads} {size} {seed}")
    actions = random_actions(rng, size, threads, 4, fences=False)
    return Instance(actions.actions, {read: (write,) for read, write in random_run(actions, model, rng).items()})


Planned = tuple[Access, int, bool, bool]


def _worst(threads: int, size: int) -> Instance:
    """Store buffering with fences, both reads initial; before it each thread writes and reads a location of its own."""
    actions: list[InstanceAction] = []
    good: dict[int, tuple[int, ...]] = {}
    for thread in range(threads):
        for index, (access, location, reads, writes) in enumerate(_worst_line(thread, threads, size)):
            actions.append(InstanceAction(len(actions), thread, index, access, location, reads, writes))
            if reads:
                good[actions[-1].id] = (INITIAL,) if location >= threads else (actions[-2].id,)
    return Instance(tuple(actions), good)


def _worst_line(thread: int, threads: int, size: int) -> list[Planned]:
    mine, other = threads + thread % 2, threads + 1 - thread % 2
    tail: list[Planned] = []
    if thread < 2:
        fence = (Access.BARRIER, NOWHERE, False, False)
        tail = [(Access.STORE, mine, False, True), fence, (Access.LOAD, other, True, False)]
    length = size // threads + (thread < size % threads) - len(tail)
    pair: list[Planned] = [(Access.STORE, thread, False, True), (Access.LOAD, thread, True, False)]
    return [pair[index % 2] for index in range(length)] + tail


# -- fits ----------------------------------------------------------------------


def growth_sections(rows: Rows) -> list[str]:
    """Markdown: per series the exponent of the best n^a, and how much better it fits than the best exponential."""
    heads = ("family", "model", "threads", "a (seconds)", "R2 n^a", "R2 b^n", "a (prefixes)", "R2 n^a", "R2 b^n")
    note = "Least squares on log(seconds) and log(prefixes), from 48 actions on: n^a, and R2 of it and of b^n."
    columns = (*GROWTH_KEY, "seconds", "explored")
    return [
        note,
        as_markdown(heads, _fits(rows)),
        as_markdown(columns, [[row[column] for column in columns] for row in rows.all()]),
    ]


def series(rows: Rows, family: str, model: str, threads: int) -> list[Row]:
    """The rows of one series, small sizes first."""
    return [row for row in rows.all() if (row["family"], row["model"], row["threads"]) == (family, model, threads)]


def _fits(rows: Rows) -> Iterator[list[str]]:
    for family in FAMILIES:
        for model in MODELS:
            for threads in THREADS:
                chosen = [row for row in series(rows, family, model, threads) if row["actions"] >= 48]
                if len(chosen) > 2:
                    yield [family, model, str(threads), *_fit(chosen, "seconds"), *_fit(chosen, "explored")]


def _fit(rows: Sequence[Row], column: str) -> tuple[str, str, str]:
    sizes = [float(row["actions"]) for row in rows]
    logs = [math.log(float(row[column])) for row in rows]
    slope, power = _least_squares([math.log(size) for size in sizes], logs)
    _, exponential = _least_squares(sizes, logs)
    return f"{slope:.2f}", f"{power:.4f}", f"{exponential:.4f}"


def _least_squares(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Slope and R2 of the best line."""
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    covariance = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    variance, total = sum((a - x) ** 2 for a in xs), sum((b - y) ** 2 for b in ys)
    return covariance / variance, covariance**2 / (variance * total)
