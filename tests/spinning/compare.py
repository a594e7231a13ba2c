"""The checker against brute force on one program with loops."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import mcr
from mcr.api import open_session
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK
from replay.world.memory_models import MODELS
from tests.spinning.brute_force import Behaviours, behaviours

OBJECTIVES = ("states", "outcomes", "deadlocks", "failures")

MAX_OPERATIONS = 60

Plan = Iterable[tuple[str, str, bool]]
"""Objectives, each with an algorithm and whether local states are merged."""

EVERYTHING: Plan = tuple(itertools.product(OBJECTIVES, ("cover", "trust", "auto", "stateful"), (True, False)))


@dataclass
class Findings:
    """What came of some programs.

    decided      explorations that were compared
    incomplete   those among them in which a thread was cut, so that only what was found is compared
    too_large    programs under a model that have too many configurations
    differences  where the two do not agree, a line each
    """

    decided: int = 0
    incomplete: int = 0
    too_large: int = 0
    differences: list[str] = field(default_factory=list)

    def compare(self, program: Program, model: str, plan: Plan, limit: int) -> None:
        """Compare one program under one model."""
        expected = behaviours(program, MODELS[model], limit)
        if not expected.complete:
            self.too_large += 1
            return
        for number, (objective, algorithm, merge) in enumerate(plan):
            mixture = len(program.fingerprint()) + number
            reduce, symmetry = mixture % 2 == 0, mixture % 3 > 0
            options = Options(keep_going=True, merge=merge, turns=True, max_operations=MAX_OPERATIONS)
            if algorithm in ("auto", "stateful"):
                options = replace(options, reduce=reduce, symmetry=symmetry)
            session = open_session(program, MODELS[model], objective=objective, algorithm=algorithm, options=options)
            result = session.explore()
            self.decided += 1
            self.incomplete += result.stop is not None
            how = (
                f"{'merged' if merge else 'not merged'}, {'reduced' if reduce else 'not reduced'}, symmetry {symmetry}"
            )
            asked = f"{model}, {objective}, {algorithm}, {how}"
            self.differences += (f"{line} [{asked}]" for line in _differences(program, expected, result, objective))
            seen = session.unfolding
            count = Counter(state.thread for state in seen.states)
            found = sum(count[info.like.index] for info in seen.threads)
            if (algorithm, merge) == ("stateful", True) and not result.stop and found != expected.local_states:
                self.differences.append(f"{found} local states, not {expected.local_states} [{asked}]")


def _differences(program: Program, expected: Behaviours, result: Result, objective: str) -> Iterator[str]:
    asked = objective.split(",")
    failures = [trace.failure for trace in result.failures if trace.failure]
    found = {(each.error, each.message, str(each.line or "")) for each in failures if each.error != DEADLOCK}
    owed = set(expected.failures) if asked != ["deadlocks"] else found & set(expected.failures)
    yield from _sets("failure", owed, found, result.stop is None)
    if "outcomes" in asked:
        yield from _sets("outcome", expected.outcomes, set(result.outcomes), result.stop is None)
    if "deadlocks" in asked or "failures" in asked:
        deadlocks = {each.error for each in failures} & {DEADLOCK}
        yield from _sets("deadlock", {DEADLOCK} if expected.is_stuck else set(), deadlocks, result.stop is None)
    for trace in result.failures:
        again = mcr.replay(program, trace).failure
        if again != trace.failure:
            yield f"{trace.failure} is {again} when it is played"
    if result.algorithm == "stateful":
        yield from _longer_than_needed(expected, result)


def _longer_than_needed(expected: Behaviours, result: Result) -> Iterator[str]:
    """Failures that come with more operations than the fewest, or of these with more switches of threads."""
    for trace in result.failures:
        if (each := trace.failure) is None or each.error == DEADLOCK:
            continue
        running = [step.thread for step in trace.steps if not step.commit]
        way = len(running), sum(one != other for one, other in pairwise(running))
        fewest = expected.failures.get((each.error, each.message, str(each.line or "")))
        if fewest is not None and way != fewest:
            yield f"{each} comes with {way} operations and switches, not with {fewest}"


def _sets(what: str, expected: set[object], found: set[object], is_complete: bool) -> Iterator[str]:
    if is_complete:
        yield from (f"the checker misses the {what} {item}" for item in sorted(map(repr, expected - found)))
    yield from (f"nothing shows the {what} {item}" for item in sorted(map(repr, found - expected)))
