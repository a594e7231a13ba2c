"""What tests need of the checker: its explorations in the words of the oracle, and their comparison."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import mcr
from mcr.api import open_session
from mcr.exploration.evidence import final_outcomes
from mcr.exploration.options import Options
from mcr.exploration.session import Session
from mcr.exploration.verdict import Result, Verdict
from mcr.explorers.registry import FOR_MANY_INPUTS, parse
from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK
from replay.world.memory_model import MemoryModel
from tests.behaviours import (
    Behaviours,
    Failure,
    LocalState,
    enumerate_behaviours,
    failure_set,
    local_state_set,
)
from tests.walking import merging_differences

BY_SOLVER = "cover"
"""Most programs that the oracle can decide would not need a solver."""

WHOLE = Options(keep_going=True, shorten=False)
"""To the end, whatever fails."""

DISTRUSTED = 8
"""One in so many programs has what was merged checked by the checker itself, too."""


RUNS_CLASSES = ("rf-smc", "rvf-smc")
"""Algorithms that run one execution for each class whatever is looked for, though fewer would show every state."""


def telling_histories_apart(algorithm: str) -> Options:
    """To the end, where local states are what threads did, as the oracle has them."""
    merges = parse(algorithm)[0].merges
    return replace(WHOLE, merge=False, turns=True) if merges else WHOLE


@dataclass(frozen=True)
class EngineBehaviours:
    """What the engine found; the fields mean what they mean in `tests.behaviours.Behaviours`.

    outcomes is empty for a program without a final function: covering local states does not combine them.
    """

    states: frozenset[LocalState]
    local_states: int
    failures: frozenset[Failure]
    outcomes: frozenset[str]
    result: Result


def engine_behaviours(program: Program, model: MemoryModel, algorithm: str = BY_SOLVER) -> EngineBehaviours:
    """Cover the program's local states until it is proved that nothing is left."""
    engine = _explored(program, model, "states", algorithm, telling_histories_apart(algorithm))
    return EngineBehaviours(
        states=local_state_set(engine.unfolding),
        local_states=engine.unfolding.local_states,
        failures=failure_set(engine.unfolding),
        outcomes=final_outcomes(engine.unfolding),
        result=engine.result,
    )


def engine_outcomes(program: Program, model: MemoryModel, algorithm: str = BY_SOLVER) -> frozenset[str]:
    """repr of every outcome: of the final function, or of what the declared threads return."""
    return frozenset(_explored(program, model, "outcomes", algorithm).result.outcomes)


class _Explored:
    """An exploration that has ended."""

    def __init__(self, session: Session) -> None:
        self.result = session.explore()
        self.unfolding = session.unfolding


def _explored(
    program: Program, model: MemoryModel, objective: str, algorithm: str, options: Options = WHOLE
) -> _Explored:
    options = replace(options, **_chosen(program, objective, algorithm))
    return _Explored(open_session(program, model, objective=objective, algorithm=algorithm, options=options))


def _chosen(program: Program, objective: str, algorithm: str) -> dict[str, bool]:
    """Which reductions of explicit states are made: a program is looked at with and without."""
    if algorithm not in ("auto", "stateful"):
        return {}
    chance = zlib.crc32(f"{program.fingerprint()} {objective}".encode())
    return {"reduce": chance & 1 == 0, "symmetry": chance & 2 == 0}


