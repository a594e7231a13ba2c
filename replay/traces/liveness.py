"""Runs that do not come to their end: deadlocks, and runs without end (docs/semantics.md 6).

In a deadlock, a run has come to its end while threads wait for what never comes.

A *lasso* is a schedule that can be gone on with for ever, as it comes back to the configuration in which a part of it
began. It is fair if no thread, and no store buffer, could go on all the time and never does. Then it shows a run that
really goes on for ever. Where threads may be stopped anywhere, as for lock-freedom, only buffers have to be fair; and a
thread that waits then, while nothing moves, is stuck for ever, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from replay.code.terminals import Blocked, Cut, Ended
from replay.errors import ModelError
from replay.frontend.history import CALLS, Thought
from replay.machine.machine import Choice, Machine
from replay.machine.spinning import SPIN, looks_only
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import ThreadInfo, Unfolding
from replay.sentences import listed
from replay.traces.trace import DEADLOCK, LIVELOCK, NOT_FREE, STARVATION, Failure
from replay.world.operation import LOCK, WAKE, Kind, Operation, Source
from replay.world.shown import shown
from replay.world.values import ValueId


class _Wait(NamedTuple):
    """The wait of a thread that cannot go on.

    what     in words
    line     where it waits
    threads  those without whom it cannot go on; None if any other thread may let it
    lack     what is missing in a deadlock
    """

    what: str
    line: Source | None
    threads: frozenset[int] | None = None
    lack: str = ""


def find_deadlock(machine: Machine) -> Failure | None:
    """The failure that threads wait for ever, with what each waits for; None if the run can go on, or no thread waits.

    This is what a deadlock is, wherever one is looked for. Who stopped at an assumption or failed may have gone on
    otherwise: whoever waits for such a thread, be it through others, is in no deadlock. A wait_until, or a spin, waits
    if it fails in the way it did, evaluated on memory as it is. That daemons wait for ever is no deadlock.
    """
    if machine.choices():
        return None
    waiting: dict[int, _Wait] = {}
    others: set[int] = set()
    for thread, state in enumerate(machine.states):
        if not _takes_part(machine, thread) or machine.unfolding.threads[thread].is_final:
            continue
        if state.is_waiting and not fails_again(machine, thread):
            return None
        wait = _wait(machine, thread, state)
        if wait is None:
            others.add(thread)
        else:
            waiting[thread] = wait
    for_ever = without_hope({thread: wait.threads for thread, wait in waiting.items()}, others)
    if all(machine.unfolding.threads[thread].is_daemon for thread in for_ever):
        return None
    if may_wait(machine.unfolding, machine.memory):
        return None
    _check_executors(machine, for_ever)
    name = machine.unfolding.thread_name
    message = "; ".join(
        f"thread {name(thread)} waits {waiting[thread].what}{waiting[thread].lack}" for thread in for_ever
    )
    lines = (waiting[thread].line for thread in for_ever)
    return Failure(name(for_ever[0]), DEADLOCK, message, tuple(line for line in lines if line))


def _check_executors(machine: Machine, waiting: Sequence[int]) -> None:
    """Raise ModelError if all threads that wait are of executors and have no work: Python ends them when it ends."""
    wheres = [_executor(machine.states[thread]) for thread in waiting]
    if not all(wheres):
        return
    names = {machine.unfolding.thread_name(thread) for thread in waiting}
    starts = (state.asked for state in machine.unfolding.states if state.operation is not None)
    line = next((each.source for each in starts if each.kind is Kind.SPAWN and each.target in names), None)
    raise ModelError(
        f"{wheres[0]} is not shut down on one way through the program, as Python does when it ends, and a model has no "
        "such end: write `with ThreadPoolExecutor() as pool:`, or call its shutdown() on every way",
        "" if line is None else f"{line.file}:{line.line}",
    )


def _executor(state: State) -> str:
    """The executor for whose next work a thread waits; "" if it waits for something else."""
    operation = state.operation
    if operation is None or operation.source is None or not operation.where.endswith(WORK):
        return ""
    is_of_library = operation.source.file.endswith("concurrent/futures/thread.py")
    return operation.where.removesuffix(WORK) if is_of_library else ""


WORK = "._work_queue"
"""The attribute of an executor with what is to be done."""


def may_wait(known: Unfolding, memory: Mapping[LocationId, ValueId]) -> bool:
    """Returns whether an observer of the threads' calls says that those that wait have to."""
    thoughts = (known.values[value] for loc, value in memory.items() if known.locations[loc].name == CALLS)
    return any(cast(Thought, thought).may_wait for thought in thoughts)


