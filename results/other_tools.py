"""The programs of public reports under other tools that run threads of Python: other-tools.md.

    python3.12 -m venv others
    others/bin/pip install frontrun interleave-test pytest-run-parallel
    .venv/bin/python -m results.other_tools --python others/bin/python [--timeout 30] [--fresh]

The programs are those of `tests/ordinary/reports`, each at the version that has the bug. Rows are in other_tools.jsonl,
and a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from mcr.bench.environment import sentence
from mcr.bench.rows import Row, Rows, as_markdown
from replay.files import write_atomically
from results.checked import ROOT, installed
from results.played_by_others import TOOLS
from results.reports import FOLDER, Program, known_failures, programs
from results.rows import add_rows, kept_row

COLUMNS = ("report", "package", "mcr", *TOOLS)

TEXT = """\
# Other tools

The programs of [public reports](reports.md) at the versions that have the bug, under three other tools that run threads
of Python, with a limit of {limit:g} seconds each. *mcr*: seconds, free-threaded, as in that table. The others: seconds
and runs of the program until the failure that is expected, or what came instead. None can say that a program is right.

- `interleave-test` chooses a thread for each instruction at random, of the package and of the program.
- `frontrun` explores with dynamic partial-order reduction and at most two preemptions, its default. It wants the
  threads of a program as functions, so a thread of the program is a worker that waits until it is started.
- `pytest-run-parallel` runs the program again and again in two threads. On a free-threaded Python it would find more;
  this is CPython {python}, with its global lock.

{counts}

{table}

{machine} The other tools: {versions}.

Written by `.venv/bin/python -m results.other_tools --python others/bin/python`.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="a Python that has the tools")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds for each program and tool")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    add_rows(parser)
    options = parser.parse_args()
    stored = Rows(ROOT / "results" / "other_tools.jsonl", ("file", "program", "package", "tool"), fresh=options.fresh)
    ours = (each for each in programs() if each.file.parent == FOLDER and each.expected != "verified")
    affected = itertools.islice(ours, options.rows)
    lines = [[*_measured(stored, each, options.python, options.timeout)] for each in affected]
    rows = [row for line in lines for row in line]
    found = {tool: sum(row["is_expected"] for row in rows if row["tool"] == tool) for tool in TOOLS}
    mcr = known_failures()
    own = [mcr.get((row["file"], row["program"], row["package"])) for row, *_ in lines]
    text = TEXT.format(
        limit=options.timeout,
        python=rows[0]["others_python"],
        counts=f"Of {len(lines)} programs mcr finds {sum(each is not None for each in own)}, "
        + ", ".join(f"{tool} {count}" for tool, count in found.items())
        + ".",
        table=as_markdown(
            COLUMNS,
            [
                [line[0]["report"], line[0]["shown"], "" if seconds is None else f"{seconds} s", *map(_cell, line)]
                for line, seconds in zip(lines, own, strict=True)
            ],
        ),
        machine=sentence(rows),
        versions=rows[0]["versions"],
    )
    write_atomically(ROOT / "results" / "other-tools.md", text)


def _measured(stored: Rows, program: Program, python: str, timeout: float) -> Iterator[Row]:
    """A row for each tool; what is stored is not measured again."""
    file = str(program.file.relative_to(ROOT))
    for tool in TOOLS:
        asked = {"file": file, "program": program.name, "package": program.package, "tool": tool}
        asked |= {"report": program.report, "shown": program.shown}
        yield kept_row(stored, asked, partial(_tried, program, python, timeout), dict.values)


def _tried(program: Program, python: str, timeout: float, asked: Row) -> Row:
    row = _played(program, asked["tool"], python, timeout) | _versions(python)
    row["is_expected"] = (re.match(r"\w+", row["found"]) or [""])[0].lower() == program.expected.lower()
    return row


def _played(program: Program, tool: str, python: str, timeout: float) -> Row:
    """What one tool makes of a program: `found`, `runs` and `s`."""
    command = [python, str(ROOT / "results" / "played_by_others.py"), tool, f"{program.file}::{program.name}"]
    if tool == "frontrun":
        command.insert(0, str(Path(python).with_name(tool)))  # which replaces locks before anything is imported
    if shutil.which(command[0]) is None:
        return {"found": "not installed", "runs": 0, "s": 0}
    try:
        folders = installed(program.package)
    except subprocess.CalledProcessError:
        return {"found": "the package cannot be installed", "runs": 0, "s": 0}
    traced = folders or [_library(python)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*folders, str(ROOT)])}
    done = subprocess.run(
        [*command, str(timeout), *traced, str(program.file)],
        env=environment, capture_output=True, text=True, timeout=4 * timeout + 60,
    )  # fmt: skip
    line = done.stdout.strip().splitlines()[-1:]
    if done.returncode or not line:
        return {"found": f"cannot be run: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}", "runs": 0, "s": 0}
    row: Row = json.loads(line[0])
    return row


def _library(python: str) -> str:
    """The folder of Python's own library."""
    done = subprocess.run(
        [python, "-c", "import os; print(os.path.dirname(os.__file__))"], capture_output=True, text=True
    )
    return done.stdout.strip()


def _versions(python: str) -> Row:
    code = (
        "import platform, importlib.metadata as m, sys; print(platform.python_version());"
        "print(', '.join(f'{n} {m.version(n)}' for n in sys.argv[1:]))"
    )
    done = subprocess.run([python, "-c", code, *TOOLS], capture_output=True, text=True)
    version, tools, *_ = [*done.stdout.splitlines(), "unknown", "not installed"]
    return {"others_python": version, "versions": tools}


def _cell(row: Row) -> str:
    if row["is_expected"]:
        return f"{row['s']} s, {row['runs']} runs"
    found = f"no, {row['runs']} runs" if row["found"] == "no" else row["found"]
    return str(found).replace(f"{ROOT}/", "")


if __name__ == "__main__":
    main()
