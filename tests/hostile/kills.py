"""Commands that are killed at random moments: what they finished is there, and no file is damaged.

    python -m tests.hostile.kills [--seed 1] [--runs 300]

`check`, `compare`, `bench`, `litmus` and `diy` run again and again in the same folder, so that they replace their own
files; kill -9 ends each of them somewhere between its start and a little after its usual end. Then every file must be
whole, and what the command told as done must be in its file. Exit status 1 if anything is not so.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from mcr.bench.case import KEY, OPTIONAL
from mcr.bench.columns import Columns
from mcr.bench.rows import Rows
from mcr.litmus.parser import parse_file
from replay.traces.files import load_trace
from tests.desk import EXAMPLES, ROOT
from tests.hostile.campaign import workplace

_LITMUS = "tests"
SUITE = str(ROOT / "results/bench/suites/reference.py")
COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", "litmus.py::store_buffering", "litmus.py::message_passing"),
    "check --plot": ("check", "litmus.py::store_buffering", "--objective", "outcomes", "--plot", "growth.svg"),
    "compare": ("compare", "litmus.py::store_buffering", "--save", "compared"),
    "bench": ("bench", SUITE, "--program", "mp", "--fresh", "--out", "results"),
    "bench goes on": ("bench", SUITE, "--program", "dekker", "--out", "results", "--no-plots"),
    "litmus": ("litmus", _LITMUS, "--json"),
    "diy": ("diy", "-o", "generated", "--only-write"),
}
"""What is run; they take seconds."""


@dataclass(frozen=True)
class Ended:
    """How a command ended: by itself, or killed; and what it had said."""

    killed: bool
    out: str


def killed_after(seconds: float, arguments: tuple[str, ...]) -> Ended:
    """Run a command, and kill it and all that it started if it still runs then."""
    with Path("out").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "mcr", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(timeout=seconds)
            killed = False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            killed = True
    return Ended(killed, Path("out").read_text(encoding="utf-8"))


def damage(name: str, ended: Ended) -> Iterator[str]:
    """What is wrong with the files, and with what was promised."""
    for path in sorted(Path().rglob("*")):
        if path.is_file() and path.suffix in _READERS and not path.name.startswith(".mcr-"):
            try:
                _READERS[path.suffix](path)
            except Exception as error:
                yield f"{path}: {type(error).__name__}: {error}"
    for file in re.findall(r"mcr replay (\S+\.json)", ended.out):
        if not Path(file).is_file():
            yield f"{file} was told of, and is not there"
    if name.startswith("bench"):
        yield from _missing_rows(ended.out)
    if name == "litmus":
        yield from _broken_lines(ended.out)


def _missing_rows(out: str) -> Iterator[str]:
    measured = set(re.findall(r"^  (\w+)\(([^)]*)\) (\w+) .*: .* executions", out, re.MULTILINE))
    table = Path("results/reference.jsonl")
    rows = {(row["program"], row["parameters"], row["model"]) for row in _rows(table)} if table.exists() else set()
    yield from (f"{row} was measured, and is not in the table" for row in sorted(measured - rows))


def _rows(path: Path) -> list[dict[str, object]]:
    return Rows(path, KEY, Columns, optional=OPTIONAL).all()


def _broken_lines(out: str) -> Iterator[str]:
    if out and not out.endswith("\n"):
        yield "the last line of the output is not whole"
    for line in out.splitlines():
        json.loads(line)


def _svg(path: Path) -> None:
    ElementTree.parse(path)


def _json(path: Path) -> None:
    if path.parent.name == "results":  # what the suite was compared with
        json.loads(path.read_text(encoding="utf-8"))
    else:
        load_trace(path)


def _png(path: Path) -> None:
    assert path.read_bytes().endswith(b"IEND\xaeB`\x82"), "truncated"


def _text(path: Path) -> None:
    assert path.read_text(encoding="utf-8").endswith("\n"), "truncated"


def _table(path: Path) -> None:
    lengths = {len(line) for line in csv.reader(path.read_text(encoding="utf-8").splitlines())}
    assert len(lengths) == 1, "rows of several lengths"


def _html(path: Path) -> None:
    HTMLParser().feed(path.read_text(encoding="utf-8"))


_READERS = {
    ".json": _json,
    ".jsonl": _rows,
    ".svg": _svg,
    ".png": _png,
    ".md": _text,
    ".csv": _table,
    ".html": _html,
    ".litmus": parse_file,
}


def run(seed: int, runs: int, names: list[str]) -> list[str]:
    """Kill so many commands; returns what is wrong."""
    rng, wrong, killed = random.Random(seed), [], Counter[str]()
    with workplace():
        for name in ("peterson.py", "litmus.py"):
            shutil.copy(EXAMPLES / name, ".")
        Path(_LITMUS).mkdir()
        for path in sorted((ROOT / "tests/litmus/generated").glob("*.litmus"))[:12]:
            shutil.copy(path, _LITMUS)
        usual = {name: _seconds(name) for name in names}
        for number in range(runs):
            name = names[number % len(names)]
            patience = rng.uniform(0, 1.1 * usual[name])
            ended = killed_after(patience, COMMANDS[name])
            killed[name] += ended.killed
            usual[name] = max(usual[name], patience) if ended.killed else (usual[name] + patience) / 2
            found = [f"run {number}, {name}: {problem}" for problem in damage(name, ended)]
            if found:
                print("\n".join(found), flush=True)
            wrong += found
        left = sum(path.name.startswith(".mcr-") for path in Path().rglob("*"))
    for name in names:
        print(f"{name:20}{killed[name]:5} killed, {usual[name]:.1f} s usually")
    print(f"{runs} runs, {sum(killed.values())} killed, {len(wrong)} damages; {left} temporary files left")
    return wrong


def _seconds(name: str) -> float:
    """How long a command takes that is left alone."""
    started = time.monotonic()
    ended = killed_after(900, COMMANDS[name])
    assert not ended.killed
    problems = list(damage(name, ended))
    assert not problems, problems
    return time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=300)
    arguments = parser.parse_args()
    return 1 if run(arguments.seed, arguments.runs, list(COMMANDS)) else 0


if __name__ == "__main__":
    sys.exit(main())
