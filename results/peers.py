"""Numbers of executions beside those of Nidhugg and GenMC, on the programs of examples/reference.py.

    .venv/bin/python results/peers.py [--fresh] [--largest 20000] [--timeout 90]

What is compared: complete executions of the programs without their assertions. One per class of rf under SC is
Nidhugg's `--sc --rf`; one per trace (po, rf, co) is GenMC under SC and TSO, with `--disable-ipr` where there are
such rows, and Nidhugg's `--pso --source`. The figures of the peers are in peers.json. Writes peers.csv row by row,
goes on where it was stopped, and writes peers.md at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import mcr
from examples import reference
from results.rows import HERE, Rows

COLUMNS = (
    "program", "model", "classes of", "peer", "complete, theirs", "complete, ours", "blocked, theirs", "blocked, ours",
    "seconds, theirs", "seconds, ours", "comparison",
)  # fmt: skip

NOTES = """\
*Blocked* executions are not compared. Ours are classes of executions in which some thread failed an assumption, each
once; the peers stop an execution as soon as one thread is blocked, and count what they happened to run.

Seconds: theirs are compiled C++ on compiled C; ours are Python, and find every local state first.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="forget earlier rows")
    parser.add_argument("--largest", type=int, default=20_000, help="complete executions of the largest row to try")
    parser.add_argument("--timeout", type=float, default=90.0, help="seconds per row")
    options = parser.parse_args()
    peers = json.loads((HERE / "peers.json").read_text(encoding="utf-8"))
    rows = Rows("peers", COLUMNS, key=4, fresh=options.fresh)
    for peer in sorted(peers["rows"], key=lambda row: row["complete_execs"]):
        key = (title(peer), peer["model"], equivalence(peer), f"{peer['tool']} {peer['option']}")
        if not rows.has(*key):
            rows.add(*key, *compare(peer, options.largest, options.timeout))
    rows.write_markdown("Executions beside Nidhugg and GenMC", [*NOTES.splitlines(), "", f"Peers: {peers['source']}"])


def equivalence(peer: dict[str, Any]) -> str:
    """What the peer executes one of each."""
    return "rf" if "--rf" in peer["option"] else "traces"


def title(peer: dict[str, Any]) -> str:
    return program_of(peer).title.replace(", check=False", "").replace("(check=False)", "")


def program_of(peer: dict[str, Any]) -> mcr.Program:
    """The program of a row: "N=2,BOUND=1,noassert" are its parameters."""
    given = dict(part.split("=") for part in peer["param"].split(",") if "=" in part)
    name = {"expmem": "exp_mem"}.get(peer["program"], peer["program"])
    program: mcr.Program = getattr(reference, f"{name}_zreset" if "ZRESET" in peer["param"] else name)
    known = program.function.__code__.co_varnames[1 : program.function.__code__.co_argcount]
    wanted: dict[str, object] = {"n": int(given["N"]), "b": int(given.get("BOUND", 1)), "check": False}
    return program(**{name: value for name, value in wanted.items() if name in known})


def compare(peer: dict[str, Any], largest: int, timeout: float) -> tuple[object, ...]:
    """Ours beside theirs: the columns after the key."""
    complete, blocked = peer["complete_execs"], peer["blocked_execs"]
    if complete > largest:
        return (complete, "", blocked, "", peer["wall_s"], "", "not tried")
    options = mcr.Options(timeout=timeout)
    result = mcr.check(program_of(peer), peer["model"].lower(), objective=equivalence(peer), options=options)
    figures = result.statistics
    if result.stop is not None:
        verdict = f"incomplete: {result.stop.reason}"
    else:
        verdict = "equal" if figures.classes == complete else "DIFFERENT"
    ours = (figures.classes, figures.blocked_classes)
    return (complete, ours[0], blocked, ours[1], peer["wall_s"], f"{figures.seconds:.2f}", verdict)


if __name__ == "__main__":
    main()
