"""What `mcr linearizable` says: the level and its bounds, or a history, drawn, and why no order explains it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from mcr.exploration.verdict import Verdict
from mcr.linearizability.history_of_trace import CallSeen
from mcr.linearizability.observers import LEVELS, LINEARIZABLE
from mcr.linearizability.search import MOST_ORDERS, Linearizability
from mcr.report.source import shown_path
from mcr.report.style import VERDICT_ROLES, Style
from mcr.report.table import wrap
from replay.sentences import counted

LINEARIZABILITY_SCHEMA = "mcr-linearizable/1"


def render_linearizability(found: Linearizability, width: int, style: Style) -> Iterator[str]:
    """The answer; if it is no, the smallest client, its history, and the orders."""
    role = VERDICT_ROLES[found.verdict]
    head = f"{found.name} under {found.model.upper()}: "
    yield style.paint(head, "strong") + style.paint(_answer(found), role)
    yield from (f"  {line}" for line in wrap(f"for {found.bounds}", width - 2))
    yield f"  {_effort(found)}"
    if found.stop is not None:
        yield from (f"  {line}" for line in wrap(f"{found.stop}", width - 2))
    example = found.counterexample
    if example is not None:
        yield ""
        yield from drawn(example.seen, len(example.calls), style)
        yield ""
        yield from (f"  {order}" for order in example.orders)
        if len(example.orders) == MOST_ORDERS:
            yield "  ..."
        if example.path is not None:
            yield ""
            yield f"  mcr replay {shown_path(str(example.path))}"


def _answer(found: Linearizability) -> str:
    if found.verdict is Verdict.VERIFIED:
        return f"{LINEARIZABLE}"
    if found.verdict is Verdict.INCOMPLETE:
        return "incomplete"
    if found.stop is not None:
        return f"not {LINEARIZABLE}"
    return f"not {LINEARIZABLE}, but {found.level}" if found.level else f"not {' and not '.join(LEVELS)}"


def _effort(found: Linearizability) -> str:
    return f"{counted(found.clients, 'client')}, {counted(found.states, 'global state')}, {found.seconds:.1f} s"


def drawn(calls: Sequence[CallSeen], threads: int, style: Style) -> Iterator[str]:
    """One line per thread, and a bar from each call to its return."""
    texts = [f" {call.text} {call.result} ".replace("  ", " ") for call in calls]
    last = max(call.ends for call in calls) if calls else 0
    columns = _columns(calls, texts, last)
    left, right, rule = ("├", "┤", "─") if style.drawn else ("|", "|", "-")
    for thread in range(threads):
        line = ""
        for call, text in zip(calls, texts, strict=True):
            if call.thread == thread:
                begin, end = columns[call.begins], columns[call.ends]
                closed = right if call.result else rule
                line = line.ljust(begin) + left + text.center(end - begin - 1, rule) + closed
        yield f"  {style.paint(f'thread {thread}', 'thread')}  {line}"


def _columns(calls: Sequence[CallSeen], texts: Sequence[str], last: int) -> list[int]:
    """Where each beginning and end stands, so that every bar has room for its text."""
    ends = {call.ends: (call, text) for call, text in zip(calls, texts, strict=True) if call.result}
    columns = [0]
    for place in range(1, last + 2):
        least = columns[-1] + 2
        if place in ends:
            call, text = ends[place]
            least = max(least, columns[call.begins] + len(text) + 3)
        columns.append(least)
    unfinished = [
        columns[call.begins] + len(text) + 3 for call, text in zip(calls, texts, strict=True) if not call.result
    ]
    if unfinished:
        columns[last] = max(columns[last], *unfinished)
    return columns


def linearizability_document(found: Sequence[Linearizability]) -> dict[str, Any]:
    """The same for machines."""
    return {"schema": LINEARIZABILITY_SCHEMA, "classes": [_document(each) for each in found]}


def _document(found: Linearizability) -> dict[str, Any]:
    example = found.counterexample
    return {
        "name": found.name,
        "model": found.model,
        "verdict": found.verdict.value,
        "level": found.level,
        "operations": list(found.operations),
        "threads": found.threads,
        "calls": found.calls,
        "clients": found.clients,
        "global_states": found.states,
        "stop": None if found.stop is None else str(found.stop),
        "counterexample": None if example is None else {
            "calls": [list(calls) for calls in example.calls],
            "history": [asdict(call) for call in example.seen],
            "orders": list(example.orders),
            "replay": None if example.path is None else str(example.path),
        },
        "times": {"seconds": found.seconds},
    }  # fmt: skip
