"""GenMC, Nidhugg and CBMC, where they are installed, on the programs of `peers.json`.

.venv/bin/python -m results.bench.peer_tools --genmc PATH --nidhugg PATH --cbmc PATH

The C sources are ours (`peer_sources`), with the accesses of examples/reference.py. Each row is run again; what the
tool says is printed beside what the row says. Exit status 1 if a verdict or a number of executions is another one.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results.bench.peers import BUG, SAFE, TIMEOUT, peers_text

SOURCES = Path(__file__).with_name("peer_sources")

_SOURCE = {"expmem": "exp_mem"}
"""Names of sources where a row has another one."""

UNWIND = 20
"""Turns of a loop that CBMC looks at: more than any program here has."""


@dataclass(frozen=True)
class Said:
    """What a tool says of a program: executions, complete and blocked, None where it does not count them."""

    verdict: str
    complete: int | None = None
    blocked: int | None = None


def defines(row: dict[str, Any]) -> list[str]:
    """The sizes of a row, as options of a compiler."""
    parts = row["param"].split(",")
    given = [f"-D{part}" for part in parts if part not in ("assert", "noassert")]
    return [*given, *(["-DCHECK"] if "assert" in parts else [])]


def source(row: dict[str, Any]) -> Path:
    return SOURCES / f"{_SOURCE.get(row['program'], row['program'])}.c"


def command(tool: str, path: str, row: dict[str, Any]) -> list[str]:
    """How to run a tool, at a path, on a row."""
    options, file = shlex.split(row["option"]), str(source(row))
    if tool == "genmc":
        return [path, *options, "--", *defines(row), file]
    if tool == "nidhugg":
        return [path, *defines(row), "--", *options, file]
    return [path, "--mm", row["model"].lower(), "--unwind", str(UNWIND), "--unwinding-assertions", *defines(row), file]


def read(tool: str, text: str, status: int) -> Said:
    """What a tool has said."""
    if tool == "cbmc":
        found = re.search(r"VERIFICATION (SUCCESSFUL|FAILED)", text)
        return Said({"SUCCESSFUL": SAFE, "FAILED": BUG}[found[1]] if found else _refused(text))
    complete = _count(text, r"complete executions explored: *(\d+)", r"Trace count: *(\d+)")
    blocked = _count(
        text, r"blocked executions seen: *(\d+)", r"assume-blocked trace count: *(\d+)", r"(\d+) assume-blocked"
    )
    if re.search(r"assertion violation|safety violation|Error detected", text, re.IGNORECASE):
        return Said(BUG, complete, blocked)
    return Said(_refused(text) if complete is None or status else SAFE, complete, blocked)


def _count(text: str, *patterns: str) -> int | None:
    found = [match for pattern in patterns for match in re.findall(pattern, text, re.IGNORECASE)]
    return int(found[0]) if found else None


def _refused(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line]
    return f"refused: {lines[-1] if lines else 'nothing was said'}"


def run(tool: str, path: str, row: dict[str, Any], timeout: float) -> Said:
    try:
        done = subprocess.run(command(tool, path, row), capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return Said(TIMEOUT)
    return read(tool, done.stdout + done.stderr, done.returncode)


def agrees(said: Said, row: dict[str, Any]) -> bool:
    """Whether a row says the same, as far as both came to an end and count."""
    if TIMEOUT in (said.verdict, row["verdict"]):
        return True
    if said.verdict.split(":")[0] != row["verdict"].split(":")[0]:
        return False
    known = (said.complete, row["complete_execs"])
    return said.verdict != SAFE or None in known or known[0] == known[1]


def rows_of(tool: str) -> Iterator[dict[str, Any]]:
    """The rows that a tool is run on; CBMC, which has none, gets those programs once for each model."""
    rows = json.loads(peers_text())["rows"]
    if tool != "cbmc":
        yield from (row for row in rows if row["tool"] == tool)
        return
    decided = [row for row in rows if row["verdict"] in (SAFE, BUG)]
    for row in {(row["program"], row["param"], row["model"]): row for row in decided}.values():
        yield {**row, "option": "", "complete_execs": None}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m results.bench.peer_tools", description=__doc__.splitlines()[0])
    for tool, name in (("genmc", "genmc"), ("nidhugg", "nidhuggc"), ("cbmc", "cbmc")):
        parser.add_argument(
            f"--{tool}", metavar="PATH", default=name, help=f"where it is (default: {name} on the path)"
        )
    parser.add_argument("--program", metavar="NAME", action="append", default=[], help="only this one; may be repeated")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=120.0, help="for each row (default: 120)")
    asked = parser.parse_args(arguments)
    paths = {tool: shutil.which(getattr(asked, tool)) for tool in ("genmc", "nidhugg", "cbmc")}
    others = 0
    for tool, path in paths.items():
        if path is None:
            print(f"{tool} is not installed: give its path by --{tool}", file=sys.stderr)
            continue
        for row in rows_of(tool):
            if not asked.program or row["program"] in asked.program:
                others += not _compared(tool, path, row, asked.timeout)
    return 1 if others else 0


def _compared(tool: str, path: str, row: dict[str, Any], timeout: float) -> bool:
    started = time.monotonic()
    said = run(tool, path, row, timeout)
    seconds = time.monotonic() - started
    same = agrees(said, row)
    known = "" if same else f", but the row says {row['verdict']}: {row['complete_execs']} + {row['blocked_execs']}"
    counts = "" if said.complete is None else f": {said.complete} + {said.blocked or 0}"
    title = f"{tool} {row['option']} {row['program']} {row['param']} {row['model']}"
    print(f"{title}: {said.verdict}{counts}, {seconds:.2f} s{known}")
    return same


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
