"""Answers of the checker about known programs, as text that must be the same on every version of Python.

    python -m tests.pythons.figures > 3.11.jsonl
    diff 3.11.jsonl 3.14.jsonl

A line for each reference program (moderate sizes) and example, or for the programs of the files that are named, under
each model: verdict, executions, local states, global states, bugs or the reason of a refusal, by the default; and for
reference programs all local states, merged and not. What takes longer than --timeout says only "late": on a slower
machine that may be another program.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import mcr
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from replay.errors import CheckerError
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from results.bench.sizes import reference_cases
from tests.examples.test_examples import FILES

TOO_LARGE = {"readers(n=20", "lastzero(n=15", "lastzero(n=10", "fib(n=5", "exp_mem(n=7", "casrot(n=10", "bakery(n=4"}
"""Beginnings of the titles of reference programs that take minutes."""

Row = dict[str, object]


def rows(files: list[Path], timeout: float) -> Iterator[Row]:
    """Of the programs of these files."""
    for path in files:
        for program in programs_in(path):
            for model in MODELS:
                yield _row(f"{path.stem}::{program.name}", program, model, "failures", Options(timeout=timeout))


def rows_of_reference(timeout: float) -> Iterator[Row]:
    """Of reference programs, with their assertions and without."""
    for case in [*reference_cases(), *reference_cases(check=True)]:
        title = f"{case.program}({case.shown_parameters})"
        if any(title.startswith(each) for each in TOO_LARGE):
            continue
        for model in MODELS:
            yield _row(title, case.resolved(), model, "failures", Options(timeout=timeout))
            for merge in (True, False):
                options = Options(keep_going=True, shorten=False, timeout=timeout, merge=merge)
                yield _row(title, case.resolved(), model, "states", options)


def _row(title: str, program: mcr.Program, model: str, objective: str, options: Options) -> Row:
    row: Row = {"program": title, "model": model, "objective": objective, "merge": options.merge}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = mcr.check(program, model, objective=objective, options=options)
    except CheckerError as error:
        return row | {"refused": str(error)}
    if result.verdict is Verdict.INCOMPLETE and result.statistics.seconds > options.timeout:
        return row | {"late": True}
    found = result.statistics
    return row | {
        "verdict": result.verdict.value,
        "stop": str(result.stop or ""),
        "executions": found.executions,
        "graphs": found.graphs,
        "local states": found.local_states,
        "global states": found.global_states,
        "merged": result.merged,
        "not compared": dict(result.not_compared),
        "told apart": dict(result.told_apart),
        "bugs": sorted(f"{trace.failure}" for trace in result.failures),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pythons.figures", description=__doc__.splitlines()[0])
    parser.add_argument(
        "files", nargs="*", type=Path, help="files of programs; reference programs and examples if none"
    )
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each exploration")
    options = parser.parse_args()
    logging.disable()
    known = () if options.files else rows_of_reference(options.timeout)
    for row in chain(known, rows(options.files or FILES, options.timeout)):
        print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
