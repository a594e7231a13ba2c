"""Random programs, explored by one process and by several: the reports have to be the same.

    python -m tests.jobs.campaign --programs 2000 [--seed 1]

Exit status 1 if any differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from replay.world.memory_models import MODELS
from tests.explorers.test_contract import FAMILIES
from tests.jobs.together import differs, shared_at_once
from tests.maximal.random_programs import random_program

SHARED = [
    ("trust", "failures"),
    ("trust", "states"),
    ("trust", "outcomes"),
]
"""What several processes do together: an algorithm, and what it looks for."""


def one(seed: int) -> str:
    """How the reports on a random program differ, "" if they do not."""
    return one_of(seed, SHARED)


def one_of(seed: int, shared: Sequence[tuple[str, str]]) -> str:
    """The same of some algorithms and what they look for."""
    kinds = [*FAMILIES.values()][seed % len(FAMILIES)]
    program = random_program(seed, kinds, length=2 + seed % 2)
    model = [*MODELS][seed // 7 % len(MODELS)]
    algorithm, objective = shared[seed // 3 % len(shared)]
    with shared_at_once(batch=2 + seed % 4):
        return differs(program, model, algorithm, objective, 2 + seed % 2, keep_going=bool(seed % 2))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    found = 0
    for seed in range(arguments.seed, arguments.seed + arguments.programs):
        difference = one(seed)
        if difference:
            found += 1
            print(f"seed {seed}: {difference}", flush=True)
    print(f"{arguments.programs} programs, {found} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
