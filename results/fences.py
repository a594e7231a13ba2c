"""Which fences published algorithms need, and which of those that they have they can do without: fences.md.

.venv/bin/python results/fences.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcr.fencing.places import PlacedFence
from mcr.fencing.search import FenceAnswer, LeastFences, needed, repair
from replay.frontend.program import Program
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from replay.world.operation import Kind
from results.known import Known, known, written_tables
from results.made import made_by
from results.rows import rows_asked

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "examples" / "reference.py"
LARGE = (("bakery", {"n": 3}), ("fastmutex", {"n": 3, "b": 1}))
MODELS_WITH_BUFFERS = ("tso", "pso")
_WEAK = ("Fails under: TSO, PSO", "Fails under: PSO")
_SHORT = {Kind.FENCE: "F", Kind.STORE_FENCE: "S"}


def main() -> None:
    asked = rows_asked(__doc__)
    repaired = list(islice(_rows(_failing(), repair_row), asked))
    own = list(islice(_rows(_fenced(), own_row), asked))
    text = f"""# Fences

F12 is a full fence at line 12 (after it, where fences are added), S12 a store fence.
A full fence costs 2, a store fence 1. Every set is verified, and nothing that costs less is. Times are CPU seconds of
one process.

{made_by("results/fences.py")}

## The least fences that repair what fails

Every program of `examples/` that fails under a model with store buffers and not under SC, and two larger ones.

| program | model | places | least sets | cost | checks | s |
|---|---|---|---|---|---|---|
{chr(10).join(repaired)}

## The fences of published algorithms, and which of them are needed

"needed" has every least subset of the program's own fences with which it is verified.

| program | model | fences | needed | not needed | checks | s |
|---|---|---|---|---|---|---|
{chr(10).join(own)}
"""
    (ROOT / "results" / "fences.md").write_text(text, encoding="utf-8")


def _failing() -> Iterator[Program]:
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield from (program for program in programs_in(path) if (program.__doc__ or "").rstrip().endswith(_WEAK))
    for name, arguments in LARGE:
        yield next(program for program in programs_in(REFERENCE) if program.name == name)(**arguments)


def _fenced() -> Iterator[Program]:
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield from (program for program in programs_in(path) if program.name.endswith("_fenced"))


Measure = Callable[[Program, str], tuple[str, ...]]


def known_rows() -> Iterator[Known]:
    """The rows of both tables."""
    for rows, programs, measure in zip(
        written_tables("fences.md"), (_failing(), _fenced()), (repair_row, own_row), strict=True
    ):
        named = {_title(program): program for program in programs}
        for title, model, *cells, seconds in rows:
            again = partial(measure, named[title], model.lower())
            yield known(f"{title} under {model}", float(seconds), cells, again)


def _title(program: Program) -> str:
    return f"{Path(program.file).stem}::{program.title}"


def _rows(programs: Iterator[Program], row: Measure) -> Iterator[str]:
    for program in programs:
        for model in MODELS_WITH_BUFFERS:
            started = time.process_time()
            cells = row(program, model)
            if cells:
                cells = (_title(program), model.upper(), *cells, f"{time.process_time() - started:.1f}")
                print("| " + " | ".join(cells) + " |", flush=True)
                yield "| " + " | ".join(cells) + " |"


def repair_row(program: Program, model: str) -> tuple[str, ...]:
    found = repair(program, MODELS[model], every=True)
    if found.answer is FenceAnswer.NONE_NEEDED:
        return ()
    sets = " or ".join(map(_shown, found.sets)) or found.answer.value
    return str(len(found.places)), sets, str(found.cost), str(found.checks)


def own_row(program: Program, model: str) -> tuple[str, ...]:
    found = needed(program, MODELS[model], every=True)
    return str(len(found.places)), _needed(found), _not_needed(found), str(found.checks)


def _needed(found: LeastFences) -> str:
    return " or ".join(map(_shown, found.sets)) if any(found.sets) else "none"


def _not_needed(found: LeastFences) -> str:
    kept = {fence.line for fences in found.sets for fence in fences}
    return ", ".join(str(line[1]) for line in found.places if line not in kept)


def _shown(fences: tuple[PlacedFence, ...]) -> str:
    return ", ".join(f"{_SHORT[fence.kind]}{fence.line[1]}" for fence in fences)


if __name__ == "__main__":
    main()
