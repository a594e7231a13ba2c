"""NaiveVerify: all lower sets of (X, PO), [bui-2021] section 6.1, after [abdulla-2019] and [biswas-2019].

The baseline of the paper's Figures 9 and 10: the same notion of executable
events, but thread events and memory-writes are enumerated alike: n^(2k) lower
sets under TSO, n^(k(d+1)) under PSO for d locations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count

from mcr.consistency.instance import Instance, Realization, SearchOptions
from mcr.consistency.phases import Phases, Prefix
from mcr.consistency.search import WitnessSearch
from mcr.consistency.verify import DEFAULT, decided
from mcr.consistency.verify_sc import VerifySC
from replay.world.memory_model import MemoryModel


class LimitReachedError(Exception):
    """A search would explore more prefixes than it was allowed to."""


def at_most(prefixes: int) -> Callable[[], None]:
    """The watch of one search, which lets it explore so many prefixes."""
    explored = count(1)

    def watch() -> None:
        if next(explored) > prefixes:
            raise LimitReachedError(f"more than {prefixes} prefixes")

    return watch


class NaiveVerify(WitnessSearch):
    """Whether (X, RF) is realizable under the model of `phases`; each read has one source."""

    def candidates(self, prefix: Prefix) -> Iterable[int]:
        return range(len(self.phases.chains))

    def key(self, prefix: Prefix) -> tuple[object, ...]:
        return tuple(prefix.counts)


def realize_naively(instance: Instance, model: MemoryModel, how: SearchOptions = DEFAULT) -> Realization:
    """Whether the instance, with one source for each read, is realizable, by NaiveVerify."""
    return decided(NaiveVerify, instance, model, how)


class PatientSC(VerifySC):
    """VerifySC that tries everything, and executes nothing at once: without [agarwal-2021] section 4.2, 1."""

    def __init__(self, phases: Phases, how: SearchOptions) -> None:
        super().__init__(phases, how)
        self.at_once = ()
