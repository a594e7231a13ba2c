"""How far explorations can be dealt out: a simulation of the queue, with grain sizes that were measured here.

    mcr check examples --json --jobs 1 > grains.json
    python -m tests.jobs.simulation grains.json [--deal 0.001] [--workers 2 4 8 16 128 1024] [--copies 1 100]

Explorations are dealt out in order, to whoever is free; one process deals them out and takes in what came of them,
which takes `--deal` seconds for each. With `--copies`, the same grains come so many times: a larger suite.
"""

from __future__ import annotations

import argparse
import heapq
import json
from collections.abc import Sequence
from pathlib import Path


def makespan(grains: Sequence[float], workers: int, deal: float) -> float:
    """Seconds until all is done."""
    free = [0.0] * min(workers, len(grains))
    dealer = 0.0
    for grain in grains:
        dealer = max(dealer, heapq.heappop(free)) + deal
        heapq.heappush(free, dealer + grain)
    return max(free)


def speed_up(grains: Sequence[float], workers: int, deal: float) -> float:
    """How many times as fast as one process, which deals out nothing."""
    return sum(grains) / makespan(grains, workers, deal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--deal", type=float, default=0.001)
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4, 8, 16, 128, 1024])
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 100])
    options = parser.parse_args()
    grains = [each["times"]["seconds"] for each in json.loads(options.file.read_text())["results"]]
    ordered = sorted(grains)
    print(f"{len(grains)} explorations, {sum(grains):.1f} s; median {ordered[len(grains) // 2]:.4f} s, ", end="")
    print(f"nine of ten under {ordered[len(grains) * 9 // 10]:.3f} s, the longest {ordered[-1]:.2f} s")
    print("copies" + "".join(f"{workers:>9}" for workers in options.workers))
    for copies in options.copies:
        speeds = (speed_up(grains * copies, workers, options.deal) for workers in options.workers)
        print(f"{copies:6}" + "".join(f"{speed:9.1f}" for speed in speeds))


if __name__ == "__main__":
    main()
