"""Findings of the engine, in the words of the brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import mcr
from mcr.api import open_session
from replay.machine.machine import Choice
from replay.traces.trace import DEADLOCK
from replay.world.memory_models import MODELS
from tests.amount import one_of
from tests.objectives.answers import Answer, classes, digest
from tests.objectives.brute_force import EQUIVALENCES, Classes, ExecutionClass, class_of, enumerate_classes

OBJECTIVES = (*EQUIVALENCES, "outcomes", "deadlocks")

EVERYTHING = mcr.Options(keep_going=True, shorten=False)
ALGORITHMS = ("cover", "auto")
"""For programs as small as these the second visits graphs."""


class Explored:
    """One exploration, with the class of each of its executions."""

    def __init__(self, program: mcr.Program, model: str, objective: str, algorithm: str) -> None:
        schedules: list[list[Choice]] = []
        session = open_session(
            program,
            MODELS[model],
            objective=objective,
            algorithm=algorithm,
            options=EVERYTHING,
            observers=[lambda run: schedules.append(run.choices)],
        )
        self.result = session.explore()
        unfolding = session.context.unfolding
        self.classes = [class_of(unfolding, MODELS[model], choices) for choices in schedules]


def asked(case: str) -> list[str]:
    """The objectives that a case is asked for: an equivalence and one of the others; all if there is time."""
    return [*one_of(EQUIVALENCES, case), *one_of(OBJECTIVES[len(EQUIVALENCES) :], f"{case} then")]


def differences(program: mcr.Program, model: str, limit: int, objectives: Sequence[str] = OBJECTIVES) -> str | None:
    """How engine and brute force differ over objectives, "" if they agree; None if the program is too large."""
    expected = enumerate_classes(program, MODELS[model], limit)
    if not expected.decided:
        return None
    lines: list[str] = []
    for algorithm in one_of(ALGORITHMS, f"{program.fingerprint()}-{model}"):
        for name in objectives:
            if name == "outcomes":
                lines += _difference("outcome", expected.outcomes, _outcomes(program, model, algorithm))
            elif name == "deadlocks":
                lines += _deadlocks(program, model, expected, algorithm)
            else:
                lines += _classes(program, model, name, expected, algorithm)
    return "\n".join(lines)


def is_the_answer(program: mcr.Program, model: str, algorithm: str, objective: str, expected: Answer) -> bool:
    """Whether an algorithm finds what the table of answers has; each class run once, and nothing else."""
    if objective == "outcomes":
        return digest(_outcomes(program, model, algorithm)) == expected["outcomes"]
    if objective == "deadlocks":
        found = _found_deadlocks(program, model, algorithm)
        return found <= set(expected["deadlocks"]) and bool(found) is bool(expected["deadlocks"])
    explored = Explored(program, model, objective, algorithm)
    assert explored.result.statistics.redundant == 0
    seen = [each.seen_by(objective) for each in explored.classes]
    assert len(seen) == len(set(seen)), "a class is run twice"
    complete = [each for each in seen if each.is_complete]
    return classes(complete, [each for each in seen if not each.is_complete]) == expected["classes"][objective]


def _outcomes(program: mcr.Program, model: str, algorithm: str) -> Sequence[str]:
    return mcr.check(program, model, objective="outcomes", algorithm=algorithm, options=EVERYTHING).outcomes


def _found_deadlocks(program: mcr.Program, model: str, algorithm: str) -> set[str]:
    """What the deadlocks say that an algorithm finds."""
    result = mcr.check(program, model, objective="deadlocks", algorithm=algorithm, options=EVERYTHING)
    return {trace.failure.message for trace in result.failures if trace.failure and trace.failure.error == DEADLOCK}


def _classes(program: mcr.Program, model: str, equivalence: str, expected: Classes, algorithm: str) -> list[str]:
    explored = Explored(program, model, equivalence, algorithm)
    complete, blocked = expected.seen_by(equivalence)
    found = Counter(each.seen_by(equivalence) for each in explored.classes)
    statistics = explored.result.statistics
    wanted = [expected.seen_by(name) for name in reversed(EQUIVALENCES[: EQUIVALENCES.index(equivalence) + 1])]
    lines = [
        *_difference("class", complete | blocked, found),
        *(f"{count} executions of one class: {each}" for each, count in found.items() if count > 1),
        *_difference("count", {(len(complete), len(blocked))}, {(statistics.classes, statistics.blocked_classes)}),
        *_difference("redundant executions", {0}, {statistics.redundant}),
        *_difference("executions", {len(complete) + len(blocked)}, {statistics.executions}),
        *_difference(
            "counts of coarser classes",
            [(len(complete), len(blocked)) for complete, blocked in wanted],
            [(count.complete, count.blocked) for count in explored.result.classes],
        ),
    ]
    return [f"{equivalence}: {line}" for line in lines]


def _deadlocks(program: mcr.Program, model: str, expected: Classes, algorithm: str) -> list[str]:
    messages = _found_deadlocks(program, model, algorithm)
    if bool(messages) is not bool(expected.deadlocks):
        return [f"deadlocks: found {messages}, expected one of {expected.deadlocks}"]
    return [f"deadlocks: {message} is none" for message in messages - expected.deadlocks]


def _difference(what: str, expected: Iterable[ExecutionClass | object], found: Iterable[object]) -> list[str]:
    wanted, had = set(expected), set(found)
    return [
        *(f"the engine misses the {what} {item}" for item in sorted(map(repr, wanted - had))),
        *(f"the brute force does not have the {what} {item}" for item in sorted(map(repr, had - wanted))),
    ]
