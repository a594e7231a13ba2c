"""A long search for disagreements between the engine and the oracle.

    python -m tests.differential.campaign --programs 50000 --jobs 2

Programs are determined by the seed. Exit status 1 with the shrunk program at
the first disagreement, 0 if there was none, 130 if interrupted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator

from tqdm import tqdm

from mcr.explorers.registry import ALGORITHMS
from replay.world.memory_models import MODELS
from tests.differential.search import Findings, Portion, search
from tests.random_programs import PROFILES
from tests.support import BY_SOLVER, OBJECTIVES

PORTION = 100
"""Programs per unit of work: few enough for the progress bar, many enough for Hypothesis to vary them."""


def main() -> int:
    options = _options()
    portions = list(_portions(options))
    objectives = ", ".join(options.objectives)
    print(f"{options.programs} programs under {', '.join(MODELS)}; {objectives}; seed {options.seed}")
    total = Findings()
    started = time.monotonic()
    try:
        status = _run(portions, options.jobs, total)
    except KeyboardInterrupt:
        status = 130
    print(
        f"{'interrupted after ' if status == 130 else ''}{total.decided} comparisons, "
        f"{total.too_large} programs too large for the oracle, {time.monotonic() - started:.0f} s, "
        f"{'a disagreement' if total.disagreement else 'no disagreement'}"
    )
    if total.disagreement:
        print(total.disagreement)
    return status


def _options() -> argparse.Namespace:
    title = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m tests.differential.campaign", description=title)
    parser.add_argument("--programs", type=int, default=50_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profiles", nargs="+", choices=list(PROFILES), default=list(PROFILES))
    parser.add_argument("--objectives", nargs="+", choices=OBJECTIVES, default=["states"])
    parser.add_argument("--max-machine-states", type=int, default=1500)
    parser.add_argument("--algorithm", nargs="+", choices=list(ALGORITHMS), default=[BY_SOLVER])
    parser.add_argument("--alike", action="store_true", help="all threads of a program do the same")
    parser.add_argument("--one-model", action="store_true", help="models take turns; else each program under all")
    return parser.parse_args()


def _portions(options: argparse.Namespace) -> Iterator[Portion]:
    """The programs in units of work, the profiles taking turns, and for each the algorithms."""
    models = tuple(MODELS)
    for number in range(-(-options.programs // PORTION)):
        yield Portion(
            options.profiles[number % len(options.profiles)],
            min(PORTION, options.programs - number * PORTION),
            options.seed * 1_000_003 + number,
            tuple(options.objectives),
            options.max_machine_states,
            options.algorithm[number // len(options.profiles) % len(options.algorithm)],
            models[number % len(models) :][:1] if options.one_model else models,
            options.alike,
        )


def _run(portions: list[Portion], jobs: int, total: Findings) -> int:
    """Work through the portions, adding to `total`; returns the exit status."""
    with (
        multiprocessing.Pool(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool,
        tqdm(total=sum(portion.programs for portion in portions), unit=" programs", mininterval=1) as bar,
    ):
        for portion, findings in pool.imap_unordered(_searched, portions):
            total.decided += findings.decided
            total.too_large += findings.too_large
            bar.update(portion.programs)
            if findings.disagreement:
                total.disagreement = findings.disagreement
                return 1
    return 0


def _searched(portion: Portion) -> tuple[Portion, Findings]:
    return portion, search(portion)


if __name__ == "__main__":
    sys.exit(main())