def without_hope(waiting: Mapping[int, frozenset[int] | None], others: Iterable[int]) -> list[int]:
    """The threads that wait for ever: for none of the others, neither directly nor by way of threads that wait as well.

    `waiting` says for whom each of them waits, None for anybody.
    """
    left, hopeful = dict(waiting), set(others)
    while found := [n for n, threads in left.items() if (hopeful if threads is None else hopeful & threads)]:
        hopeful.update(found)
        for thread in found:
            del left[thread]
    return [*left]


def _wait(machine: Machine, thread: int, state: State) -> _Wait | None:
    """Returns the wait of a thread that cannot go on; None if it does not wait."""
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
    """Says what a thread waits for that does not go on, and at which line."""
    state = machine.states[thread]
    operation = state.operation
    if operation is not None and operation.wait_from >= 0:
        return f"for its condition on {operation.where}", operation.source
    wait = _wait(machine, thread, state)
    assert wait is not None
    return wait.what, wait.line


def _awaited(machine: Machine, state: State) -> _Wait:
    operation, unfolding = state.asked, machine.unfolding

    def has_ended(thread: int) -> bool:
        return isinstance(machine.states[thread].terminal, Ended)

    held = unfolding.values[machine.visible(state.thread)] if operation.tag == LOCK else None
    owner = unfolding.thread(str(held))
    threads = awaited_by(unfolding, state, owner, has_ended)
    condition = _condition(machine, operation, owner is not None and owner.index == state.thread)
    if condition.endswith(OF_FUTURE):
        future = condition.removesuffix(OF_FUTURE).removeprefix("_WorkItem#")
        what = f"future of work {future.removesuffix('.future')}" if future != condition else condition
        return _Wait(f"for the result of the {what}", operation.source, threads, NO_RESULT)
    if condition:
        return _Wait(f"to be notified on {condition}", operation.source, threads, NO_NOTIFIER)
    if operation.kind is Kind.JOIN:
        what = f"for the end of thread {operation.target}"
    elif owner is None:
        what = f"in {operation.describe()}"
    elif owner.index == state.thread:
        what = f"for {operation.where}, which it holds itself"
    else:
        holds = "never released" if has_ended(owner.index) else "holds"
        what = f"for {operation.where}, which thread {owner.name} {holds}"
    return _Wait(what, operation.source, threads)


NO_NOTIFIER = ", and no other thread is left to notify it"

NO_RESULT = ", and no other thread is left to set it"

OF_FUTURE = "._condition"
"""The attribute with the condition of a future of `concurrent.futures`."""

WAITERS = "._waiters"
"""The attribute of a `threading.Condition` with a lock for each thread that waits: the thread that holds it."""

OWN_CONDITION = "._cond"
"""The attribute with the condition of a `threading.Event`, `Semaphore` or `Barrier`."""


def _condition(machine: Machine, operation: Operation, holds_itself: bool) -> str:
    """On which condition a thread waits to be notified; "" if it waits for something else.

    `holds_itself` says that the thread waits for a lock which it holds.
    """
    if operation.tag == WAKE:
        return operation.where
    if not holds_itself:
        return ""
    known = machine.unfolding
    for loc, value in machine.memory.items():
        name = known.locations[loc].name
        if name.endswith(WAITERS) and operation.where in shown(known.values[value])[1:-1].split(", "):
            return name.removesuffix(WAITERS).removesuffix(OWN_CONDITION)
    return ""


