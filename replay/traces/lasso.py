"""Runs without end: a part of a schedule that leads back to where it began, and whether that is a bug.

A *lasso* is a schedule that can be gone on with for ever, as it comes back to the configuration in which a part of it
began. It is fair (docs/semantics.md 6) if no thread, and no store buffer, could go on all the time and never does. Then
it shows a run that really goes on for ever.
"""

from __future__ import annotations

from collections.abc import Hashable

from replay.code.terminals import Blocked, Ended
from replay.machine.machine import Choice, Machine
from replay.machine.spinning import looks_only
from replay.machine.state import NOTHING, Edge, State
from replay.sentences import listed
from replay.traces.deadlock import what_it_waits_for
from replay.traces.trace import LIVELOCK, STARVATION, Failure
from replay.world.operation import Source

Mover = tuple[int, str | None]
"""Somebody whom weak fairness lets go on: a thread (None), or one of its store buffers, by name."""


class Round:
    """What repeats: it begins in the configuration in which a machine is now."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._states = list(machine.states)
        self._rest = _without_states(machine)
        self._always = _able(machine)
        """The threads and buffers that could go on in each configuration so far."""
        self._moved: set[Mover] = set()
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
            operation = step.before.operation
            self._lines.setdefault(choice.thread, operation.source if operation else None)
            self._only_looks &= looks_only(step.before, step.read, step.wrote)

    def failure(self) -> Failure | None:
        """What it shows if it goes on like this for ever; None if that is no bug, or it cannot."""
        if not self._comes_back() or not self._always <= self._moved or self._only_looks:
            return None
        machine = self._machine
        left = [thread for thread in range(len(machine.states)) if _takes_part(machine, thread)]
        if any(stopped_for_good(machine.states[thread]) for thread in left):
            return None
        infos = machine.unfolding.threads
        stuck = [thread for thread in left if not infos[thread].is_daemon]
        serving = [thread for thread in left if infos[thread].is_daemon and thread in self._lines]
        return self._told(stuck, serving) if stuck else None

    def _comes_back(self) -> bool:
        """Whether the machine is in the configuration in which this began."""
        machine = self._machine
        return _without_states(machine) == self._rest and all(
            before is after or _has_one_future(machine, before, after)
            for before, after in zip(self._states, machine.states, strict=False)
        )

    def _told(self, stuck: list[int], serving: list[int]) -> Failure:
        machine, name = self._machine, self._machine.unfolding.thread_name
        moving = [name(thread) for thread in stuck if thread in self._lines]
        parts = [f"{_threads(moving)} {'goes' if len(moving) == 1 else 'go'} round for ever"] if moving else []
        for thread in stuck:
            if thread not in self._lines:
                what, self._lines[thread] = what_it_waits_for(machine, thread)
                parts.append(f"thread {name(thread)} waits for ever {what}")
        message = "; ".join(parts)
        if serving:
            message += f", while {_threads(list(map(name, serving)))} {'goes' if len(serving) == 1 else 'go'} on"
        lines = tuple(line for thread in stuck if (line := self._lines[thread]) is not None)
        return Failure(name(stuck[0]), STARVATION if serving else LIVELOCK, message, lines)


def _threads(names: list[str]) -> str:
    return f"thread{'s' * (len(names) > 1)} {listed(names)}"


def mover(machine: Machine, choice: Choice) -> Mover:
    """The thread or buffer that makes a choice."""
    if choice.commit == NOTHING:
        return choice.thread, None
    assert machine.model.buffers is not None
    return choice.thread, machine.model.buffers.key(machine.unfolding.locations[choice.commit].name)


def stopped_for_good(state: State) -> bool:
    """Whether a thread failed, was cut, or stopped at an assumption: what comes of that is no bug of its own."""
    end = state.terminal
    waits = isinstance(end, Blocked) and end.wait_from >= 0
    return end is not None and not isinstance(end, Ended) and not waits


def _takes_part(machine: Machine, thread: int) -> bool:
    """Whether a thread has begun, and not ended."""
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
    """Whether a thread could execute something; in a `wait_until`, whether its condition holds."""
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
    """What memory and buffers hold, however they came to."""
    initial = machine.unfolding.initial
    _, memory, buffers = machine.key()
    return tuple((loc, value) for loc, value in memory if value != initial[loc]), buffers  # type: ignore[attr-defined]


def _has_one_future(machine: Machine, one: State, other: State) -> bool:
    key = machine.unfolding.key(one)
    return key is not None and one.terminal is None and key == machine.unfolding.key(other)
