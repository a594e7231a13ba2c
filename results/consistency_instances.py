"""Instances of the verification problem, collected from explorations: executed ones, and ones with a read changed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from mcr.consistency.instance import INITIAL, Instance
from mcr.consistency.reading import instance_of
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from replay.world.memory_model import MemoryModel
from tests.consistency.executions import executed

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

LARGE: tuple[tuple[str, dict[str, object]], ...] = (
    ("bakery", {"n": 3}),
    ("bakery", {"n": 5}),
    ("readers", {"n": 20}),
    ("lastzero", {"n": 8}),
    ("lastzero", {"n": 16}),
    ("fib", {"n": 5}),
    ("fib", {"n": 15}),
    ("fib", {"n": 30}),
    ("exp_mem", {"n": 7}),
    ("fastmutex", {"n": 3}),
    ("fastmutex", {"n": 5}),
)
"""Reference programs that are large at these sizes."""

MOST_EXECUTIONS = 30
"""Executions from which instances are drawn."""


def collect(model: MemoryModel, each: int) -> Iterator[tuple[str, Instance]]:
    """Instances of up to `each` executions of every program, and as many with one source changed; with titles."""
    for program in programs():
        yield from ((program.title, instance) for instance in instances_of(program, model, each))


def seed_of(model: MemoryModel, title: str) -> str:
    """What the instances of a program are drawn by."""
    return f"collect {model.name} {title}"


def instances_of(program: Program, model: MemoryModel, each: int) -> Iterator[Instance]:
    """The instances of one program; none if it is refused."""
    rng = random.Random(seed_of(model, program.title))
    try:
        traces = executed(program, model, limit=MOST_EXECUTIONS)
    except CheckerError:
        return
    for trace in rng.sample(traces, min(each, len(traces))):
        instance = instance_of(trace)
        yield instance
        changed = mutated(instance, rng)
        if changed is not None:
            yield changed


def mutated(instance: Instance, rng: random.Random) -> Instance | None:
    """The instance with another source for one read; None if no read has an alternative."""
    options = []
    for read, (source,) in instance.good.items():
        writes = instance.writers.get(instance.actions[read].location, ())
        options += [(read, write) for write in (INITIAL, *writes) if write not in (source, read)]
    if not options:
        return None
    read, write = rng.choice(options)
    return Instance(instance.actions, {**instance.good, read: (write,)})


def programs() -> Iterator[Program]:
    """All examples, and the large ones."""
    for path in sorted(EXAMPLES.glob("*.py")):
        yield from find_programs(str(path))
    for name, arguments in LARGE:
        (program,) = find_programs(f"{EXAMPLES / 'reference.py'}::{name}")
        yield program(**arguments)
