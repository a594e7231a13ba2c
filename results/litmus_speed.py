"""Speed on litmus tests: a folder of them, one process, one model after the other.

    .venv/bin/python results/litmus_speed.py [FOLDER] [--every N]

FOLDER is ../shared/litmus beside the repository unless given; without it, tests/litmus/generated. Times are
CPU seconds of this process: reading the files, translating, exploring until nothing is left, and collecting
the states. Writes litmus_speed.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcr.bench.environment import environment, sentence
from mcr.bench.rows import as_markdown
from mcr.litmus.parser import parse_file
from mcr.litmus.run import litmus_files, run
from mcr.litmus.test import LitmusTest
from replay.files import write_atomically
from replay.world.memory_models import MODELS
from results.known import Known, NotHere, known, written_tables

ROOT = Path(__file__).resolve().parent.parent

HERD = "herd7 needed 27 to 34 s of CPU per model for the 1,599 tests of ../shared/litmus (its README)."

SHARED = ROOT.parent / "shared" / "litmus"


@dataclass(frozen=True)
class Row:
    model: str
    tests: int
    states: int
    executions: int
    reading: float
    running: float
    slowest: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = SHARED if SHARED.is_dir() else ROOT / "tests" / "litmus" / "generated"
    parser.add_argument("folder", nargs="?", type=Path, default=default)
    parser.add_argument("--every", type=int, default=1, help="take every Nth test only")
    options = parser.parse_args()
    files = litmus_files([str(options.folder)])[:: options.every]
    started = time.process_time()
    tests = [parse_file(file) for file in files]
    reading = time.process_time() - started
    rows = [measure(tests, model, reading) for model in MODELS]
    text = table(rows, options.folder.name, options.every)
    print(text)
    write_atomically(ROOT / "results" / "litmus_speed.md", text)


def known_rows() -> Iterator[Known]:
    """The rows of the table. Raises NotHere if its litmus tests are not beside the repository."""
    if not SHARED.is_dir():
        raise NotHere("its litmus tests (../shared/litmus) are not here")
    (rows,) = written_tables("litmus_speed.md")
    for model, *counts, _, running, _, _ in rows:
        yield known(f"litmus tests under {model.upper()}", float(running), counts, partial(_counts, model))


def _counts(model: str) -> tuple[int, int, int]:
    row = measure([parse_file(file) for file in litmus_files([str(SHARED)])], model, 0.0)
    return row.tests, row.states, row.executions


def measure(tests: list[LitmusTest], model: str, reading: float) -> Row:
    """Run all tests under one model."""
    states = executions = 0
    slowest = 0.0
    started = time.process_time()
    for test in tests:
        before = time.process_time()
        report = run(test, model)
        assert not report.incomplete, report.name
        slowest = max(slowest, time.process_time() - before)
        states += len(report.states)
        executions += report.statistics.executions
    return Row(model, len(tests), states, executions, reading, time.process_time() - started, slowest)


def table(rows: list[Row], folder: str, every: int) -> str:
    columns = ("model", "tests", "states", "executions", "reading", "running", "ms per test", "slowest, ms")
    lines = [
        (
            row.model, row.tests, row.states, row.executions, f"{row.reading:.1f}", f"{row.running:.1f}",
            f"{1000 * (row.reading + row.running) / row.tests:.1f}", f"{1000 * row.slowest:.0f}",
        )
        for row in rows
    ]  # fmt: skip
    chosen = f"Folder {folder}{f', every {every}th test' if every > 1 else ''}, CPU time of one process."
    title = "# Litmus tests: CPU time, one process"
    return "\n\n".join([title, f"{chosen} {sentence([environment()])}", as_markdown(columns, lines), HERD]) + "\n"


if __name__ == "__main__":
    main()
