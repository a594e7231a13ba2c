"""Least fences against every subset of up to six places: every example that fails, and random programs.

    python -m tests.fencing.campaign --programs 1000

Exit status 1 at the first disagreement; the program stays in the folder that is named.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mcr
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from tests.desk import EXAMPLES
from tests.fencing.brute_force import disagreement
from tests.fencing.written import write


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=1000, help="random ones, after the examples")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    decided = too_many = 0
    for program in (*_examples(), *_random(arguments.programs, arguments.seed)):
        for model in ("tso", "pso"):
            for own in (False, True):
                differs = disagreement(program, MODELS[model], own=own)
                if differs:
                    print(f"{program.file}::{program.title} under {model}, {own=}: {differs}")
                    return 1
                decided += differs is not None
                too_many += differs is None
    print(f"{decided} comparisons agree, {too_many} have too many places")
    return 0


def _examples() -> Iterator[mcr.Program]:
    for path in sorted(EXAMPLES.glob("*.py")):
        yield from programs_in(path)


def _random(count: int, seed: int) -> Iterator[mcr.Program]:
    folder = Path(tempfile.mkdtemp(prefix="fences-"))
    for number in range(count):
        yield write(random.Random(f"{seed}-{number}"), folder / f"random_{number}.py")


if __name__ == "__main__":
    sys.exit(main())
