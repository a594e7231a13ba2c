"""What the objectives found besides failures: outcomes with their witnesses, classes, and what they leave open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcr.executions.equivalence import EQUIVALENCES
from mcr.exploration.verdict import ClassCount, Result, Verdict
from replay.sentences import counted
from replay.traces.trace import DATA_RACE, DEADLOCK, NOT_ROBUST

MOST = 50
"""Outcomes that are listed, each with a file."""


def objective_lines(result: Result, witnesses: Sequence[str]) -> Iterator[str]:
    """The lines after a result; `witnesses` are the files of the first outcomes."""
    is_partial = result.stop is not None or (result.verdict is Verdict.BUG and not result.complete)
    at_least = "at least " if is_partial else ""
    if result.witnesses:
        yield from _outcomes(result, witnesses, at_least)
    for count in result.classes:
        yield f"{at_least}{_classes(count)}"
    if result.census:
        met = ", ".join(f"{name} {classes}" for name, classes in result.census)
        yield f"classes met in {counted(result.statistics.executions, 'execution')}: {met}"
    asked = result.objective.split(",")
    if "deadlocks" in asked and result.verdict is Verdict.VERIFIED:
        yield "no deadlock"
    if "progress" in asked and result.verdict is Verdict.VERIFIED:
        yield "progress: every fair run comes to its end, daemons apart, and no thread waits for ever"
    if result.statistics.deadlocks and not _shows(result, DEADLOCK):
        ended, all_of_them = result.statistics.deadlocks, counted(result.statistics.executions, "execution")
        yield f"threads wait for ever at the end of {ended} of {all_of_them}, which is no bug here"
    if "robustness" in asked and result.stop is None and not _shows(result, NOT_ROBUST):
        yield "robust: every execution is one of SC"
    if "races" in asked and result.stop is None and not _shows(result, DATA_RACE):
        yield "race-free: synchronisation orders all accesses of plain cells"
        if result.all_plain and result.model == "sc":
            yield "so robust: without races under SC, TSO and PSO add nothing [adve-1990]"
    if result.verdict is Verdict.VERIFIED and not result.complete:
        yield "the final function was run, but not in all ways that memory allows: --objective states does that"


def _shows(result: Result, error: str) -> bool:
    return any(trace.failure is not None and trace.failure.error == error for trace in result.failures)


def _outcomes(result: Result, witnesses: Sequence[str], at_least: str) -> Iterator[str]:
    count = len(result.witnesses)
    yield at_least + counted(count, "outcome")
    for (outcome, _), file in zip(result.witnesses, witnesses, strict=False):
        yield f"  {outcome}    mcr replay {file}"
    if count > len(witnesses):
        yield f"  and {count - len(witnesses)} more: --json lists all"


def _classes(count: ClassCount) -> str:
    meaning = next(known.meaning for known in EQUIVALENCES if known.name == count.equivalence)
    blocked = f", and {count.blocked} of executions in which a thread is blocked" if count.blocked else ""
    return f"{counted(count.complete, 'class')} of {count.equivalence} ({meaning}){blocked}"
