"""What it gives that histories which leave a thread in one local state share it: local-states.md.

    .venv/bin/python results/local_states.py [--timeout 120] [--model tso] [--fresh]

Each row is one measurement in a process of its own, as `mcr bench` takes them,
under TSO and PSO, with merging and without; the rows are in
local_states.jsonl, and a run that was interrupted goes on where it stopped.
The second table is that of `python -m tests.local_state.count`.
"""

from __future__ import annotations

import argparse
import math
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcr.bench.case import KEY, OPTIONAL, BenchCase, key_of, parameters, short_title
from mcr.bench.environment import sentence
from mcr.bench.process import measured
from mcr.bench.rows import Row, Rows, as_markdown
from mcr.bench.text import executions, number, seconds
from replay.files import write_atomically
from results.bench import source
from results.bench.sizes import reference_case
from results.check import case_differences
from results.known import Known
from results.rows import add_rows

ROOT = Path(__file__).resolve().parent.parent

SMALL: list[tuple[str, dict[str, int]]] = [
    ("bakery", {"n": 3}),
    *(("fastmutex", {"n": n, "b": 1}) for n in (3, 4)),
    ("lastzero", {"n": 10}),
    ("exp_mem", {"n": 7}),
    ("fib", {"n": 4}),
]
"""Reference programs that end without merging, too."""

LARGE: list[tuple[str, dict[str, int]]] = [
    *(("bakery", {"n": n}) for n in (4, 5, 6, 7)),
    ("fastmutex", {"n": 5, "b": 1}),
    *(("fastmutex", {"n": n, "b": 2}) for n in (3, 4)),
    *(("lastzero", {"n": n}) for n in (15, 30, 60, 100)),
    ("exp_mem", {"n": 9}),
]
"""Those that take minutes or never end without."""

SPINNING: list[tuple[str, dict[str, int]]] = [
    *((name, {"n": 3}) for name in ("ticket", "tas", "ttas", "mcs", "counter")),
    ("seqlock", {"readers": 2}),
]

EVERYDAY: list[tuple[str, dict[str, int]]] = [
    ("futex_mutex", {"n": 3}),
    ("retrying_ring", {"items": 4}),
    ("circular_buffer", {"values": 7}),
    ("lazy_list", {}),
    ("impatient_seqlock", {"readers": 2, "rounds": 2}),
]
"""Programs as users write them, larger than the examples are."""

MODELS = ("tso", "pso")

TEXT = """\
# Local states instead of histories

Histories that leave a thread in one local state share it (docs/local-states.md); `--no-merge` tells all of them apart.
Everything is explored, under the default algorithm; assertions of the reference programs are dropped. *States* is the
number of local states, without merging that of histories. CPU seconds of the exploration; peak memory of the process,
Python and all; "-": not done in {limit:g} s; empty: not tried, as it takes minutes at least. Threads of exp_mem and fib
hold nearly all that they read, so their states grow with the number of values. Programs with spin loops
(examples/spin_loops.py) are written with plain loops, without `wait_until`, for three threads. The next five are
those of examples/everyday.py, larger than there.

{rows}

{growth}

{machine}

Written by `.venv/bin/python results/local_states.py`.

## How many histories of the examples share a local state, and why not

The programs of examples/ at their default sizes, under PSO. *Local states* is the number of histories that differ by
thread, depth and key; where depths are ignored, fewer would be left. *Met when merged* is what an exploration that
merges met: fewer where it goes another way to a bug, more where a loop that only looks at
memory must be entered by its beginning. A history without a key is a local state of its own. "*": cut after
{count:g} s.

{counts}

Written by `{command}`.
"""

COUNT_SECONDS = 5


def cases(models: tuple[str, ...]) -> Iterator[BenchCase]:
    """What is measured, small programs first; those also without merging."""
    small = [reference_case(name, **sizes) for name, sizes in SMALL]
    small += [BenchCase(source("examples/spin_loops.py"), name, parameters(**sizes), "sc") for name, sizes in SPINNING]
    small += [BenchCase(source("examples/everyday.py"), name, parameters(**sizes), "sc") for name, sizes in EVERYDAY]
    for case in small:
        for model in models:
            yield replace(case, model=model)
            yield replace(case, model=model, merge=False)
    for name, sizes in LARGE:
        yield from (replace(reference_case(name, **sizes), model=model) for model in models)


