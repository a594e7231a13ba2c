"""Global states in C beside the loop in Python and SPIN: seconds, states and bytes: states.md and states.png.

    .venv/bin/python -m results.states

Needs a C compiler, SPIN 6.5 (Debian's package `spin`) and matplotlib. Runs alternate; the least of three counts.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from mcr.api import open_session
from mcr.bench.rows import as_markdown
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from mcr.explorers.stateful.explorer import Stateful
from replay.world.memory_models import memory_model
from results.bench import everyday, spin
from results.known import Known, known
from results.made import made_by
from results.rows import rows_asked

HERE = Path(__file__).parent

ROWS: tuple[tuple[str, dict[str, int], str, bool], ...] = (
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
"""Program of `everyday`, parameters, model, and whether interchangeable threads are taken for each other."""

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
"""

NAMES = ("loop", "C", "SPIN, plain", "SPIN, joined")


def main() -> None:
    rows = list(islice(_rows(), rows_asked(__doc__)))
    (HERE / "states.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    parts = [NOTES.rstrip("\n"), made_by("-m results.states"), _table(rows), "![states over seconds](states.png)"]
    (HERE / "states.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    _draw(rows)


def _rows() -> Iterator[dict[str, Any]]:
    for program, parameters, model, symmetry in ROWS:
        asked = (program, json.dumps(parameters), model, str(symmetry))
        in_c = [_measured(*asked, "native")]
        looped: list[dict[str, float]] = []
        if in_c[0]["states"] < TOO_LARGE:
            for _ in range(3):
                looped.append(_measured(*asked, "loop"))
                in_c.append(_measured(*asked, "native"))
        found = {"C": _least(in_c), **({"loop": _least(looped)} if looped else {}), **_spin(program, parameters, model)}
        text = ", ".join(f"{name}={value}" for name, value in parameters.items())
        row = {"program": f"{program}({text})", "model": model, "symmetry": symmetry, **found}
        print(row, file=sys.stderr, flush=True)
        yield row


def known_rows() -> Iterator[Known]:
    """How many states each program has."""
    written = json.loads((HERE / "states.json").read_text(encoding="utf-8"))
    for (program, parameters, model, symmetry), row in zip(ROWS, written, strict=True):
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
    declared = getattr(everyday, program)(**json.loads(parameters))
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
