"""Plays failures of ordinary classes on threads of CPython: those of the examples, the corpus, and of packages.

    python -m tests.ordinary.confirmed [FILE ...]

Prints a line for each program that fails under SC, and how many were confirmed. A failure that CPython does not confirm
is a mistake of the interpreter, or needs a switch of threads inside of one instruction: the line says which. Files of
packages that are not installed are passed over.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import mcr
from replay.code.printing import shown_run
from replay.code.user_code import exploring
from replay.cpython.confirm import CONFIRMED, confirm
from replay.cpython.schedule import InsideInstructionError, schedule_of
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.loader import programs_in
from tests.desk import EXAMPLES

FILES = (
    EXAMPLES / "ordinary_classes.py",
    *sorted((Path(__file__).parent / "corpus").glob("[!_]*.py")),
    *sorted((Path(__file__).parent / "packages").glob("[!_]*.py")),
)

INSIDE = "needs a switch inside of an instruction"


def failing(program: Program) -> mcr.Trace | None:
    """A failure of a program that shares ordinary objects alone; None if it has none."""
    if program.models() != ("sc",):
        return None
    failures = mcr.check(program, "sc", timeout=60).failures
    return failures[0] if failures else None


def played(program: Program, trace: mcr.Trace) -> tuple[str, str]:
    """What became of a failure on CPython, in a word, and what was said."""
    try:
        with exploring(program.place), shown_run(appears=False):
            schedule = schedule_of(program, trace)
        found = confirm(schedule)
    except InsideInstructionError as error:
        return INSIDE, str(error)
    except CheckerError as error:
        return "refused", str(error)
    return "confirmed" if found.status == CONFIRMED else "not confirmed", found.said


def main(files: list[str]) -> int:
    """Returns 1 if CPython contradicts the interpreter."""
    counts: Counter[str] = Counter()
    for file in map(Path, files or FILES):
        try:
            programs = programs_in(file)
        except CheckerError as error:
            print(f"{file.name}: {str(error)[:100]}", flush=True)
            continue
        for program in programs:
            try:
                trace = failing(program)
            except CheckerError:  # what is refused is so on purpose
                continue
            if trace is not None:
                word, said = played(program, trace)
                counts[word] += 1
                print(f"{file.stem}::{program.name}: {word}: {said}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return int(bool(counts["not confirmed"] or counts["refused"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
