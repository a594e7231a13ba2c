"""SPIN 6.5 on five programs of the suite `everyday`: `python -m results.bench.spin` measures it and writes spin.json.

The models are ours (`spin_models`): "plain" as one writes them, "joined" with the steps that nobody sees joined by
hand to those that somebody does. SPIN explores interleavings, so its column is beside SC.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from replay.files import write_atomically
from results.rows import rows_asked

MODELS = Path(__file__).with_name("spin_models")
FIGURES = Path(__file__).with_name("spin.json")

SIZES: dict[str, tuple[dict[str, int], ...]] = {
    "counter": ({"n": 6, "rounds": 2}, {"n": 8, "rounds": 2}),
    "racy_counter": ({"n": 4, "rounds": 2}, {"n": 4, "rounds": 3}),
    "mutex_counter": ({"n": 5, "rounds": 3}, {"n": 8, "rounds": 3}),
    "producers": ({"n": 3, "items": 2}, {"n": 4, "items": 3}),
    "philosophers": ({"n": 3, "meals": 1}, {"n": 6, "meals": 1}),
}
"""Parameters by program; the first is N of its model, the second R."""

WAYS = {"plain": (), "joined": ("-DJOINED",)}

LIMIT = 120
"""Seconds of processor time for a row."""

MEMORY = 6_000
"""Megabytes for a row."""


class Spin(NamedTuple):
    """What SPIN takes for a model: processor seconds (the compilation apart), states, and bytes of memory for each of
    these; None where it had to end."""

    seconds: float | None
    states: int | None
    bytes: int | None = None


@cache
def measured() -> dict[tuple[str, str, str], Spin]:
    """By program, parameters as a row has them, and way."""
    rows = json.loads(FIGURES.read_text(encoding="utf-8"))["rows"]
    return {(row["program"], row["parameters"], row["way"]): Spin(row["seconds"], row["states"]) for row in rows}


def main() -> None:
    version = _run("spin", "-V").strip()
    rows = list(islice(_rows(), rows_asked(__doc__)))
    write_atomically(FIGURES, json.dumps({"version": version, "limit_s": LIMIT, "rows": rows}, indent=1) + "\n")


def _rows() -> Iterator[dict[str, Any]]:
    for program, sizes in SIZES.items():
        for parameters in sizes:
            text = ", ".join(f"{name}={value}" for name, value in parameters.items())
            for way, switches in WAYS.items():
                found = measure(program, [*parameters.values()], switches)
                print(f"{program}({text}) {way}: {found.seconds} s, {found.states} states", file=sys.stderr, flush=True)
                yield {"program": program, "parameters": text, "way": way, **found._asdict()}


def measure(program: str, sizes: list[int], switches: tuple[str, ...]) -> Spin:
    """Raises ChildProcessError if SPIN says that the model is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        defined = [f"-D{letter}={size}" for letter, size in zip("NR", sizes, strict=True)]
        _run("spin", "-a", *defined, *switches, str(MODELS / f"{program}.pml"), folder=folder)
        _run("gcc", "-O2", "-DSAFETY", f"-DMEMLIM={MEMORY}", "-o", "pan", "pan.c", folder=folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = _run("sh", "-c", f"ulimit -t {LIMIT}; exec ./pan -m1000000", folder=folder, may_fail=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    states, megabytes = re.search(r"(\d+) states, stored", said), re.search(r"([\d.]+)\s+total actual memory", said)
    if states is None or megabytes is None or "Search not completed" in said:
        return Spin(None, None)
    if "errors: 0" not in said:
        raise ChildProcessError(f"{program}: {said}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spin(round(seconds, 3), int(states[1]), round(float(megabytes[1]) * (1 << 20) / int(states[1])))


def _run(*command: str, folder: Path | None = None, may_fail: bool = False) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode and not may_fail:
        raise ChildProcessError(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
