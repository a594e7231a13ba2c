"""The moments of a timeline: the rows of the interleaving, what came before them, and the failure."""

from __future__ import annotations

from dataclasses import dataclass

from mcr.report.interleaving import Row, first_repeated, rows, rows_before_failure, waiting_threads
from mcr.report.source import headline
from mcr.report.timeline.states import State, states
from replay.frontend.threads import FINAL
from replay.traces.trace import DEADLOCK, Trace
from replay.world.operation import Source


@dataclass(frozen=True)
class Moment:
    """One stop of the reader.

    row      what happened; None for the beginning and the failure
    cells    text by thread; "" stands for all threads
    line     the line of the program to look at
    fails    whether this is where the failure shows
    repeats  it is of that part which repeats for ever
    """

    row: Row | None
    cells: dict[str, str]
    line: Source | None
    state: State
    fails: bool = False
    repeats: bool = False


def moments(trace: Trace) -> list[Moment]:
    """The beginning, then one for each row, and the failure where it happened."""
    known = states(trace)
    found = [Moment(None, {}, None, known[0])]
    shown = rows(trace)
    first = first_repeated(trace, shown)
    for row in shown:
        line = row.line or trace.events[row.event].line
        thread = "" if row.thread == FINAL else row.thread
        cells, repeats = {thread: shown_text(row, trace)}, first is not None and row.number >= first
        found.append(Moment(row, cells, line, known[row.steps], repeats=repeats))
    if trace.failure is not None:
        place = rows_before_failure(trace) + 1
        state, repeats = found[place - 1].state, first is not None
        found.insert(place, Moment(None, _ending(trace), trace.failure.line, state, fails=True, repeats=repeats))
    return found


def shown_text(row: Row, trace: Trace) -> str:
    """What happened, with arrows that no line break can tear."""
    return f"{trace.events[row.event].operation} → memory" if row.commit else row.text.replace(" -> ", " → ", 1)


def _ending(trace: Trace) -> dict[str, str]:
    """What the failure looks like for each thread that it concerns."""
    failure = trace.failure
    assert failure is not None
    if failure.error == DEADLOCK:
        return {name: f"waits for ever: {operation}" for name, operation in waiting_threads(trace).items()}
    if failure.is_lasso:
        number = first_repeated(trace, rows(trace))
        return {"": f"{failure.error}: it goes on with step {number}"}
    return {"" if failure.thread == FINAL else failure.thread: headline(failure)}
