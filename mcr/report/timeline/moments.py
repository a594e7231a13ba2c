"""The moments of a timeline: the rows of the interleaving, what came before them, and the failure."""

from __future__ import annotations

from dataclasses import dataclass

from mcr.report.interleaving import Row, rows, rows_before_failure, waiting_threads
from mcr.report.source import headline
from mcr.report.timeline.states import State, states
from replay.frontend.threads import FINAL
from replay.traces.trace import DEADLOCK, Trace
from replay.world.operation import Source


@dataclass(frozen=True)
class Moment:
    """One stop of the reader.

    row    what happened; None for the beginning and the failure
    cells  text by thread; "" stands for all threads
    line   the line of the program to look at
    fails  whether this is where the failure shows
    """

    row: Row | None
    cells: dict[str, str]
    line: Source | None
    state: State
    fails: bool = False


def moments(trace: Trace) -> list[Moment]:
    """The beginning, then one for each row, and the failure where it happened."""
    known = states(trace)
    found = [Moment(None, {}, None, known[0])]
    for row in rows(trace):
        line = row.line or trace.events[row.event].line
        thread = "" if row.thread == FINAL else row.thread
        found.append(Moment(row, {thread: shown_text(row, trace)}, line, known[row.steps]))
    if trace.failure is not None:
        place = rows_before_failure(trace) + 1
        found.insert(place, Moment(None, _ending(trace), trace.failure.line, found[place - 1].state, True))
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
    return {"" if failure.thread == FINAL else failure.thread: headline(failure)}