def awaited_by(
    known: Unfolding, state: State, owner: ThreadInfo | None, has_ended: Callable[[int], bool]
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
    if owner.index == state.thread and any(isinstance(each.terminal, Cut) for each in known.states):
        return None  # as those who wait on a condition do: beyond the limit, others may give the lock back
    return frozenset({owner.index})


def is_given_back(known: Unfolding, loc: LocationId) -> bool:
    """Returns whether threads are known to release a lock that others have, as `threading.Lock` lets them."""
    return any(state.loc == loc and state.asked.gives_back for state in known.states)


def fails_again(machine: Machine, thread: int) -> bool:
    """Returns whether the wait in which a thread is blocked would read the same once more."""
    initial = machine.unfolding.initial
    return all(
        machine.memory.get(step.before.loc, initial[step.before.loc]) == step.read
        for step in machine.evaluation(thread)
        if step.before.reads
    )


Mover = tuple[int, str | None]
"""The part that weak fairness lets go on: a thread (None), or one of its store buffers, by name."""


class Round:
    """The part of a run that repeats: it begins in the configuration in which the machine is when this is made."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._states = list(machine.states)
        self._rest = _without_states(machine)
        self._always = _able(machine)
        """The threads and buffers that could go on in each configuration so far."""
        self._moved: set[Mover] = set()
        self._completed: set[int] = set()
        """Threads that have completed a call."""
        self._lines: dict[int, Source | None] = {}
        """By thread that executed something, the first line."""
        self._only_looks = True

    def note(self, choice: Choice, step: Edge | None) -> None:
        """The machine has made a choice; `step` is what the thread did, None for a commit."""
        self._moved.add(mover(self._machine, choice))
        self._always &= _able(self._machine)
        if step is None:
            self._only_looks = False
        else:
            self._lines.setdefault(choice.thread, step.before.asked.source)
            if step.before.asked.completes:
                self._completed.add(choice.thread)
            self._only_looks &= looks_only(step.before, step.read, step.wrote)

    def failure(self, objective: str) -> Failure | None:
        """Returns the failure of a run that repeats it for ever; None if it is not what is looked for, or it cannot
        repeat."""
        machine = self._machine
        left = [thread for thread in range(len(machine.states)) if _takes_part(machine, thread)]
        if not self._comes_back() or any(stopped_for_good(machine.states[thread]) for thread in left):
            return None
        if objective in NOT_FREE:
            return self._not_free(objective, left)
        if not self._always <= self._moved or self._only_looks:
            return None
        infos = machine.unfolding.threads
        stuck = [thread for thread in left if not infos[thread].is_daemon]
        serving = [thread for thread in left if infos[thread].is_daemon and thread in self._lines]
        return self._told(stuck, serving) if stuck else None

    def _not_free(self, objective: str, left: list[int]) -> Failure | None:
        """The failure that a thread is kept from completing a call, where the scheduler owes nothing to any thread."""
        if not {each for each in self._always if is_buffer(each)} <= self._moved:
            return None
        if not self._lines:
            return self._waiting(objective, left)
        name = self._machine.unfolding.thread_name
        stuck = [thread for thread in self._lines if thread not in self._completed]
        others = [name(thread) for thread in self._lines if thread != next(iter(stuck), None)]
        match objective:
            case "obstruction-freedom":
                stuck, how = ([] if others else stuck), ", though no other thread moves"
            case "lock-freedom":
                stuck, how = ([] if self._completed else stuck), ", and no call completes"
            case _:
                stuck = stuck[:1]
                how = f" and completes no call, while {_go(others)} on" if others else " and completes no call"
        message = f"{_go([*map(name, stuck)])} round for ever{how}"
        return self._of(stuck, NOT_FREE[objective], message) if stuck else None

    def _of(self, stuck: list[int], error: str, message: str) -> Failure:
        """The failure of these threads, each of which has a line."""
        lines = (self._lines[thread] for thread in stuck)
        name = self._machine.unfolding.thread_name(stuck[0])
        return Failure(name, error, message, tuple(line for line in lines if line is not None))

    def _waiting(self, objective: str, left: list[int]) -> Failure | None:
        """The failure that a thread waits for others, which may have been stopped."""
        machine = self._machine
        stuck = next((thread for thread in left if not _can_go_on(machine, thread)), None)
        if stuck is None:
            return None
        what, self._lines[stuck] = what_it_waits_for(machine, stuck)
        message = f"thread {machine.unfolding.thread_name(stuck)} waits {what}, for ever if no other thread goes on"
        return self._of([stuck], NOT_FREE[objective], message)

    def _comes_back(self) -> bool:
        """Returns whether the machine is in the configuration in which this began."""
        machine = self._machine
        return _without_states(machine) == self._rest and all(
            before is after or _has_one_future(machine, before, after)
            for before, after in zip(self._states, machine.states, strict=False)
        )

    def _told(self, stuck: list[int], serving: list[int]) -> Failure:
        machine, name = self._machine, self._machine.unfolding.thread_name
        moving = [name(thread) for thread in stuck if thread in self._lines]
        parts = [f"{_go(moving)} round for ever"] if moving else []
        for thread in stuck:
            if thread not in self._lines:
                what, self._lines[thread] = what_it_waits_for(machine, thread)
                parts.append(f"thread {name(thread)} waits for ever {what}")
        message = "; ".join(parts)
        if serving:
            message += f", while {_go([*map(name, serving)])} on"
        return self._of(stuck, STARVATION if serving else LIVELOCK, message)


def _go(names: list[str]) -> str:
    return f"thread {names[0]} goes" if len(names) == 1 else f"threads {listed(names)} go"


def is_buffer(mover: Mover) -> bool:
    """Returns whether it is a buffer: it goes on by itself, whichever thread is stopped."""
    return mover[1] is not None


def mover(machine: Machine, choice: Choice) -> Mover:
    """The thread or buffer that makes a choice."""
    if choice.commit == NOTHING:
        return choice.thread, None
    assert machine.model.buffers is not None
    return choice.thread, machine.model.buffers.key(machine.unfolding.locations[choice.commit].name)


def stopped_for_good(state: State) -> bool:
    """Returns whether a thread failed, was cut, or stopped at an assumption: what follows from that is no bug of
    its own."""
    return state.terminal is not None and not isinstance(state.terminal, Ended) and not state.is_waiting


def _takes_part(machine: Machine, thread: int) -> bool:
    """Returns whether a thread has begun, and not ended."""
    state = machine.states[thread]
    if machine.unfolding.threads[thread].is_final and state.depth == 0:
        return False
    return not machine.never_started(thread) and not isinstance(state.terminal, Ended)


def _able(machine: Machine) -> set[Mover]:
    """The threads and buffers that could go on now."""
    found: set[Mover] = {(thread, None) for thread in range(len(machine.states)) if _can_go_on(machine, thread)}
    for thread in range(len(machine.states)):
        found |= {mover(machine, Choice(thread, loc)) for loc in machine.committable(thread)}
    return found


def _can_go_on(machine: Machine, thread: int) -> bool:
    """Returns whether a thread could execute something; in a `wait_until`, whether its condition holds."""
    if not machine.can_run(thread):
        return False
    if not machine.states[thread].begins_wait:
        return True
    alone = machine.copy()
    wait = alone.states[thread].depth
    while alone.can_run(thread) and getattr(alone.states[thread].operation, "wait_from", -1) == wait:
        alone.run(thread)
    end = alone.states[thread].terminal
    return not (isinstance(end, Blocked) and end.wait_from == wait)


def _without_states(machine: Machine) -> Hashable:
    """Returns what memory and buffers hold, however they came to."""
    initial = machine.unfolding.initial
    _, memory, buffers = machine.key()
    return tuple((loc, value) for loc, value in memory if value != initial[loc]), buffers  # type: ignore[attr-defined]


def _has_one_future(machine: Machine, one: State, other: State) -> bool:
    key = machine.unfolding.key(one)
    return key is not None and one.terminal is None and key == machine.unfolding.key(other)
