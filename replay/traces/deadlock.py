"""Stuck configurations: threads that wait for what can never come."""

from __future__ import annotations

from replay.code.terminals import Blocked, Ended
from replay.frontend.threads import FINAL
from replay.machine.machine import Machine
from replay.machine.spinning import SPIN
from replay.machine.state import State
from replay.traces.trace import DEADLOCK, Failure
from replay.world.operation import LOCK, WAKE, Kind, Source


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
        reason = _reason(machine, thread)
        if reason is None:
            return None
        waiting.append((name, *reason))
    if not waiting:
        return None
    message = "; ".join(f"thread {name} waits for {what}" for name, what, _ in waiting)
    return Failure(waiting[0][0], DEADLOCK, message, tuple(line for _, _, line in waiting if line))


def _reason(machine: Machine, thread: int) -> tuple[str, Source | None] | None:
    """What a thread that cannot go on waits for, and where; None if it does not wait."""
    state = machine.states[thread]
    if state.operation is not None:
        return _awaited(machine, state), state.operation.source
    terminal = state.terminal
    if isinstance(terminal, Blocked) and terminal.wait_from >= 0 and _fails_again(machine, thread):
        operations = (step.before.operation for step in reversed(machine.evaluation(thread)))
        cells = ", ".join(dict.fromkeys(each.location.name for each in operations if each and each.location))
        if terminal.reason == SPIN:
            return f"{cells} to change, and spins for ever", terminal.source
        return f"its condition on {cells or 'nothing'}", terminal.source
    return None


def _awaited(machine: Machine, state: State) -> str:
    operation = state.operation
    assert operation is not None
    if operation.kind is Kind.JOIN:
        return f"the end of thread {operation.target}"
    name = operation.location.name if operation.location else ""
    if operation.tag == LOCK:
        unfolding = machine.unfolding
        owner = unfolding.values[machine.memory.get(state.loc, unfolding.initial[state.loc])]
        if owner == unfolding.thread_name(state.thread):
            return f"somebody to release {name}, which it has itself"
        return f"mutex {name}, which thread {owner} holds"
    return f"a notification of {name}" if operation.tag == WAKE else operation.describe()


def _fails_again(machine: Machine, thread: int) -> bool:
    initial = machine.unfolding.initial
    return all(
        machine.memory.get(step.before.loc, initial[step.before.loc]) == step.read
        for step in machine.evaluation(thread)
        if step.before.reads
    )
