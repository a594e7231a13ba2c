"""How threads go on from a local state, as far as is known: ways for whoever wants to see other code take them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from random import Random
from typing import Protocol

from replay.machine.spinning import comes_round, continues_in, ends_turn, turn_of
from replay.machine.state import Edge, State
from replay.world.operation import Kind
from replay.world.values import ValueTable

_TURNS = 2
"""Ends of turns on a way that is not about turns."""


class Thread(Protocol):
    """A thread as the unfolding knows it."""

    root: State


class Threads(Protocol):
    """What is needed of the unfolding."""

    bound: int
    values: ValueTable
    states: list[State]

    def thread_name(self, index: int) -> str: ...

    def child_of_spawn(self, state: State) -> Thread: ...


class Continuations:
    """Continuations of steps, chosen at random, but the same in every run; what is known must not grow meanwhile."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._random = Random(0)
        self._comes_to_end = _come_to_end(threads.states)

    def after(self, first: Edge, count: int) -> Iterator[list[Edge]]:
        """Ways that begin with a step, each to the end of its thread if that is known, else as far as anything is.

        They differ if there are several: no more than `count` are of the thread itself, and as many of threads that
        it spawns. At the end of a turn comes a way that goes round and round first.
        """
        if comes_round(first):
            yield [first, *self.round_and_round(first, self._threads.bound)]
        taken: Counter[int] = Counter()
        children: deque[list[Edge]] = deque()
        for _ in range(count):
            way = self._extended([first], taken)
            if way is None:
                break
            yield way
            children.extend(self._children(way))
        for _ in range(count):
            begun = self._extended(children.popleft(), taken) if children else None
            if begun is not None:
                yield begun
                children.extend(self._children(begun))

    @staticmethod
    def round_and_round(last: Edge, bound: int) -> Iterator[Edge]:
        """The steps of a turn, again and again until a thread has so many operations; `last` ends the turn."""
        turn = turn_of(last)
        for number in range(bound - last.after.depth):
            yield turn[number % len(turn)]

    def _extended(self, way: list[Edge], taken: Counter[int]) -> list[Edge] | None:
        """The way, as far as its thread is known to go; None if it shows no step that was not taken."""
        is_new = not taken[way[-1].number]
        taken[way[-1].number] += 1
        turns = 0
        while len(way) < self._threads.bound:
            turns += ends_turn(way[-1])
            steps = [*continues_in(way[-1]).edges.values()]
            if not steps or turns > _TURNS:
                break
            step = self._chosen(steps, taken)
            is_new |= not taken[step.number]
            taken[step.number] += 1
            way.append(step)
        return way if is_new else None

    def _chosen(self, steps: list[Edge], taken: Counter[int]) -> Edge:
        """A step that was taken least, of those that lead to an end if there are any."""
        ending = [step for step in steps if step.after.number in self._comes_to_end] or steps
        least = min(taken[step.number] for step in ending)
        return self._random.choice([step for step in ending if taken[step.number] == least])

    def _children(self, way: Sequence[Edge]) -> Iterator[list[Edge]]:
        """For each thread that a thread spawns on its way, the way to there, and the start of the child."""
        for number, step in enumerate(way):
            spawning = step.after
            if spawning.operation is not None and spawning.operation.kind is Kind.SPAWN:
                start = self._threads.child_of_spawn(spawning).root.edges.get(spawning.stored)
                if start is not None:
                    yield [*way[: number + 1], start]


def _come_to_end(states: Sequence[State]) -> set[int]:
    """The states from which the end of their thread is known: any end but to go round a loop."""
    todo = [state for state in states if state.terminal is not None and not _spins(state)]
    found = {state.number for state in todo}
    while todo:
        for edge in todo.pop().entries:
            if edge.before.number not in found:
                found.add(edge.before.number)
                todo.append(edge.before)
    return found


def _spins(state: State) -> bool:
    return bool(state.entries) and ends_turn(state.entry)
