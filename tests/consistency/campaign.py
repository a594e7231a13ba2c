"""The long run: every procedure against brute force on many random instances.

    python -m tests.consistency.campaign [--instances 10000] [--seed 0] [--size 9] [--models sc tso pso]

Prints one line per model and kind of instance, and every disagreement; exit
status 1 if there is one. 10,000 instances per model take about six minutes in all.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable

from mcr.consistency.instance import Instance
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.consistency.agreement import disagreements
from tests.consistency.instances import random_good_instance, random_instance

Maker = Callable[..., Instance]
MAKERS: dict[str, Maker] = {"rf": random_instance, "good-writes": random_good_instance}


def run(model: MemoryModel, kind: str, instances: int, seed: int, size: int) -> int:
    """Check so many instances; returns the number of disagreements."""
    started, realizable, wrong = time.monotonic(), 0, 0
    for number in range(instances):
        instance = MAKERS[kind](random.Random(f"{seed} {kind} {number}"), model, size=size)
        solvers = ("minisat22", "z3") if number % 10 == 0 else ("minisat22",)
        answer, problems = disagreements(instance, model, solvers)
        realizable += answer
        wrong += bool(problems)
        for problem in problems:
            print(f"{model.name} {kind} instance {number}: {problem}\n  {instance}", flush=True)
    seconds = time.monotonic() - started
    print(f"{model.name} {kind}: {instances} instances, {realizable} realizable, {wrong} wrong, {seconds:.0f} s")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=10_000, help="per model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=9, help="actions per instance at most")
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=list(MODELS))
    arguments = parser.parse_args()
    wrong = 0
    for name in arguments.models:
        wrong += run(MODELS[name], "rf", arguments.instances, arguments.seed, arguments.size)
        wrong += run(MODELS[name], "good-writes", arguments.instances // 5, arguments.seed, arguments.size)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
