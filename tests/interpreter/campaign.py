"""Random functions, run by CPython and by the interpreter.

    python -m tests.interpreter.campaign --programs 20000 --seed 1

Programs are determined by their seeds, which count from --seed. Needs no third-party package, so that it runs on every
version of Python for which there is an interpreter. Prints the differences by kind, and the first examples of each.
Exit status 1 if there was a difference, 0 if not, 130 if interrupted.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter, defaultdict
from pathlib import Path

from tests.interpreter.compare import Difference
from tests.interpreter.program import generate
from tests.interpreter.running import Judge, prepared
from tests.pythonic.shrink import shrink


def main() -> int:
    options = _options()
    judge, started = Judge(), time.monotonic()
    kinds: Counter[str] = Counter()
    examples: dict[str, list[tuple[int, Difference]]] = defaultdict(list)
    status = 0
    with prepared():
        try:
            for seed in range(options.seed, options.seed + options.programs):
                found = judge.difference(generate(seed))
                if found is not None:
                    kinds[found.kind] += 1
                    examples[found.kind].append((seed, found))
                    status = 1
                    if sum(kinds.values()) == options.stop_after:
                        break
        except KeyboardInterrupt:
            status = 130
    took, wrong = time.monotonic() - started, sum(kinds.values())
    print(f"Python {sys.version.split()[0]}: {judge}, {took:.0f} s, {wrong} differences")
    _report(kinds, examples, options)
    return status


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.interpreter.campaign", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=3, help="printed of each kind of difference")
    parser.add_argument("--stop-after", type=int, default=0, help="so many programs with a difference")
    parser.add_argument("--shrink", action="store_true", help="print each example as small as it still differs")
    parser.add_argument("--keep", type=Path, help="a folder for the programs with a difference")
    return parser.parse_args()


def _report(
    kinds: Counter[str], examples: dict[str, list[tuple[int, Difference]]], options: argparse.Namespace
) -> None:
    for kind, count in kinds.most_common():
        print(f"\n{count} of kind {kind}")
        for seed, found in examples[kind][: options.examples]:
            print(f"  seed {seed}: {found}")
            if options.shrink:
                print(smallest(generate(seed), found))
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        for seed, _ in (each for of_kind in examples.values() for each in of_kind):
            (options.keep / f"{seed}.py").write_text(generate(seed))


def smallest(source: str, found: Difference) -> str:
    """A smaller program with a difference of the same kind."""
    judge = Judge()

    def differs(smaller: str) -> bool:
        other = judge.difference(smaller)
        return other is not None and other.kind == found.kind

    with prepared(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return shrink(source, differs)


if __name__ == "__main__":
    sys.exit(main())
