"""Whether a global state is a deadlock: nobody gets anywhere any more, and somebody waits (docs/semantics.md 6)."""

from __future__ import annotations

from collections.abc import Mapping

from mcr.explorers.stateful.system import System
from replay.code.terminals import Blocked, Ended, Failed
from replay.machine.spinning import looks_only
from replay.machine.state import NOTHING, LocationId, State
from replay.traces.deadlock import awaited_by, without_hope
from replay.world.operation import Kind
from replay.world.values import ValueId


def is_deadlock(system: System, state: int) -> bool:
    """Whether threads wait for ever in a global state.

    Each thread has ended or stopped, waits, or goes round a loop that only looks and would go on so with what memory
    holds.
    """
    processes = system.processes(state)
    begun = [each for each in processes if system.takes_part(each)]
    if any(process.contents for process in begun):
        return False
    memory = system.memory(state)
    waiting: dict[int, frozenset[int] | None] = {}
    stopped: set[int] = set()
    for local in (process.state for process in begun if not isinstance(process.state.terminal, Ended)):
        if _is_stopped(local):
            stopped.add(local.thread)
        elif not _waits(system, state, memory, local):
            return False
        else:
            held = memory.get(local.loc, system.graphs.initial[local.loc]) if local.reads else NOTHING
            waiting[local.thread] = awaited_by(
                system.graphs, local, held, lambda thread: isinstance(processes[thread].state.terminal, Ended)
            )
    return bool(without_hope(waiting, stopped))


def _is_stopped(local: State) -> bool:
    """Whether a thread failed, or stopped at an assumption."""
    end = local.terminal
    return isinstance(end, Failed) or (isinstance(end, Blocked) and end.wait_from < 0)


def _waits(system: System, state: int, memory: Mapping[LocationId, ValueId], local: State) -> bool:
    """Whether a thread, nobody else moving, has to wait or comes back to where it was, and only looked."""
    if local.terminal is not None:
        return isinstance(local.terminal, Blocked) and local.terminal.wait_from >= 0
    first, passed = local, set[int]()
    while local.number not in passed:
        passed.add(local.number)
        if local.operation is None or len(local.inputs) > 1:
            return False
        if local.operation.kind is Kind.JOIN:
            target = system.graphs.thread(local.operation.target)
            assert target is not None
            return local is first and not system.processes(state)[target.index].has_ended
        read = memory.get(local.loc, system.graphs.initial[local.loc]) if local.reads else NOTHING
        if local.reads and not system.graphs.accepts(local, read):
            return local is first
        edge = system.graphs.step(local, local.inputs[0] if local.inputs else read)
        if not looks_only(edge.before, edge.read, edge.wrote):
            return False
        local = system.graphs.after(edge)
    return True
