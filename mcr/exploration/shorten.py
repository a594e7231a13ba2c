"""Make a failing schedule short: few context switches, and no store delayed that need not be.

Blocks of one thread are merged as far as that changes nothing that is read,
and commits moved as far to the front as they go. Two bounded shortest-path
searches then look for something better: along the failing run, and along any
known path to the same bug.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mcr.executions.causal_past import Causality
from mcr.executions.equivalence import OperationId, history
from mcr.executions.schedule import rehearse
from mcr.exploration.cheapest import cheapest
from mcr.exploration.limits import Stopped
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind

Cost = tuple[int, int]
"""Context switches, and stores that did not commit at once."""

_EFFORT = 2_500
"""Machine configurations that a search looks at."""

_GREED = 2
"""Switches to expect for every thread that still has to run. At 1 the search
would be exact along the failing run; it would also look at far more."""


class Shortened(NamedTuple):
    """A short schedule, and the limit that kept it from becoming shorter, if one did."""

    choices: list[Choice]
    cut: Stopped | None


def shorten(unfolding: Unfolding, model: MemoryModel, choices: list[Choice], goal: State) -> Shortened:
    """Make a schedule short that ends in `goal`, a state in which a thread failed.

    Takes the best that it has when the exploration comes to a limit: to show the bug comes first.
    """
    best, cut = choices, None
    try:
        for better in _shorter_and_shorter(Machine(unfolding, model), choices, goal):
            best = better
    except Stopped as stopped:
        cut = stopped
    return Shortened(best, cut)


def tidied(unfolding: Unfolding, model: MemoryModel, choices: list[Choice]) -> list[Choice]:
    """Returns the same execution, to its end, with fewer context switches and no store delayed that need not be."""
    start, best = Machine(unfolding, model), choices
    try:
        best = _commit_early(start, choices)
        best = _commit_early(start, _merge_blocks(start, best))
    except Stopped:
        pass  # to show the bug comes first
    return best


def _shorter_and_shorter(start: Machine, choices: list[Choice], goal: State) -> Iterator[list[Choice]]:
    """Schedules to the same failure, each at least as good as the one before."""
    best = choices
    for best in _tidied(start, choices, goal):
        yield best
    for wider in (False, True):
        allowed = None if wider else _needed(start, best, goal)
        node = _search(start, _Task(goal, allowed, _cost(start, best)))
        if node is not None:
            for best in _tidied(start, node.choices(), node.machine.states[node.running]):
                yield best


def _tidied(start: Machine, choices: list[Choice], goal: State) -> Iterator[list[Choice]]:
    """Yields schedules to the same failure, with less and less around it."""
    yield (needed := _only_needed(start, choices, _needed(start, choices, goal)))
    yield (early := _commit_early(start, needed))
    yield (merged := _merge_blocks(start, early))
    yield _commit_early(start, merged)


def _cost(start: Machine, choices: list[Choice]) -> Cost:
    return (_switches(choices), len(_delayed(start, choices)))


def _switches(choices: list[Choice]) -> int:
    running = [choice.thread for choice in choices if choice.commit == NOTHING]
    return sum(before != after for before, after in itertools.pairwise(running))


def _needed(start: Machine, choices: list[Choice], goal: State) -> set[State]:
    """The states that the goal's history depends on, through program order and reads-from."""
    causality = Causality(start.unfolding, start.model, choices)
    if start.unfolding.threads[goal.thread].is_final:
        return _all_passed(start, choices)
    sources = {(read.state.thread, read.state.depth): read.source for read in causality.reads}
    counts = history(sources, goal.thread, goal.depth)
    roots = {start.states[thread] for thread in counts}
    return roots | {step.after for thread, count in counts.items() for step in causality.ways[thread][:count]}


def _all_passed(start: Machine, choices: list[Choice]) -> set[State]:
    """All local states of an execution."""
    machine = start.copy()
    passed = set(machine.states)
    for choice in choices:
        machine.apply(choice)
        passed.add(machine.states[choice.thread])
    return passed


def _only_needed(start: Machine, choices: list[Choice], needed: set[State]) -> list[Choice]:
    """The schedule without what the failure does not depend on; all of it if the rest is no schedule.

    A thread that has the global lock goes on to where it may give it up, and may read there what others wrote.
    """
    machine = start.copy()
    dropped: set[OperationId] = set()
    kept: list[Choice] = []
    for choice in choices:
        if choice.commit != NOTHING:
            store = machine.commit(choice.thread, choice.commit)
            keep = (choice.thread, store.depth) not in dropped
        else:
            before = machine.states[choice.thread]
            goes_on = before.operation is not None and before.operation.at_once
            keep = machine.run(choice.thread, choice.chosen).after in needed
            keep = keep or (goes_on and (choice.thread, before.depth - 1) not in dropped)
            if not keep:
                dropped.add((choice.thread, before.depth))
        if keep:
            kept.append(choice)
    return kept if rehearse(start.unfolding, start.model, kept).played == len(kept) else choices


