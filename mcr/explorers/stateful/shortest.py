"""A schedule to a failure that nobody can make shorter: of the fewest steps, of these of the fewest switches.

It is looked for breadth first, in all orders of steps: where steps that nobody sees are taken at once, some are taken
that the failure does not need. Along the ways of the fewest steps, switches between threads are then counted, and
stores that do not commit at once.
"""

from __future__ import annotations

from collections.abc import Callable

from mcr.explorers.stateful.layout import Widened
from mcr.explorers.stateful.system import Process, System
from replay.machine.machine import Choice
from replay.machine.state import NOTHING

_Step = tuple[Choice, int]
"""A step, and the global state then."""

_Way = tuple[int, int, tuple[Choice, "_Way"] | None]
"""How many switches a way has, how many stores that commit late, and its last step after those before."""

_Latest = tuple[int, int]
"""The thread that ran last, and the location of the store that it did then, if that may commit and has not."""


def shortest(system: System, fails: Callable[[Process], bool], most: int) -> list[Choice] | None:
    """A shortest schedule after which a process fails; None if more than `most` global states come first.

    `system` takes no steps at once.
    """
    system.begin()
    while True:
        try:
            return _Search(system, fails).found(most)
        except Widened:
            continue


class _Search:
    def __init__(self, system: System, fails: Callable[[Process], bool]) -> None:
        self._system = system
        self._fails = fails
        self._depth = {0: 0}
        self._steps: dict[int, list[_Step]] = {}

    def found(self, most: int) -> list[Choice] | None:
        levels = [[0]]
        goals = [0] if any(map(self._fails, self._system.processes(0))) else []
        while levels[-1] and not goals and len(self._depth) <= most:
            levels.append([])
            for state in levels[-2]:
                self._steps[state] = self._onward(state, len(levels) - 1)
                for choice, after in self._steps[state]:
                    if after not in self._depth:
                        self._depth[after] = len(levels) - 1
                        levels[-1].append(after)
                    if self._fails(self._system.processes(after)[choice.thread]):
                        goals.append(after)
        return self._fewest_switches(levels, goals) if goals else None

    def _onward(self, state: int, depth: int) -> list[_Step]:
        """The steps to states of the next depth."""
        system = self._system
        steps = [(action.choice, state + added) for action, _, added in system.actions(state) if added]
        if not steps and (added := system.begin_final(state)):
            steps = [(choice, state + added) for choice in system.choices_of_final()]
        return [(choice, after) for choice, after in steps if self._depth.get(after, depth) == depth]

    def _fewest_switches(self, levels: list[list[int]], goals: list[int]) -> list[Choice]:
        """The best of the ways on which no step is in vain."""
        useful = set(goals)
        for level in reversed(levels[:-1]):
            useful.update(state for state in level if any(after in useful for _, after in self._steps[state]))
        ways: dict[int, dict[_Latest, _Way]] = {0: {(NOTHING, NOTHING): (0, 0, None)}}
        """By state, and by what was done last, the best way to there."""
        for level in levels[:-1]:
            for state in level:
                if state in useful:
                    self._go_on(ways, state, useful)
        *_, last = min((way for goal in goals for way in ways[goal].values()), key=lambda way: way[:2])
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
                late = way[1] + (commits and latest != (choice.thread, choice.commit))
                now = (latest[0], NOTHING) if commits else (choice.thread, stored)
                if now not in best or (switches, late) < best[now][:2]:
                    best[now] = switches, late, (choice, way)

    def _stored(self, state: int, thread: int, after: int) -> int:
        """Where a thread has stored that ran between two states, if that may commit at once."""
        before, now = (
            {choice.commit for choice, _ in self._steps.get(each, ()) if choice.thread == thread}
            for each in (state, after)
        )
        return max(now - before, default=NOTHING)
