"""Whether the tables in results/ are true today: a sample of the rows of each is measured again.

Counts and verdicts must be those of the table; times may differ. Rows that took long, or that a limit cut, are left
out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from mcr.bench.agreement import compared
from mcr.bench.case import KEY, OPTIONAL, Case
from mcr.bench.process import measured
from mcr.bench.rows import Row, Rows
from mcr.bench.suite import Choice
from mcr.bench.table import lines
from results.bench.suites import suite_named, suite_names

RESULTS = Path(__file__).parent
ROWS = 8
"""How many rows of a table are measured, unless something else is asked for."""

LONGEST = 2.0
"""Seconds of the longest rows among which they are chosen."""

LIMIT = 60.0
"""Seconds that each may take now."""

SEED = 20261125


def sample(name: str, count: int) -> list[tuple[Case, Row]]:
    """Rows of a table with the cases that they are of, always the same ones for a count."""
    rows = Rows(RESULTS / f"{name}.jsonl", KEY, optional=OPTIONAL)
    known = [(case, rows.get(*case.key)) for case in suite_named(name).cases(Choice())]
    short = [(case, row) for case, row in known if row is not None and not row["why"] and row["wall_s"] <= LONGEST]
    return random.Random(f"{SEED} {name}").sample(short, min(count, len(short)))


def differences(name: str, count: int) -> Iterator[str]:
    """Sentences on the rows of a table that are not what they were, of a sample."""
    for case, row in tqdm(sample(name, count), desc=name, unit="row", leave=False):
        now = measured(case, LIMIT)
        if now["why"]:
            yield f"{name}: {case.title}: {now['verdict']}: {now['why']}, was {row['verdict']}"
        yield from (f"{name}: {sentence}" for sentence in compared(lines([now]), lines([row])).different)


def check(count: int = ROWS, wanted: tuple[str, ...] = ()) -> int:
    """Measure and tell; returns the exit status."""
    different = 0
    for name in suite_names():
        if wanted and not any(each in name for each in wanted):
            continue
        found = list(differences(name, count))
        print(f"{name}: {len(sample(name, count))} rows measured, {len(found)} differ", flush=True)
        print("".join(f"  {sentence}\n" for sentence in found), end="", flush=True)
        different += len(found)
    return 1 if different else 0
