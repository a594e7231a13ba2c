"""Data races by brute force: in which configurations of the machine two threads may access a cell at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from replay.frontend.program import Program
from replay.machine.machine import Machine
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel


class Touch(NamedTuple):
    """An access that could take effect now; `where` is a location, `line` that of the program."""

    thread: int
    where: str
    line: str
    access: Access
    writes: bool


Race = tuple[str, tuple[tuple[str, str], ...]]
"""A location and two accesses of it, each as what it is and its line, in alphabetical order."""


def race(one: Touch, other: Touch) -> Race | None:
    """The race of two accesses that may both take effect; None if they do not conflict."""
    if one.thread == other.thread or one.where != other.where or not (one.writes or other.writes):
        return None
    if {one.access, other.access} == {Access.BARRIER}:
        return None
    return one.where, tuple(sorted((touch.access.value, touch.line) for touch in (one, other)))


def enumerate_races(program: Program, model: MemoryModel, limit: int) -> set[Race] | None:
    """Every race of a program; None if there are too many configurations."""
    unfolding = Unfolding(program)
    waiting = [Machine(unfolding, model)]
    seen, found = {waiting[0].key()}, set[Race]()
    while waiting:
        machine = waiting.pop()
        touches = list(_touches(machine))
        found.update(each for pair in combinations(touches, 2) if (each := race(*pair)) is not None)
        for choice in machine.choices():
            following = machine.copy()
            following.apply(choice)
            if following.key() not in seen:
                seen.add(following.key())
                waiting.append(following)
        if len(seen) > limit:
            return None
    plain = unfolding.plain
    return {each for each in found if not plain or each[0] in plain}


def _touches(machine: Machine) -> Iterator[Touch]:
    final = machine.unfolding.final
    for thread, state in enumerate(machine.states):
        if final is not None and thread == final.index:
            continue
        if machine.can_run(thread):
            yield from _next(machine, thread, state)
        for loc in machine.committable(thread):
            depth = next(store.depth for store in machine.buffers[thread] if store.location == loc)
            before = next(step.before for step in machine.latest_steps(thread) if step.before.depth == depth)
            yield _touch(before, writes=True)


def _next(machine: Machine, thread: int, state: State) -> Iterator[Touch]:
    assert state.operation is not None
    access, own = state.operation.access, [store.location for store in machine.buffers[thread]]
    if state.loc == NOTHING or (access is Access.LOAD and state.loc in own):
        return
    if access is Access.STORE and machine.model.buffers is not None:
        return
    wrote = machine.unfolding.would_write(state, machine.visible(thread))
    yield _touch(state, writes=wrote != NOTHING)


def _touch(state: State, *, writes: bool) -> Touch:
    operation = state.operation
    assert operation is not None
    return Touch(state.thread, operation.where, str(operation.source), operation.access, writes)
