"""A long search for Python programs that the checker misjudges.

    python -m tests.pythonic.campaign --programs 50000 --jobs 2

Programs are determined by their seeds, which count from --seed. A program on
which checker and executor differ is shrunk and printed. Exit status 1 if there
was one, 0 if not, 130 if interrupted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from replay.world.memory_models import MODELS
from tests.pythonic.compare import Findings, compare
from tests.pythonic.generator import generate
from tests.pythonic.shrink import shrink

PORTION = 20
"""Programs per unit of work."""


def main() -> int:
    options = _options()
    print(f"{options.programs} programs under {', '.join(MODELS)}; seeds from {options.seed}")
    total, wrong, status, started = Findings(), 0, 0, time.monotonic()
    try:
        for seed, found in _judged(options):
            total.add(found)
            if found.differences:
                wrong, status = wrong + 1, 1
                _report(seed, found, options)
                if wrong == options.stop_after:
                    break
    except KeyboardInterrupt:
        status = 130
    print(
        f"{total.programs} programs, {total.comparisons} comparisons, {total.too_large} programs and models too large "
        f"for the executor, {time.monotonic() - started:.0f} s, {wrong} programs with a disagreement"
    )
    return status


def _options() -> argparse.Namespace:
    title = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m tests.pythonic.campaign", description=title)
    parser.add_argument("--programs", type=int, default=50_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-configurations", type=int, default=600)
    parser.add_argument("--stop-after", type=int, default=1, help="so many programs with a disagreement")
    parser.add_argument("--keep", type=Path, help="a folder for the programs with a disagreement, not shrunk")
    parser.add_argument("--one-model", action="store_true", help="models take turns; else each program under all")
    parser.add_argument("--no-shrink", action="store_true")
    return parser.parse_args()


def _judged(options: argparse.Namespace) -> Iterator[tuple[int, Findings]]:
    """Every seed with what came of it."""
    names = tuple(MODELS)
    tasks = (
        (seed, options.max_configurations, names[seed % 3 :][:1] if options.one_model else names)
        for seed in range(options.seed, options.seed + options.programs)
    )
    with (
        multiprocessing.Pool(options.jobs, initializer=_begin_worker, maxtasksperchild=500) as pool,
        tqdm(total=options.programs, unit=" programs", mininterval=1) as bar,
    ):
        for seed, found in pool.imap_unordered(_judge, tasks, PORTION):
            bar.update()
            yield seed, found


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")


def _judge(task: tuple[int, int, tuple[str, ...]]) -> tuple[int, Findings]:
    seed, limit, models = task
    return seed, compare(generate(seed), seed, limit=limit, models=models)


def _report(seed: int, found: Findings, options: argparse.Namespace) -> None:
    """Print what differs, on the smallest program that still does so in that way."""
    source = generate(seed)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / f"seed_{seed}.py").write_text(source)
    print(f"\nseed {seed}:", *found.differences[:5], sep="\n  ", flush=True)
    if not options.no_shrink:
        print(shrunk(source, found.differences[0], options.max_configurations), flush=True)


def shrunk(source: str, difference: str, limit: int) -> str:
    """A smaller program with a difference of the same kind for the same model, question and algorithm."""
    kind = difference.partition(":")[0]
    asked = re.search(r"\[(\w+), ([\w ]+), (\w+)\]$", difference)
    only = (asked[1], asked[2], asked[3]) if asked else None

    def is_wrong(smaller: str) -> bool:
        try:
            found = compare(smaller, limit=limit, only=only)
        except BaseException:  # the program function itself has become wrong
            return False
        if any(_ARTEFACT.search(line) for line in found.differences):
            return False
        return any(line.startswith(f"{kind}:") for line in found.differences)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return shrink(source, is_wrong)


_ARTEFACT = re.compile(r"Ask\(|Operation\(|Operations object|^generator| at 0x|cannot be stored")
"""Says that a program makes no sense any more."""


if __name__ == "__main__":
    sys.exit(main())
