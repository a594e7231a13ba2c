"""Why a failure needs store buffers, in a sentence or two.

A delayed store matters if somebody notices that it is not in memory: another
thread reads the older value, or writes to the location first. And it takes
weak memory, rather than an unlucky moment, if the storing thread did not
stand still meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator

from replay.program import FINAL
from replay.trace import Event, Trace

_MOST = 2
"""Sentences that help; more do not."""


def thread_words(thread: str) -> str:
    """A thread in a sentence."""
    return "the final function" if thread == FINAL else f"thread {thread}"


def explain(trace: Trace, needs_buffers: bool) -> list[str]:
    """Sentences on what the store buffers have to do with a failure.

    `needs_buffers` is false if it is known to be possible without them.
    """
    delayed = [event for event in trace.events if trace.is_delayed(event)]
    if not delayed:
        return ["No store is delayed: it takes nothing but this order of the threads' steps."]
    if not needs_buffers:
        return ["It takes no store buffer: the threads' steps in some other order are enough."]
    noticed = [found for event in delayed if (found := _Delay(trace, event).noticed())]
    sentences = [_sentence(said + oddity) for said, oddity in _without_repetition(noticed[:_MOST])]
    return sentences or [_Delay(trace, delayed[0]).unnoticed()]


def _without_repetition(found: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Say what was odd only once."""
    seen = set()
    for said, oddity in found:
        yield said, "" if oddity in seen else oddity
        seen.add(oddity)


class _Delay:
    """The time that a store spent in its buffer."""

    def __init__(self, trace: Trace, store: Event) -> None:
        self._trace = trace
        self._store = store
        self._end = len(trace.steps) if store.committed is None else store.committed
        self._name = f"{thread_words(store.thread)}'s store {store.operation}"

    def noticed(self) -> tuple[str, str] | None:
        """Who noticed that the store was not in memory, and what was odd about it; None if nobody did."""
        witnesses = [*self._readers(), *self._writers()]
        if not witnesses:
            return None
        moment, said = min(witnesses, key=lambda witness: not self._meanwhile(witness[0]))
        return said, self._meanwhile(moment)

    def unnoticed(self) -> str:
        return _sentence(f"{self._name} waited in its buffer while the program went on")

    def _readers(self) -> Iterator[tuple[int, str]]:
        """Loads by others that read something older: when, and how to say it."""
        for event in self._others():
            if event.read is not None and event.executed < self._end and event.executed > self._store.executed:
                who = thread_words(event.thread)
                yield (
                    event.executed,
                    (f"{who} read {event.location} = {event.read} while {self._name} was still in its buffer"),
                )

    def _writers(self) -> Iterator[tuple[int, str]]:
        """Stores of others that reached memory first, although they may be younger."""
        for event in self._others():
            if event.written is not None and self._is_during(event.committed):
                other = f"{thread_words(event.thread)}'s {event.operation}"
                yield event.committed or 0, f"{self._name} was still in its buffer when {other} reached memory"

    def _others(self) -> Iterator[Event]:
        for event in self._trace.events:
            if event.location == self._store.location and event.thread != self._store.thread:
                yield event

    def _is_during(self, step: int | None) -> bool:
        return step is not None and self._store.executed < step < self._end

    def _meanwhile(self, moment: int) -> str:
        """What the storing thread achieved before `moment`, although its store was not in memory."""
        own = [event for event in self._trace.of_thread(self._store.thread) if event.index > self._store.index]
        for event in own:
            if event.written is not None and self._is_during(event.committed) and (event.committed or 0) < moment:
                store = f"{thread_words(event.thread)}'s later store {event.operation}"
                return f", although {store} had already reached memory"
        for event in own:
            if event.read is not None and event.executed < moment and self._is_overwritten(event):
                read = f"{event.location} = {event.read}"
                return f", although {thread_words(event.thread)} had already gone on to read {read}"
        return ""

    def _is_overwritten(self, load: Event) -> bool:
        """Whether another thread wrote to the location of a load after it."""
        return any(
            event.location == load.location
            and event.thread != load.thread
            and event.written is not None
            and (event.committed is None or event.committed > load.executed)
            for event in self._trace.events
        )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
