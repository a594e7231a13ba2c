"""The event set X as chains, and what it takes for an event to be executable.

[bui-2021] section 4 splits a buffered write into a buffer-write, a thread
event, and a memory-write. Thread events of one thread form a chain, and so do
the memory-writes of one buffer, as the model names its buffers: under TSO one per
thread, under PSO one per thread and location, under SC none, as a write is one
event. A lower set
of (X, PO) is then a vector of counts, one per chain, that satisfies what each
event *needs* of the other chains.

An atomic block ([bui-2021] section 4.4) is one thread event here, the fence
before it included: it needs the thread's buffers empty, reads, and writes
memory in one step.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcr.consistency.instance import (
    INITIAL,
    NOWHERE,
    Instance,
    InstanceAction,
    Witness,
    WitnessMove,
    is_buffered,
    is_possible_source,
)
from mcr.consistency.partial_order import PartialOrder, members
from mcr.executions.relations import Placed, preserved
from replay.world.memory_model import Access, MemoryModel

Need = tuple[int, int]
"""(chain, count): at least so many events of the chain come first."""


@dataclass(slots=True)
class Phase:
    """One event of X: a thread event, or (`commits`) a memory-write.

    writes   the location that it writes in memory, NOWHERE if none
    needs    static conditions for it to be executable
    """

    action: int
    commits: bool
    writes: int
    needs: tuple[Need, ...] = ()


class Phases:
    """X of an instance under a memory model. Chain t < `threads` holds the thread events of thread t.

    chains   the events of each chain, in order
    effect   by action: where it takes effect, as the need of whoever waits for that
    readers  by write, `initial(x)` for initial values: per thread that reads from it,
             the need that its last such read is executed
    issued   by chain of memory-writes and number of executed thread events of their thread:
             how many of the chain have been issued (their buffer-writes executed)
    owner    by chain: its thread
    """

    def __init__(self, instance: Instance, model: MemoryModel, order: PartialOrder | None = None) -> None:
        """`order`, a closure, becomes part of what events need."""
        self.instance = instance
        self.model = model
        self.threads = len(instance.threads)
        self.chains: list[list[Phase]] = [[] for _ in range(self.threads)]
        self.owner = list(range(self.threads))
        self.effect: list[Need] = [(0, 0)] * len(instance.actions)
        self.issued: dict[int, list[int]] = {}
        for line in instance.threads:
            self._add_thread([instance.actions[id] for id in line])
        self.readers = self._find_readers()
        self._add_needs(order)

    def initial(self, location: int) -> int:
        """The name of a location's initial write: a negative number of its own."""
        return -1 - location

    def good(self, read: int) -> frozenset[int]:
        """The good-writes of a read, the initial write by its name."""
        initial = self.initial(self.instance.actions[read].location)
        return frozenset(initial if write == INITIAL else write for write in self.instance.good[read])

    def source(self, read: int) -> int:
        """The only good write of a read; initial values by their names."""
        write = self.instance.source(read)
        return self.initial(self.instance.actions[read].location) if write == INITIAL else write

    # -- chains --------------------------------------------------------------

    def _add_thread(self, actions: list[InstanceAction]) -> None:
        buffers: dict[str, int] = {}
        for action in actions:
            buffered = is_buffered(action, self.model)
            writes = action.location if action.writes and not buffered else NOWHERE
            self.chains[action.thread].append(Phase(action.id, False, writes))
            if buffered:
                self._add_commit(action, buffers)
            else:
                self.effect[action.id] = (action.thread, action.index + 1)
            for chain in buffers.values():
                self.issued[chain].append(self.issued[chain][-1])
            if buffered:
                self.issued[self.effect[action.id][0]][-1] += 1

    def _add_commit(self, action: InstanceAction, buffers: dict[str, int]) -> None:
        assert self.model.buffers is not None
        key = self.model.buffers.key(action.where)
        if key not in buffers:
            buffers[key] = len(self.chains)
            self.issued[len(self.chains)] = [0] * (action.index + 1)
            self.owner.append(action.thread)
            self.chains.append([])
        chain = buffers[key]
        self.chains[chain].append(Phase(action.id, True, action.location))
        self.effect[action.id] = (chain, len(self.chains[chain]))

    def _find_readers(self) -> dict[int, tuple[Need, ...]]:
        last: dict[int, dict[int, int]] = {}
        for read, good in self.instance.good.items():
            if len(good) == 1:
                action = self.instance.actions[read]
                threads = last.setdefault(self.source(read), {})
                threads[action.thread] = max(threads.get(action.thread, 0), action.index + 1)
        return {write: tuple(sorted(threads.items())) for write, threads in last.items()}

    # -- needs ---------------------------------------------------------------

    def _add_needs(self, order: PartialOrder | None) -> None:
        needs: list[list[Need]] = [[] for _ in self.instance.actions]
        self._need_program_order(needs)
        self._need_sources(needs)
        if order is not None:
            for earlier, later in order.added:
                needs[later].append(self.effect[earlier])
        for number, chain in enumerate(self.chains):
            for position, phase in enumerate(chain):
                action = self.instance.actions[phase.action]
                found = needs[phase.action] if self._takes_effect(phase, action) else []
                if phase.commits:
                    found = [*found, (action.thread, action.index + 1)]
                phase.needs = _strongest(found, number, position)

    def _takes_effect(self, phase: Phase, action: InstanceAction) -> bool:
        """Returns whether the action's needs are this phase's: not a buffer-write's, and not a store fence's.

        A store fence waits for nothing; it is in preserved program order only to order the writes around it.
        """
        if action.access is Access.STORE_BARRIER:
            return False
        return phase.commits or self.effect[action.id][0] < self.threads

    def _need_program_order(self, needs: list[list[Need]]) -> None:
        for line in self.instance.threads:
            actions = [self.instance.actions[id] for id in line]
            order = preserved([Placed(action.access, action.where) for action in actions], self.model)
            for action, before in zip(actions, order.before, strict=True):
                needs[action.id].extend(self.effect[line[earlier]] for earlier in members(before))
                needs[action.id].extend(self.effect[id] for id in action.after)

    def _need_sources(self, needs: list[list[Need]]) -> None:
        """Conditions 1 and 2b of TSO-executable, [bui-2021] section 4.1."""
        for read, good in self.instance.good.items():
            if len(good) != 1 or good[0] == INITIAL:
                continue
            source = good[0]
            if self.instance.actions[source].thread == self.instance.actions[read].thread:
                continue
            needs[read].append(self.effect[source])
            own = self.instance.own_write_before(read)
            if own is not None:
                needs[source].append(self.effect[own])

    @property
    def is_possible(self) -> bool:
        """Returns whether each read's source is possible within its thread."""
        instance = self.instance
        return all(is_possible_source(instance, read, write) for read, good in instance.good.items() for write in good)


