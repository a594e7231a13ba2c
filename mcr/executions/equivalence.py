"""What makes two executions one class: values, reads-value-from, reads-from, traces.

Each is defined once, for executions whose threads, locations and values are
numbers of one unfolding (`mcr.executions.execution`: fast, for one exploration)
as for those that have names (`mcr.executions.class_keys`: the same everywhere).
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mcr.executions.execution import Execution


class Seen(Protocol):
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
        """Whether each class of this one lies in one class of `other`."""
        return self.sources >= other.sources and self.coherence >= other.coherence

    def content(self, execution: Seen) -> list[Any]:
        """What it looks at: equal for two executions iff they are in one class."""
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

    def key(self, execution: Execution) -> bytes:
        """Equal for two executions of one unfolding iff they are in one class.

        A digest, as the keys of all classes are kept: it takes the same memory however long executions are.
        """
        content = array("i", self.content(execution)).tobytes()
        return hashlib.blake2b(content, digest_size=16, usedforsecurity=False).digest()


VALUES = Equivalence("values", "the values that all threads read")
READS_FROM = Equivalence("rf", "who reads from whom", sources=True)
TRACES = Equivalence("traces", "program order, reads-from and coherence", sources=True, coherence=True)

EQUIVALENCES = [TRACES, READS_FROM, VALUES]
"""None refines one that comes before it."""


def register(equivalence: Equivalence) -> None:
    """Let an equivalence be an objective: one execution of each of its classes, found and counted."""
    place = next(place for place, known in enumerate(EQUIVALENCES) if equivalence.refines(known))
    EQUIVALENCES.insert(place, equivalence)
