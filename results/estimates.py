"""How good the estimates are of what an exploration has before it, a tenth of the way: estimates.md.

.venv/bin/python -m results.estimates
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
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

GRAPHS = (
    (reference.bakery(n=3, check=False), "tso"),
    (reference.fastmutex(n=3, b=1, check=False), "tso"),
    (reference.fib(n=5, check=False), "tso"),
    (reference.exp_mem(n=7), "sc"),
    (reference.lastzero(n=10), "sc"),
    (reference.casrot(n=8), "pso"),
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
    rows = [*_graphs(), *_states()]
    told = [row for row in rows if row[-1] is not None]
    right = sum(0.5 <= row[-1].about / row[2] <= 2 for row in told)
    text = f"""# Estimates of what is left

Written by `python -m results.estimates`. Execution graphs are guessed by probes of their tree, which need nothing of
what was visited. Global states are guessed from a tenth of them and from random runs; "no estimate" where the rules
that are asked are far apart.

{len(told)} of {len(rows)} explorations have an estimate; {right} of these are within a factor of two.

| program | model | in all | about | least | most | estimate / truth |
|---|---|---|---|---|---|---|
{chr(10).join(map(_row, rows))}
"""
    (Path(__file__).parent / "estimates.md").write_text(text, encoding="utf-8")


Row = tuple[str, str, int, str, Guess | None]


def _row(row: Row) -> str:
    program, model, whole, what, told = row
    figures = ["no estimate", "", "", ""]
    if told is not None:
        figures = [*(f"{max(each, SHARE * whole):,.0f}" for each in told), f"{told.about / whole:.2f}"]
    return f"| {' | '.join([program, model.upper(), f'{whole:,} {what}', *figures])} |"


def _graphs() -> Iterator[Row]:
    for program, model in GRAPHS:
        session = _explored(program, model, "trust")
        outlook = session.context.outlook()
        assert outlook is not None
        yield program.title, model, outlook.seen, "graphs", outlook.whole


def _states() -> Iterator[Row]:
    for program, model in STATES:
        explorer = _explored(program, model, "stateful").explorer
        assert isinstance(explorer, Stateful)
        levels, whole = explorer.space.levels, len(explorer.space.before)
        depth = next(at for at, seen in enumerate(accumulate(levels)) if seen >= SHARE * whole)
        yield program.title, model, whole, "states", guess(levels[: depth + 1], explorer.random_runs)


def _explored(program: Program, model: str, algorithm: str) -> Session:
    session = open_session(program, memory_model(model), algorithm=algorithm, options=Options(keep_going=True))
    result = session.explore()
    assert result.stop is None, result
    return session


if __name__ == "__main__":
    main()
