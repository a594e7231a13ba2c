"""Deadlocks: runs that have come to their end while threads wait for what never comes (docs/semantics.md 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from replay.code.terminals import Blocked, Ended
from replay.machine.machine import Machine
from replay.machine.spinning import SPIN
from replay.machine.state import LocationId, State
from replay.machine.unfolding import ThreadInfo
from replay.traces.trace import DEADLOCK, Failure
from replay.world.operation import GIVE_BACK, LOCK, WAKE, Kind, Source
from replay.world.values import ValueTable


class _Wait(NamedTuple):
    """What a thread waits for that cannot go on.

    what     in words
    line     where it waits
    threads  those without whom it cannot go on; None if any other thread may let it
    """

    what: str
    line: Source | None
    threads: frozenset[int] | None = None


def find_deadlock(machine: Machine) -> Failure | None:
    """The failure that threads wait for ever, with what each waits for; None if the run can go on, or nobody waits.

    This is what a deadlock is, wherever one is looked for. Who stopped at an assumption or failed may have gone on
    otherwise: whoever waits for such a thread, be it through others, is in no deadlock. A wait_until, or a spin, waits
    if it fails in the way it did, evaluated on memory as it is. That daemons wait for ever is no deadlock.
    """
    if machine.choices():
        return None
    waiting: dict[int, _Wait] = {}
    others: set[int] = set()
    for thread, state in enumerate(machine.states):
        if machine.unfolding.threads[thread].is_final or isinstance(state.terminal, Ended):
            continue
        if machine.never_started(thread):
            continue
        end = state.terminal
        if isinstance(end, Blocked) and end.wait_from >= 0 and not _fails_again(machine, thread):
            return None
        wait = _wait(machine, thread, state)
        if wait is None:
            others.add(thread)
        else:
            waiting[thread] = wait
    left = without_hope({thread: wait.threads for thread, wait in waiting.items()}, others)
    for_ever = {thread: waiting[thread] for thread in left}
    if all(machine.unfolding.threads[thread].is_daemon for thread in for_ever):
        return None
    name = machine.unfolding.thread_name
    message = "; ".join(f"thread {name(thread)} waits {wait.what}" for thread, wait in for_ever.items())
    return Failure(
        name(next(iter(for_ever))), DEADLOCK, message, tuple(wait.line for wait in for_ever.values() if wait.line)
    )


def without_hope(waiting: Mapping[int, frozenset[int] | None], others: Iterable[int]) -> list[int]:
    """The threads that wait for ever: for none of the others, neither directly nor by way of threads that wait as well.

    `waiting` says for whom each of them waits, None for anybody.
    """
    left = dict(waiting)
    hopeful = set(others)
    while True:
        found = [
            thread
            for thread, threads in left.items()
            if (hopeful if threads is None else not hopeful.isdisjoint(threads))
        ]
        if not found:
            return [*left]
        hopeful.update(found)
        for thread in found:
            del left[thread]


def _wait(machine: Machine, thread: int, state: State) -> _Wait | None:
    """What a thread that cannot go on waits for; None if it does not wait."""
    end = state.terminal
    if state.operation is not None:
        return _awaited(machine, state)
    if not isinstance(end, Blocked) or end.wait_from < 0:
        return None
    operations = (step.before.operation for step in reversed(machine.evaluation(thread)))
    cells = ", ".join(dict.fromkeys(each.location.name for each in operations if each and each.location))
    if end.reason == SPIN:
        return _Wait(f"for {cells} to change, and spins for ever", end.source)
    return _Wait(f"for its condition on {cells or 'nothing'}", end.source)


def what_it_waits_for(machine: Machine, thread: int) -> tuple[str, Source | None]:
    """What a thread waits for that does not go on, in words, and the line where it does."""
    state = machine.states[thread]
    operation = state.operation
    if operation is not None and operation.wait_from >= 0:
        return f"for its condition on {operation.where}", operation.source
    wait = _wait(machine, thread, state)
    assert wait is not None
    return wait.what, wait.line


def _awaited(machine: Machine, state: State) -> _Wait:
    operation, unfolding = state.operation, machine.unfolding
    assert operation is not None
    held = machine.visible(state.thread)

    def has_ended(thread: int) -> bool:
        return isinstance(machine.states[thread].terminal, Ended)

    owner = unfolding.thread(str(unfolding.values[held])) if operation.tag == LOCK else None
    threads = awaited_by(unfolding, state, owner, has_ended)
    if operation.kind is Kind.JOIN:
        what = f"for the end of thread {operation.target}"
    elif operation.tag == WAKE:
        what = f"for a notification of {operation.where}"
    elif owner is None:
        what = f"in {operation.describe()}"
    elif owner.index == state.thread:
        what = f"for {operation.where}, which it holds itself"
    else:
        holds = "never released" if has_ended(owner.index) else "holds"
        what = f"for {operation.where}, which thread {owner.name} {holds}"
    return _Wait(what, operation.source, threads)


class Known(Protocol):
    """What is known of a program's threads: an unfolding, say."""

    values: ValueTable
    states: list[State]

    def thread(self, name: str) -> ThreadInfo | None:
        """The thread of that name, if it was met."""


def awaited_by(
    known: Known, state: State, owner: ThreadInfo | None, has_ended: Callable[[int], bool]
) -> frozenset[int] | None:
    """For whom a thread waits that cannot go on; None for anybody.

    owner      who has the lock that its operation takes, if it does; itself perhaps
    has_ended  whether a thread has
    """
    operation = state.operation
    if operation is not None and operation.kind is Kind.JOIN:
        target = known.thread(operation.target)
        return frozenset() if target is None else frozenset({target.index})
    if operation is None or operation.tag != LOCK:
        return None
    if owner is None or has_ended(owner.index) or is_given_back(known, state.loc):
        return None
    return frozenset({owner.index})


def is_given_back(known: Known, loc: LocationId) -> bool:
    """Whether threads are known to release a lock that others have, as `threading.Lock` lets them."""
    operations = (state.operation for state in known.states if state.loc == loc)
    return any(operation is not None and operation.label == GIVE_BACK for operation in operations)


def _fails_again(machine: Machine, thread: int) -> bool:
    initial = machine.unfolding.initial
    return all(
        machine.memory.get(step.before.loc, initial[step.before.loc]) == step.read
        for step in machine.evaluation(thread)
        if step.before.reads
    )
