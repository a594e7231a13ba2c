"""Deadlocks that might exist, as far as the behaviour of each thread by itself can tell.

A thread waits for ever only if memory holds in the end what lets it wait, and somebody wrote that last: a thread that
has ended, or that waits for ever as well. So for each thread there are the local states in which it may stand in the
end, and with each what the thread may have written last to the locations that somebody waits for. Where no choice of
one for each thread agrees with itself, no run ends so, whatever the order of its events. It takes no solver, and
settles what most programs do: a mutex is held only where its owner goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from replay.code.terminals import Blocked, Cut, Ended, Failed
from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.operation import LOCK, Kind
from replay.world.terms import Symbol
from replay.world.values import Case, ValueId

_TRIES = 20_000
"""Choices that are tried: where there are more, threads might wait."""

_ENDED = -2
"""Stands for what the end of a thread writes, where ids of values are expected."""

Values = frozenset[ValueId]
Needs = tuple[tuple[LocationId, Values], ...]
"""For locations what memory holds there in the end, one of these each."""


def may_stand_still(unfolding: Unfolding) -> bool:
    """Returns whether a run of a complete unfolding might end in a deadlock; False only if none does."""
    stands = _Stands(unfolding).found()
    return any(stand.needs is not None for each in stands for stand in each) and _Choice(unfolding, stands).exists()


def may_stop_early(unfolding: Unfolding) -> bool:
    """Returns whether a run of a complete unfolding might end before a thread does: it waits for ever, or an
    assumption, the thread or a limit ends it. Where this is False, a thread whose wait has failed goes on later."""
    ends = (state.terminal for state in unfolding.leaves())
    return any(map(_is_early, ends)) or may_stand_still(unfolding)


def _is_early(end: object) -> bool:
    return isinstance(end, Failed | Cut) or (isinstance(end, Blocked) and end.wait_from < 0)


@dataclass(frozen=True, slots=True)
class _Stand:
    """How a thread may be in the end.

    needs   why it waits for ever; None if it does not
    owned   it waits for one other thread, the owner of a mutex or the one that is joined
    away    it is none of those who wait for ever, and has not ended either
    latest  what it may have written last, by location; NOTHING is among it if it may have written nothing
    """

    latest: tuple[tuple[LocationId, Values], ...] = ()
    needs: Needs | None = None
    owned: bool = False
    away: bool = False

    def wrote(self, loc: LocationId) -> Values:
        return next((values for known, values in self.latest if known == loc), _NOTHING)


_NOTHING: Values = frozenset((NOTHING,))


class _Stands:
    """Finds the stands of all threads."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._unfolding = unfolding
        self._waits = {state: needs for state in unfolding.states if (needs := self._awaited(state)) is not None}
        self._awaited_locs = {loc for needs in self._waits.values() for loc in needs}
        self._written: dict[LocationId, dict[ValueId, None]] = {
            loc: {unfolding.initial[loc]: None} for loc in self._awaited_locs
        }
        for edge in unfolding.edges:
            if edge.wrote != NOTHING and edge.before.loc in self._awaited_locs:
                self._written[edge.before.loc][edge.wrote] = None

    def found(self) -> list[list[_Stand]]:
        """By thread, without the final function, each stand once."""
        unfolding = self._unfolding
        found: list[dict[_Stand, None]] = [{} for _ in unfolding.threads]
        if not self._waits:
            return []
        stopped = [
            state for state in unfolding.leaves() if not isinstance(state.terminal, Ended) and state not in self._waits
        ]
        latest: dict[int, dict[LocationId, Values]] = {}
        for state in sorted(unfolding.states, key=lambda state: state.depth):
            unfolding.check()
            written = latest[state.number] = self._latest(state, latest)
            if state in self._waits:
                needs = tuple((loc, self._allowed(state, loc, read)) for loc, read in self._waits[state].items())
                owned = state.operation is not None and (
                    state.operation.kind is Kind.JOIN or state.operation.tag == LOCK
                )
                found[state.thread][_Stand(tuple(written.items()), needs, owned)] = None
            elif isinstance(state.terminal, Ended):
                end = unfolding.threads[state.thread].end
                if end in self._awaited_locs:
                    written = {**written, end: frozenset((_ENDED,))}
                found[state.thread][_Stand(tuple(written.items()))] = None
        return [
            [
                *stands,
                *([_Stand()] if not info.is_declared else []),
                *([_Stand(away=True)] if stopped else []),
            ]
            for info, stands in zip(unfolding.threads, found, strict=True)
            if not info.is_final
        ]

    def _awaited(self, state: State) -> dict[LocationId, Values | None] | None:
        """Why a thread may be there for good: by location what was read there, None for what its guard says."""
        if self._unfolding.threads[state.thread].is_final:
            return None
        operation, end = state.operation, state.terminal
        if operation is not None and operation.ready is not None and operation.kind is not Kind.START:
            return {state.loc: None}
        if isinstance(end, Blocked) and end.wait_from >= 0:
            return dict(_evaluated(state, end.wait_from, {}))
        return None

    def _latest(self, state: State, known: Mapping[int, dict[LocationId, Values]]) -> dict[LocationId, Values]:
        """Returns what the thread may have written last on its ways to a state."""
        ways: list[dict[LocationId, Values]] = []
        for edge in state.entries:
            before, loc = known[edge.before.number], edge.before.loc
            wrote = edge.wrote != NOTHING and loc in self._awaited_locs
            ways.append({**before, loc: frozenset((edge.wrote,))} if wrote else before)
        if not ways:
            return {}
        if all(way == ways[0] for way in ways):
            return ways[0]
        locs = dict.fromkeys(loc for way in ways for loc in way)
        return {loc: frozenset().union(*(way.get(loc, _NOTHING) for way in ways)) for loc in sorted(locs)}

    def _allowed(self, state: State, loc: LocationId, read: Values | None) -> Values:
        """Returns the values that memory may hold at a location while the thread waits."""
        if read is not None:
            return frozenset(value for value in self._written[loc] if any(self._may_be(value, other) for other in read))
        operation = state.asked
        if operation.kind is Kind.JOIN:
            return frozenset((self._unfolding.initial[loc],))
        return frozenset(
            value
            for value in self._written[loc]
            if self._is_symbolic(value) or not self._unfolding.accepts(state, value)
        )

    def _may_be(self, one: ValueId, other: ValueId) -> bool:
        return one == other or self._is_symbolic(one) or self._is_symbolic(other)

    def _is_symbolic(self, value: ValueId) -> bool:
        """Returns whether a value is not known because code runs on terms."""
        return _has_symbols(self._unfolding.values[value])


