"""What makes two maximal executions one class: values, reads-from, traces."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from mcr.executions.execution import Execution, has_started


@dataclass(frozen=True)
class Equivalence:
    """The ends of all threads say what every thread read: that is the equivalence of values.

    With rf it is the reads-from equivalence [bui-2021], with co too it is that
    of Shasha and Snir.
    """

    name: str
    sources: bool = False
    coherence: bool = False

    def refines(self, other: Equivalence) -> bool:
        """Whether each class of this one lies in one class of `other`."""
        return self.sources >= other.sources and self.coherence >= other.coherence

    def key(self, execution: Execution) -> bytes:
        """Equal for two executions of one unfolding iff they are in one class.

        The ends fix which reads there are, so that their sources need no names. Threads that did
        not start are left out: whether they were known at all depends on what was explored before.
        Bytes take a tenth of the memory of nested tuples; there is one key per class.
        """
        ends = [end.number for end in execution.ends if has_started(end)]
        numbers = array("i", [len(ends), *ends])
        if self.sources:
            for _, source in sorted(execution.sources.items(), key=lambda item: item[0]):
                numbers.extend(source or (-1, -1))
        if self.coherence:
            for loc, writers in sorted(execution.coherence.items()):
                numbers.extend((loc, len(writers)))
                for writer in writers:
                    numbers.extend(writer)
        return numbers.tobytes()


VALUES = Equivalence("values")
READS_FROM = Equivalence("rf", sources=True)
TRACES = Equivalence("traces", sources=True, coherence=True)

EQUIVALENCES = (TRACES, READS_FROM, VALUES)
"""Finest first; each refines all that follow."""
