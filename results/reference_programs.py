"""Complete exploration of the reference programs: executions, local states, time.

    .venv/bin/python results/reference_programs.py [--fresh] [--timeout 120] [--solver NAME]

Writes reference_programs.csv row by row, and reference_programs.md at the end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import mcr
from examples import reference
from results.rows import Rows

MODELS = ("sc", "tso", "pso")


def programs() -> Iterator[mcr.Program]:
    """The reference programs at all the sizes that are counted, small ones first."""
    for n in (2, 3, 4):
        yield reference.sb(n=n, check=False)
    yield reference.mp(check=False)
    for n in (5, 10, 20):
        yield reference.readers(n=n)
    for n in (5, 10):
        yield reference.lastzero(n=n)
    for n in (3, 4):
        yield reference.fib(n=n, check=False)
    for n in (5, 6, 7):
        yield reference.exp_mem(n=n)
    for n in (1, 2, 3):
        yield reference.example(n=n, check=False)
    for n in (1, 2):
        yield reference.example_zreset(n=n, check=False)
    for n in (4, 6, 8, 10):
        yield reference.casrot(n=n)
    yield reference.ttas(n=2, b=1, check=False)
    yield reference.ttas(n=2, b=2, check=False)
    yield reference.dekker(check=False)
    yield reference.peterson(check=False)
    for n in (2, 3):
        yield reference.bakery(n=n, check=False)
    for n, b in ((2, 1), (2, 2), (3, 1), (4, 1), (3, 2)):
        yield reference.fastmutex(n=n, b=b, check=False)
    yield reference.bakery(n=4, check=False)
    yield reference.fib(n=5, check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="forget earlier rows")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds per row")
    parser.add_argument("--solver", default=mcr.Options().solver)
    options = parser.parse_args()
    columns = ("program", "model", "executions", "local states", "questions", "solving", "seconds", "verdict")
    rows = Rows("reference_programs", columns, key=2, fresh=options.fresh)
    for program in programs():
        for model in MODELS:
            title = program.title.replace(", check=False", "").replace("(check=False)", "")
            if not rows.has(title, model):
                rows.add(title, model, *measure(program, model, options.timeout, options.solver))
    rows.write_markdown("Reference programs, every local state explored")


def measure(program: mcr.Program, model: str, timeout: float, solver: str) -> tuple[object, ...]:
    result = mcr.check(program, model, options=mcr.Options(solver=solver, timeout=timeout))
    figures = result.statistics
    verdict = result.verdict.value if result.stop is None else f"{result.verdict.value}: {result.stop.reason}"
    return (
        figures.executions,
        figures.local_states,
        figures.proposals,
        f"{figures.solving:.2f}",
        f"{figures.seconds:.2f}",
        verdict,
    )


if __name__ == "__main__":
    main()
