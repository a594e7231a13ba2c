"""Deadlocks among global states: no thread can get any further, and one of them waits (docs/semantics.md 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcr.explorers.stateful.processes import CellValues, Process
from mcr.explorers.stateful.system import System
from replay.code.terminals import Blocked, Ended, Failed
from replay.machine.spinning import looks_only
from replay.machine.state import NOTHING, LocationId, State
from replay.machine.unfolding import ThreadInfo
from replay.traces.liveness import awaited_by, may_wait, without_hope
from replay.world.operation import LOCK, Kind
from replay.world.values import ValueId

LONGEST = 2_000
"""Steps of a loop after which it is taken not to come back to where it was: one that counts never does."""


def is_deadlock(system: System, state: int) -> bool:
    """Returns whether threads wait for ever in a global state.

    Each thread has ended or stopped, waits, or goes round a loop that only looks and would go on so with what memory
    holds.
    """
    if system.met_longest_loop:
        return False  # nothing is claimed, and each state would take as long
    processes = system.processes(state)
    begun = system.taking_part(state)
    if any(process.contents or _gets_further(state, process) for process in begun):
        return False
    memory = system.memory(state)
    waiting: dict[int, frozenset[int] | None] = {}
    stopped: set[int] = set()

    def has_ended(thread: int) -> bool:
        return isinstance(processes[thread].state.terminal, Ended)

    for process in begun:
        local, thread = process.state, process.thread.index
        if has_ended(thread):
            continue
        if _is_stopped(local):
            stopped.add(thread)
        elif not _waits(system, state, memory, local):
            return False
        else:
            waiting[thread] = awaited_by(system.graphs, local, _owner(system, processes, memory, local), has_ended)
    if all(system.graphs.threads[thread].is_daemon for thread in without_hope(waiting, stopped)):
        return False
    return not may_wait(system.graphs, memory)


FEW = 8
"""Steps that are looked up before a thread is followed in its graph: nearly all show within a few that they go on."""


def _gets_further(state: int, process: Process) -> bool:
    """Returns True if known steps of a thread, while no other moves, lead to one that changes memory, or to its end."""
    here, thread = state, process.thread
    for _ in range(FEW):
        if len(process.actions) != 1:
            return here != state and not process.actions
        (action,) = process.actions
        seen = action.found_in(here)
        here += (added := action.table.get(seen) or action.onward.get(seen) or 0)
        if not added or not isinstance(action.looks_at, CellValues):
            return False
        if action.found_in(here) != seen:
            return True
        process = thread.process(here)
    return False


def _owner(
    system: System, processes: Sequence[Process], memory: Mapping[LocationId, ValueId], waiting: State
) -> ThreadInfo | None:
    """Returns the owner of the lock that a thread waits for; None if it waits for no lock."""
    graphs = system.graphs
    if waiting.operation is None or waiting.operation.tag != LOCK:
        return None
    owner = graphs.thread(str(graphs.values[memory.get(waiting.loc, graphs.initial[waiting.loc])]))
    if owner is None:
        return None
    alike = (processes[thread.index] for thread in system.threads[owner.index].group)
    return next((graphs.threads[each.thread.index] for each in alike if _took(each.state, waiting.loc)), owner)


def _took(local: State, location: LocationId) -> bool:
    """Returns whether a thread has taken a lock, and not given it back."""
    changes = (edge for edge in reversed(local.way()) if edge.before.loc == location and edge.wrote != NOTHING)
    last = next(changes, None)
    return last is not None and last.before.operation is not None and last.before.operation.kind is Kind.UPDATE


def _is_stopped(local: State) -> bool:
    """Returns whether a thread failed, or stopped at an assumption."""
    end = local.terminal
    return isinstance(end, Failed) or (isinstance(end, Blocked) and end.wait_from < 0)


def _waits(system: System, state: int, memory: Mapping[LocationId, ValueId], local: State) -> bool:
    """Returns whether a thread, while no other moves, has to wait or comes back to where it was, and only looked."""
    if local.terminal is not None:
        return isinstance(local.terminal, Blocked) and local.terminal.wait_from >= 0
    first, passed = local, set[int]()
    while local.number not in passed:
        passed.add(local.number)
        if len(passed) > LONGEST:
            system.met_longest_loop = True
            return False
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
