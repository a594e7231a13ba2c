"""Ordinary classes under all schedules: ordinary-classes.md.

    .venv/bin/python results/ordinary_classes.py [--timeout 120] [--fresh]

Each row is one `mcr check` in a process of its own, under SC; the rows are in
ordinary_classes.jsonl, and a run that was interrupted goes on where it
stopped. Packages at the versions that a file of `tests/ordinary/packages`
names are installed into a folder of their own below `.packages`.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcr.bench.environment import environment, sentence
from mcr.bench.rows import Row, Rows, as_markdown
from replay.files import write_atomically
from results.known import Known, known
from results.rows import add_rows

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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for each row")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    add_rows(parser)
    options = parser.parse_args()
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
    for row in _stored().all():
        installed = row["package"] in (None, "none") or _folder(row["package"]).exists()
        if installed and row["verdict"] != "incomplete":
            told = [row[column] for column in _COUNTS]
            yield known(f"{row['program']} {row['threads']}", float(row["s"] or 0), told, partial(_again, row))


_COUNTS = ("verdict", "executions", "states", "found", "interrupted")


def _again(row: Row) -> list[object]:
    paths = _installed(row["package"])
    now = _measured(f"{ROOT / row['file']}::{row['program']}", row["threads"], LIMIT, paths)
    return [now[column] for column in _COUNTS]


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
            row = stored.get(file, program.name, threads)
            if row is None:
                row = {"file": file, "program": program.name, "threads": threads, "package": package and package[1]}
                row |= _measured(f"{ROOT / file}::{program.name}", threads, timeout, _installed(row["package"]))
                row |= environment()
                stored.add(row)
                print(*(str(cell) for cell in _cells(row)), flush=True)
            error = re.match(r"\w+", row["found"])
            yield {**row, "is_right": program.says in (row["verdict"], error and error[0])}


def _installed(package: str | None) -> list[str]:
    """Where a package lies, which is installed if it is not there; nothing for none."""
    if package in (None, "none"):
        return []
    folder = _folder(package)
    if not folder.exists():
        uv = shutil.which("uv")
        install = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
        try:
            subprocess.run([*install, "-q", "--target", str(folder), *package.split()], check=True)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return [str(folder)]


def _folder(package: str) -> Path:
    return ROOT / ".packages" / package.replace(" ", "+")


_NOTHING: Row = {"executions": "", "states": "", "s": "", "interrupted": ""}
"""The figures of a check that came to nothing."""


def _measured(target: str, threads: int | str, timeout: float, paths: list[str]) -> Row:
    """What `mcr check` says of a program in a process of its own."""
    command = [sys.executable, "-m", "mcr", "check", target, "--model", "sc", "--json", "--timeout", str(timeout)]
    command += ["--set", f"threads={threads}"] if threads else []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *paths])}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if not done.stdout:
            return {**_NOTHING, "verdict": "error", "found": done.stderr.strip().splitlines()[-1]}
        told = json.loads(done.stdout)
        if not told["results"]:
            return {**_NOTHING, "verdict": "refused", "found": told["errors"][0]["message"]}
        return _row(told, Path(folder))


def _row(told: dict[str, Any], folder: Path) -> Row:
    """The figures in the answer to one check, whose traces are in a folder."""
    (result,) = told["results"]
    row: Row = {
        "verdict": result["verdict"],
        "executions": result["statistics"]["executions"],
        "states": result["statistics"]["local_states"],
        "s": round(result["times"]["seconds"], 2),
        "found": result["stop"]["reason"] if result["stop"] else "",
        "interrupted": "",
    }
    if told["failures"]:
        failure = told["failures"][0]
        row["found"] = _found(failure)
        row["interrupted"] = _interrupted(json.loads((folder / failure["traces"][0]).read_text(encoding="utf-8")))
    return row


def _found(failure: dict[str, Any]) -> str:
    """The failure in one cell."""
    if not failure["stack"]:
        return failure["message"] if failure["error"] == "Deadlock" else f"{failure['error']}: {failure['message']}"
    where = failure["stack"][0]
    what = f"{failure['error']}: {failure['message']}" if failure["message"] else failure["error"]
    return f"{what} ({_short(where['file'])}:{where['line']})"


def _interrupted(trace: dict[str, Any]) -> str:
    """Between which of its lines a thread is interrupted by another one in a schedule."""
    events = {event["id"]: event for event in trace["events"]}
    order = [events[step["event"]] for step in trace["schedule"] if "run" in step]
    places = []
    for number, (event, following) in enumerate(itertools.pairwise(order)):
        later = next((each for each in order[number + 1 :] if each["thread"] == event["thread"]), None)
        if following["thread"] != event["thread"] and later is not None and event["line"] and later["line"]:
            places.append(_between(event["line"], later["line"]))
    return "; ".join(dict.fromkeys(places))


def _between(line: str, other: str) -> str:
    """Two places `file:line:function` in one cell."""
    (file, number, _), (other_file, other_number, _) = line.rsplit(":", 2), other.rsplit(":", 2)
    first, second = f"{_short(file)}:{number}", f"{_short(other_file)}:{other_number}"
    return f"{first}, {other_number}" if file == other_file and first != second else " and ".join({first: 0, second: 0})


def _short(file: str) -> str:
    """The name of a file; that of a package says whose `__init__.py` it is."""
    path = Path(file)
    return f"{path.parent.name}/{path.name}" if path.stem == "__init__" else path.name


def _cells(row: Row) -> list[str]:
    package = row["package"] or ""
    figures = (row["verdict"], row["executions"], row["states"], row["s"], row["found"], row["interrupted"])
    return [str(cell).replace("|", "\\|") for cell in (row["program"], row["threads"], package, *figures)]


if __name__ == "__main__":
    main()
