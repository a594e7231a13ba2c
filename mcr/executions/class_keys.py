"""Class keys: which behaviour a trace shows, for each equivalence of docs/semantics.md 1.

A key is a digest of what the equivalence looks at, in canonical order and by
names only, so that keys compare across runs, processes and machines, and can
be kept in files.

The final function only looks at what the threads did. It is left out, except
where it *is* the outcome, and where each read is an event of the class (rvf).
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from mcr.executions.equivalence import READS_FROM, TRACES, VALUES, history
from replay.frontend.threads import FINAL
from replay.traces.trace import Trace

EventName = tuple[str, int]
"""Thread and position in its program order."""


def class_key(trace: Trace, equivalence: str) -> str:
    """The key of the trace's class: equal texts for equal classes, of one program under any model.

    `equivalence` is one of `EQUIVALENCES`; raises KeyError for another.
    """
    content = [equivalence, EQUIVALENCES[equivalence](Named(trace))]
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def class_keys(trace: Trace) -> dict[str, str]:
    """The trace's key for every equivalence."""
    return {name: class_key(trace, name) for name in EQUIVALENCES}


class Named:
    """The execution that a trace records, by names, as equivalences see it.

    behaviour  all that was asked for, read and written, thread by thread
    coherence  with stores that never reached memory last, thread by thread
    looks      the values that the final function read
    """

    def __init__(self, trace: Trace) -> None:
        self.ends = trace.ends
        self.events = sorted(
            (event for event in trace.events if event.thread != FINAL), key=lambda event: (event.thread, event.index)
        )
        self.looks = [event.read for event in trace.events if event.thread == FINAL and event.read is not None]
        places = {event.id: (event.thread, event.index) for event in trace.events}
        self.behaviour = [
            (event.thread, event.kind, event.operation, event.location, event.read, event.written)
            for event in self.events
        ]
        self.sources: dict[EventName, EventName | None] = {
            places[event.id]: None if event.source is None else places[event.source]
            for event in self.events
            if event.reads_memory
        }
        self.coherence = {loc: [places[write] for write in order] for loc, order in trace.coherence().items()}
        for event in self.events:
            if event.written is not None and event.committed is None:
                self.coherence.setdefault(event.location, []).append(places[event.id])


def _reads_value_from(execution: Named) -> list[Any]:
    """[agarwal-2021] section 3: events, their values, and the causal order (po and rf) of the reads.

    The final function is a thread here that follows all others: what it reads are values of events.
    """
    reads: dict[str, list[int]] = {}
    for event in execution.events:
        if event.read is not None:
            reads.setdefault(event.thread, []).append(event.index)
    found = VALUES.content(execution)
    for thread, indices in reads.items():
        for index in indices:
            before = history(execution.sources, thread, index + 1)
            found.append([(other, bisect_left(reads[other], before.get(other, 0))) for other in reads])
    return [*found, execution.looks]


def _outcomes(execution: Named) -> list[Any]:
    """Returns what the final function returned or how else it ended; without one, how the threads did."""
    final = execution.ends.get(FINAL)
    if final is not None:
        return [final.how, final.detail]
    return [[thread, end.how, end.detail] for thread, end in sorted(execution.ends.items())]


EQUIVALENCES: dict[str, Callable[[Named], list[Any]]] = {
    TRACES.name: TRACES.content,
    READS_FROM.name: READS_FROM.content,
    "rvf": _reads_value_from,
    VALUES.name: VALUES.content,
    "outcomes": _outcomes,
}
"""By name what each equivalence looks at. Traces are finest; rf and rvf are finer than values."""


class Census:
    """How many classes of each kind a run met, and how many of its executions were redundant."""

    def __init__(self) -> None:
        self.executions = 0
        self._seen: dict[str, set[str]] = {name: set() for name in EQUIVALENCES}

    def add(self, trace: Trace) -> frozenset[str]:
        """Count a trace; the equivalences for which its class is new."""
        self.executions += 1
        keys = class_keys(trace)
        new = frozenset(name for name, key in keys.items() if key not in self._seen[name])
        for name in new:
            self._seen[name].add(keys[name])
        return new

    def classes(self) -> dict[str, int]:
        """How many classes were met, by equivalence."""
        return {name: len(seen) for name, seen in self._seen.items()}

    def redundant(self) -> dict[str, int]:
        """How many executions were of a class that was met before, by equivalence."""
        return {name: self.executions - count for name, count in self.classes().items()}
