"""A long search for programs on which bounded model checking misses something, or sees what is impossible.

    python -m tests.bmc.campaign --programs 50000 --seed 1

Takes random programs that compute, and compares failures and outcomes with brute force under each memory model. Exit
status 1 if there was a difference.
"""

from __future__ import annotations

import argparse
import traceback

from tqdm import tqdm

from replay.world.memory_models import MODELS
from tests.bmc.agreement import differences
from tests.bmc.random_programs import random_program

LIMIT = 3_000
"""Configurations of the brute force; programs with more are left out."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--solver", default="minisat22")
    options = parser.parse_args()
    compared = different = 0
    for number in tqdm(range(options.programs), unit=" programs"):
        seed, model = options.seed + number // len(MODELS), list(MODELS)[number % len(MODELS)]
        try:
            found = differences(random_program(seed), model, LIMIT, options.solver)
        except Exception:
            found = traceback.format_exc()
        compared += found is not None
        if found:
            different += 1
            print(f"seed {seed} under {model}: {found}", flush=True)
    print(f"{compared} programs compared, {options.programs - compared} left out, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
