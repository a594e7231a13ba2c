"""Ordinary classes under all schedules: ordinary-classes.md.

    .venv/bin/python results/ordinary_classes.py [--timeout 120] [--fresh]

Each row is one `mcr check` in a process of its own, under SC; the rows are in
ordinary_classes.jsonl, and a run that was interrupted goes on where it
stopped. Packages at the versions that a file of `tests/ordinary/packages`
names are installed into a folder of their own below `.packages`.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcr.bench.environment import sentence
from mcr.bench.rows import Row, Rows, as_markdown
from replay.files import write_atomically
from results.checked import checked, installed, is_here
from results.known import Known, known_checks
from results.rows import kept_row, stored_rows_asked

ROOT = Path(__file__).resolve().parent.parent

FILES = {
    "The standard library": ["tests/ordinary/corpus/standard_library.py"],
    "Packages": ["tests/ordinary/corpus/packages.py"],
    "Classes as they are written, in examples/ordinary_classes.py": ["examples/ordinary_classes.py"],
    "What maintainers of packages ask for": sorted(
        str(file.relative_to(ROOT)) for file in (ROOT / "tests" / "ordinary" / "packages").glob("[!_]*.py")
    ),
}
THREADS = (2, 3)
LIMIT = 300.0
"""Seconds for a row that is measured again."""
COLUMNS = ("program", "threads", "package", "verdict", "executions", "states", "s", "found", "interrupted at")

TEXT = """\
# Ordinary classes

Classes that are written for `threading`, checked as they are under SC, most with two and three threads
([ordinary classes](../docs/ordinary-classes.md)). *Package* is its version, where one is installed for the row.
*Executions* are runs of the program, *states* local states, *s* the seconds of the exploration, up to the first failure
where there is one. *Found* is what fails and the line where it shows; *interrupted at* are the lines before and after
which another thread has its turn in the schedule that is reported: where the race is.

Of the {all} rows of the last table, {right} have the verdict that their program in `tests/ordinary/packages` expects,
which was found by reading the code; the other {refused} are refused with a sentence, or come to no end. Nothing is
patched: what stands in these files is what a test would say.

{tables}

{machine}

Written by `.venv/bin/python results/ordinary_classes.py`.
"""


def main() -> None:
    options = stored_rows_asked(__doc__)
    stored = _stored(fresh=options.fresh)
    tables, rows = [], []
    for title, files in FILES.items():
        rows_of = (row for file in files for row in _measurements(stored, file, options.timeout))
        found = list(itertools.islice(rows_of, options.rows))
        tables.append(f"## {title}\n\n{as_markdown(COLUMNS, map(_cells, found))}")
        rows += found
    right = sum(row["is_right"] for row in found)
    counts = {"right": right, "all": len(found), "refused": len(found) - right}
    text = TEXT.format(tables="\n\n".join(tables), machine=sentence(rows), **counts)
    write_atomically(ROOT / "results" / "ordinary-classes.md", text)


def _stored(*, fresh: bool = False) -> Rows:
    return Rows(ROOT / "results" / "ordinary_classes.jsonl", ("file", "program", "threads"), fresh=fresh)


def known_rows() -> Iterator[Known]:
    """The rows that no limit cut, of programs whose packages are installed."""
    rows = [row for row in _stored().all() if is_here(row["package"])]
    columns = ("verdict", "executions", "states", "found", "interrupted")
    return known_checks(rows, lambda row: f"{row['program']} {row['threads']}", columns, _checked)


def _checked(row: Row, timeout: float = LIMIT) -> Row:
    target = f"{ROOT / row['file']}::{row['program']}"
    return checked(target, timeout, installed(row["package"]), _threads(row["threads"]))


def _threads(threads: int | str) -> list[str]:
    """The options that say how many threads a program has."""
    return ["--set", f"threads={threads}"] if threads else []


class _Program(NamedTuple):
    """A program as its file has it, which may need a package that is not installed here."""

    name: str
    takes_threads: bool
    says: str


def _programs_in(path: Path) -> Iterator[_Program]:
    for each in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(each, ast.FunctionDef) and any("program" in ast.unparse(mark) for mark in each.decorator_list):
            yield _Program(each.name, "threads" in [argument.arg for argument in each.args.args], _said(each))


def _said(function: ast.FunctionDef) -> str:
    """What a program says that is found: "verified", the exception, or "" for what is refused."""
    last = (ast.get_docstring(function) or "").splitlines()[-1:]
    what, _, detail = last[0].partition(": ") if last else ("", "", "")
    return {"Verified": "verified", "Fails": detail}.get(what, "")


def _measurements(stored: Rows, file: str, timeout: float) -> Iterator[Row]:
    """The rows of a file; what is stored is not measured again."""
    package = re.search(r"^Package: (.*)$", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    for program in _programs_in(ROOT / file):
        for threads in THREADS if program.takes_threads else ("",):
            asked = {"file": file, "program": program.name, "threads": threads, "package": package and package[1]}
            row = kept_row(stored, asked, partial(_checked, timeout=timeout), _cells)
            error = re.match(r"\w+", row["found"])
            yield {**row, "is_right": program.says in (row["verdict"], error and error[0])}


def _cells(row: Row) -> list[str]:
    package = row["package"] or ""
    figures = (row["verdict"], row["executions"], row["states"], row["s"], row["found"], row["interrupted"])
    return [row["program"], row["threads"], package, *figures]


if __name__ == "__main__":
    main()