def _delayed(start: Machine, choices: list[Choice]) -> list[OperationId]:
    """The stores that do not commit in the step after their own."""
    machine = start.copy()
    found: list[OperationId] = []
    for number, choice in enumerate(choices):
        depth = machine.states[choice.thread].depth
        waiting = len(machine.buffers[choice.thread])
        machine.apply(choice)
        if choice.commit == NOTHING and len(machine.buffers[choice.thread]) > waiting:
            newest = machine.buffers[choice.thread][-1]
            if choices[number + 1 : number + 2] != [Choice(choice.thread, newest.location)]:
                found.append((choice.thread, depth))
    return found


# -- moving what can be moved ------------------------------------------------------


def _merge_blocks(start: Machine, choices: list[Choice]) -> list[Choice]:
    """Puts steps of one thread side by side, as far as no thread reads anything else then."""
    ends = rehearse(start.unfolding, start.model, choices).states
    improved = True
    while improved:
        improved = False
        for trial in _merged(_blocks(choices)):
            if _switches(trial) < _switches(choices) and _reaches(start, trial, ends):
                choices, improved = trial, True
                break
    return choices


def _blocks(choices: list[Choice]) -> list[list[Choice]]:
    """Steps of one thread in a row; commits that come late stand alone."""
    blocks: list[list[Choice]] = []
    for number, choice in enumerate(choices):
        at_once = number > 0 and choices[number - 1] == Choice(choice.thread)
        joins = blocks and blocks[-1][0].commit == NOTHING and blocks[-1][0].thread == choice.thread
        if joins and (choice.commit == NOTHING or at_once):
            blocks[-1].append(choice)
        else:
            blocks.append([choice])
    return blocks


def _merged(blocks: list[list[Choice]]) -> Iterator[list[Choice]]:
    """All ways to put a block next to an earlier or a later one of its thread."""
    for place, block in enumerate(blocks):
        others = blocks[:place] + blocks[place + 1 :]
        for target, other in enumerate(others):
            if other[0].thread == block[0].thread:
                for position in (target, target + 1):
                    yield list(itertools.chain(*others[:position], block, *others[position:]))


def _commit_early(start: Machine, choices: list[Choice]) -> list[Choice]:
    """Moves every commit to the earliest place where it changes nothing that any thread reads."""
    ends = rehearse(start.unfolding, start.model, choices).states
    moved = list(choices)
    for place, choice in enumerate(choices):
        if choice.commit == NOTHING:
            continue
        without = moved[:place] + moved[place + 1 :]
        for earlier in range(place):
            trial = [*without[:earlier], choice, *without[earlier:]]
            if _reaches(start, trial, ends):
                moved = trial
                break
    return moved


def _reaches(start: Machine, choices: list[Choice], ends: list[State]) -> bool:
    """Returns whether a schedule is possible and leads every thread along known states to the given end."""
    start.unfolding.check()
    return rehearse(start.unfolding, start.model, choices) == (ends, len(choices), None)


# -- the search ----------------------------------------------------------------


class _Task:
    """The aim of a search: a state like `goal`, for less than `bound`.

    allowed  the states that threads may pass, None for all known ones
    """

    def __init__(self, goal: State, allowed: set[State] | None, bound: Cost) -> None:
        self.bound = bound
        self._goal = goal
        self._allowed = allowed
        self._last = [] if allowed is None else _last_of_each_thread(allowed)

    def allows(self, state: State) -> bool:
        return self._allowed is None or state in self._allowed

    def is_goal(self, state: State) -> bool:
        return state.terminal == self._goal.terminal

    def estimate(self, node: _Node) -> Cost:
        """Estimates the cost of the ways through `node`: some switches for every other thread that is not done."""
        states = node.machine.states
        behind = sum(states[end.thread] is not end and end.thread != node.running for end in self._last)
        return (node.cost[0] + _GREED * behind, node.cost[1])


def _last_of_each_thread(states: set[State]) -> list[State]:
    deepest: dict[int, State] = {}
    for state in sorted(states, key=lambda state: state.number):
        if state.thread not in deepest or deepest[state.thread].depth < state.depth:
            deepest[state.thread] = state
    return list(deepest.values())


