"""Executions as objectives compare them, and what makes two of them one class: values, reads-from, traces.

Each is defined once, for executions whose threads, locations and values are
numbers of one unfolding (`mcr.executions.equivalence`: fast, for one exploration)
as for those that have names (`mcr.executions.class_keys`: the same everywhere).
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

from replay.code.terminals import Ended
from replay.machine.state import LocationId, State
from replay.world.operation import Kind

OperationId = tuple[int, int]
"""(thread, depth) of an operation; of the end of a thread, how many operations it has."""

Thread = TypeVar("Thread", bound=Hashable)


@dataclass(frozen=True)
class MaximalExecution:
    """The events of a maximal execution, without those of the final function.

    ends       last state of each thread that the unfolding knew then, by thread
    sources    rf: for each operation that reads memory its writer, None for the initial value
    coherence  co: per location the writers in the order in which they reached memory
    """

    ends: tuple[State, ...]
    sources: dict[OperationId, OperationId | None]
    coherence: dict[LocationId, list[OperationId]]

    @cached_property
    def behaviour(self) -> list[int]:
        """Numbers of the states in which the threads ended: they determine all that the threads read.

        Threads that did not start are left out: whether they were known at all depends on what was explored before.
        """
        ends = [end.number for end in self.ends if has_started(end)]
        return [len(ends), *ends]

    @property
    def is_complete(self) -> bool:
        """True if every thread that was started ended."""
        return all(isinstance(end.terminal, Ended) or not has_started(end) for end in self.ends)


def has_started(end: State) -> bool:
    """Returns whether a thread with this last state exists in the execution."""
    return bool(end.entries) or end.operation is None or end.operation.kind is not Kind.START


def history(
    sources: Mapping[tuple[Thread, int], tuple[Thread, int] | None], thread: Thread, count: int
) -> dict[Thread, int]:
    """Returns how many operations of each thread the first operations of a thread depend on, through po and rf."""
    counts: dict[Thread, int] = {}
    todo = [(thread, count)]
    while todo:
        thread, count = todo.pop()
        known = counts.get(thread, 0)
        for depth in range(known, count):
            source = sources.get((thread, depth))
            if source is not None:
                todo.append((source[0], source[1] + 1))
        counts[thread] = max(count, known)
    return counts


class SeenExecution(Protocol):
    """An execution, as equivalences see it. Threads and locations are numbers, or else texts.

    behaviour  what each thread did and read: values, and their number where that differs
    sources    rf, by (thread, depth); None for the initial value
    coherence  co, by location
    """

    @property
    def behaviour(self) -> Sequence[Any]: ...

    @property
    def sources(self) -> Mapping[Any, Any]: ...

    @property
    def coherence(self) -> Mapping[Any, Sequence[Any]]: ...


@dataclass(frozen=True)
class Equivalence:
    """Equal behaviour is the equivalence of values: what threads read says all that they do.

    With rf it is the reads-from equivalence [bui-2021], with co too it is that of Shasha and Snir (and of
    Mazurkiewicz). `meaning` is what readers are told that its classes differ in.
    """

    name: str
    meaning: str
    sources: bool = False
    coherence: bool = False

    def refines(self, other: Equivalence) -> bool:
        """Returns whether each class of this one lies in one class of `other`."""
        return self.sources >= other.sources and self.coherence >= other.coherence

    def content(self, execution: SeenExecution) -> list[Any]:
        """Returns what it compares: equal for two executions if and only if they are in one class."""
        found = list(execution.behaviour)
        if self.sources:
            for _, source in sorted(execution.sources.items(), key=lambda item: item[0]):
                found.extend(source or (-1, -1))
        if self.coherence:
            for loc, writers in sorted(execution.coherence.items()):
                found.extend((loc, len(writers)))
                for writer in writers:
                    found.extend(writer)
        return found

    def key(self, execution: MaximalExecution) -> bytes:
        """Equal for two executions of one unfolding iff they are in one class.

        A digest, as the keys of all classes are kept: it takes the same memory however long executions are.
        """
        content = array("i", self.content(execution)).tobytes()
        from hashlib import blake2b  # late, as it brings OpenSSL, and few explorations count classes

        return blake2b(content, digest_size=16, usedforsecurity=False).digest()


VALUES = Equivalence("values", "the values that all threads read")
READS_FROM = Equivalence("rf", "the source of each read", sources=True)
TRACES = Equivalence("traces", "program order, reads-from and coherence", sources=True, coherence=True)

EQUIVALENCES = [TRACES, READS_FROM, VALUES]
"""None refines one that comes before it."""


def register(equivalence: Equivalence) -> None:
    """Let an equivalence be an objective: one execution of each of its classes, found and counted."""
    place = next(place for place, known in enumerate(EQUIVALENCES) if equivalence.refines(known))
    EQUIVALENCES.insert(place, equivalence)


class ClassCounter:
    """Sorts executions into classes. Coarser equivalences come for the price of a key each."""

    def __init__(self, finest: Equivalence) -> None:
        self.finest = finest
        self._seen: dict[Equivalence, set[bytes]] = {
            equivalence: set() for equivalence in EQUIVALENCES if finest.refines(equivalence)
        }
        self._complete = dict.fromkeys(self._seen, 0)

    def add(self, execution: MaximalExecution) -> bool:
        """Count an execution; whether its class of the finest equivalence is new."""
        repeated: list[Equivalence] = []
        for equivalence, seen in self._seen.items():
            if repeated and any(known.refines(equivalence) for known in repeated):
                continue  # of one class there, so of one class for all that is coarser
            before = len(seen)
            seen.add(equivalence.key(execution))
            if len(seen) == before:
                repeated.append(equivalence)
            else:
                self._complete[equivalence] += execution.is_complete
        return self.finest not in repeated

    def knows(self, key: bytes) -> bool:
        """Returns whether an execution with this key of the finest equivalence was counted."""
        return key in self._seen[self.finest]

    def counts(self) -> list[tuple[str, int, int]]:
        """Name, complete classes and blocked classes of each equivalence, the finest first."""
        return [
            (equivalence.name, self._complete[equivalence], len(seen) - self._complete[equivalence])
            for equivalence, seen in self._seen.items()
        ]