def line(merged: Row, apart: Row | None) -> list[str]:
    """A program under a model: both measurements."""
    return [short_title(merged), merged["model"].upper(), *_figures(merged), *_figures(apart)]


def _figures(row: Row | None) -> list[str]:
    if row is None:
        return [""] * 4
    if not row["complete"]:
        return ["-", "-", "-", number(row["peak_mb"])]
    return [executions(row), number(row["local_states"]), seconds(row["cpu_s"]), number(row["peak_mb"])]


def table(rows: list[Row]) -> str:
    apart = {key_of(row): row for row in rows if not row["merge"]}
    figures = ("executions", "states", "CPU s", "MB")
    columns = ("program", "model", *figures, *(f"{figure}, --no-merge" for figure in figures))
    return as_markdown(columns, (line(row, apart.get(key_of(row))) for row in rows if row["merge"]))


GROWTH = "Time for a local state grows as a power of their number: under {model}, {exponents}."


def growth(rows: list[Row]) -> str:
    """How time for a local state grows with the number of local states, where sizes of one program differ much."""
    sentences = []
    for model in dict.fromkeys(row["model"] for row in rows):
        exponents = []
        for program in ("lastzero", "bakery"):
            ended = [
                r for r in rows if (r["program"], r["model"], r["merge"]) == (program, model, True) and r["complete"]
            ]
            points = [(math.log(r["local_states"]), math.log(r["cpu_s"] / r["local_states"])) for r in ended]
            if len(points) > 1:
                slope = statistics.linear_regression(*zip(*points, strict=True)).slope
                first, last = short_title(ended[0]), short_title(ended[-1])
                exponents.append(f"from {first} to {last} with exponent {slope:.2f}")
        sentences.append(GROWTH.format(model=model.upper(), exponents=", ".join(exponents)))
    return "\n".join(sentences)


def measurements(stored: Rows, models: tuple[str, ...], timeout: float) -> Iterator[Row]:
    """All rows; what is stored is not measured again."""
    for case in cases(models):
        row = _row_of(stored, case)
        if row is None:
            row = {**case.columns(), "merge": case.merge, **measured(case, timeout)}
            stored.add(row)
            print(case.title, case.merge, row["complete"], row["cpu_s"], row["peak_mb"], flush=True)
        yield row


def known_rows() -> Iterator[Known]:
    """The rows of the first table that no limit cut; the second depends on what is done in a few seconds."""
    stored = _stored()
    for case in cases(MODELS):
        row = _row_of(stored, case)
        if row is not None and not row["why"]:
            yield Known(case.title, row["wall_s"], partial(case_differences, case, row))


def _stored(*, fresh: bool = False) -> Rows:
    return Rows(ROOT / "results" / "local_states.jsonl", (*KEY, "merge"), optional=OPTIONAL, fresh=fresh)


def _row_of(stored: Rows, case: BenchCase) -> Row | None:
    return stored.get(*case.key[: len(KEY)], case.merge, *case.key[len(KEY) :])


def counted(rows: int | None) -> tuple[str, str]:
    """The table of the first `rows` files of examples, and the command that writes it."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples").glob("*.py") if path.stem != "__init__")
    arguments = ["-m", "tests.local_state.count", *files[:rows], "--model", "pso", "--seconds", str(COUNT_SECONDS)]
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip(), f"python -m tests.local_state.count examples/*.py --model pso --seconds {COUNT_SECONDS}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for each row")
    parser.add_argument("--model", choices=MODELS, help="only this memory model")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    add_rows(parser)
    options = parser.parse_args()
    stored = _stored(fresh=options.fresh)
    asked = measurements(stored, (options.model,) if options.model else MODELS, options.timeout)
    found = list(islice(asked, options.rows))
    counts, command = counted(options.rows)
    machine = sentence(found)
    figures = {"limit": options.timeout, "count": COUNT_SECONDS, "command": command}
    text = TEXT.format(rows=table(found), growth=growth(found), machine=machine, counts=counts, **figures)
    write_atomically(ROOT / "results" / "local-states.md", text)


if __name__ == "__main__":
    main()
