"""Class keys: which behaviour a trace shows, for each equivalence (docs/semantics.md 1).

A key is a digest of what the equivalence looks at, in canonical order and by
names only, so that keys compare across runs, processes and machines, and can
be kept in files. (`mcr.executions.equivalence` compares executions of one unfolding,
faster, by numbers that mean something in that unfolding alone.)

The final function only looks at what the threads did. It is left out, except
where it *is* the outcome.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from replay.frontend.threads import FINAL
from replay.traces.trace import Event, Trace
from replay.world.operation import SCHEDULING, Kind

Content = object
"""What an equivalence sees of a trace: nested lists of texts and numbers."""

_SILENT = {kind.value for kind in SCHEDULING}


def class_key(trace: Trace, equivalence: str) -> str:
    """The key of the trace's class: equal texts for equal classes, of one program under any model.

    `equivalence` is one of `EQUIVALENCES`; raises KeyError for another.
    """
    content = [equivalence, EQUIVALENCES[equivalence](trace)]
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def class_keys(trace: Trace) -> dict[str, str]:
    """The trace's key for every equivalence."""
    return {name: class_key(trace, name) for name in EQUIVALENCES}


def _shasha_snir(trace: Trace) -> Content:
    """po, rf and co: the classes of Mazurkiewicz and of Shasha and Snir.

    Stores that never reached memory come last in co, thread by thread.
    """
    order: dict[str, list[tuple[bool, int, str, int, Event]]] = {}
    for event in _events(trace):
        if event.written is not None:
            late = event.committed is None
            when = -1 if event.committed is None else event.committed
            order.setdefault(event.location, []).append((late, when, event.thread, event.index, event))
    coherence = [
        [location, [_place(entry[-1]) for entry in sorted(writes, key=lambda entry: entry[:-1])]]
        for location, writes in sorted(order.items())
    ]
    return [_reads_from(trace), coherence]


def _reads_from(trace: Trace) -> Content:
    """Events and rf, as in [bui-2021] section 2.1; values follow."""
    sources = [
        [_place(event), None if event.source is None else _place(trace.events[event.source])]
        for event in _sorted(trace)
        if event.reads_memory
    ]
    return [_requests(trace), sources]


def _reads_value_from(trace: Trace) -> Content:
    """[agarwal-2021] section 3: events, their values, and the causal order (po and rf) of the reads."""
    past: dict[int, frozenset[int]] = {}
    last: dict[str, int] = {}
    for event in trace.events:
        causes = [last[event.thread]] if event.thread in last else []
        causes += [event.source] if event.source is not None else []
        past[event.id] = frozenset(causes).union(*(past[cause] for cause in causes))
        last[event.thread] = event.id
    reads = [event for event in _sorted(trace) if event.read is not None]
    causal = [[_place(event), [_place(other) for other in reads if other.id in past[event.id]]] for event in reads]
    return [_values_of(trace), causal]


def _values(trace: Trace) -> Content:
    """The vector of the values read: it determines all that threads do."""
    return [[*_place(event), event.read] for event in _sorted(trace) if _is_observed(event)]


def _outcomes(trace: Trace) -> Content:
    """What the final function returned or how else it ended; without one, how the threads did."""
    final = trace.ends.get(FINAL)
    if final is not None:
        return [final.how, final.detail]
    return [[thread, end.how, end.detail] for thread, end in sorted(trace.ends.items())]


EQUIVALENCES: dict[str, Callable[[Trace], Content]] = {
    "shasha-snir": _shasha_snir,
    "rf": _reads_from,
    "rvf": _reads_value_from,
    "values": _values,
    "outcomes": _outcomes,
}
"""By name what each equivalence looks at; apart from outcomes each is finer than those that follow."""


def _events(trace: Trace) -> list[Event]:
    return [event for event in trace.events if event.thread != FINAL]


def _sorted(trace: Trace) -> list[Event]:
    """Thread by thread, in program order."""
    return sorted(_events(trace), key=lambda event: (event.thread, event.index))


def _place(event: Event) -> list[str | int]:
    return [event.thread, event.index]


def _is_observed(event: Event) -> bool:
    return event.read is not None and event.kind not in _SILENT


def _requests(trace: Trace) -> Content:
    """What the threads asked for, with what was chosen where an input is."""
    return [
        [*_place(event), event.kind, event.operation, event.read if event.kind == Kind.CHOOSE.value else None]
        for event in _sorted(trace)
    ]


def _values_of(trace: Trace) -> Content:
    return [[*_place(event), event.kind, event.location, event.read, event.written] for event in _sorted(trace)]


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
