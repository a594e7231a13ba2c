"""Tests with threads that packages have, checked as they stand: existing.md.

    .venv/bin/python -m results.existing [--timeout 30] [--fresh]

A line of existing.txt is a package and one of its tests; "cpython" are the tests of the Python that runs this. Packages
are taken from their source distributions, as these have the tests. Rows are in existing.jsonl, and a run that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from mcr.bench.environment import environment, sentence
from mcr.bench.rows import Row, Rows, as_markdown
from replay.files import write_atomically
from results.checked import ROOT, checked, folder_of, installed
from results.known import Known, known
from results.rows import stored_rows_asked

LIMIT = 300.0
"""Seconds that a row may take where it is checked again."""

LIST = ROOT / "results" / "existing.txt"
STORED, KEYS = ROOT / "results" / "existing.jsonl", ("package", "test")
COLUMNS = ("package", "test", "verdict", "found", "confirmed", "s")

TEXT = """\
# Existing tests

Tests with threads of {packages} packages, as their source distributions have them: `mcr check FILE::TEST`,
free-threaded, with a limit of {limit} seconds ([ordinary classes](../docs/ordinary-classes.md)). *Confirmed*: `mcr
replay --cpython` saw the failure on threads of CPython {python}. *s*: seconds of the exploration.

Of {all} tests {verified} are verified, {bug} fail, {incomplete} are too large for the limit, {refused} are refused, and
the sentence says why.

{table}

{machine}

Written by `.venv/bin/python -m results.existing`.
"""


def main() -> None:
    options = stored_rows_asked(__doc__)
    stored = Rows(STORED, KEYS, fresh=options.fresh)
    rows = [*itertools.islice(_measurements(stored, options.timeout), options.rows)]
    counts = Counter(row["verdict"] for row in rows)
    text = TEXT.format(
        packages=len({row["package"] for row in rows}),
        limit=f"{rows[0]['limit']:g}",
        python=rows[0]["python"],
        all=len(rows),
        verified=counts["verified"],
        bug=counts["bug"],
        incomplete=counts["incomplete"],
        refused=counts["refused"] + counts["error"],
        table=as_markdown(COLUMNS, map(_cells, rows)),
        machine=sentence(rows),
    )
    write_atomically(ROOT / "results" / "existing.md", text)


def _measurements(stored: Rows, timeout: float) -> Iterator[Row]:
    """The rows, in order; what is stored is not measured again."""
    for package, test in map(str.split, LIST.read_text("utf-8").splitlines()):
        row = stored.get(package, test)
        if row is None:
            row = {"package": package, "test": test, "limit": timeout, "confirmed": ""}
            row |= _checked(package, test, timeout, confirm=True) | environment()
            stored.add(row)
            print(*_cells(row), flush=True)
        yield row


def _checked(package: str, test: str, timeout: float, *, confirm: bool = False) -> Row:
    home, paths = _taken(package)
    return checked(f"{home / test}", timeout, paths, confirm=confirm)


def known_rows() -> Iterator[Known]:
    """The rows that no limit cut, of packages that are here."""
    for row in Rows(STORED, KEYS).all():
        package, test = row["package"], row["test"]
        is_here = package == "cpython" or folder_of(f"source {package}").exists()
        if is_here and row["verdict"] != "incomplete":
            told = [row[column] for column in _TOLD]
            yield known(f"{package} {test}", float(row["s"] or 0), told, partial(_again, package, test))


_TOLD = ("verdict", "executions", "states")


def _again(package: str, test: str) -> list[object]:
    now = _checked(package, test, LIMIT)
    return [now[column] for column in _TOLD]


def _taken(package: str) -> tuple[Path, list[str]]:
    """The folder with the tests of a package, and those to put on the path: its source distribution, what it needs."""
    if package == "cpython":
        return Path(os.__file__).parent, []
    folder = folder_of(f"source {package}")
    if not folder.exists():
        with tempfile.TemporaryDirectory() as made:
            name = package.partition("==")[0]
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, package]
            subprocess.run([*command, "--dest", made], check=True)
            (archive,) = Path(made).iterdir()
            with tarfile.open(archive) as opened:
                opened.extractall(made, filter="data")
            (unpacked,) = (each for each in Path(made).iterdir() if each.is_dir())
            shutil.move(unpacked, folder)
    return folder, [str(folder), str(folder / "src"), *installed(package)]


def _cells(row: Row) -> list[str]:
    cells = (row["package"], row["test"], row["verdict"], row["found"], row["confirmed"], row["s"])
    return [str(cell).replace("|", "\\|") for cell in cells]


if __name__ == "__main__":
    main()