# -- comparison with the oracle --------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """How engine and oracle differ on a program: "" if they agree.

    decided is False if the program was too large for the oracle.
    """

    decided: bool
    differences: str = ""


def compare(
    program: Program,
    model: MemoryModel,
    objectives: Iterable[str] = ("states",),
    *,
    max_machine_states: int,
    algorithm: str = BY_SOLVER,
) -> Comparison:
    """Run the oracle once, and the engine for each objective."""
    return compare_each(program, model, objectives, (algorithm,), max_machine_states=max_machine_states)


def compare_each(
    program: Program,
    model: MemoryModel,
    objectives: Iterable[str],
    algorithms: Iterable[str],
    *,
    max_machine_states: int,
) -> Comparison:
    """Run the oracle once, and each algorithm for each objective."""
    expected = enumerate_behaviours(program, model, max_machine_states=max_machine_states)
    if not expected.complete:
        return Comparison(False)
    lines = [
        f"{objective} by {algorithm}: {line}"
        for algorithm, objective in itertools.product(algorithms, objectives)
        for line in _CHECKS[objective](program, model, expected, algorithm)
    ]
    return Comparison(True, "\n".join(lines))


def _check_histories(program: Program, model: MemoryModel, expected: Behaviours, algorithm: str) -> list[str]:
    """Also that every bug found comes with a trace of that bug."""
    found = engine_behaviours(program, model, algorithm)
    lines = [
        *_difference("local state", expected.states, found.states),
        *_difference("failure", expected.failures, found.failures),
        *_difference("trace of the failure", expected.failures, _reported(found.result)),
        *_difference("number of local states", {expected.local_states}, {found.local_states}),
    ]
    if program.instance().final_code is not None:
        lines += _difference("outcome", expected.outcomes, found.outcomes)
    verdict = Verdict.BUG if expected.failures else Verdict.VERIFIED
    lines += _difference("verdict", {verdict.value}, {found.result.verdict.value})
    executions = found.result.statistics.executions
    if executions > len(expected.states) and algorithm not in RUNS_CLASSES:
        lines.append(f"{executions} executions for {len(expected.states)} local states")
    return lines


def _check_merged(program: Program, model: MemoryModel, expected: Behaviours, algorithm: str) -> list[str]:
    """Local states that histories share; of some programs the checker looks at what is shared as well."""
    is_distrusted = zlib.crc32(program.fingerprint().encode()) % DISTRUSTED == 0
    found = _explored(program, model, "states", algorithm, replace(WHOLE, paranoid=is_distrusted))
    lines = [
        *merging_differences(found.unfolding, expected.states),
        *_difference("failure", expected.failures, failure_set(found.unfolding)),
        *_difference("trace of the failure", expected.failures, _reported(found.result)),
    ]
    if program.instance().final_code is not None:
        lines += _difference("outcome", expected.outcomes, final_outcomes(found.unfolding))
    verdict = Verdict.BUG if expected.failures else Verdict.VERIFIED
    lines += _difference("verdict", {verdict.value}, {found.result.verdict.value})
    executions, states = found.result.statistics.executions, len(found.unfolding.states)
    too_many = executions > states and algorithm not in RUNS_CLASSES
    if too_many or states > len(expected.states):
        lines.append(f"{executions} executions, {states} local states, {len(expected.states)} histories")
    return lines


def _reported(result: Result) -> set[Failure]:
    """What the traces of a result fail with."""
    return {
        Failure(trace.failure.error, trace.failure.message, str(trace.failure.line or ""))
        for trace in result.failures
        if trace.failure is not None
    }


def _check_failures(program: Program, model: MemoryModel, expected: Behaviours, algorithm: str) -> list[str]:
    """What is looked for by default, deadlocks included: short traces are of these bugs too, and fail when played."""
    if model.name not in parse(algorithm)[0].models:
        return []
    options = Options(keep_going=True, **_chosen(program, "failures", algorithm))
    result = mcr.check(program, model.name, algorithm=algorithm, options=options)
    if result.verdict is Verdict.INCOMPLETE and algorithm == FOR_MANY_INPUTS:
        return []
    verdict = Verdict.BUG if expected.failures or expected.deadlocks else Verdict.VERIFIED
    again = [replace(trace, failure=mcr.replay(program, trace).failure) for trace in result.failures]
    owed = set(expected.failures) if result.stop is None else set()
    found = [trace for trace in result.failures if trace.failure is not None and trace.failure.error != DEADLOCK]
    played = [trace for trace in again if trace.failure is None or trace.failure.error != DEADLOCK]
    return [
        *_difference("verdict", {verdict.value}, {result.verdict.value}),
        *_difference("answer whether there is a deadlock", {bool(expected.deadlocks)}, {len(found) < len(again)}),
        *_difference("short trace of the failure", owed, _reported(replace(result, failures=tuple(found)))),
        *_difference("replay of the failure", owed, _reported(replace(result, failures=tuple(played)))),
        *_difference("number of replays that fail", {len(found)}, {len(played)}),
    ]


def _check_outcomes(program: Program, model: MemoryModel, expected: Behaviours, algorithm: str) -> list[str]:
    result = _explored(program, model, "outcomes", algorithm).result
    return [
        *_difference("outcome", expected.outcomes, result.outcomes),
        *_difference("witness", expected.outcomes, (outcome for outcome, _ in result.witnesses)),
    ]


def _check_values(program: Program, model: MemoryModel, expected: Behaviours, algorithm: str) -> list[str]:
    (count,) = _explored(program, model, "values", algorithm).result.classes
    return [
        *_difference("number of complete classes", {len(expected.values)}, {count.complete}),
        *_difference("number of blocked classes", {len(expected.blocked_values)}, {count.blocked}),
    ]


def _check_deadlocks(program: Program, model: MemoryModel, expected: Behaviours, algorithm: str) -> list[str]:
    failures = _explored(program, model, "deadlocks", algorithm).result.failures
    found = any(trace.failure is not None and trace.failure.error == DEADLOCK for trace in failures)
    return _difference("answer whether there is a deadlock", {bool(expected.deadlocks)}, {found})


def _check_states(program: Program, model: MemoryModel, expected: Behaviours, algorithm: str) -> list[str]:
    return [
        *_check_histories(program, model, expected, algorithm),
        *(f"merged: {line}" for line in _check_merged(program, model, expected, algorithm)),
    ]


_CHECKS: dict[str, Callable[[Program, MemoryModel, Behaviours, str], list[str]]] = {
    "states": _check_states,
    "failures": _check_failures,
    "outcomes": _check_outcomes,
    "values": _check_values,
    "deadlocks": _check_deadlocks,
    "histories": _check_histories,
    "merged": _check_merged,
}
"""How each objective of the engine is compared, and each half of "states": all histories told apart, and merged."""

OBJECTIVES = ("states", "failures", "outcomes", "values", "deadlocks")


def _difference(what: str, expected: Iterable[object], found: Iterable[object]) -> list[str]:
    wanted, had = set(expected), set(found)
    return [
        *(f"the engine misses the {what} {item}" for item in sorted(map(repr, wanted - had))),
        *(f"the oracle does not have the {what} {item}" for item in sorted(map(repr, had - wanted))),
    ]
