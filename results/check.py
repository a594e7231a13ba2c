"""Whether the tables in results/ are true today: a sample of the rows of each is measured again.

Counts, verdicts and sentences must be those of the table; times may differ. Rows that a limit cut are left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from itertools import accumulate
from pathlib import Path

from tqdm import tqdm

from mcr.bench.agreement import compared
from mcr.bench.case import KEY, OPTIONAL, BenchCase
from mcr.bench.measure import measure
from mcr.bench.process import measured
from mcr.bench.rows import Row, Rows
from mcr.bench.suite import SuiteSelection
from mcr.bench.table import lines
from results.bench.suites import suite_named, suite_names
from results.known import Known, NotHere
from results.made import note_again

RESULTS = Path(__file__).parent
ROWS = 8
"""How many rows of a table are measured, unless something else is asked for."""

SHORT = 2.0
"""Seconds of a row that is short: rows are chosen among these if there are enough of them."""

BUDGET = 40.0
"""Seconds that longer rows of a table may take together, where there are too few short ones."""

LIMIT = 300.0
"""Seconds that each row may take now: the machine may be slower, or do other work."""

SEED = 20261125

Measure = Callable[[BenchCase, float], Row]
"""What takes a measurement, with a limit in seconds."""

SCRIPTS = {
    "certificates": "results.certificates",
    "consistency": "results.consistency",
    "consistency-growth": "results.consistency_known",
    "estimates": "results.estimates",
    "existing": "results.existing",
    "fences": "results.fences",
    "levels": "results.levels",
    "litmus-speed": "results.litmus_speed",
    "liveness": "tests.progress.dat3m",
    "local-states": "results.local_states",
    "newcomers": "results.newcomers",
    "ordinary-classes": "results.ordinary_classes",
    "refusals": "results.refusals",
    "reports": "results.reports",
    "sampling": "results.sampling",
    "states": "results.states",
    "threadsafety": "tests.ordinary.threadsafety",
}
"""Tables that scripts write, with the modules whose `known_rows` are their rows."""


def table_names() -> list[str]:
    """All tables that are checked."""
    return [*suite_names(), *SCRIPTS]


def known_rows(name: str, measure: Measure = measured) -> Iterable[Known]:
    """The rows of a table that can be measured here, and that no limit cut."""
    if name not in SCRIPTS:
        return _rows_of_suite(name, measure)
    rows: Callable[[], Iterable[Known]] = import_module(SCRIPTS[name]).known_rows
    return rows()


def _rows_of_suite(name: str, measure: Measure) -> Iterator[Known]:
    rows = Rows(RESULTS / f"{name}.jsonl", KEY, optional=OPTIONAL)
    for case in suite_named(name).cases(SuiteSelection()):
        row = rows.get(*case.key)
        if row is not None and not row["why"]:
            yield Known(case.title, row["wall_s"], partial(case_differences, case, row, measure))


def case_differences(case: BenchCase, row: Row, measure: Measure = measured) -> Iterator[str]:
    """Sentences on what a measurement has now that it did not have in a row."""
    now = measure(case, LIMIT)
    if now["why"]:
        yield f"{case.title}: {now['verdict']}: {now['why']}, was {row['verdict']}"
    yield from compared(lines([now]), lines([row])).different


def sample(name: str, count: int) -> list[Known]:
    """Rows of a table, always the same ones for a count; the shortest ones where few are short, but at least one."""
    rows = sorted(known_rows(name), key=lambda row: row.seconds)
    short = [row for row in rows if row.seconds <= SHORT]
    if len(short) >= count:
        return random.Random(f"{SEED} {name}").sample(short, count)
    affordable = sum(spent <= BUDGET for spent in accumulate(row.seconds for row in rows))
    return rows[: min(count, max(1, affordable))]


def check(count: int = ROWS, wanted: tuple[str, ...] = ()) -> int:
    """Measure a sample and tell; returns the exit status: 1 if something differs, or a table has no row to measure."""
    return _check(lambda name: sample(name, count), wanted)


def note(longest: float, wanted: tuple[str, ...] = ()) -> int:
    """Measure all rows of up to `longest` seconds; a page of which none differs says at its end that this was done.

    Rows of suites are measured in this process: to start one takes longer than most of them.
    """

    def done(name: str, rows: int) -> None:
        note_again(page_of(name), rows, longest)

    return _check(
        lambda name: [row for row in known_rows(name, _measured_here) if row.seconds <= longest], wanted, done
    )


def _measured_here(case: BenchCase, timeout: float) -> Row:
    return {**case.columns(), **measure(case, timeout)}


def page_of(name: str) -> Path:
    """The page of a table."""
    return next(page for page in RESULTS.glob("*.md") if page.stem.replace("_", "-") == name)


def _check(
    chosen: Callable[[str], list[Known]],
    wanted: tuple[str, ...],
    done: Callable[[str, int], None] = lambda name, rows: None,
) -> int:
    wrong = 0
    for name in table_names():
        if wanted and not any(each in name for each in wanted):
            continue
        try:
            rows = chosen(name)
        except NotHere as missing:
            print(f"{name}: not measured: {missing}", flush=True)
            continue
        found = [sentence for row in tqdm(rows, desc=name, unit="row", leave=False) for sentence in row.differences()]
        print(f"{name}: {len(rows)} rows measured, {len(found)} differ", flush=True)
        print("".join(f"  {sentence}\n" for sentence in found), end="", flush=True)
        if rows and not found:
            done(name, len(rows))
        wrong += len(found) + (not rows)
    return 1 if wrong else 0
