"""Public reports of races, checked in the versions that they name: reports.md.

    .venv/bin/python -m results.reports [--timeout 120] [--fresh]

A file of `tests/ordinary/reports` is a report: its first line is the title, "Versions" are the packages, affected and
mended, and the docstring of each function says what is expected of each version. A line of reports.txt is a report
whose package has a test for it: the source distribution with the test, and the versions, each with what is expected,
and with options of its own. Each row is one `mcr check` in a process of its own, free-threaded and with the global
lock; a failure is played on threads of CPython. Rows are in reports.jsonl, and a run that was interrupted goes on where
it stopped.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mcr.bench.environment import sentence
from mcr.bench.rows import Row, Rows, as_markdown
from replay.files import write_atomically
from results import own_tests
from results.checked import ROOT, checked, folder_of, installed, is_here, source
from results.known import Known, known_checks
from results.rows import kept_row, stored_rows_asked

FOLDER = ROOT / "tests" / "ordinary" / "reports"
LIST = ROOT / "results" / "reports.txt"
KINDS = ("free-threaded", "gil")
LIMIT = 300.0
"""Seconds for a row that is measured again."""
COLUMNS = ("report", "program", "test of", "package", "Python", "verdict", "as expected", "found", "confirmed", "s")

TEXT = """\
# Reports

Public reports of races in packages, each checked in the version that it names and in the one that mends it, with the
package as it comes from PyPI ([ordinary classes](../docs/ordinary-classes.md)). The programs, in
`tests/ordinary/reports`, are ours: functions that start threads and do what the report says; packages for Python 2 are
translated by `2to3`. Those of which the column *test of* names a package are tests that it has for the report,
unchanged, sampled (`--sample`) where all schedules are too many. *As expected*: the free-threaded verdict is the one
that the report, or reading the code of that version, led to expect. *Confirmed*: `mcr replay --cpython` saw the failure
on threads of CPython {python}. *s*: seconds of the exploration; other work kept the machine busy during those at commit
aeadd2f8.

Of {all} pairs of a program and a version, {right} are as expected{refused}.

{table}

## Tests and scripts of the reports

Of {reports} reports {has} have a test in their repository, or a script in their own words; {found} are found with it as
it is ([the list](own_tests.txt), `--timeout {limit:g}`), beside those above of which *test of* names a package. Rows
without a version were read, and not run by this command.

{own}

{machine}

Written by `.venv/bin/python -m results.reports`.
"""


class Program(NamedTuple):
    """A function of a report, for one version.

    report    the title
    package   what is to be installed; "none" for Python's own library
    expected  "verified", or the error
    origin    the package whose source distribution has the function; "" if it is ours
    options   more options of `mcr check`
    """

    file: Path
    name: str
    report: str
    package: str
    expected: str
    origin: str = ""
    options: str = ""

    @property
    def shown(self) -> str:
        """The package without what else pip is told."""
        return "==".join(_name_and_version(self.package)).removesuffix("==")


def programs() -> Iterator[Program]:
    """The programs of all reports: those of Python's own library, those of packages, and tests that packages have."""
    yield from _our_programs()
    for line in LIST.read_text("utf-8").splitlines():
        report, test, *versions = line.split(" | ")
        origin, target = test.split()
        file, _, name = target.partition("::")
        for version in versions:
            package, expected, *options = version.split()
            path = folder_of(f"source {origin}") / file
            yield Program(path, name, report, package, expected, origin, " ".join(options))


def _our_programs() -> Iterator[Program]:
    """The programs of `FOLDER`."""
    files = sorted(FOLDER.glob("[!_]*.py"), key=lambda file: ("Versions: none" not in file.read_text("utf-8"), file))
    for file in files:
        tree = ast.parse(file.read_text("utf-8"))
        text = ast.get_docstring(tree) or ""
        (versions,) = re.findall(r"^Versions: (.*)$", text, re.MULTILINE)
        for each in tree.body:
            if isinstance(each, ast.FunctionDef) and (said := ast.get_docstring(each)):
                expected = dict(re.findall(r"(\S+): (\w+)\.", said))
                for package in versions.split("; "):
                    version = _name_and_version(package)[1]
                    yield Program(
                        file, each.name, text.splitlines()[0].partition(":")[0], package,
                        expected[version] if version else said.rstrip("."),
                    )  # fmt: skip


