"""VerifySC: [agarwal-2021] section 4.1, Algorithm 1, with the heuristics of section 4.2.

Witness states are pairs (events, memory map). When each read has one good
write, the memory map cannot matter and is left out: at most n^k states; with
good-writes n^k * k^d.

Deviations. (1) An atomic block (rmw, lock) is one event: a read that has an
active good-write, and whose write finds the location held by no other read.
(2) Initial values are good-writes of a thread of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcr.consistency.instance import INITIAL, NOWHERE, Action, Answer, Instance, SearchOptions
from mcr.consistency.phases import Phases, Prefix


def verify_sc(phases: Phases, how: SearchOptions) -> Answer:
    """Whether (X, GoodW) is realizable under SC. `phases` must be of a model without buffers."""
    if phases.instance.is_rf and not phases.is_possible:
        return Answer(None)
    return _Search(phases, how).run()


class _Search:
    """Algorithm 1 on one instance.

    wanted  by write, `initial(x)` for initial values: the reads that have it as a good-write
    """

    def __init__(self, phases: Phases, how: SearchOptions) -> None:
        self._phases = phases
        self._how = how
        self._instance: Instance = phases.instance
        self._threads = range(phases.threads)
        self._rank = how.ranks()
        self._good = {read: self._named(read) for read in self._instance.good}
        self._wanted: dict[int, list[Action]] = {}
        for read, writes in self._good.items():
            for write in writes:
                self._wanted.setdefault(write, []).append(self._instance.actions[read])

    def run(self) -> Answer:
        """The loop of line 2."""
        start = Prefix(self._phases)
        worklist, done, explored = [start], {self._state(start)}, 0
        while worklist:
            prefix = worklist.pop()
            explored += 1
            self._how.check(explored)
            if self._how.heuristics:
                self._extend_greedily(prefix)
            if prefix.is_complete:
                return Answer(prefix.witness(), explored)
            for thread in self._order(prefix):
                if not self._is_executable(prefix, thread):
                    continue
                extended = prefix.copy()
                extended.execute(thread)
                state = self._state(extended)
                if state not in done:
                    done.add(state)
                    worklist.append(extended)
        return Answer(None, explored)

    def _named(self, read: int) -> frozenset[int]:
        """The good-writes of a read, the initial write by its name."""
        initial = self._phases.initial(self._instance.actions[read].location)
        return frozenset(initial if write == INITIAL else write for write in self._instance.good[read])

    def _state(self, prefix: Prefix) -> tuple[int, ...]:
        """Line 7: the witness state, events and memory map."""
        if self._instance.is_rf:
            return tuple(prefix.counts)
        actions = self._instance.actions
        return (*prefix.counts, *(actions[write].thread if write >= 0 else -1 for write in prefix.active))

    # -- executable events -------------------------------------------------------

    def _next(self, prefix: Prefix, thread: int) -> Action | None:
        events, position = self._phases.chains[thread], prefix.counts[thread]
        return self._instance.actions[events[position].action] if position < len(events) else None

    def _is_executable(self, prefix: Prefix, thread: int) -> bool:
        """Executable: minimal in program order (and closure), reads an active good-write, overwrites nothing held."""
        action = self._next(prefix, thread)
        if action is None or not self._is_minimal(prefix, thread):
            return False
        if action.reads and prefix.active[action.location] not in self._good[action.id]:
            return False
        return not action.writes or not self._is_held(prefix, action)

    def _is_minimal(self, prefix: Prefix, thread: int) -> bool:
        event = self._phases.chains[thread][prefix.counts[thread]]
        return all(prefix.counts[chain] >= count for chain, count in event.needs)

    def _is_held(self, prefix: Prefix, by: Action) -> bool:
        """Whether a read other than `by` has no good-write but those that are in the prefix already."""
        if self._instance.is_rf:
            return prefix.is_held(by.location, (by.thread, by.index + 1))
        return any(
            read != by.id
            and not self._contains(prefix, self._instance.actions[read])
            and all(write < 0 or self._contains(prefix, self._instance.actions[write]) for write in self._good[read])
            for read in self._instance.readers.get(by.location, ())
        )

    @staticmethod
    def _contains(prefix: Prefix, action: Action) -> bool:
        return prefix.counts[action.thread] > action.index

    # -- heuristics ----------------------------------------------------------------

    def _extend_greedily(self, prefix: Prefix) -> None:
        """Section 4.2, 1: what can be executed without asking for alternatives."""
        again = True
        while again:
            again = False
            for thread in self._threads:
                while self._is_executable(prefix, thread) and self._is_harmless(prefix, thread):
                    prefix.execute(thread)
                    again = True

    def _is_harmless(self, prefix: Prefix, thread: int) -> bool:
        """An event that writes nothing, or a write that nobody wants in place of one that nobody wants."""
        action = self._next(prefix, thread)
        assert action is not None
        if not action.writes:
            return True
        if action.reads or action.location == NOWHERE:
            return False
        return not self._is_wanted(prefix, action.id) and not self._is_wanted(prefix, prefix.active[action.location])

    def _is_wanted(self, prefix: Prefix, write: int) -> bool:
        return any(not self._contains(prefix, read) for read in self._wanted.get(write, ()))

    def _order(self, prefix: Prefix) -> Iterator[int]:
        """Line 5; section 4.2, 3: against the auxiliary trace, since the worklist is a stack."""
        if not self._rank:
            return iter(self._threads)
        return iter(sorted(self._threads, key=lambda thread: -self._next_rank(prefix, thread)))

    def _next_rank(self, prefix: Prefix, thread: int) -> int:
        action = self._next(prefix, thread)
        return 0 if action is None else self._rank.get(action.id, 0)
