"""Orders between events: fixed ones, and ones that statements decide.

Adjacency is kept as Python integers used as bit sets, so that sorting sixty
events costs some tens of microseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solvers.interface import Event, Statement

# The truth of statement s at index s - 1: s if it holds, -s if not.
Model = Sequence[Statement]


def holds(model: Model, statement: Statement) -> bool:
    return model[abs(statement) - 1] == statement


class OrderGraph:
    """Which event precedes which.

    before[e]   bit set of events fixed before e
    guarded[e]  by guard, those that are fixed before e while it holds
    pairs[e]    (other, statement "e before other") for each decided pair, listed at one of the two
    statements  both directions of every decided pair
    """

    def __init__(self) -> None:
        self.before: list[int] = []
        self.guarded: list[dict[Statement, int]] = []
        self.pairs: list[list[tuple[Event, Statement]]] = []
        self.statements: dict[tuple[Event, Event], Statement] = {}

    def add_event(self) -> Event:
        self.before.append(0)
        self.guarded.append({})
        self.pairs.append([])
        return len(self.before) - 1

    def fix(self, earlier: Event, later: Event, guard: Statement) -> None:
        if guard:
            self.guarded[later][guard] = self.guarded[later].get(guard, 0) | 1 << earlier
        else:
            self.before[later] |= 1 << earlier

    def decide(self, first: Event, second: Event, statement: Statement) -> None:
        self.pairs[first].append((second, statement))
        self.statements[first, second] = statement
        self.statements[second, first] = -statement

    def predecessors(self, events: Iterable[Event], model: Model) -> dict[Event, int]:
        """For each given event the bit set of given events before it, under an assignment."""
        found = dict.fromkeys(events, 0)
        given = 0
        for event in found:
            given |= 1 << event
        for event in found:
            bit = 1 << event
            found[event] |= self.before[event] & given
            for guard, earlier in self.guarded[event].items():
                if holds(model, guard):
                    found[event] |= earlier & given
            for other, statement in self.pairs[event]:
                if other in found:
                    if model[statement - 1] > 0:
                        found[other] |= bit
                    else:
                        found[event] |= 1 << other
        return found

    def reasons(self, earlier: Event, later: Event, model: Model) -> list[Statement]:
        """Statements that hold and together put `earlier` before `later`; none if that is fixed for good."""
        if self.before[later] >> earlier & 1:
            return []
        for guard, found in self.guarded[later].items():
            if found >> earlier & 1 and holds(model, guard):
                return [guard]
        return [self.statements[earlier, later]]


def topological(predecessors: dict[Event, int]) -> list[Event] | None:
    """The events with all predecessors first, or None if there is a cycle."""
    order: list[Event] = []
    open_mask, done = 0, 0
    for start in predecessors:
        if done >> start & 1:
            continue
        stack = [start]
        open_mask |= 1 << start
        while stack:
            event = stack[-1]
            waiting = predecessors[event] & ~done
            if not waiting:
                stack.pop()
                done |= 1 << event
                open_mask &= ~(1 << event)
                order.append(event)
                continue
            if waiting & open_mask:
                return None
            lowest = waiting & -waiting
            open_mask |= lowest
            stack.append(lowest.bit_length() - 1)
    return order


def shortest_cycle(predecessors: dict[Event, int], start: Event) -> list[Event] | None:
    """A shortest cycle through `start`, each event followed by one that comes after it."""
    reached = {start: start}
    frontier = [start]
    seen = 0
    while frontier:
        following: list[Event] = []
        for event in frontier:
            mask = predecessors[event] & ~seen
            seen |= mask
            while mask:
                lowest = mask & -mask
                mask ^= lowest
                earlier = lowest.bit_length() - 1
                if earlier == start:
                    return _trace(reached, event, start)
                reached[earlier] = event
                following.append(earlier)
        frontier = following
    return None


def _trace(reached: dict[Event, Event], event: Event, start: Event) -> list[Event]:
    cycle = [start]
    while event != start:
        cycle.append(event)
        event = reached[event]
    return cycle


def cycles(predecessors: dict[Event, int]) -> list[list[Event]]:
    """Short cycles, at least one if there is any; no two start at one event."""
    found: list[list[Event]] = []
    covered = 0
    for event in predecessors:
        if covered >> event & 1:
            continue
        cycle = shortest_cycle(predecessors, event)
        if cycle is not None:
            found.append(cycle)
            for member in cycle:
                covered |= 1 << member
    return found