def _strongest(needs: list[Need], chain: int, position: int) -> tuple[Need, ...]:
    """One need for each chain; those that the event's own chain implies are left out."""
    strongest: dict[int, int] = {}
    for other, count in needs:
        strongest[other] = max(strongest.get(other, 0), count)
    if strongest.get(chain, 0) <= position:
        strongest.pop(chain, None)
    return tuple(sorted(strongest.items()))


Trail = tuple["Trail", int, int] | None
"""The events of a prefix, last first: (those before, chain, position)."""


class Prefix:
    """A trace that may extend to a witness, as far as its future depends on it.

    counts   how many events of each chain it contains
    active   per location its last write in memory; at first the initial one
    """

    __slots__ = ("_phases", "_trail", "active", "counts")

    def __init__(self, phases: Phases) -> None:
        self._phases = phases
        self._trail: Trail = None
        self.counts = [0] * len(phases.chains)
        locations = 1 + max((action.location for action in phases.instance.actions), default=NOWHERE)
        self.active = [phases.initial(location) for location in range(locations)]

    def copy(self) -> Prefix:
        twin: Prefix = object.__new__(Prefix)
        twin._phases = self._phases
        twin._trail = self._trail
        twin.counts = self.counts[:]
        twin.active = self.active[:]
        return twin

    @property
    def is_complete(self) -> bool:
        return all(count == len(chain) for count, chain in zip(self.counts, self._phases.chains, strict=True))

    def is_held(self, location: int, but_for: tuple[int, int] = (NOWHERE, 0)) -> bool:
        """Returns whether the last write of the location has a reader that is not executed.

        `but_for`, (thread, count), is a reader that does not matter: the rmw that is about to replace the write.
        """
        counts = self.counts
        for need in self._phases.readers.get(self.active[location], ()):
            if counts[need[0]] < need[1] and need != but_for:
                return True
        return False

    def can_execute(self, chain: int) -> bool:
        """Returns whether the chain's next event is executable."""
        counts = self.counts
        position = counts[chain]
        events = self._phases.chains[chain]
        if position == len(events):
            return False
        event = events[position]
        for other, count in event.needs:
            if counts[other] < count:
                return False
        return event.writes == NOWHERE or not self.is_held(event.writes, (chain, position + 1))

    def next(self, chain: int) -> Phase | None:
        """The chain's next event, None if there is none."""
        events, position = self._phases.chains[chain], self.counts[chain]
        return events[position] if position < len(events) else None

    def execute(self, chain: int) -> None:
        """Extend the prefix with the chain's next event. The caller has checked that it is executable."""
        position = self.counts[chain]
        event = self._phases.chains[chain][position]
        self._trail = (self._trail, chain, position)
        self.counts[chain] = position + 1
        if event.writes != NOWHERE:
            self.active[event.writes] = event.action

    def witness(self) -> Witness:
        """The events of the prefix, in order."""
        moves: list[WitnessMove] = []
        trail = self._trail
        while trail is not None:
            trail, chain, position = trail
            event = self._phases.chains[chain][position]
            moves.append(WitnessMove(event.action, event.commits))
        return tuple(reversed(moves))
