"""Why a failure needs store buffers, in a few sentences: what was reordered, who noticed, which fences forbid it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcr.diagnosis.reordering import Overtaking, find_reordering
from mcr.report.source import line_words
from replay.frontend.threads import FINAL
from replay.sentences import as_sentence, listed
from replay.traces.trace import Trace, TraceEvent
from replay.world.operation import Kind, Source

_MOST = 2
"""Reordered pairs that help; more do not."""


def thread_words(thread: str) -> str:
    """A thread in a sentence."""
    return "the final function" if thread == FINAL else f"thread {thread}"


def explain(trace: Trace, needs_buffers: bool) -> list[str]:
    """Sentences on what the store buffers have to do with a failure.

    `needs_buffers` is false if it is known to be possible without them.
    """
    delayed = [event for event in trace.events if trace.is_delayed(event)]
    if not delayed:
        return ["Nothing is reordered: this order of the threads' steps is enough."]
    if not needs_buffers:
        return ["No reordering is needed: the threads' steps in some other order are enough."]
    found = find_reordering(trace)
    if found is None or not found.pairs:
        store = f"{thread_words(delayed[0].thread)}'s store {delayed[0].operation}"
        return [as_sentence(f"{store} waited in its buffer while the program went on")]
    words = _Words(trace)
    told = _told(trace, found.pairs)
    return [*(words.overtaking(pair) for pair in told), words.fences(found.pairs, told), *words.late_instead(told)]


def _told(trace: Trace, pairs: Sequence[Overtaking]) -> list[Overtaking]:
    """The pairs that were reordered in this execution, one for each pair of lines, and no more than help."""
    found: dict[object, Overtaking] = {}
    for pair in pairs:
        if pair.happened:
            found.setdefault(_lines(trace, pair), pair)
    return list(found.values())[:_MOST]


def _lines(trace: Trace, pair: Overtaking) -> tuple[Source | str, Source | str]:
    """Returns the lines of the two accesses in the program."""
    store, later = trace.events[pair.store], trace.events[pair.later]
    return store.line or store.operation, later.line or later.operation


class _Words:
    """Says things about the events of one trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def overtaking(self, pair: Overtaking) -> str:
        """Which access overtook which store, and who noticed."""
        store, later = self._trace.events[pair.store], self._trace.events[pair.later]
        text = f"{thread_words(store.thread)}'s store {self._access(store)} was overtaken by its {self._later(later)}"
        return as_sentence(text + (self._noticed(self._trace.events[pair.witness]) if pair.witness is not None else ""))

    def fences(self, pairs: Sequence[Overtaking], told: Sequence[Overtaking]) -> str:
        """Says where fences would forbid the execution."""
        groups: dict[object, list[Overtaking]] = {}
        for pair in pairs:
            groups.setdefault(_lines(self._trace, pair), []).append(pair)
        places = [self._between(group, told) for group in groups.values()]
        return as_sentence(f"{listed(places)} would forbid this execution")

    def late_instead(self, told: Sequence[Overtaking]) -> Iterator[str]:
        """Says where a fence belongs, if elsewhere it would let other stores be late."""
        found: dict[object, tuple[TraceEvent, TraceEvent]] = {}
        for pair in told:
            store, later = self._trace.events[pair.store], self._trace.events[pair.later]
            shared = {event.location for event in self._trace.events if event.thread != store.thread} - {later.location}
            for other in self._trace.of_thread(store.thread):
                if store.index < other.index < later.index and other.is_buffered and other.location in shared:
                    found.setdefault((other.line, later.line), (other, later))
        if not found:
            return
        places = dict.fromkeys(self._line(later.line) for _, later in found.values() if later.line)
        stores = dict.fromkeys(self._access(other) for other, _ in found.values())
        where = f"directly before {listed([*places])}" if places else "as late as possible"
        yield f"It belongs {where}: else {listed([*stores])} could be late. `mcr repair` finds fences for all failures."

    def _between(self, group: Sequence[Overtaking], told: Sequence[Overtaking]) -> str:
        """A fence between two accesses, in one thread or several."""
        store, later = self._trace.events[group[0].store], self._trace.events[group[0].later]
        fence = "a store fence" if later.kind == Kind.STORE.value else "a fence"
        having = {self._trace.events[pair.store].thread for pair in group}
        threads = [thread for thread in self._trace.threads if thread in having]
        if len(told) == 1 and told[0] in group:
            return f"{fence} between the two{self._in_threads(threads, told)}"
        return f"{fence} between {self._places(store, later)}{self._in_threads(threads)}"

    def _in_threads(self, threads: Sequence[str], told: Sequence[Overtaking] = ()) -> str:
        """Which threads need the fence; nothing if that was said."""
        if [self._trace.events[pair.store].thread for pair in told] == list(threads):
            return ""
        if len(threads) == 1:
            return f" in thread {threads[0]}"
        return f", in threads {listed(threads)},"

    def _places(self, store: TraceEvent, later: TraceEvent) -> str:
        """The lines of two accesses; the accesses themselves if the lines do not tell them apart."""
        if store.line is None or later.line is None or store.line == later.line:
            return f"{self._access(store)} and {self._access(later)}"
        if store.line.file == later.line.file == self._trace.program.file:
            return f"lines {store.line.line} and {later.line.line}"
        return f"{self._line(store.line)} and {self._line(later.line)}"

    def _later(self, later: TraceEvent) -> str:
        return self._access(later) if later.kind == Kind.LOAD.value else f"later store {self._access(later)}"

    def _noticed(self, witness: TraceEvent) -> str:
        """Names the thread that showed that the store was not in memory yet."""
        who = thread_words(witness.thread)
        if witness.read is not None:
            line = f" ({self._line(witness.line)})" if witness.line else ""
            return f": {who} read {witness.location} = {witness.read}{line} while the store was still in its buffer"
        return f": {who}'s {self._access(witness)} reached memory before it"

    def _access(self, event: TraceEvent) -> str:
        """An access with its value and its line."""
        line = f" ({self._line(event.line)})" if event.line else ""
        value = f" -> {event.read}" if event.kind == Kind.LOAD.value else ""
        return f"{event.operation}{value}{line}"

    def _line(self, line: Source) -> str:
        return line_words(line, self._trace.program.file)
