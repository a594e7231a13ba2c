"""How time and memory per class grow with the number of classes.

    .venv/bin/python results/objectives_scale.py [--fresh] [--timeout 900] [--solver NAME]

Each program runs in a process of its own, so that memory is its own. Times are CPU seconds. At 1/8, 1/4, 1/2 and all
of the classes the cost of the classes since the mark before is taken; "growth" is the exponent b of the fit
cost = a * classes^b over these: 0 is constant, what grows with the logarithm has about 0.1 here, 1 is linear.
Writes objectives_scale.csv row by row, and objectives_scale.md at the end.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import mcr
from examples import reference
from results.rows import Rows

CASES: list[tuple[mcr.Program, str, str]] = [
    (reference.exp_mem(n=7), "sc", "traces"),
    (reference.readers(n=13), "pso", "rf"),
    (reference.readers(n=14), "pso", "rf"),
    (reference.lastzero(n=10), "tso", "traces"),
    (reference.bakery(n=3, check=False), "tso", "traces"),
    *((reference.fib(n=4), model, objective) for objective in ("values", "outcomes") for model in ("sc", "tso", "pso")),
    *((reference.fib(n=5), model, "traces,outcomes") for model in ("sc", "tso", "pso")),
    *((reference.fib(n=5), model, "outcomes") for model in ("sc", "tso", "pso")),
]

COLUMNS = (
    "program", "model", "objective", "executions", "classes", "outcomes", "local states", "seconds", "solving",
    "peak MB", "ms per class at 1/8, 1/4, 1/2, 1", "growth of time", "KB per class", "verdict",
)  # fmt: skip


class Mark(NamedTuple):
    """After so many executions: CPU seconds and peak kilobytes."""

    executions: int
    seconds: float
    kilobytes: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="forget earlier rows")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds per row")
    parser.add_argument("--solver", default=mcr.Options().solver)
    options = parser.parse_args()
    rows = Rows("objectives_scale", COLUMNS, key=3, fresh=options.fresh)
    for number, (program, model, objective) in enumerate(CASES):
        title = program.title.replace(", check=False", "")
        if not rows.has(title, model, objective):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                figures = pool.apply(measure, (number, options.timeout, options.solver))
            rows.add(title, model, objective, *figures)
    rows.write_markdown("Time and memory per class", [line.strip() for line in (__doc__ or "").splitlines()[4:]])


def measure(number: int, timeout: float, solver: str) -> tuple[object, ...]:
    """The columns after the key, in this process."""
    program, model, objective = CASES[number]
    marks = [Mark(0, time.process_time(), peak())]

    def note(statistics: mcr.Statistics) -> None:
        marks.append(Mark(statistics.executions, time.process_time(), peak()))

    options = mcr.Options(timeout=timeout, solver=solver)
    result = mcr.check(program, model, objective=objective, options=options, on_progress=note)
    figures = result.statistics
    costs = marginal_costs(marks)
    return (
        figures.executions,
        " + ".join(map(str, result.classes[0][1:])) if result.classes else "",
        len(result.outcomes) if "outcomes" in objective else "",
        figures.local_states,
        f"{marks[-1].seconds - marks[0].seconds:.1f}",
        f"{figures.solving:.1f}",
        marks[-1].kilobytes // 1024,
        ", ".join(f"{cost * 1000:.2f}" for _, cost in costs),
        f"{exponent(costs):.2f}",
        f"{(marks[-1].kilobytes - marks[0].kilobytes) / max(1, marks[-1].executions):.1f}",
        result.verdict.value if result.stop is None else f"{result.verdict.value}: {result.stop.reason}",
    )


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def marginal_costs(marks: Sequence[Mark]) -> list[tuple[int, float]]:
    """(executions, seconds for each of those since the mark before) at 1/8, 1/4, 1/2 and all."""
    total = marks[-1].executions
    chosen = [marks[0], *(marks[max(1, total // part)] for part in (8, 4, 2, 1))]
    return [
        (after.executions, (after.seconds - before.seconds) / max(1, after.executions - before.executions))
        for before, after in pairwise(chosen)
    ]


def exponent(costs: Sequence[tuple[int, float]]) -> float:
    """b of cost = a * executions^b, by least squares on the logarithms."""
    points = [(math.log(count), math.log(max(cost, 1e-9))) for count, cost in costs]
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    spread = sum((px - x) ** 2 for px, _ in points)
    return sum((px - x) * (py - y) for px, py in points) / spread if spread else 0.0


if __name__ == "__main__":
    main()
