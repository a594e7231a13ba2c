"""Global states in C beside the loop in Python and SPIN: seconds, states and bytes: states.md and states.png.

    .venv/bin/python -m results.states [--missing]

Needs a C compiler, SPIN 6.5 (Debian's package `spin`) and matplotlib. Runs alternate; the least of three counts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from mcr.api import open_session
from mcr.bench.environment import environment
from mcr.bench.rows import as_markdown
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from mcr.explorers.stateful.explorer import Stateful
from replay.world.memory_models import memory_model
from results.bench import everyday, for_ever, spin
from results.bench.suites.everyday import ENDING, ENDLESS
from results.known import Known, known
from results.rows import add_rows

HERE = Path(__file__).parent

Asked = tuple[str, dict[str, int], str, bool]
"""Program, parameters, model, and whether interchangeable threads are taken for each other."""

ROWS: tuple[Asked, ...] = (
    ("counter", {"n": 8, "rounds": 2}, "sc", True),
    ("racy_counter", {"n": 4, "rounds": 3}, "sc", True),
    ("mutex_counter", {"n": 8, "rounds": 3}, "sc", True),
    ("producers", {"n": 4, "items": 3}, "sc", True),
    ("philosophers", {"n": 6, "meals": 1}, "sc", True),
    ("philosophers", {"n": 8, "meals": 1}, "sc", True),
    ("racy_counter", {"n": 5, "rounds": 3}, "sc", True),
    ("racy_counter", {"n": 4, "rounds": 3}, "tso", True),
    ("racy_counter", {"n": 5, "rounds": 3}, "tso", True),
    ("philosophers", {"n": 8, "meals": 1}, "tso", True),
    ("philosophers", {"n": 9, "meals": 1}, "tso", True),
    ("philosophers", {"n": 10, "meals": 1}, "tso", True),
    ("racy_counter", {"n": 5, "rounds": 3}, "sc", False),
    ("racy_counter", {"n": 6, "rounds": 4}, "sc", True),
)
"""Of `everyday`: ever more states."""

WRITTEN_FIRST: tuple[Asked, ...] = tuple(
    (program, {**ENDING, **ENDLESS}[program][1], "tso", True)
    for program in (
        *("bank", "seqlock", "ring_of_several", "work_stealing", "lru_cache", "hash_chain", "treiber_stack"),
        *("michael_scott_queue", "barrier_rounds", "fork_join", "pipeline", "event_and_condition", "clh", "mcs"),
    )
)
"""The others of the suite `everyday` that have 1,000 states: of fewer, the loop explores all."""

TOO_LARGE = 3_000_000
"""States that the loop is not asked about, and that are explored once."""

SPIN_LARGEST = 8
"""Threads that SPIN is asked about: its plain model of five racy counters has no end in nine minutes."""

NOTES = """\
# A million global states a second

Seconds of processor time of the exploration, start-up apart, the least of three runs that alternate; of one, from
3,000,000 states on. "Bytes" are those by which the process grew, for each state: the state, its predecessor, and
the hash table. SPIN 6.5.2 knows no store buffers, so it is beside SC; it is compiled by `gcc -O2`, and its bytes
have 128 MB in them for its table. "No symmetry": `--no-symmetry`; SPIN has no symmetry either. Few states are
explored by the loop in both columns.

One table for two threads of the machine was tried, and is left out. A prototype in C (slots by compare-and-swap, of the
predecessors of a state the first, each depth sorted, so that order and predecessors are those of one thread: all states
were compared) does 1.3 times the work of one thread for racy_counter(5, 3), 1.2 times for philosophers(9), and takes
8 bytes a state more. On two cores whole explorations would be 1.3 and at most 1.5 times as fast, before what it leaves
out: a table that grows, deadlocks, and the questions to Python, which have to come in the order of one thread.
"""

EVERYDAY = """\
## What people write first

