"""Random programs, each written as an ordinary class and as a model, and run under CPython.

    python -m tests.ordinary.campaign --programs 10000 --jobs 2
    python -m tests.ordinary.campaign --programs 1000 --against python
    python -m tests.ordinary.campaign --programs 5000 --against gil --jobs 2
    python -m tests.ordinary.campaign --programs 1000 --against preemptions
    python -m tests.ordinary.campaign --programs 5000 --against functions --jobs 2

Programs are determined by their seeds, which count from --seed. Exit status 1
if two of the three disagree, 0 if not, 130 if interrupted.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable

from tqdm import tqdm

from replay.world.memory_models import MODELS
from tests.ordinary.twins import (
    Findings,
    compare_twins,
    compare_with_function,
    compare_with_global_lock,
    compare_with_preemptions,
    compare_with_python,
    generated,
)

PORTION = 10
"""Programs per unit of work."""


def main() -> int:
    options = _options()
    total, wrong, started = Findings(), list[int](), time.monotonic()
    try:
        _run(options, total, wrong)
        status = int(len(wrong) > 0)
    except KeyboardInterrupt:
        status = 130
    print(
        f"{total.programs} programs, {total.runs} runs under CPython (all schedules of {total.whole} programs), "
        f"{total.outcomes} outcomes, failures and deadlocks, {time.monotonic() - started:.0f} s, "
        f"{len(wrong)} programs with a disagreement"
    )
    return status


def _options() -> argparse.Namespace:
    title = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m tests.ordinary.campaign", description=title)
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--against", choices=("models", "python", "both", "functions", "gil", "preemptions"), default="models"
    )
    parser.add_argument("--model", nargs="+", choices=list(MODELS), default=["sc"], help="memory models of the twins")
    parser.add_argument("--stop-after", type=int, default=1, help="so many programs with a disagreement")
    return parser.parse_args()


def _run(options: argparse.Namespace, total: Findings, wrong: list[int]) -> None:
    """Judge the programs, adding to `total`, and to `wrong` the seeds of those on which two disagree."""
    seeds = range(options.seed, options.seed + options.programs)
    judge = functools.partial(_judged, options.against, tuple(options.model))
    with (
        multiprocessing.Pool(options.jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN), maxtasksperchild=50) as pool,
        tqdm(total=options.programs, unit=" programs", mininterval=1) as bar,
    ):
        for seed, found in pool.imap_unordered(judge, seeds, PORTION):
            bar.update()
            total.add(found)
            if found.differences:
                wrong.append(seed)
                print(f"\nseed {seed}:", *found.differences, generated(seed).ordinary, sep="\n  ", flush=True)
                if len(wrong) == options.stop_after:
                    break


def _judged(against: str, models: tuple[str, ...], seed: int) -> tuple[int, Findings]:
    found = Findings()
    for name in ("models", "python") if against == "both" else (against,):
        found.add(_JUDGES[name](seed, models))
    found.programs = 1
    return seed, found


_JUDGES: dict[str, Callable[[int, tuple[str, ...]], Findings]] = {
    "models": compare_twins,
    "python": lambda seed, models: compare_with_python(seed),
    "functions": lambda seed, models: compare_with_function(seed),
    "gil": lambda seed, models: compare_with_global_lock(seed),
    "preemptions": lambda seed, models: compare_with_preemptions(seed),
}


if __name__ == "__main__":
    sys.exit(main())
