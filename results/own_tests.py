"""Tests and scripts that come with the reports: the second table of reports.md.

A line of own_tests.txt is a report; the test that its repository has for it, or the script in the report itself; and
why that cannot be checked, or how it is: by `mcr check` or `pytest --mcr=all`, the source distribution and the test in
it, the affected version, and options of `mcr check`. The file of a script is read from the report, whose text is not
ours to copy: `.packages/scripts` has it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from mcr.bench.rows import Row, Rows, as_markdown
from results.checked import ROOT, checked, checked_by_pytest, folder_of, installed, source
from results.rows import kept_row

LIST = ROOT / "results" / "own_tests.txt"
COLUMNS = ("report", "test or script of its own", "version", "verdict", "found, or why not", "s")


def table(timeout: float, count: int | None, *, fresh: bool) -> tuple[str, int, int]:
    """Returns the table of the first `count` reports, all for None; how many have a test or script; how many are found
    with it."""
    rows = [*itertools.islice(_rows(timeout, fresh=fresh), count)]
    has = sum(row["has"] != "none" for row in rows)
    return as_markdown(COLUMNS, map(_cells, rows)), has, sum(row["verdict"] == "bug" for row in rows)


def _rows(timeout: float, *, fresh: bool) -> Iterator[Row]:
    """The reports, in order; what is stored is not measured again."""
    stored = Rows(ROOT / "results" / "own_tests.jsonl", ("test", "package"), fresh=fresh)
    for line in LIST.read_text("utf-8").splitlines():
        report, has, how, *measured = map(str.strip, line.split("|"))
        asked = {"report": report, "has": has}
        if measured:
            asked |= dict(zip(("package", "options"), measured, strict=True), test=how, limit=f"{timeout:g}")
            yield kept_row(stored, asked, partial(_measured, timeout=timeout), _cells)
        else:
            yield {**asked, "package": "", "verdict": "", "found": how, "s": ""}


def _measured(row: Row, timeout: float) -> Row:
    tool, origin, test = row["test"].split()
    folder = folder_of("scripts") if origin == "script" else source(origin)
    first = installed(row["package"])
    if tool == "pytest":
        return checked_by_pytest(f"{folder / test}", timeout, first)
    return checked(f"{folder / test}", timeout, [], row["options"].split(), first=first)


def _cells(row: Row) -> list[str]:
    version = next((word for word in row["package"].split() if "==" in word), "")
    return [row["report"], row["has"], version, row["verdict"], row["found"], row["s"]]
