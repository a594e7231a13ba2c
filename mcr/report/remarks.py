"""Sentences on an exploration: how large it is, what takes long, which threads never end, what the objectives found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mcr.executions.equivalence import EQUIVALENCES
from mcr.exploration.goals import AFTERWARDS, RACES
from mcr.exploration.growth import Size, ThreadSize
from mcr.exploration.verdict import ClassCount, Outlook, Result, Statistics, Verdict
from mcr.report.source import replay_command
from replay.frontend.threads import FINAL
from replay.sentences import counted, listed
from replay.traces.trace import DEADLOCK

COLUMNS = ("global states", "executions", "local states", "time")
"""Names of columns in a table of results."""


def cells(statistics: Statistics) -> tuple[str, ...]:
    """Returns the figures for these columns; a dash stands for what was not explored."""
    states, executions = statistics.global_states, statistics.executions
    explored = (f"{states:,}" if states else "-", "-" if states and not executions else f"{executions:,}")
    return (*explored, f"{statistics.local_states:,}", f"{statistics.seconds:,.2f} s")


def how_far(outlook: Outlook | None) -> str:
    """Returns how far an exploration is, by the algorithm that counts, and about how much there is in all."""
    if outlook is None:
        return "no estimate of what is left"
    seen = f"{outlook.by}: {outlook.seen:,}"
    if outlook.goals is not None:
        return f"{seen} {outlook.what}, {counted(outlook.goals, 'goal')} left (more may appear; no estimate)"
    if outlook.whole is None:
        return f"{seen} {outlook.what}, no estimate of what is left"
    about, least, most = (_rounded(max(each, outlook.seen)) for each in outlook.whole)
    return f"{seen} of about {about:,} {outlook.what} ({least:,} to {most:,})"


def _rounded(figure: float) -> int:
    """Returns a figure rounded to two digits: it is a guess."""
    return int(float(f"{figure:.2g}"))


def what_helps(result: Result, smaller: str) -> str:
    """The two options that help most where a limit of time or memory ended a check, with the reason; "" elsewhere.

    `smaller` is an argument for --set that makes the program smaller, "" if it has no parameter for that.
    """
    outlook, seconds = result.statistics.outlook, result.statistics.seconds
    stop = "" if result.stop is None else result.stop.reason
    if "time limit" not in stop and "memory" not in stop:
        return ""
    found = []
    if "time limit" in stop and outlook is not None and outlook.whole is not None and outlook.seen:
        needed = _rounded(2 * seconds * max(1.0, outlook.whole.about / outlook.seen))
        found.append(f"--timeout {needed}, as the estimate is about half of that")
    if smaller:
        found.append(f"--set {smaller}, as a smaller instance has most of the bugs and far fewer states")
    if not result.objective or result.objective == "failures":
        found.append("--sample 10000, as random schedules find many bugs soon, and it is told how likely they miss one")
    return f"what would help most: {'; or '.join(found[:2])}" if found else ""


_NAMED = 3
"""How many threads are named: those that do most."""


def takes_long(title: str, size: Size, ends_it: str) -> str:
    """Sentences for who waits; `ends_it` is an option that limits the time."""
    seconds = size.statistics.seconds
    return (
        f"{title} has taken {seconds:.0f} s so far ({size.statistics.counts()}) and may take minutes: "
        f"{how_far(size.statistics.outlook)}. "
        f"What there is to explore grows with each thread and each operation: {_threads(size.threads)}. "
        f"Fewer threads, or fewer calls in each, make it quicker; {ends_it} ends it."
    )


def _threads(threads: Sequence[ThreadSize]) -> str:
    most = sorted(threads, key=lambda thread: -thread.operations)[:_NAMED]
    more = len(threads) - len(most)
    return "; ".join([*map(_does, most), *([f"{more} more"] if more else [])])


def _does(thread: ThreadSize) -> str:
    busy = f", {thread.there} of them on {thread.location}" if 1 < thread.there < thread.operations else ""
    return f"{thread.name} does up to {counted(thread.operations, 'operation')}{busy}"


def unreached_sentence(names: Sequence[str]) -> str:
    """Say which threads no execution brings to their end; `names` are those of `Result.unreached`."""
    threads = [name for name in names if name != FINAL]
    parts = [f"thread{'s' if len(threads) > 1 else ''} {', '.join(threads)}"] if threads else []
    parts += ["the final function"] * (FINAL in names)
    return (
        f"but no execution brings {listed(parts)} to an end: a thread that goes on for ever, a lock, a wait or an "
        "assumption stops every one, and what comes after never runs"
    )


_HOLDS = {
    "deadlocks": "no deadlock",
    "progress": "progress: every fair run comes to its end, daemons apart, and no thread waits for ever",
    "obstruction-freedom": "obstruction-free: a thread that runs alone completes its calls",
    "lock-freedom": "lock-free: as long as threads go on, calls complete, whichever threads are stopped",
    "wait-freedom": "wait-free: a thread that goes on completes its calls, whatever others do",
}
"""What is proved, by objective."""

MOST = 50
"""Outcomes that are listed, each with a file."""


def objective_lines(result: Result, witnesses: Sequence[str]) -> Iterator[str]:
    """The lines after a result; `witnesses` are the files of the first outcomes."""
    is_partial = result.stop is not None or (result.verdict is Verdict.BUG and not result.complete)
    at_least = "at least " if is_partial else ""
    if result.witnesses:
        yield from _outcomes(result, witnesses, at_least)
    for count in result.shown_classes:
        yield f"{at_least}{_classes(count)}"
    if result.census:
        met = ", ".join(f"{name} {classes}" for name, classes in result.census)
        yield f"classes met in {counted(result.statistics.executions, 'execution')}: {met}"
    asked = result.objective.split(",")
    if result.verdict is Verdict.VERIFIED:
        yield from (_HOLDS[name] for name in asked if name in _HOLDS)
    if result.statistics.deadlocks and not _shows(result, DEADLOCK):
        ended, all_of_them = result.statistics.deadlocks, counted(result.statistics.executions, "execution")
        yield f"threads wait for ever at the end of {ended} of {all_of_them}, which is no bug here"
    for question in AFTERWARDS.values():
        if question.name in asked and result.stop is None and not _shows(result, question.error):
            yield question.holds
            if question.name == RACES and result.all_plain and result.model == "sc":
                yield "so robust: without races under SC, TSO and PSO add nothing [adve-1990]"
    if result.verdict is Verdict.VERIFIED and not result.complete:
        yield "the final function was run, but not in all ways that memory allows: --objective states does that"


def _shows(result: Result, error: str) -> bool:
    return any(trace.failure is not None and trace.failure.error == error for trace in result.failures)


def _outcomes(result: Result, witnesses: Sequence[str], at_least: str) -> Iterator[str]:
    count = len(result.witnesses)
    yield at_least + counted(count, "outcome")
    for (outcome, _), file in zip(result.witnesses, witnesses, strict=False):
        yield f"  {outcome_words(outcome)}    {replay_command(file)}"
    if count > len(witnesses):
        yield f"  and {count - len(witnesses)} more: --json lists all"


def outcome_words(outcome: str) -> str:
    """An outcome as readers see it, by its repr."""
    return "(nothing is returned)" if re.fullmatch(r"None|\((None(, |,)?)+\)", outcome) else outcome


def _classes(count: ClassCount) -> str:
    meaning = next(known.meaning for known in EQUIVALENCES if known.name == count.equivalence)
    blocked = (
        f", and {count.blocked} of executions that stop where a wait or an assumption fails" if count.blocked else ""
    )
    return f"{counted(count.complete, 'class')} of {count.equivalence} ({meaning}){blocked}"
