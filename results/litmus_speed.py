"""Speed on litmus tests: a folder of them, one process, one model after the other.

    .venv/bin/python results/litmus_speed.py [--fresh] [--rows N]

The folder is ../shared/litmus beside the repository; without it, tests/litmus/generated. Times are CPU seconds of this
process: reading the files, translating, exploring until nothing is left, and collecting the states. Tests are taken
a hundred at a time; the rows are in litmus_speed.jsonl, and a run that was interrupted goes on where it stopped. Writes
litmus_speed.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcr.bench.environment import environment
from mcr.bench.rows import Row, Rows, as_markdown
from mcr.litmus.parser import parse_file
from mcr.litmus.run import litmus_files, run
from replay.files import write_atomically
from replay.world.memory_models import MODELS
from results.known import Known, NotHere, known
from results.made import made_by
from results.rows import add_rows

ROOT = Path(__file__).resolve().parent.parent

HERD = "herd7 needed 27 to 34 s of CPU per model for the 1,599 tests of ../shared/litmus (its README)."

SHARED = ROOT.parent / "shared" / "litmus"
GENERATED = ROOT / "tests" / "litmus" / "generated"
BATCH = 100
"""Tests of a row."""

_COUNTS = ("tests", "states", "global_states")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    add_rows(parser)
    options = parser.parse_args()
    folder = SHARED if SHARED.is_dir() else GENERATED
    stored = _stored(fresh=options.fresh)
    rows = list(islice(_measurements(stored, folder), options.rows))
    columns = ("model", "tests", "states", "global states", "reading", "running", "ms per test", "slowest, ms")
    chosen = f"Folder {folder.name}, CPU time of one process, in seconds."
    made = made_by("results/litmus_speed.py", rows)
    parts = ["# Litmus tests: CPU time, one process", chosen, made, as_markdown(columns, _lines(rows)), HERD]
    write_atomically(ROOT / "results" / "litmus_speed.md", "\n\n".join(parts) + "\n")


def _stored(*, fresh: bool = False) -> Rows:
    return Rows(ROOT / "results" / "litmus_speed.jsonl", ("folder", "model", "batch"), fresh=fresh)


def _measurements(stored: Rows, folder: Path) -> Iterator[Row]:
    """All rows; what is stored is not measured again."""
    for model in MODELS:
        for batch, files in enumerate(_batches(folder)):
            row = stored.get(folder.name, model, batch)
            if row is None:
                key = {"folder": folder.name, "model": model, "batch": batch}
                row = {**key, **_measured(files, model), **environment()}
                stored.add(row)
            yield row


def _batches(folder: Path) -> list[list[Path]]:
    files = litmus_files([str(folder)])
    return [files[first : first + BATCH] for first in range(0, len(files), BATCH)]


def known_rows() -> Iterator[Known]:
    """The rows of the table. Raises NotHere if its litmus tests are not beside the repository."""
    if not SHARED.is_dir():
        raise NotHere("its litmus tests (../shared/litmus) are not here")
    batches = _batches(SHARED)
    for row in _stored().all():
        if row["folder"] == SHARED.name:
            told = [row[column] for column in _COUNTS]
            again = partial(_counts, batches[row["batch"]], row["model"])
            yield known(f"tests {row['batch'] * BATCH} on under {row['model'].upper()}", row["running"], told, again)


def _counts(files: list[Path], model: str) -> list[object]:
    row = _measured(files, model)
    return [row[column] for column in _COUNTS]


def _measured(files: list[Path], model: str) -> Row:
    """What these tests have under one model, and what they take."""
    started = time.process_time()
    tests = [parse_file(file) for file in files]
    reading = time.process_time() - started
    states = global_states = 0
    running = slowest = 0.0
    for test in tests:
        started = time.process_time()
        report = run(test, model)
        assert not report.incomplete, report.name
        spent = time.process_time() - started
        running, slowest = running + spent, max(slowest, spent)
        states += len(report.states)
        global_states += report.statistics.global_states
    times = {"reading": round(reading, 4), "running": round(running, 4), "slowest": round(slowest, 4)}
    return {"tests": len(tests), "states": states, "global_states": global_states, **times}


def _lines(rows: list[Row]) -> Iterator[list[str]]:
    """A line for each model."""
    for model in dict.fromkeys(row["model"] for row in rows):
        found = [row for row in rows if row["model"] == model]
        tests, states, global_states, reading, running = (
            sum(row[column] for row in found) for column in (*_COUNTS, "reading", "running")
        )
        each, slowest = 1000 * (reading + running) / tests, 1000 * max(row["slowest"] for row in found)
        times = (f"{reading:.1f}", f"{running:.1f}", f"{each:.1f}", f"{slowest:.0f}")
        yield [model, f"{tests:,}", f"{states:,}", f"{global_states:,}", *times]


if __name__ == "__main__":
    main()
