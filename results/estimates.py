"""How good the estimates are of what an exploration has before it, a tenth of the way: estimates.md.

.venv/bin/python -m results.estimates
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import accumulate, chain, islice
from pathlib import Path

from examples import queue_locks, reference
from mcr import Options
from mcr.api import open_session
from mcr.exploration.session import Session
from mcr.exploration.verdict import Guess
from mcr.explorers.stateful.estimate import guess
from mcr.explorers.stateful.explorer import Stateful
from replay.frontend.program import Program
from replay.world.memory_models import memory_model
from results.bench import everyday
from results.known import Known, known, written_tables
from results.made import made_by
from results.rows import rows_asked

GRAPHS = (
    (reference.casrot(n=8), "pso"),
    (reference.bakery(n=3, check=False), "tso"),
    (reference.fastmutex(n=3, b=1, check=False), "tso"),
    (reference.fib(n=5, check=False), "tso"),
    (reference.exp_mem(n=7), "sc"),
    (reference.lastzero(n=10), "sc"),
    (reference.example(n=3, check=False), "sc"),
    (everyday.racy_counter(n=3), "sc"),
    (everyday.counter(n=4), "sc"),
    (everyday.treiber_stack(rounds=2), "tso"),
)
STATES = (
    (reference.bakery(n=4, check=False), "sc"),
    (reference.bakery(n=3, check=False), "tso"),
    (reference.fastmutex(n=4, check=False), "sc"),
    (reference.fastmutex(n=3, b=2, check=False), "tso"),
    (reference.fib(n=5, check=False), "tso"),
    (reference.ttas(n=5, b=3, check=False), "tso"),
    (everyday.philosophers(n=6, meals=2), "sc"),
    (everyday.racy_counter(rounds=3), "tso"),
    (everyday.michael_scott_queue(producers=3, consumers=2), "sc"),
    (queue_locks.clh_lock_fenced(n=5), "tso"),
)

SHARE = 0.1
"""How far on the way the estimate is made."""


def main() -> None:
    rows = [_estimated(*asked) for asked in islice(_asked(), rows_asked(__doc__))]
    told = [row for row in rows if row[-1] is not None]
    right = sum(0.5 <= row[-1].about / row[2] <= 2 for row in told)
    text = f"""# Estimates of what is left

Execution graphs are guessed by probes of their tree, which need nothing of
what was visited. Global states are guessed from a tenth of them and from random runs; "no estimate" where the rules
that are asked are far apart.

{made_by("-m results.estimates")}

{len(told)} of {len(rows)} explorations have an estimate; {right} of these are within a factor of two.

| program | model | in all | about | least | most | estimate / truth |
|---|---|---|---|---|---|---|
{chr(10).join(map(_row, rows))}
"""
    (Path(__file__).parent / "estimates.md").write_text(text, encoding="utf-8")


Row = tuple[str, str, int, str, Guess | None]


def _row(row: Row) -> str:
    return f"| {' | '.join(_cells(row))} |"


def _cells_of(asked: Asked) -> list[str]:
    return _cells(_estimated(*asked))


def _cells(row: Row) -> list[str]:
    program, model, whole, what, told = row
    figures = ["no estimate", "", "", ""]
    if told is not None:
        figures = [*(f"{max(each, SHARE * whole):,.0f}" for each in told), f"{told.about / whole:.2f}"]
    return [program, model.upper(), f"{whole:,} {what}", *figures]


def known_rows() -> Iterator[Known]:
    """The rows of the table, in its order."""
    (rows,) = written_tables("estimates.md")
    for cells, asked in zip(rows, _asked(), strict=True):
        yield known(" ".join(cells[:2]), 0.0, cells, partial(_cells_of, asked))


Asked = tuple[Program, str, str]
"""A program, a model, and whether its graphs or its states are guessed."""


def _asked() -> Iterator[Asked]:
    of_graphs = ((program, model, "graphs") for program, model in GRAPHS)
    return chain(of_graphs, ((program, model, "states") for program, model in STATES))


def _estimated(program: Program, model: str, what: str) -> Row:
    found = _graphs(program, model) if what == "graphs" else _states(program, model)
    return program.title, model, found[0], what, found[1]


def _graphs(program: Program, model: str) -> tuple[int, Guess | None]:
    outlook = _explored(program, model, "trust").context.outlook()
    assert outlook is not None
    return outlook.seen, outlook.whole


def _states(program: Program, model: str) -> tuple[int, Guess | None]:
    explorer = _explored(program, model, "stateful").explorer
    assert isinstance(explorer, Stateful)
    levels, whole = explorer.space.levels, len(explorer.space.before)
    depth = next(at for at, seen in enumerate(accumulate(levels)) if seen >= SHARE * whole)
    return whole, guess(levels[: depth + 1], explorer.random_runs)


def _explored(program: Program, model: str, algorithm: str) -> Session:
    session = open_session(program, memory_model(model), algorithm=algorithm, options=Options(keep_going=True))
    result = session.explore()
    assert result.stop is None, result
    return session


if __name__ == "__main__":
    main()
