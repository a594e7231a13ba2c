"""Robustness by brute force: every class of executions of Shasha and Snir, and whether its relations have a cycle."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import mcr
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.traces.trace import NOT_ROBUST
from replay.world.memory_model import MemoryModel
from tests.objectives.brute_force import ExecutionClass, enumerate_classes

Place = tuple[str, int]
WHOLE = Options(keep_going=True, shorten=False)


TURNS = 3
"""So often a thread goes round a loop that only looks."""


def is_robust_by_brute_force(program: Program, model: MemoryModel, limit: int) -> bool | None:
    """Whether every execution is one of SC; None if there are too many."""
    found = enumerate_classes(program, model, limit, keeps_turns=TURNS)
    if not found.decided:
        return None
    return not any(has_cycle(each) for each in (*found.complete, *found.blocked))


def has_cycle(found: ExecutionClass) -> bool:
    """Whether po, rf, co and fr of a class have a cycle, with spawns before children and ends before joins."""
    before: dict[Place, set[Place]] = {}
    for one, two in _edges(found):
        before.setdefault(two, set()).add(one)
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return True
    return False


def _edges(found: ExecutionClass) -> Iterator[tuple[Place, Place]]:
    lengths = {thread: len(steps) - 1 for thread, steps in found.ends}
    for thread, steps in found.ends:
        for number, (operation, _) in enumerate(steps[:-1]):
            yield (thread, number), (thread, number + 1)
            what, _, other = operation.partition(" thread ")
            if what == "spawn" and other in lengths:
                yield (thread, number), (other, 0)
            elif what == "join":
                yield (other, lengths[other]), (thread, number)
    written = dict(found.co)
    for writes in written.values():
        yield from pairwise(writes)
    place_of = {write: name for name, writes in written.items() for write in writes}
    reads = {read: _name_of(found, read) for read, _ in found.rf}
    for read, source in found.rf:
        if source is not None:
            yield source, read
        writes = written.get(place_of[source] if source is not None else reads[read], ())
        later = writes[writes.index(source) + 1 :] if source is not None else writes
        yield from ((read, write) for write in later if write != read)


def _name_of(found: ExecutionClass, read: Place) -> str:
    """The location that an operation reads, as its words have it."""
    words = dict(found.ends)[read[0]][read[1]][0]
    for name in sorted(dict(found.co), key=len, reverse=True):
        if words in (f"load {name}", f"lock {name}", f"wake {name}") or words.startswith(f"{name}."):
            return name
    return ""


def disagreement(program: Program, model: MemoryModel, limit: int, algorithm: str = "auto") -> str | None:
    """How the objective differs from brute force, "" if it does not; None if there is too much to enumerate."""
    expected = is_robust_by_brute_force(program, model, limit)
    if expected is None:
        return None
    result = mcr.check(program, model.name, objective="robustness", algorithm=algorithm, options=WHOLE)
    violations = [trace for trace in result.failures if trace.failure and trace.failure.error == NOT_ROBUST]
    if expected == bool(violations):
        return f"by brute force it is {'robust' if expected else 'not robust'}"
    for trace in violations:
        if mcr.replay(program, trace).failure != trace.failure:
            return "a violation that does not play again"
    return ""