The others of [these programs](everyday.md) that have 1,000 states, under TSO. Of fewer, the loop explores all; and it
goes on where most steps are met for the first time, as to run the code of threads takes the time there.
"""

NAMES = ("loop", "C", "SPIN, plain", "SPIN, joined")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_rows(parser)
    parser.add_argument("--missing", action="store_true", help="measure only rows that states.json does not have")
    asked = parser.parse_args()
    kept = {_name(row): row for row in _written()} if asked.missing else {}
    tables = [[kept.get(_name(row)) or _row(*row) for row in table[: asked.rows]] for table in (ROWS, WRITTEN_FIRST)]
    (HERE / "states.json").write_text(json.dumps([*tables[0], *tables[1]], indent=1) + "\n", encoding="utf-8")
    made = "Written by `.venv/bin/python -m results.states`."
    parts = [
        NOTES.rstrip("\n"), f"{made} {_taken(tables[0])}", _table(tables[0]), "![states over seconds](states.png)",
        EVERYDAY.rstrip("\n"), _taken(tables[1]), _everyday_table(tables[1]),
    ]  # fmt: skip
    (HERE / "states.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    _draw(tables[0])


def _written() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((HERE / "states.json").read_text(encoding="utf-8"))
    return rows


def _name(row: Asked | dict[str, Any]) -> tuple[str, str, bool]:
    """What a row is found by: its program with its parameters, its model, and whether there is symmetry."""
    if isinstance(row, dict):
        return row["program"], row["model"], row["symmetry"]
    program, parameters, model, symmetry = row
    return f"{program}({', '.join(f'{name}={value}' for name, value in parameters.items())})", model, symmetry


def _row(program: str, parameters: dict[str, int], model: str, symmetry: bool) -> dict[str, Any]:
    asked = (program, json.dumps(parameters), model, str(symmetry))
    in_c = [_measured(*asked, "native")]
    looped: list[dict[str, float]] = []
    if in_c[0]["states"] < TOO_LARGE:
        for _ in range(3):
            looped.append(_measured(*asked, "loop"))
            in_c.append(_measured(*asked, "native"))
    found = {"C": _least(in_c), **({"loop": _least(looped)} if looped else {}), **_spin(program, parameters, model)}
    name, *_ = _name((program, parameters, model, symmetry))
    row = {"program": name, "model": model, "symmetry": symmetry, **found}
    row |= {"commit": environment()["commit"], "load": round(os.getloadavg()[0])}
    print(row, file=sys.stderr, flush=True)
    return row


def _taken(rows: list[dict[str, Any]]) -> str:
    """At which commits rows were measured, and whether the machine had more to do."""
    commits = ", ".join(dict.fromkeys(row["commit"] for row in rows))
    is_busy = any(row["load"] > (os.cpu_count() or 1) for row in rows)
    return f"Taken at commit {commits}{', while other programs used all cores' if is_busy else ''}."


def known_rows() -> Iterator[Known]:
    """How many states each program has."""
    for asked, row in zip((*ROWS, *WRITTEN_FIRST), _written(), strict=True):
        program, parameters, model, symmetry = asked
        again = partial(_states, program, json.dumps(parameters), model, str(symmetry))
        yield known(f"{row['program']} under {model.upper()}", row["C"]["seconds"], [row["C"]["states"]], again)


def _states(*asked: str) -> list[float]:
    return [_measured(*asked, "native")["states"]]


def _spin(program: str, parameters: dict[str, int], model: str) -> dict[str, dict[str, float]]:
    sizes = [*parameters.values()]
    if model != "sc" or sizes[0] > SPIN_LARGEST or (program == "racy_counter" and sizes[0] > 4):
        return {}
    found = {f"SPIN, {way}": spin.measure(program, sizes, switches) for way, switches in spin.WAYS.items()}
    return {
        name: {"seconds": each.seconds, "states": each.states, "bytes": each.bytes}
        for name, each in found.items()
        if each.seconds is not None and each.states is not None and each.bytes is not None
    }


def _least(runs: list[dict[str, float]]) -> dict[str, float]:
    return min(runs, key=lambda run: run["seconds"])


def _measured(*asked: str) -> dict[str, float]:
    """One exploration, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "results.states", *asked], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def explore(program: str, parameters: str, model: str, symmetry: str, way: str) -> None:
    """Explore, and print what it took."""
    module = everyday if hasattr(everyday, program) else for_ever
    declared = getattr(module, program)(**json.loads(parameters))
    options = Options(symmetry=symmetry == "True", native=way == "native")
    session = open_session(declared, memory_model(model), algorithm="stateful", options=options)
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    result = session.explore()
    seconds, grown = time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert result.verdict is Verdict.VERIFIED, result
    assert isinstance(session.explorer, Stateful)
    states = len(session.explorer.space.before)
    print(json.dumps({"seconds": round(seconds, 3), "states": states, "bytes": round(grown * 1024 / states)}))


def _table(rows: list[dict[str, Any]]) -> str:
    columns = (
        "program",
        "model",
        "states",
        "loop",
        "C",
        "states/s",
        "bytes: loop",
        "C",
        *NAMES[2:],
        "states: plain",
        "joined",
    )
    return as_markdown(columns, map(_line, rows))


def _line(row: dict[str, Any]) -> list[str]:
    def figure(way: str, what: str) -> str:
        return f"{row[way][what]:,}" if way in row else "-"

    symmetry = "" if row["symmetry"] else ", no symmetry"
    rate = f"{row['C']['states'] / row['C']['seconds'] / 1e6:.2f} M"
    return [
        row["program"] + symmetry, row["model"].upper(), figure("C", "states"), figure("loop", "seconds"),
        figure("C", "seconds"), rate, figure("loop", "bytes"), figure("C", "bytes"),
        *(figure(way, what) for what in ("seconds", "states") for way in NAMES[2:]),
    ]  # fmt: skip


def _everyday_table(rows: list[dict[str, Any]]) -> str:
    def line(row: dict[str, Any]) -> list[str]:
        loop, in_c = row["loop"]["seconds"], row["C"]["seconds"]
        return [row["program"], f"{row['C']['states']:,}", f"{loop:,}", f"{in_c:,}", f"{in_c / loop:.2f}"]

    return as_markdown(("program", "states", "loop", "C", "C / loop"), map(line, rows))


def _draw(rows: list[dict[str, Any]]) -> None:
    """States over seconds, and bytes for each state over states, both logarithmic."""
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for name, mark in zip(NAMES, "osx+", strict=True):
        points = [row[name] for row in rows if name in row]
        left.scatter([each["seconds"] for each in points], [each["states"] for each in points], marker=mark, label=name)
        right.scatter([each["states"] for each in points], [each["bytes"] for each in points], marker=mark, label=name)
    left.set(xscale="log", yscale="log", xlabel="processor seconds", ylabel="global states")
    right.set(xscale="log", yscale="log", xlabel="global states", ylabel="bytes for each state")
    left.legend()
    figure.savefig(HERE / "states.png", dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    explore(*sys.argv[1:]) if sys.argv[1:] and not sys.argv[1].startswith("--") else main()
