"""A long search for programs on which a published explorer does not run each of its classes exactly once.

    python -m tests.explorers.campaign --programs 30000 --seed 1

Takes the random programs of `tests.maximal.random_programs`, one of each family for each seed, under the three models,
and compares what each explorer counts with brute force: executions, complete and blocked classes, none redundant. Of
RVF-SMC, which counts none: all values of all reads, and no reads-value-from class twice. Exit status 1 if
there was a difference.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from unittest import mock

from tqdm import tqdm

import mcr
from replay.machine.unfolding import Unfolding
from replay.world.memory_models import MODELS
from tests.maximal.families import FAMILIES
from tests.maximal.random_programs import random_program
from tests.objectives.brute_force import Classes, enumerate_classes
from tests.objectives.exploring import EVERYTHING
from tests.rvf_smc.agreement import differences_from

BY_CLASSES = {"trust": "traces", "trust-rf": "rf", "rf-smc": "rf"}
"""The explorers that run each class of an equivalence once."""

BY_VALUES = "rvf-smc"
ALGORITHMS = (*BY_CLASSES, BY_VALUES)


class Campaign:
    """Compares, and counts what it compared.

    figures  comparisons and classes by algorithm and model; programs that were too large
    """

    def __init__(self, algorithms: Sequence[str], limit: int) -> None:
        """`limit` is how many prefixes brute force may look at; programs with more are left out."""
        self.figures: Counter[str] = Counter()
        self._algorithms = algorithms
        self._limit = limit

    def judge(self, program: mcr.Program) -> Iterator[str]:
        """How they differ from brute force."""
        for model in MODELS:
            expected = enumerate_classes(program, MODELS[model], self._limit)
            self.figures["too large"] += not expected.decided
            if expected.decided:
                yield from self._compare(program, model, expected)

    def _compare(self, program: mcr.Program, model: str, expected: Classes) -> Iterator[str]:
        for algorithm in self._algorithms:
            self.figures[f"{algorithm} under {model}"] += 1
            found = (
                differences_from(expected, program, model=MODELS[model])
                if algorithm == BY_VALUES
                else _miscounted(program, model, algorithm, expected)
            )
            if found:
                yield f"{algorithm} under {model}: {found}"


def _miscounted(program: mcr.Program, model: str, algorithm: str, expected: Classes) -> str:
    """How the numbers differ, "" if they do not."""
    objective = BY_CLASSES[algorithm]
    complete, blocked = map(len, expected.seen_by(objective))
    result = mcr.check(program, model, objective=objective, algorithm=algorithm, options=EVERYTHING)
    counted, statistics = result.classes[0], result.statistics
    found = counted.complete, counted.blocked, statistics.executions, statistics.redundant
    wanted = complete, blocked, complete + blocked, 0
    return "" if found == wanted else f"complete, blocked, executions, redundant {found}, not {wanted}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=int, default=2, help="operations of a thread, at most")
    parser.add_argument("--max-prefixes", type=int, default=800, help="programs with more are left out")
    parser.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS))
    options = parser.parse_args()
    campaign = Campaign(options.algorithms, options.max_prefixes)
    with mock.patch.object(Unfolding, "audit"):  # these programs use nothing but the model, and to audit takes longest
        different = _run(campaign, options)
    print(", ".join(f"{what}: {count}" for what, count in campaign.figures.items()))
    print(f"{options.programs} programs, {different} differences")
    return 1 if different else 0


def _run(campaign: Campaign, options: argparse.Namespace) -> int:
    """Judge the programs; returns how many differences there were."""
    different = 0
    for number in tqdm(range(options.programs), unit=" programs", mininterval=1):
        family = list(FAMILIES)[number % len(FAMILIES)]
        seed = options.seed + number // len(FAMILIES)
        for found in campaign.judge(random_program(seed, FAMILIES[family], length=options.length)):
            different += 1
            print(f"{family}, seed {seed}: {found}", flush=True)
    return different


if __name__ == "__main__":
    raise SystemExit(main())
