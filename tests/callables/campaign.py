"""A long search for calls of Python code by C code that make two local states look like one.

    python -m tests.callables.campaign --programs 20000

Programs are determined by their seeds, which count from --seed. Prints how
many there were; exit status 1, and the programs, if a verdict could be wrong.
"""

from __future__ import annotations

import argparse
import sys
import warnings

from tests.callables.compare import Found
from tests.callables.generator import program_of, text_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.callables.campaign", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = Found()
    for seed in range(options.seed, options.seed + options.programs):
        text = text_of(seed)
        known = len(found.wrong)
        found.add(seed, program_of(text, seed), options.depth)
        if len(found.wrong) > known:
            print(text, *found.wrong[known:], sep="\n", flush=True)
            if not options.all:
                break
    print(f"{found.programs} programs, {found.refused} refused, {found.merged} histories merged")
    print(f"{len(found.wrong)} differences")
    return bool(found.wrong)


if __name__ == "__main__":
    sys.exit(main())