class _Focus(NamedTuple):
    """Which thread must run after a late commit: `thread`, or any that reads `location`."""

    thread: int = NOTHING
    location: LocationId = NOTHING


@dataclass(frozen=True)
class _Node:
    """A configuration on the way.

    running  the thread that executed last
    fresh    whether the last step executed a store that has not committed
    steps    how many lead here
    """

    cost: Cost
    machine: Machine
    running: int = NOTHING
    fresh: bool = False
    focus: _Focus | None = None
    choice: Choice | None = None
    before: _Node | None = None
    steps: int = 0

    def key(self) -> object:
        return (self.machine.key(), self.running, self.fresh, self.focus)

    def choices(self) -> list[Choice]:
        found: list[Choice] = []
        node: _Node | None = self
        while node is not None and node.choice is not None:
            found.append(node.choice)
            node = node.before
        return found[::-1]


def _search(start: Machine, task: _Task) -> _Node | None:
    """The cheapest way to a goal that is found; None if the effort does not suffice, or nothing beats the bound.

    Among equals, the one that has executed most goes first.
    """

    def following(node: _Node) -> Iterator[_Node]:
        start.unfolding.check()
        return (each for each in _following(node, task) if each.cost < task.bound)

    return cheapest(
        _Node((0, 0), start),
        following=following,
        is_goal=lambda node: node.choice is not None and task.is_goal(node.machine.states[node.choice.thread]),
        price=lambda node: (task.estimate(node), -node.steps),
        key=_Node.key,
        effort=_EFFORT,
    )


def _following(node: _Node, task: _Task) -> Iterator[_Node]:
    """Yields the nodes that may come next, as far as they lead to known states.

    A store commits at once, or right before an operation that can tell the
    difference: an access to its location, or one that waits for the buffer.
    Elsewhere its commit would only be one more way to the same end.
    """
    machine = node.machine
    at_once = _commit_at_once(node)
    if at_once is not None:
        yield _commit(node, at_once, None, delayed=0)
    for choice in machine.choices():
        if choice.commit == NOTHING:
            if _leads_on(node, choice, task):
                yield _run(node, choice)
        elif choice != at_once:
            for focus in _observers(machine, choice):
                yield _commit(node, choice, focus, delayed=int(node.fresh))


def _commit_at_once(node: _Node) -> Choice | None:
    """The commit of the store that was executed last, if it may commit now."""
    if not node.fresh:
        return None
    newest = node.machine.buffers[node.running][-1].location
    locations = [store.location for store in node.machine.buffers[node.running]]
    if locations.count(newest) > 1 or newest not in node.machine.committable(node.running):
        return None
    return Choice(node.running, newest)


def _leads_on(node: _Node, choice: Choice, task: _Task) -> bool:
    """Returns whether running the thread makes use of the last commit, and leads to a known and allowed state."""
    state = node.machine.states[choice.thread]
    focus = node.focus
    if focus is not None and choice.thread != focus.thread and state.loc != focus.location:
        return False
    step = state.edges.get(node.machine.visible(choice.thread) if state.reads else choice.chosen)
    return step is not None and task.allows(step.after)


def _observers(machine: Machine, choice: Choice) -> list[_Focus]:
    """Returns the next operations that can tell that this store has committed, or one that this one holds up."""
    following = {store.location for store in machine.buffers[choice.thread]}
    found: dict[_Focus, None] = {}
    for thread, state in enumerate(machine.states):
        if state.operation is None:
            continue
        if state.operation.kind in (Kind.JOIN, Kind.FINAL) or (thread == choice.thread and state.drains):
            found[_Focus(thread=thread)] = None
        elif state.loc in following and (state.reads or thread != choice.thread):
            found[_Focus(location=state.loc)] = None
    return list(found)


def _run(node: _Node, choice: Choice) -> _Node:
    machine = node.machine.copy()
    waiting = len(machine.buffers[choice.thread])
    machine.run(choice.thread, choice.chosen)
    switches = node.cost[0] + (node.running not in (NOTHING, choice.thread))
    fresh = len(machine.buffers[choice.thread]) > waiting
    cost = (switches, node.cost[1] + node.fresh)
    return _Node(cost, machine, choice.thread, fresh, None, choice, node, node.steps + 1)


def _commit(node: _Node, choice: Choice, focus: _Focus | None, delayed: int) -> _Node:
    machine = node.machine.copy()
    machine.commit(choice.thread, choice.commit)
    cost = (node.cost[0], node.cost[1] + delayed)
    return _Node(cost, machine, node.running, False, focus, choice, node, node.steps + 1)
