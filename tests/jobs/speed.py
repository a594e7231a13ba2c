"""Gain and cost of several processes: pairs of runs with one job and with more, one after the other.

    python -m tests.jobs.speed [--jobs 2] [--rounds 5] [--only examples sharing small]

For each subject it prints the median over the rounds of: seconds with one job divided by seconds with several (the
speed-up; it needs as many idle cores), and the processor time of all processes with several jobs divided by that with
one. `small` is a program of 10 ms, whose whole command should take no longer.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.desk import EXAMPLES, ROOT

_REFERENCE = EXAMPLES / "reference.py"


def _shared(program: str, size: int) -> tuple[str, ...]:
    return ("check", f"{_REFERENCE}::{program}", "--set", f"n={size}", "--model", "tso", "--algorithm", "trust")


SUBJECTS: dict[str, dict[str, tuple[str, ...]]] = {
    "examples": {
        "mcr check examples": ("check", str(EXAMPLES), "--quiet"),
        "reference suite": ("check", str(_REFERENCE), "--quiet", "--timeout", "60"),
    },
    "sharing": {
        "exp_mem(7) by trust": _shared("exp_mem", 7),
        "exp_mem(8) by trust": _shared("exp_mem", 8),
        "lastzero(12) by trust": _shared("lastzero", 12),
        "lastzero(14) by trust": _shared("lastzero", 14),
    },
    "small": {"a program of 10 ms": ("check", f"{EXAMPLES / 'litmus.py'}::iriw")},
}


def _run(arguments: Sequence[str], jobs: int, folder: str) -> tuple[float, float]:
    """Seconds on the clock, and of the processor in all processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "mcr", *arguments, "--jobs", str(jobs), "--save", str(Path(folder) / "saved")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    seconds = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure(arguments: Sequence[str], jobs: int, rounds: int) -> tuple[float, float, float]:
    """The median speed-up, the median ratio of processor times, and the median processor time with one job."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(_run(arguments, 1, folder), _run(arguments, jobs, folder)) for _ in range(rounds)]
    return (
        statistics.median(alone[0] / together[0] for alone, together in pairs),
        statistics.median(together[1] / alone[1] for alone, together in pairs),
        statistics.median(alone[1] for alone, _ in pairs),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=[*SUBJECTS], default=[*SUBJECTS])
    options = parser.parse_args()
    print(f"{'':26}{'speed-up':>10}{'CPU ratio':>11}{'CPU s, 1 job':>14}")
    for group in options.only:
        for name, arguments in SUBJECTS[group].items():
            speed, ratio, alone = measure(arguments, options.jobs, options.rounds)
            print(f"{name:26}{speed:10.2f}{ratio:11.2f}{alone:14.2f}", flush=True)


if __name__ == "__main__":
    main()
