"""Robustness and races against brute force, on random programs under three models.

    python -m tests.robustness.campaign --programs 20000

Exit status 1 with the shrunk program at the first disagreement.
"""

from __future__ import annotations

import argparse
import sys
import time

from replay.world.memory_models import MODELS
from tests import random_search
from tests.races import agreement as races
from tests.random_programs import PROFILES, RandomProgram
from tests.robustness import agreement as robustness

PORTION = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=1000, help="prefixes that brute force looks at")
    parser.add_argument("--algorithms", nargs="+", default=["auto", "cover", "trust"])
    arguments = parser.parse_args()
    compared = too_large = 0
    last: list[object] = []

    def judge(program: RandomProgram) -> None:
        nonlocal compared, too_large
        for model in MODELS.values():
            last[:] = [program, model.name]
            algorithm = arguments.algorithms[compared % len(arguments.algorithms)]
            for question in (robustness, races):
                differs = question.disagreement(program.build(), model, arguments.limit, algorithm)
                assert not differs, f"{question.__name__} by {algorithm}: {differs}"
                compared += differs is not None
                too_large += differs is None

    started, profiles = time.monotonic(), list(PROFILES)
    for number in range(-(-arguments.programs // PORTION)):
        profile = profiles[number % len(profiles)]
        wrong = random_search.search(profile, PORTION, arguments.seed * 1_000_003 + number, judge)
        if wrong:
            print(f"{wrong}\n{last}")
            return 1
        done = f"{(number + 1) * PORTION} programs: {compared} comparisons agree, {too_large} too large"
        print(f"{done}, {time.monotonic() - started:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
