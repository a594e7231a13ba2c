"""A long search for random programs with loops on which the checker and brute force disagree.

    python -m tests.spinning.campaign --programs 10000

Programs are determined by their seeds, which count from --seed. Exit status 1 with the program at the first
disagreement.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from replay.world.memory_models import MODELS
from tests.pythonic.compare import checkers_program
from tests.spinning.compare import EVERYTHING, Findings, Plan
from tests.spinning.generator import generate


def plan(seed: int) -> tuple[str, Plan]:
    """A model and two explorations; seeds take turns."""
    every = list(EVERYTHING)
    return list(MODELS)[seed % len(MODELS)], [every[seed // 3 % len(every)], every[(seed // 3 + 7) % len(every)]]


def search(seeds: Sequence[int], limit: int) -> Findings:
    """Compare until there is a disagreement."""
    found = Findings()
    for seed in seeds:
        source = generate(seed)
        model, asked = plan(seed)
        found.compare(checkers_program(source), model, asked, limit)
        if found.differences:
            found.differences.insert(0, f"seed {seed}:\n{source}")
            break
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.spinning.campaign", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-configurations", type=int, default=3000)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    found = search(seeds, options.max_configurations)
    print(f"{found.decided} comparisons, {found.incomplete} incomplete, {found.too_large} programs too large")
    print(*found.differences, sep="\n")
    return 1 if found.differences else 0


if __name__ == "__main__":
    sys.exit(main())
