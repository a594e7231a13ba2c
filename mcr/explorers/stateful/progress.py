"""Runs that go on for ever, though a thread in them is expected to come to an end (docs/semantics.md 6).

Such a run is in one strongly connected component of the graph of global states from some moment on. It is fair if
whoever could go on in all the states that it comes back to goes on in it: a thread, or a buffer with stores. So there
is a fair one in a component if and only if each of them has a step in it, or a state in which it cannot go on: a run
that takes all steps of the component again and again is one, and where somebody who always could has no step, no run
that stays there is fair. All steps have to be in the graph for that, and all threads to be told apart.

Whether a thread has ended is the same in all states of a component. If one that is no daemon has not, its runs lack
progress. Where everybody only looks at memory, nothing changes any more: that is the end of a run, where threads wait,
and whether it is a deadlock is asked elsewhere (`stuck.py`).

Obstruction-, lock- and wait-freedom [herlihy-2008] ask the same of other runs: a scheduler owes nothing to threads, so
only buffers have to be fair, and a thread that waits is stuck, as others may have been stopped. Who may move in these
runs, and which steps complete a call that is waited for, so that no such run has them, is a `Demand`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from mcr.exploration.goals import PROGRESS
from mcr.explorers.stateful.processes import Process, ProcessAction
from mcr.explorers.stateful.space import Cycles, Space
from replay.code.terminals import Ended
from replay.machine.machine import Choice
from replay.machine.state import NOTHING
from replay.traces.liveness import Mover, is_buffer, stopped_for_good


class GlobalEdge(NamedTuple):
    """An edge of the graph of global states: an action, what it finds where it looks, and the state then."""

    action: ProcessAction
    value: int
    after: int


class Lasso(NamedTuple):
    """A schedule that comes back to where a part of it began.

    stem   what comes before that part
    cycle  that part; empty if somebody waits, and nothing happens
    """

    stem: list[Choice]
    cycle: list[Choice]


class Demand(NamedTuple):
    """The runs none of which may go on for ever, in words of a graph without some of its steps.

    is_fair  they are those that are fair to threads, in which one that is no daemon does not end; all steps count.
             Else they are those in which `thread` goes on, or anybody if that is None, and completes no call.
    alone    whether no other thread goes on in them
    """

    is_fair: bool
    thread: int | None = None
    alone: bool = False

    def counts(self, step: GlobalEdge) -> bool:
        """Returns whether these runs may take a step again and again."""
        return self.takes(step.action)

    def takes(self, action: ProcessAction) -> bool:
        """Returns whether these runs may take an action again and again."""
        thread, commit, _ = action.choice
        if self.is_fair or commit != NOTHING:
            return True
        operation = action.process.state.operation
        is_its = self.thread in (None, thread)
        return not (is_its and operation is not None and operation.completes) and (is_its or not self.alone)

    def wants(self, mover: Mover) -> bool:
        """Returns whether a thread or buffer has to go on if it always could."""
        return self.is_fair or is_buffer(mover)


class LassoSearch:
    """Looks for runs without end in a graph of global states that is complete."""

    def __init__(self, space: Space, check: Callable[[], None]) -> None:
        """`check` is called now and then, and may raise something."""
        self._space = space
        self._system = space.system
        self._check = check
        self._known: dict[tuple[ProcessAction, int], bool] = {}
        self._demand = Demand(True)

    def lassos(self, objective: str) -> Iterator[Lasso]:
        """Runs without end that an objective forbids; of each component one, the shortest stem first."""
        if objective != PROGRESS:
            waiting = next(filter(self._waits, self._space.before), None)
            if waiting is not None:
                yield Lasso(self._space.way(waiting).choices, [])
        for demand in self._demands(objective):
            self._demand = demand
            yield from self._in_components()

    def rankings(self, objective: str) -> Iterator[dict[int, int]]:
        """Yields for each kind of runs that an objective is about numbers of states, by the components of their graph:
        no step of such a run leads to a higher one, and those that lead to the same stay in a component."""
        for demand in self._demands(objective):
            self._demand = demand
            found = components(self._space.before, self._after, self._check)
            yield {state: number for number, states in enumerate(found) for state in states}

    def _demands(self, objective: str) -> Iterator[Demand]:
        match objective:
            case "lock-freedom":
                yield Demand(False)
            case "obstruction-freedom" | "wait-freedom":
                for thread in self._system.graphs.threads:
                    yield Demand(False, thread.index, alone=objective == "obstruction-freedom")
            case _:
                yield Demand(True)

    def _in_components(self) -> Iterator[Lasso]:
        found = [each for each in self._components() if self._is_bug(each)]
        if not found:
            return
        discovery = {state: number for number, state in enumerate(self._space.before)}
        starts = {min(states, key=discovery.__getitem__): frozenset(states) for states in found}
        for start in sorted(starts, key=discovery.__getitem__):
            yield self._shown(start, self._round(starts[start], start))

    def _waits(self, state: int) -> bool:
        """Returns whether a thread waits for others, with nothing left in any buffer."""
        processes, left = self._system.processes(state), self._left(state)
        if any(each.contents for each in processes) or any(stopped_for_good(each.state) for each in left):
            return False
        able = {step.action.process.thread.index for step in self._all_steps(state)}
        return any(each.thread.index not in able for each in left)

    # -- components ----------------------------------------------------------

    def _components(self) -> Iterator[list[int]]:
        """The strongly connected components that have steps in them; at least those that may be bugs."""
        demand = self._demand
        found = self._space.suspects(Cycles(demand.takes, self._mover, demand.wants, demand.is_fair, self._concerns))
        if found is not None:
            return iter(found)
        every = components(self._space.before, self._after, self._check)
        return (states for states in every if len(states) > 1 or states[0] in self._after(states[0]))

    def _after(self, state: int) -> list[int]:
        return [step.after for step in self._steps(state)]

    def _steps(self, state: int) -> Iterator[GlobalEdge]:
        """The steps from a state that count."""
        return filter(self._demand.counts, self._all_steps(state))

    def _all_steps(self, state: int) -> Iterator[GlobalEdge]:
        """The steps from a state, those that change nothing among them."""
        for action, value, added in self._system.actions(state):
            if added or self._happens(action, value):
                yield GlobalEdge(action, value, state + added)

    def _happens(self, action: ProcessAction, value: int) -> bool:
        """Returns whether an action that changes nothing happens at all, and has not to wait."""
        known = self._known.get((action, value))
        if known is None:
            known = self._known[action, value] = self._system.outcomes.of(action, value) is not None
        return known

    def _is_bug(self, states: list[int]) -> bool:
        """Returns whether a component has a run that is asked about."""
        if not self._concerns(states[0]):
            return False
        always, moved, only_look = self._fairness(states)
        if not set(filter(self._demand.wants, always)) <= moved:
            return False
        if self._demand.is_fair:
            return not only_look
        return bool(self._must(moved))

    def _concerns(self, state: int) -> bool:
        """Returns whether the component of a state may have a run that is asked about, as far as the threads left
        there say."""
        left, threads = self._left(state), self._system.graphs.threads
        if any(stopped_for_good(each.state) for each in left):
            return False
        return not (self._demand.is_fair and all(threads[each.thread.index].is_daemon for each in left))

    def _must(self, moved: set[Mover]) -> set[Mover]:
        """Of the threads that move in a component, one that has to, though nothing owes it a step."""
        asked = {each for each in moved if not is_buffer(each) and self._demand.thread in (None, each[0])}
        return set() if self._demand.is_fair else set(sorted(asked)[:1])

    def _left(self, state: int) -> list[Process]:
        """Returns the processes that have begun, and not ended, the final function among them."""
        final = self._system.graphs.final
        begun = self._system.taking_part(state)
        if final is not None and (last := self._system.processes(state)[final.index]).number:
            begun.append(last)
        return [process for process in begun if not isinstance(process.state.terminal, Ended)]

    def _fairness(self, states: list[int]) -> tuple[set[Mover], set[Mover], bool]:
        """Returns the movers that could go on in each state of a component, those that do, and whether they only
        look."""
        inside, moved, only_look = frozenset(states), set[Mover](), True
        always: set[Mover] | None = None
        for state in states:
            steps = list(self._steps(state))
            able = {self._mover(step.action) for step in steps}
            always = able if always is None else always & able
            for step in steps:
                if step.after in inside:
                    moved.add(self._mover(step.action))
                    only_look = only_look and self._only_looks(step)
        return always or set(), moved, only_look

    def _mover(self, action: ProcessAction) -> Mover:
        thread, commit, _ = action.choice
        return thread, None if commit == NOTHING else self._system.buffers.queue(commit)

    def _only_looks(self, step: GlobalEdge) -> bool:
        outcome = self._system.outcomes.of(step.action, step.value)
        return outcome is not None and outcome.only_looked

    # -- what is shown ---------------------------------------------------------

    def _round(self, inside: frozenset[int], start: int) -> list[GlobalEdge]:
        """A fair way from a state of a component back to it: the next who is owed a step, or a state in which it
        cannot go on, is always the nearest."""
        steps = [step for state in inside for step in self._steps(state) if step.after in inside]
        must = self._must({self._mover(step.action) for step in steps})
        owed = set(filter(self._demand.wants, self._able(start)))
        way: list[GlobalEdge] = []
        here = start
        while owed or must:
            way += self._nearest(inside, here, owed, must)
            here = way[-1].after
            for each in (owed, must):
                each.discard(self._mover(way[-1].action))
            owed &= self._able(here)
        return way + self._back(inside, here, start, way)

    def _able(self, state: int) -> set[Mover]:
        return {self._mover(step.action) for step in self._steps(state)}

    def _back(self, inside: frozenset[int], here: int, start: int, way: list[GlobalEdge]) -> list[GlobalEdge]:
        return _search(here, lambda step: step.after == start, self._steps, inside) if here != start or not way else []

    def _nearest(self, inside: frozenset[int], here: int, owed: set[Mover], must: set[Mover]) -> list[GlobalEdge]:
        """The fewest steps after which less is owed."""
        return _search(
            here,
            lambda step: self._mover(step.action) in owed | must or not owed <= self._able(step.after),
            self._steps,
            inside,
        )

    def _shown(self, start: int, cycle: list[GlobalEdge]) -> Lasso:
        """The lasso, begun where no thread is in the middle of the condition of a wait, if there is such a place."""
        states = [start, *(step.after for step in cycle)]
        place = next((number for number, state in enumerate(states[:-1]) if self._is_between_waits(state)), 0)
        begun = self._choices(cycle[:place])
        return Lasso([*self._space.way(start).choices, *begun], [*self._choices(cycle[place:]), *begun])

    def _choices(self, steps: Iterable[GlobalEdge]) -> list[Choice]:
        return [choice for step in steps for choice in self._system.choices(step.action, step.value)]

    def _is_between_waits(self, state: int) -> bool:
        graphs = self._system.graphs
        return not any(graphs.is_inside_wait(process.state) for process in self._system.processes(state))


def _search(
    start: int, goal: Callable[[GlobalEdge], bool], steps: Callable[[int], Iterable[GlobalEdge]], inside: Container[int]
) -> list[GlobalEdge]:
    """The fewest steps to one that is wanted; there is one."""
    before: dict[int, tuple[int, GlobalEdge] | None] = {start: None}
    waiting = [start]
    for here in waiting:
        for step in steps(here):
            if step.after not in inside:
                continue
            if goal(step):
                way = [step]
                while (came := before[here]) is not None:
                    here, step = came
                    way.append(step)
                return way[::-1]
            if step.after not in before:
                before[step.after] = here, step
                waiting.append(step.after)
    raise AssertionError("a component leads from each of its states to each")


def components(
    roots: Iterable[int], successors: Callable[[int], Iterable[int]], check: Callable[[], None]
) -> Iterator[list[int]]:
    """The strongly connected components [tarjan-1972], without recursion: each after those to which its edges lead."""
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    for root in roots:
        if root in number:
            continue
        check()
        path = [(root, iter(successors(root)))]
        number[root] = lowest[root] = len(number)
        open_.append(root)
        is_open.add(root)
        while path:
            here, following = path[-1]
            for after in following:
                if after not in number:
                    number[after] = lowest[after] = len(number)
                    open_.append(after)
                    is_open.add(after)
                    path.append((after, iter(successors(after))))
                    break
                elif after in is_open:
                    lowest[here] = min(lowest[here], number[after])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[here])
                if lowest[here] == number[here]:
                    found = [open_.pop()]
                    while found[-1] != here:
                        found.append(open_.pop())
                    is_open.difference_update(found)
                    yield found
