"""All global states that a program reaches, by the definition: begin with the first, add what each step adds.

    seen = {first}
    for each state of `seen`, in the order of discovery:
        for each thread, and each action of the process that it is:
            look up what the action adds where it finds what it looks at; see the state that comes of it

Of states that differ by an exchange of interchangeable threads, one is seen (`layout.py`).

States are found breadth first, so the way to each that its predecessors tell is one of the fewest steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from mcr.explorers.stateful.layout import Component
from mcr.explorers.stateful.outcomes import Reopened
from mcr.explorers.stateful.processes import ProcessAction, Row, ThreadProcesses
from mcr.explorers.stateful.system import System
from replay.machine.machine import Choice
from replay.traces.liveness import Mover

SLICE, MOST, SHARE = 500, 5_000, 100
"""States between two looks at limits: at first, at most, and one of how many of those that were seen."""

MOST_IN_VAIN = 5_000
"""States that may be explored in vain, since a cell was taken for constant and is not."""


_Table = tuple[ThreadProcesses, Component, dict[int, Row], bool]
"""A thread, its component and its actions, and whether others are interchangeable with it."""


class StateWay(NamedTuple):
    """A schedule, and which thread of the global state at its end is which of the program (`layout.py`)."""

    choices: list[Choice]
    threads: list[int]


class Cycles(NamedTuple):
    """Runs without end that are asked about.

    takes     whether they may take an action again and again
    mover     the thread or buffer that an action belongs to
    wants     whether a mover that could always go on has to
    fair      whether they have to be fair to threads, and to change something
    concerns  whether the component of a state may have one, as far as its threads say
    """

    takes: Callable[[ProcessAction], bool]
    mover: Callable[[ProcessAction], Mover]
    wants: Callable[[Mover], bool]
    fair: bool
    concerns: Callable[[int], bool]


class Space:
    """The graph of global states, as far as it was explored.

    before    each state that was seen with the one from which it was, in the order of discovery; -1 for the first
    frontier  how many states were seen of which the successors were not
    last      states from which no new one was seen, and which may be deadlocks, since this list was cleared: every
              deadlock is one of them
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self._before: dict[int, int] = {0: -1}
        self.last: list[int] = []
        self.levels = [1]
        """How many states there are at each depth, as far as they were looked for."""
        self._here, self._next = [0], list[int]()
        self._done = 0
        self._in_vain = 0

    @property
    def before(self) -> Mapping[int, int]:
        return self._before

    @property
    def growth(self) -> int:
        """Bytes that the next slice may take at once."""
        return 0

    @property
    def may_be_handed_over(self) -> bool:
        """Returns whether another space may go on: no state of the next level was seen."""
        return not self._done

    @property
    def frontier(self) -> int:
        return len(self._here) - self._done + len(self._next)

    @property
    def looked_at(self) -> int:
        """How many states were explored, those among them that were so in vain."""
        return len(self.before) + self._in_vain

    # -- exploring -------------------------------------------------------------

    def explore(self) -> Iterator[tuple[int, int]]:
        """See the successors of some states, until none is left (`frontier`).

        Tells of each step that leads to `System.news`: the state before, and that after. It may be left alone any time.
        """
        while True:
            try:
                yield from self._expand(max(SLICE, min(len(self.before) // SHARE, MOST)))
                break
            except Reopened:
                self._begin_again()
        self._end_level()

    def _end_level(self) -> None:
        if self._done == len(self._here):
            self._here, self._next, self._done = self._next, [], 0
            self.levels.append(len(self._here))

    def _expand(self, most: int) -> Iterator[tuple[int, int]]:
        """The main loop: the successors of the next states of this depth."""
        system, before, found = self.system, self._before, self._next
        threads, sort = self._threads(), system.sorting()
        end = min(self._done + most, len(self._here))
        known = len(found)
        for place in range(self._done, end):
            self._done = place
            state = self._here[place]
            moving = self._moving(state, threads) if system.one_by_one else threads
            alike, last = None, -1
            for thread, component, rows, is_like_others in moving:
                written = state & component.mask
                if is_like_others:
                    number = thread.held[written].number
                    if thread.alike is alike and number == last:
                        continue  # an exchange of the two changes nothing
                    alike, last = thread.alike, number
                for mask, table, action in rows[written]:
                    value = state & mask
                    added = table.get(value)
                    if added is None:
                        added = system.add(action, value)
                        if system.news:
                            yield state, state + added
                    if added:
                        after = state + added if sort is None else sort(state + added)
                        if after not in before:
                            before[after] = state
                            found.append(after)
                    elif value in action.onward:
                        yield from self._onward(state, action, value, sort)
            if len(found) == known:
                yield from self._look_at_last(state)
            known = len(found)
            if len(threads) < len(system.threads):
                threads = self._threads()
        self._done = end

    def _onward(
        self, state: int, action: ProcessAction, value: int, sort: Callable[[int], int] | None
    ) -> Iterator[tuple[int, int]]:
        """See what comes of a step of several actions."""
        system = self.system
        found = system.onward(state + action.onward[value], action.process.thread)
        news = system.news[:]
        for _, after in found:
            system.news[:] = [process for process in news if process.thread.process(after) is process]
            if system.news:
                yield state, after
            self._see(state, after if sort is None else sort(after))

    def _moving(self, state: int, threads: list[_Table]) -> list[_Table]:
        """The threads that may do something in a state (`System.moving`)."""
        moving = {process.thread for process in self.system.moving(state)}
        return [each for each in threads if each[0] in moving]

    def _threads(self) -> list[_Table]:
        """All threads, those that are interchangeable one after the other."""
        ordered = sorted(self.system.threads, key=lambda thread: (thread.alike.index, thread.index))
        return [(each, each.component, each.rows, len(each.group) > 1) for each in ordered]

    def _look_at_last(self, state: int) -> Iterator[tuple[int, int]]:
        """A state from which no new one was seen: the final function may begin, or all may be stuck."""
        processes = self.system.processes(state)
        if not all(process.may_be_stuck for process in processes):
            return
        added = self.system.begin_final(state)
        if self.system.news:
            yield state, state + added
        if not added:
            if self.system.may_be_deadlock(processes, state):
                self.last.append(state)
        else:
            self._see(state, state + added)

    def _see(self, state: int, after: int) -> None:
        """See a state from another one."""
        if after not in self._before:
            self._before[after] = state
            self._next.append(after)

    def _begin_again(self) -> None:
        """Explore all again; if that has happened too often, without taking anything for constant."""
        self._in_vain += len(self.before)
        self.system.outcomes.takes_loads = self._in_vain < MOST_IN_VAIN
        self.system.begin()
        self.system.news.clear()  # who ends before anything was seen did so at first, too
        self.levels = [1]
        self.last.clear()
        self._forget()

    def _forget(self) -> None:
        """Forget all states but the first."""
        self._before = {0: -1}
        self._here, self._next, self._done = [0], [], 0

    def suspects(self, ask: Cycles) -> list[list[int]] | None:
        """Strongly connected components, among them all that may have a run that is asked about.

        None if they are not to be had faster than by `progress.components`.
        """
        return None

    # -- what was explored -------------------------------------------------------

    def way(self, state: int, after: int | None = None) -> StateWay:
        """A schedule that leads to a state, and on to one that was reached from it, as it is before it is sorted."""
        states = [state]
        while self.before[states[-1]] >= 0:
            states.append(self.before[states[-1]])
        states.reverse()
        choices = [choice for thread in self.system.threads for choice in self.system.unseen_at_first(thread)]
        way = StateWay(choices, list(range(len(self.system.threads))))
        sort = self.system.sorting()
        for before, sorted_after in pairwise(states):
            self._rearrange(way, self._step(way, before, sorted_after, sort))
        if after is not None:
            self._step(way, state, after)
        return way

    def _step(self, way: StateWay, before: int, wanted: int, sort: Callable[[int], int] | None = None) -> int:
        """Go on along a way, to what is `wanted` once it is sorted; returns it as it is before."""
        way.threads.extend(range(len(way.threads), len(self.system.threads)))
        for actions, after in self.system.taken_steps(before):
            if (after if sort is None else sort(after)) == wanted:
                steps = (step for each in actions for step in self.system.choices(*each))
                way.choices.extend(step._replace(thread=way.threads[step.thread]) for step in steps)
                return after
        added = self.system.begin_final(before)
        assert added and before + added == wanted, "a state that was seen from another one"
        way.choices.extend(self.system.choices_of_final())
        return before + added

    def _rearrange(self, way: StateWay, state: int) -> None:
        """Sort the state at the end of a way."""
        for group in self.system.groups:
            threads = [way.threads[group.members[place]] for place in group.order(state)]
            for member, thread in zip(group.members, threads, strict=True):
                way.threads[member] = thread
