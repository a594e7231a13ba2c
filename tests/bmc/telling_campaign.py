"""A long search for code that can tell a term from a number.

    python -m tests.bmc.telling_campaign --programs 3000 --seed 1

Takes random ones of all callables of C in all positions (`tests.bmc.telling`), and compares what threads return on
terms with what the same functions return for each number. Exit status 1 if there was a difference.
"""

from __future__ import annotations

import argparse
import random
import traceback

from tqdm import tqdm

from tests.bmc.telling import difference, functions


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = functions()
    names = random.Random(options.seed).sample(sorted(found), min(options.programs, len(found)))
    compared = different = 0
    for name in tqdm(names, unit=" programs"):
        try:
            line = difference(found[name])
        except Exception:
            line = traceback.format_exc()
        compared += line is not None
        if line:
            different += 1
            print(f"{name}: {line}", flush=True)
    print(f"{compared} programs compared, {len(names) - compared} refused as models, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
