"""RVF-SMC against others that know all classes: brute force for what threads do, a census for reads-value-from."""

from __future__ import annotations

from collections import Counter

import mcr
from mcr.api import open_session
from mcr.executions.class_keys import class_key
from mcr.exploration.contract import Run
from mcr.exploration.goals import STATES
from mcr.exploration.observers import trace_of
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.objectives.brute_force import Classes, ExecutionClass, class_of, enumerate_classes
from tests.objectives.exploring import EVERYTHING


class Explored:
    """One exploration by RVF-SMC, of states: to look for deadlocks, a solver may ask for an execution of its own.

    values  what the threads did in each execution
    rvf     the reads-value-from class of each
    """

    def __init__(
        self,
        program: mcr.Program,
        algorithm: str = "rvf-smc",
        options: mcr.Options = EVERYTHING,
        model: MemoryModel = MODELS["sc"],
    ) -> None:
        runs: list[Run] = []
        session = open_session(
            program, model, objective=STATES, algorithm=algorithm, options=options, observers=[runs.append]
        )
        self.result = session.explore()
        unfolding = session.context.unfolding
        self.values = {class_of(unfolding, model, run.choices).seen_by("values") for run in runs}
        self.rvf = Counter(class_key(trace_of(run), "rvf") for run in runs)


def differences(
    program: mcr.Program, limit: int, algorithm: str = "rvf-smc", model: MemoryModel = MODELS["sc"]
) -> str | None:
    """How it differs from brute force, "" if not at all; None if the program is too large.

    All that threads can do is found, nothing else is, and each reads-value-from class is run at most once.
    """
    expected = enumerate_classes(program, model, limit)
    return differences_from(expected, program, algorithm, model) if expected.decided else None


def differences_from(
    expected: Classes, program: mcr.Program, algorithm: str = "rvf-smc", model: MemoryModel = MODELS["sc"]
) -> str:
    """How it differs from what brute force found."""
    explored = Explored(program, algorithm, model=model)
    wanted = _values(expected)
    lines = [f"missed: {each}" for each in sorted(wanted - explored.values)]
    lines += [f"impossible: {each}" for each in sorted(explored.values - wanted)]
    lines += [f"{count} executions of one class" for count in explored.rvf.values() if count > 1]
    outcomes = mcr.check(program, model.name, objective="outcomes", algorithm=algorithm, options=EVERYTHING).outcomes
    if expected.outcomes != set(outcomes):
        lines.append(f"outcomes {outcomes} for {expected.outcomes}")
    return "\n".join(lines)


def _values(classes: Classes) -> set[ExecutionClass]:
    complete, blocked = classes.seen_by("values")
    return complete | blocked
