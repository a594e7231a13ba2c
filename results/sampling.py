"""How many random schedules find a bug, beside the bound of PCT: sampling.md.

.venv/bin/python -m results.sampling
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from examples import bakery, michael_scott_queue
from mcr import Options
from mcr.api import open_session
from mcr.exploration.contract import Run
from mcr.explorers.sample import DEPTHS, Sample, depth_of_run
from replay.code.terminals import Failed
from replay.frontend.program import Program
from replay.world.memory_models import memory_model
from results.known import Known, known, written_tables
from results.made import made_by
from results.rows import rows_asked

RUNS = 2_000

STEPS_A_SECOND = 80_000
"""About what runs take: the table does not say."""

PROGRAMS = (
    (bakery.bakery(n=8), "tso"),
    (bakery.bakery(n=8), "pso"),
    (michael_scott_queue.two_lock_queue(producers=5), "pso"),
)


class Finds:
    """Counts runs in which a thread fails, by the depth for which PCT was asked; 0 for random walks."""

    def __init__(self) -> None:
        self.runs: Counter[int] = Counter()
        self.found: Counter[int] = Counter()
        self.first: dict[int, int] = {}

    def see(self, run: Run) -> None:
        depth = depth_of_run(self.runs.total())
        self.runs[depth] += 1
        if any(isinstance(state.terminal, Failed) for state in run.machine.states):
            self.found[depth] += 1
            self.first.setdefault(depth, self.runs[depth])


def main() -> None:
    rows = [
        f"| {' | '.join(row)} |" for program, model in PROGRAMS[: rows_asked(__doc__)] for row in _rows(program, model)
    ]
    text = f"""# Bugs that random schedules find

`--sample {RUNS}` of programs that are too large for a proof. Half of the runs
are random walks, the others PCT for bugs of depth 1, 2 and 3: the least of these that finds a bug is its depth, as far
as runs can tell. "at least" is the bound on the share of runs that find a bug of that depth, 1 / (n k^(d-1))
[Burckhardt et al. 2010]; n counts threads and store buffers, k steps.

{made_by("-m results.sampling")}

| program | model | n | k | runs | how many | with the bug | share | at least | first at run |
|---|---|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
"""
    (Path(__file__).parent / "sampling.md").write_text(text, encoding="utf-8")


def known_rows() -> Iterator[Known]:
    """The rows of a program are measured together."""
    (rows,) = written_tables("sampling.md")
    for program, model in PROGRAMS:
        told = [row for row in rows if row[:2] == (program.title, model.upper())]
        about = int(told[0][3]) / STEPS_A_SECOND * RUNS
        yield known(f"{program.title} under {model.upper()}", about, told, partial(_rows, program, model))


def _rows(program: Program, model: str) -> list[tuple[str, ...]]:
    finds = Finds()
    options = Options(sample=RUNS, keep_going=True, shorten=False)
    session = open_session(program, memory_model(model), options=options, observers=[finds.see])
    session.explore()
    explorer = session.explorer
    assert isinstance(explorer, Sample)
    found = re.search(r"n = (\d+) threads and buffers, k = (\d+) steps", explorer.claim().bound)
    assert found is not None
    n, k = int(found[1]), int(found[2])
    rows = []
    for depth in (0, *DEPTHS):
        kind = f"PCT, depth {depth}" if depth else "random walks"
        bound = f"{1 / (n * k ** (depth - 1)):.2g}" if depth else ""
        share = finds.found[depth] / finds.runs[depth]
        figures = (kind, finds.runs[depth], finds.found[depth], f"{share:.2g}", bound, finds.first.get(depth, ""))
        rows.append((program.title, model.upper(), str(n), str(k), *map(str, figures)))
    return rows


if __name__ == "__main__":
    main()
