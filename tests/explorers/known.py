"""Published explorers on programs whose classes are known: the peers' rows, the reference programs, and the examples.

    python -m tests.explorers.known --timeout 60

Under each model, trust must count the traces that GenMC and Nidhugg count (or brute force, for examples), and trust-rf
and rf-smc as many reads-from classes as those traces have, and as Nidhugg counts where it does; each of them executes
each class once. rvf-smc must see the local states that trust does, and no reads-value-from class twice. On
examples all verdicts must be those of the default. A line for each program and model; exit status 1 if there was a
difference.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

import mcr
from mcr.bench.case import BenchCase, short_title
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
from mcr.explorers.registry import AUTO
from replay.world.memory_models import MODELS
from results.bench.peers import peers_of
from results.bench.sizes import reference_case, reference_cases
from results.bench.suites.peers import countable, objective_of
from tests.examples.test_examples import PROGRAMS
from tests.objectives.brute_force import enumerate_classes
from tests.rvf_smc.agreement import Explored

LIMIT = 5_000
"""Prefixes of the brute force; larger examples are compared with each other only."""

BY_CLASSES = {"trust": "traces", "trust-rf": "rf", "rf-smc": "rf"}
BY_VALUES = "rvf-smc"


class Late(Exception):
    """An exploration was cut by the time limit."""


@dataclass(frozen=True)
class Known:
    """A program under a model, and what somebody else counted: complete classes of "traces" and "rf"."""

    title: str
    program: mcr.Program
    model: str
    complete: dict[str, int]
    is_example: bool = False


class Comparison:
    """Everything that is compared on one program under one model.

    wrong  sentences on what differs
    shown  what each algorithm counted
    """

    def __init__(self, known: Known, timeout: float) -> None:
        self.known = known
        self.wrong: list[str] = []
        self.shown: list[str] = []
        self._options = Options(keep_going=True, shorten=False, timeout=timeout)
        self._traces: Result | None = None

    def run(self) -> None:
        for algorithm in BY_CLASSES:
            self._attempt(algorithm, self._classes)
        self._attempt(BY_VALUES, self._values)
        if self.known.is_example:
            for algorithm in (*BY_CLASSES, BY_VALUES):
                self._attempt(algorithm, self._verdict)

    def _attempt(self, algorithm: str, compare: Callable[[str], None]) -> None:
        try:
            compare(algorithm)
        except Late:
            self.shown.append(f"{algorithm} not done")

    def _checked(self, algorithm: str, objective: str) -> Result:
        result = mcr.check(
            self.known.program, self.known.model, objective=objective, algorithm=algorithm, options=self._options
        )
        if result.stop is not None:
            raise Late
        return result

    def _classes(self, algorithm: str) -> None:
        objective = BY_CLASSES[algorithm]
        result = self._checked(algorithm, objective)
        if algorithm == "trust":
            self._traces = result
        counted, statistics = result.classes[0], result.statistics
        self.shown.append(f"{algorithm} {counted.complete} + {counted.blocked}")
        self._equal(algorithm, "executions", statistics.executions, counted.complete + counted.blocked)
        self._equal(algorithm, "redundant", statistics.redundant, 0)
        self._equal(algorithm, objective, counted.complete, self.known.complete.get(objective, counted.complete))
        if self._traces is not None:
            self._equal(algorithm, "classes", result.classes, self._traces.classes[-len(result.classes) :])

    def _values(self, algorithm: str) -> None:
        explored = Explored(self.known.program, algorithm, self._options, MODELS[self.known.model])
        if explored.result.stop is not None:
            raise Late
        self.shown.append(f"{algorithm} {len(explored.rvf)}")
        self._equal(algorithm, "executions of one class", max(explored.rvf.values()), 1)
        if self._traces is not None:
            expected = self._traces.statistics.local_states
            self._equal(algorithm, "local states", explored.result.statistics.local_states, expected)

    def _verdict(self, algorithm: str) -> None:
        verdicts = [self._checked(each, "states").verdict.value for each in (algorithm, AUTO)]
        self._equal(algorithm, "verdict", *verdicts)

    def _equal(self, algorithm: str, what: str, found: object, wanted: object) -> None:
        if found != wanted:
            self.wrong.append(f"{algorithm}, {what}: {found}, not {wanted}")


def examples() -> Iterator[Known]:
    for title, program in PROGRAMS.items():
        for model in MODELS:
            found = enumerate_classes(program, MODELS[model], LIMIT)
            complete = {each: len(found.seen_by(each)[0]) for each in ("traces", "rf")} if found.decided else {}
            yield Known(title, program, model, complete, is_example=True)


def peers() -> Iterator[Known]:
    """Small ones first."""
    counted: dict[tuple[BenchCase, str], dict[str, int]] = {}
    for peer in countable():
        case = reference_case(peer.program, **dict(peer.parameters))
        counted.setdefault((case, peer.model), {})[objective_of(peer)] = peer.complete or 0
    for (case, model), complete in counted.items():
        yield Known(short_title(case.columns()), case.resolved(), model, complete)


def reference() -> Iterator[Known]:
    """Those that peers do not count."""
    for case in reference_cases():
        for model in MODELS:
            if not any(map(objective_of, peers_of(case.program, _sizes(case), False, model))):
                yield Known(short_title(case.columns()), case.resolved(), model, {})


def _sizes(case: BenchCase) -> tuple[tuple[str, int], ...]:
    return tuple((name, size) for name, size in case.parameters if name != "check")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for an exploration")
    options = parser.parse_args()
    compared = different = 0
    for known in chain(examples(), peers(), reference()):
        comparison = Comparison(known, options.timeout)
        comparison.run()
        compared += 1
        different += bool(comparison.wrong)
        print(f"{known.title} under {known.model}:", ", ".join((*comparison.shown, *comparison.wrong)), flush=True)
    print(f"{compared} programs under a model, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
