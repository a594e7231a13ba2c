"""NaiveVerify: all lower sets of (X, PO), [bui-2021] section 6.1, after [abdulla-2019] and [biswas-2019].

The baseline of the paper's Figures 9 and 10: the same notion of executable
events, but thread events and memory-writes are enumerated alike: n^(2k) lower
sets under TSO, n^(k(d+1)) under PSO for d locations.
"""

from __future__ import annotations

from mcr.consistency.instance import Answer, Instance, SearchOptions
from mcr.consistency.phases import Phases, Prefix
from mcr.consistency.verify import DEFAULT, decided
from replay.world.memory_model import MemoryModel


def verify_naively(phases: Phases, how: SearchOptions) -> Answer:
    """Whether (X, RF) is realizable under the model of `phases`; each read has one source."""
    if not phases.is_possible:
        return Answer(None)
    worklist, explored = [Prefix(phases)], 0
    done = {tuple(worklist[0].counts)}
    while worklist:
        prefix = worklist.pop()
        explored += 1
        how.check(explored)
        if prefix.is_complete:
            return Answer(prefix.witness(), explored)
        for chain in range(len(phases.chains)):
            if not prefix.can_execute(chain):
                continue
            extended = prefix.copy()
            extended.execute(chain)
            key = tuple(extended.counts)
            if key not in done:
                done.add(key)
                worklist.append(extended)
    return Answer(None, explored)


def realize_naively(instance: Instance, model: MemoryModel, how: SearchOptions = DEFAULT) -> Answer:
    """Whether the instance, with one source for each read, is realizable, by NaiveVerify."""
    return decided(verify_naively, instance, model, how)
