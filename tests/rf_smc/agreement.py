"""RF-SMC against others that know the reads-from classes: brute force, class by class, and execution graphs."""

from __future__ import annotations

import mcr
from replay.world.memory_models import MODELS
from tests.objectives.brute_force import enumerate_classes
from tests.objectives.exploring import EVERYTHING, Explored


def against_brute_force(program: mcr.Program, model: str, limit: int) -> str | None:
    """How the classes differ, "" if they are the same, each run once; None if the program is too large."""
    expected = enumerate_classes(program, MODELS[model], limit)
    if not expected.decided:
        return None
    complete, blocked = expected.seen_by("rf")
    explored = Explored(program, model, "rf", "rf-smc")
    found = [each.seen_by("rf") for each in explored.classes]
    lines = [f"missed: {each}" for each in sorted((complete | blocked) - set(found))]
    lines += [f"impossible: {each}" for each in sorted(set(found) - complete - blocked)]
    if len(found) > len(set(found)) or explored.result.statistics.redundant:
        lines.append(f"{len(found)} executions of {len(set(found))} classes")
    counted = explored.result.classes[0]
    if (counted.complete, counted.blocked) != (len(complete), len(blocked)):
        lines.append(f"counted {counted}, there are {len(complete)} and {len(blocked)}")
    return "\n".join(lines)


def against_graphs(program: mcr.Program, model: str, max_classes: int = 10_000) -> str | None:
    """How the numbers of classes differ, "" if they are the same; None if there are too many classes."""
    options = mcr.Options(keep_going=True, shorten=False, max_executions=max_classes)
    expected = mcr.check(program, model, objective="rf", algorithm="trust", options=options)
    if expected.stop is not None:
        return None
    found = mcr.check(program, model, objective="rf", algorithm="rf-smc", options=EVERYTHING)
    statistics = found.statistics
    if found.classes == expected.classes and statistics.executions == expected.statistics.executions:
        return ""
    return f"{found.classes}, {statistics.redundant} redundant; the graphs say {expected.classes}"