def _has_symbols(value: object) -> bool:
    if isinstance(value, tuple | frozenset):
        return any(map(_has_symbols, value))
    return isinstance(value, Symbol | Case)


def _evaluated(state: State, wait_from: int, known: dict[int, dict[LocationId, Values]]) -> dict[LocationId, Values]:
    """Returns what the failed evaluation of a wait has read, where it has read something on each way to its end."""
    found = known.get(state.number)
    if found is None:
        ways = []
        for edge in state.entries if state.depth > wait_from else ():
            way = _evaluated(edge.before, wait_from, known)
            if edge.before.reads:
                loc = edge.before.loc
                way = {**way, loc: way.get(loc, frozenset((edge.read,))) & {edge.read}}
            ways.append(way)
        shared = reduce(
            lambda some, others: [loc for loc in some if loc in others], ways[1:], list(ways[0]) if ways else []
        )
        found = known[state.number] = {loc: frozenset().union(*(way[loc] for way in ways)) for loc in shared}
    return found


class _Choice:
    """A stand for each thread, so that memory in the end lets those wait who do."""

    def __init__(self, unfolding: Unfolding, stands: list[list[_Stand]]) -> None:
        self._unfolding = unfolding
        self._stands = stands
        self._locs = sorted({loc for each in stands for stand in each for loc, _ in stand.needs or ()})
        self._any: list[dict[LocationId, Values]] = []
        """By thread and location, what it may have written last in any of its stands."""
        self._tries = 0

    def exists(self) -> bool:
        """Returns whether there is such a choice, or there are too many to try."""
        self._leave_out_impossible()
        if not any(stand.needs is not None for each in self._stands for stand in each):
            return False
        return self._search([], {})

    def _leave_out_impossible(self) -> None:
        """Leave out who waits for what nobody can have written, while there are such."""
        left = -1
        while left != (left := sum(map(len, self._stands))):
            self._any = [
                {loc: frozenset().union(*(stand.wrote(loc) for stand in stands)) for loc in self._locs}
                for stands in self._stands
            ]
            for thread, stands in enumerate(self._stands):
                self._unfolding.check()
                self._stands[thread] = [
                    stand for stand in stands if self._may_hold(dict(stand.needs or ()), {thread: stand})
                ]

    def _may_hold(self, needs: Mapping[LocationId, Values], chosen: Mapping[int, _Stand]) -> bool:
        """Returns whether memory may hold one of these values at each of these locations in the end."""
        for loc, values in needs.items():
            written = [
                chosen[thread].wrote(loc) if thread in chosen else known[loc] for thread, known in enumerate(self._any)
            ]
            untouched = self._unfolding.initial[loc] in values and all(NOTHING in each for each in written)
            if not untouched and all(values.isdisjoint(each) for each in written):
                return False
        return True

    def _search(self, chosen: list[_Stand], needs: Mapping[LocationId, Values]) -> bool:
        """Returns whether there are stands for the other threads; `needs` is what the chosen ones need."""
        if len(chosen) == len(self._stands):
            return any(stand.needs is not None for stand in chosen)
        for stand in sorted(self._stands[len(chosen)], key=lambda stand: stand.needs is None):
            self._tries += 1
            if self._tries > _TRIES:
                return True
            if self._tries % 100 == 0:
                self._unfolding.check()
            tried = [*chosen, stand]
            waiting = [each for each in tried if each.needs is not None]
            if any(not each.owned for each in waiting) and any(each.away for each in tried):
                continue
            more = {loc: values & needs.get(loc, values) for loc, values in stand.needs or ()}
            if self._may_hold({**needs, **more}, dict(enumerate(tried))) and self._search(tried, {**needs, **more}):
                return True
        return False
