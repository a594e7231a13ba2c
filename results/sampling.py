"""How many random schedules find a bug, by sampler, beside the bound of PCT: sampling.md.

.venv/bin/python -m results.sampling
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from examples import bakery, dining_philosophers, fine_grained_list, michael_scott_queue
from mcr import Options
from mcr.api import open_session
from mcr.exploration.contract import Run
from mcr.explorers.sample.pct import depth_of_run
from mcr.explorers.sample.samplers import SAMPLERS
from replay.code.terminals import Failed
from replay.frontend.program import Program
from replay.traces.liveness import find_deadlock
from replay.world.memory_models import memory_model
from results.known import Known, known, written_tables
from results.made import made_by
from results.rows import rows_asked

RUNS = 100

STEPS_A_SECOND = 80_000
"""About what runs take: the table does not say."""

PROGRAMS = (
    (fine_grained_list.locked_list_lock_free_reader(), "sc", 20),
    (dining_philosophers.dining_philosophers(n=6), "sc", 30),
    (michael_scott_queue.two_lock_queue(producers=5), "pso", 180),
    (bakery.bakery(n=8), "tso", 820),
    (bakery.bakery(n=8), "pso", 820),
)
"""Programs with a bug, and about how many steps a run takes; the shortest first, for tests run that one alone."""


class Finds:
    """Counts runs that show the bug, by the depth for which PCT was asked; 0 for other samplers."""

    def __init__(self, sampler: str) -> None:
        self.runs: Counter[int] = Counter()
        self.found: Counter[int] = Counter()
        self.first: dict[int, int] = {}
        self._is_pct = sampler == "pct"

    def see(self, run: Run) -> None:
        depth = depth_of_run(self.runs.total()) if self._is_pct else 0
        self.runs[depth] += 1
        fails = any(isinstance(state.terminal, Failed) for state in run.machine.states)
        if fails or find_deadlock(run.machine) is not None:
            self.found[depth] += 1
            self.first.setdefault(depth, self.runs[depth])


def main() -> None:
    rows = [
        f"| {' | '.join(row)} |"
        for program, model, _ in PROGRAMS[: rows_asked(__doc__)]
        for row in _rows(program, model)
    ]
    text = f"""# Bugs that random schedules find

`--sample {RUNS}` by each sampler (docs/algorithms.md), of programs that have a bug. PCT looks for bugs of depth 1, 2
and 3 by turns: the least of these that finds a bug is its depth, as far as runs can tell. "at least" is the bound on
the share of runs that find a bug of that depth, 1 / (n k^(d-1)) [Burckhardt et al. 2010]; n counts threads and store
buffers, k steps. Other samplers have no such bound. "first" is the first run with the bug, among those of its row.

{made_by("-m results.sampling")}

| program | model | sampler | n | k | runs | with the bug | share | at least | first |
|---|---|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
"""
    (Path(__file__).parent / "sampling.md").write_text(text, encoding="utf-8")


def known_rows() -> Iterator[Known]:
    """The rows of a program are measured together."""
    (rows,) = written_tables("sampling.md")
    for program, model, steps in PROGRAMS:
        told = [row for row in rows if row[:2] == (program.title, model.upper())]
        about = len(SAMPLERS) * RUNS * steps / STEPS_A_SECOND
        yield known(f"{program.title} under {model.upper()}", about, told, partial(_rows, program, model))


def _rows(program: Program, model: str) -> list[tuple[str, ...]]:
    return [row for sampler in SAMPLERS for row in _rows_of(program, model, sampler)]


def _rows_of(program: Program, model: str, sampler: str) -> Iterator[tuple[str, ...]]:
    finds = Finds(sampler)
    options = Options(sample=RUNS, sampler=sampler, keep_going=True, shorten=False)
    session = open_session(program, memory_model(model), options=options, observers=[finds.see])
    session.explore()
    found = re.search(r"n = (\d+) threads and buffers, k = (\d+) steps", session.explorer.claim().bound)
    n, k = (int(found[1]), int(found[2])) if found is not None and sampler == "pct" else (0, 0)
    for depth in sorted(finds.runs):
        kind = f"{sampler}, depth {depth}" if depth else sampler
        bound = f"{1 / (n * k ** (depth - 1)):.2g}" if depth else ""
        share = finds.found[depth] / finds.runs[depth]
        figures = (n or "", k or "", finds.runs[depth], finds.found[depth], f"{share:.2g}", bound)
        yield (program.title, model.upper(), kind, *map(str, (*figures, finds.first.get(depth, ""))))


if __name__ == "__main__":
    main()
