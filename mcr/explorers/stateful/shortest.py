"""A shortest schedule to a failure: the fewest operations, then switches, then delayed stores.

It is looked for breadth first, in all orders of steps: where steps that nobody sees are taken at once, some are taken
that the failure does not need. That a store reaches memory is no operation. Along the ways of the fewest operations,
switches between threads are then counted, and stores that do not commit at once.
"""

from __future__ import annotations

from collections.abc import Callable

from mcr.explorers.stateful.buffers import size
from mcr.explorers.stateful.processes import Process
from mcr.explorers.stateful.system import System
from replay.machine.machine import Choice
from replay.machine.state import NOTHING

_Step = tuple[Choice, int]
"""A step, and the global state then."""

_Way = tuple[int, int, tuple[Choice, "_Way"] | None]
"""How many switches a way has, how many stores that did not commit at once, and its last step after those before."""

_Latest = tuple[int, int]
"""The thread that ran last, and the location of the store that it did just now, if that is in its buffer."""

DELAYED = -2
"""Stands for a location from which a store does not reach memory at once."""


def shortest(system: System, fails: Callable[[Process], bool], most: int) -> list[Choice] | None:
    """A shortest schedule after which a process fails; None if more than `most` global states come first.

    `system` takes no steps at once.
    """
    system.begin()
    return _ShortestSearch(system, fails).found(most)


class _ShortestSearch:
    def __init__(self, system: System, fails: Callable[[Process], bool]) -> None:
        self._system = system
        self._fails = fails
        self._depth = {0: 0}
        self._buffered = {0: 0}
        """How many stores are in buffers: after a commit there is one less."""
        self._steps: dict[int, list[_Step]] = {}

    def found(self, most: int) -> list[Choice] | None:
        levels = [[0]]
        goals = [0] if any(map(self._fails, self._system.processes(0))) else []
        while levels[-1] and not goals and len(self._depth) <= most:
            onward: list[int] = []
            for state in levels[-1]:  # which grows: a commit is no operation
                self._steps[state] = self._onward(state, len(levels))
                for choice, after in self._steps[state]:
                    if after not in self._depth:
                        level = levels[-1] if choice.commit != NOTHING else onward
                        self._depth[after] = len(levels) - (level is not onward)
                        level.append(after)
                        process = self._process(after, choice.thread)
                        more = size(process.contents) - size(self._process(state, choice.thread).contents)
                        self._buffered[after] = self._buffered[state] + more
                        if self._fails(process):
                            goals.append(after)
            levels[-1].sort(key=self._buffered.__getitem__, reverse=True)
            levels.append(onward)
        return self._fewest_switches(levels, goals) if goals else None

    def _process(self, state: int, thread: int) -> Process:
        return self._system.threads[thread].process(state)

    def _onward(self, state: int, depth: int) -> list[_Step]:
        """Commits, and operations to states of the next depth."""
        system = self._system
        steps = [(action.choice, state + added) for action, _, added in system.actions(state) if added]
        if not steps and (added := system.begin_final(state)):
            steps = [(choice, state + added) for choice in system.choices_of_final()]
        return [(choice, after) for choice, after in steps if self._leads_on(choice, after, depth)]

    def _leads_on(self, choice: Choice, after: int, depth: int) -> bool:
        reached = depth - (choice.commit != NOTHING)
        return self._depth.get(after, reached) == reached

    def _fewest_switches(self, levels: list[list[int]], goals: list[int]) -> list[Choice]:
        """The best of the ways on which no step is in vain."""
        useful = set(goals)
        for level in reversed(levels[:-1]):
            for state in reversed(level):
                if any(after in useful for _, after in self._steps[state]):
                    useful.add(state)
        ways: dict[int, dict[_Latest, _Way]] = {0: {(NOTHING, NOTHING): (0, 0, None)}}
        """By state, and by what was done last, the best way to there."""
        for level in levels[:-1]:
            for state in level:
                if state in useful:
                    self._go_on(ways, state, useful)
        *_, last = min((way for goal in goals for way in _ended(ways[goal])), key=lambda way: way[:2])
        choices: list[Choice] = []
        while last is not None:
            choices.append(last[0])
            last = last[1][2]
        return choices[::-1]

    def _go_on(self, ways: dict[int, dict[_Latest, _Way]], state: int, useful: set[int]) -> None:
        """Take the ways to a state one step further."""
        for choice, after in self._steps[state]:
            if after not in useful:
                continue
            best = ways.setdefault(after, {})
            stored = NOTHING if choice.commit != NOTHING else self._stored(state, choice.thread, after)
            for latest, way in ways[state].items():
                commits = choice.commit != NOTHING
                switches = way[0] + (not commits and latest[0] not in (NOTHING, choice.thread))
                delays = way[1] + _delays(latest, choice)
                now = (latest[0], NOTHING) if commits else (choice.thread, stored)
                if now not in best or (switches, delays) < best[now][:2]:
                    best[now] = switches, delays, (choice, way)

    def _stored(self, state: int, thread: int, after: int) -> int:
        """Returns where a thread has stored that ran between two states; DELAYED if others have to commit before."""
        before, now = self._process(state, thread), self._process(after, thread)
        if size(now.contents) <= size(before.contents):
            return NOTHING
        commits = self._system.buffers.commits(now.contents)
        return next((store.location for store, rest in commits if rest == before.contents), DELAYED)


def _delays(latest: _Latest, choice: Choice) -> bool:
    """Returns whether a step leaves a store in its buffer that was done just before."""
    return latest[1] != NOTHING and (choice.thread, choice.commit) != latest


def _ended(ways: dict[_Latest, _Way]) -> list[_Way]:
    """Ways that go no further: what was stored last stays in its buffer."""
    return [(switches, delays + (latest[1] != NOTHING), last) for latest, (switches, delays, last) in ways.items()]
