"""Stuck configurations: threads that wait for what can never come."""

from __future__ import annotations

import itertools

from replay.code.thread_run import Blocked, Ended
from replay.frontend.threads import FINAL
from replay.machine.machine import Machine
from replay.machine.state import State
from replay.traces.trace import Failure
from replay.world.operation import Kind, Source

DEADLOCK = "Deadlock"
"""What a `Failure` says instead of the name of an exception."""


def find_deadlock(machine: Machine) -> Failure | None:
    """Who waits for whom, if nothing can happen any more and somebody waits; None otherwise.

    A thread that failed an assumption means that the execution does not
    count. A wait_until is stuck iff its condition, evaluated on memory as it
    is, fails in the way it did.
    """
    if machine.choices():
        return None
    waiting: list[tuple[str, str, Source | None]] = []
    for thread, state in enumerate(machine.states):
        name = machine.unfolding.thread_name(thread)
        if name == FINAL or isinstance(state.terminal, Ended) or machine.never_started(thread):
            continue
        reason = _reason(machine, state)
        if reason is None:
            return None
        waiting.append((name, *reason))
    if not waiting:
        return None
    message = "; ".join(f"thread {name} waits for {what}" for name, what, _ in waiting)
    return Failure(waiting[0][0], DEADLOCK, message, tuple(line for _, _, line in waiting if line))


def _reason(machine: Machine, state: State) -> tuple[str, Source | None] | None:
    """What a thread that cannot go on waits for, and where; None if it does not wait."""
    if state.operation is not None:
        return _awaited(machine, state), state.operation.source
    terminal = state.terminal
    if isinstance(terminal, Blocked) and terminal.wait_from >= 0 and _fails_again(machine, state, terminal.wait_from):
        cells = dict.fromkeys(
            before.operation.location.name
            for before in state.path()[terminal.wait_from : -1]
            if before.operation is not None and before.operation.location is not None
        )
        return f"its condition on {', '.join(cells) or 'nothing'}", terminal.source
    return None


def _awaited(machine: Machine, state: State) -> str:
    operation = state.operation
    assert operation is not None
    if operation.kind is Kind.JOIN:
        return f"the end of thread {operation.target}"
    name = operation.location.name if operation.location else ""
    if operation.kind is Kind.LOCK:
        owner = machine.unfolding.values[machine.memory[state.loc]]
        return f"mutex {name}, which thread {owner} holds"
    return f"a notification of {name}"


def _fails_again(machine: Machine, state: State, wait_from: int) -> bool:
    path = state.path()[wait_from:]
    initial = machine.unfolding.initial
    return all(
        machine.memory.get(before.loc, initial[before.loc]) == after.read for before, after in itertools.pairwise(path)
    )
