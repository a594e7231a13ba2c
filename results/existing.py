"""Tests with threads that packages have, checked as they stand: existing.md.

    .venv/bin/python -m results.existing [--timeout 30] [--fresh] [--python OTHER ...]

A line of existing.txt is a package, one of its tests, and what that needs besides; "cpython" are the tests of the
Python that runs this. Packages are taken from their source distributions, as these have the tests. Rows are in
existing.jsonl, and a run that was interrupted goes on where it stopped. Tests that fail are also checked, and their
failures played, by each OTHER Python, in which the packages that mcr needs must be installed.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from mcr.bench.environment import sentence
from mcr.bench.rows import Row, Rows, as_markdown
from replay.files import write_atomically
from results.checked import ROOT, checked, folder_of, installed, source
from results.known import Known, known_checks
from results.rows import kept_row, stored_rows_asked

LIMIT = 300.0
"""Seconds that a row may take where it is checked again."""

LIST = ROOT / "results" / "existing.txt"
STORED, KEYS = ROOT / "results" / "existing.jsonl", ("package", "test")
COLUMNS = ("package", "test", "verdict", "found", "confirmed", "s")

TEXT = """\
# Existing tests

Tests with threads of {packages} packages, as their source distributions have them: `mcr check FILE::TEST`,
free-threaded, with a limit of {limit} seconds ([ordinary classes](../docs/ordinary-classes.md)). *Confirmed*: these
CPythons checked the test, and `mcr replay --cpython` saw the failure on their threads. *s*: seconds of the exploration.

Of {all} tests {verified} are verified, {bug} fail, {incomplete} are too large for the limit, {refused} are refused, and
the sentence says why.

{table}

{machine}

Written by `.venv/bin/python -m results.existing`.
"""


def main() -> None:
    options = stored_rows_asked(__doc__, pythons=True)
    stored = Rows(STORED, KEYS, fresh=options.fresh)
    rows = [*itertools.islice(_measurements(stored, options.timeout, options.python), options.rows)]
    counts = Counter(row["verdict"] for row in rows)
    text = TEXT.format(
        packages=len({row["package"] for row in rows}),
        limit=f"{rows[0]['limit']:g}",
        all=len(rows),
        verified=counts["verified"],
        bug=counts["bug"],
        incomplete=counts["incomplete"],
        refused=counts["refused"] + counts["error"],
        table=as_markdown(COLUMNS, map(_cells, rows)),
        machine=sentence(rows),
    )
    write_atomically(ROOT / "results" / "existing.md", text)


def _measurements(stored: Rows, timeout: float, others: list[str]) -> Iterator[Row]:
    """The rows, in order; what is stored is not measured again."""
    versions = [(other, _told(other, "platform.python_version()")) for other in others]
    for package, test, *needs in map(str.split, LIST.read_text("utf-8").splitlines()):
        asked = {"package": package, "test": test, "needs": " ".join(needs), "limit": timeout, "confirmed": ""}
        row = kept_row(stored, asked, partial(_checked, timeout=timeout, confirm=True), _cells)
        for other, version in versions:
            if row["verdict"] == "bug" and version not in row.setdefault("elsewhere", {}):
                again = _checked(row, timeout, confirm=True, python=other)
                row["elsewhere"][version] = again.get("confirmed", "")
                stored.add(row)
        yield row


def _checked(row: Row, timeout: float, *, confirm: bool = False, python: str = sys.executable) -> Row:
    home, paths = _taken(row["package"], row.get("needs", ""), python)
    return checked(f"{home / row['test']}", timeout, paths, confirm=confirm, python=python)


def _told(python: str, expression: str) -> str:
    """What an expression is worth in another Python; it may use the modules os and platform."""
    command = [python, "-c", f"import os, platform; print({expression})"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def known_rows() -> Iterator[Known]:
    """The rows that no limit cut, of packages that are here."""
    rows = [row for row in Rows(STORED, KEYS).all() if row["package"] == "cpython" or _folder(row).exists()]
    columns = ("verdict", "executions", "states")
    return known_checks(rows, lambda row: f"{row['package']} {row['test']}", columns, partial(_checked, timeout=LIMIT))


def _folder(row: Row) -> Path:
    return folder_of(f"source {row['package']}")


def _taken(package: str, needs: str, python: str) -> tuple[Path, list[str]]:
    """The folder with the tests of a package, and those to put on the path: its source distribution, what it needs."""
    if package == "cpython":
        return Path(_told(python, "os.path.dirname(os.__file__)")), []
    folder = source(package)
    return folder, [str(folder), str(folder / "src"), *installed(f"{package} {needs}".strip())]


def _cells(row: Row) -> list[str]:
    plays = {row["python"]: row["confirmed"], **row.get("elsewhere", {})}
    confirmed = ", ".join(version for version, is_it in plays.items() if is_it == "yes") or row["confirmed"]
    return [row["package"], row["test"], row["verdict"], row["found"], confirmed, row["s"]]


if __name__ == "__main__":
    main()