def _name_and_version(package: str) -> tuple[str, str]:
    """Returns both without what else pip is told (`results.checked.installed`); ("none", "") for none."""
    found = re.search(r"([\w.-]+)==([\w.]+)", package)
    return (found[1], found[2]) if found else (package, "")


def main() -> None:
    options = stored_rows_asked(__doc__)
    rows = [*itertools.islice(_measurements(_stored(fresh=options.fresh), options.timeout), options.rows)]
    first = [row for row in rows if row["python_kind"] == KINDS[0]]
    refused = sum(row["verdict"] in ("refused", "error") for row in first)
    own, has, found = own_tests.table(options.timeout, options.rows, fresh=options.fresh)
    text = TEXT.format(
        table=as_markdown(COLUMNS, map(_cells, rows)),
        own=own,
        has=has,
        found=found,
        reports=own.count("\n") - 1,
        limit=options.timeout,
        machine=sentence(rows),
        python=rows[0]["python"],
        all=len(first),
        right=sum(row["is_right"] for row in first),
        refused=f"; {refused} are refused, and the sentence says why" if refused else "",
    )
    write_atomically(ROOT / "results" / "reports.md", text)


def _stored(*, fresh: bool = False) -> Rows:
    return Rows(ROOT / "results" / "reports.jsonl", ("file", "program", "package", "python_kind"), fresh=fresh)


def _measurements(stored: Rows, timeout: float) -> Iterator[Row]:
    """The rows, in order; what is stored is not measured again."""
    for program, kind in itertools.product(programs(), KINDS):
        file = str(program.file.relative_to(ROOT))
        asked = {"file": file, "program": program.name, "package": program.package, "python_kind": kind}
        asked |= {"report": program.report, "origin": program.origin, "options": program.options, "confirmed": ""}
        row = kept_row(stored, asked, partial(_checked, timeout=timeout, confirm=True), _cells)
        said = (row["verdict"], (re.match(r"\w+", row["found"]) or [""])[0])
        yield {**row, "is_right": program.expected in said}


def _checked(row: Row, timeout: float, *, confirm: bool = False) -> Row:
    target = f"{ROOT / row['file']}::{row['program']}"
    options = ["--python", row["python_kind"], *row.get("options", "").split()]
    paths = installed(row["package"])
    if not row.get("origin"):
        return checked(target, timeout, paths, options, confirm=confirm)
    source(row["origin"])
    return checked(target, timeout, [], options, first=paths, confirm=confirm)


def known_failures() -> dict[tuple[str, str, str], float]:
    """The seconds in which each program that fails on free-threaded Python was found to fail; by its file, its name and
    its package."""
    bugs = (row for row in _stored().all() if row["python_kind"] == KINDS[0] and row["verdict"] == "bug")
    return {(row["file"], row["program"], row["package"]): row["s"] for row in bugs}


def known_rows() -> Iterator[Known]:
    """The rows that no limit cut, of programs whose packages are installed."""
    rows = [row for row in _stored().all() if (ROOT / row["file"]).exists() and is_here(row["package"])]
    columns = ("verdict", "executions", "states", "found")
    return known_checks(rows, _title, columns, partial(_checked, timeout=LIMIT))


def _title(row: Row) -> str:
    return f"{row['program']} {row['package']} {row['python_kind']}"


def _cells(row: Row) -> list[str]:
    package = "==".join(_name_and_version(row["package"])).removesuffix("==")
    right = {True: "yes", False: "no"}.get(row.get("is_right"), "") if row["python_kind"] == KINDS[0] else ""
    first = (row["report"], row["program"], row.get("origin", ""), package, row["python_kind"], row["verdict"], right)
    return [*first, row["found"], row["confirmed"], row["s"]]


if __name__ == "__main__":
    main()
