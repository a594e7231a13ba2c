"""The oracle: everything that a program can do, from every configuration of the store-buffer machine.

It knows nothing of formulas and solvers, only the operational semantics of
docs/semantics.md 3, and nothing of sessions, and so it is what explorers are compared with. What it finds is
given in a form that does not depend on the order of discovery: two runs, or
an engine and this oracle, are compared with `==`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mcr.exploration.evidence import cut, final_outcomes
from replay.code.terminals import Blocked, Ended, Failed
from replay.frontend.program import Program
from replay.machine.code_runner import spawning_state
from replay.machine.machine import Machine
from replay.machine.spinning import SPIN, looks_only
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import LOCK, Kind
from replay.world.shown import shown
from replay.world.values import canonical_key

DEFAULT_LIMIT = 1_000_000
"""Machine states before the enumeration gives up: some minutes, about a gigabyte."""


class Executed(NamedTuple):
    """One executed operation and what it read, chose or was started by; None if it does none of these."""

    operation: str
    read: Hashable


class LocalState(NamedTuple):
    """A thread after a history, named by what it did instead of by a number."""

    thread: str
    history: tuple[Executed, ...]


class Failure(NamedTuple):
    """An exception that left a thread; `source` is "file:line" of where it was raised."""

    error: str
    message: str
    source: str


Standing = tuple[LocalState, ...]
"""Where the threads that were started stand, the final function left out."""


@dataclass(frozen=True)
class Behaviours:
    """What a program can do under a model.

    states          every reachable local state, those that `local_states` does not count included
    local_states    how many of them it counts
    failures        the exceptions that leave a thread or the final function
    outcomes        repr of what the final function returned; without one, of the tuple of what the
                    declared threads returned, where all threads ended
    values          where the threads stand when all have ended: one for each complete class of values
    blocked_values  where they stand when nothing is possible any more, though some thread has not ended
    deadlocks       those of the latter where no further try of a `wait_until`, or turn of a loop that only looks, would
                    go otherwise, and some thread waits, not for one that failed or stopped at an assumption, nor for
                    one that waits for such a thread (docs/semantics.md 6)
    machine_states  how many configurations were visited
    complete        nothing was cut: neither the enumeration nor a thread
    """

    states: frozenset[LocalState]
    local_states: int
    failures: frozenset[Failure]
    outcomes: frozenset[str]
    values: frozenset[Standing]
    blocked_values: frozenset[Standing]
    deadlocks: frozenset[Standing]
    machine_states: int
    complete: bool


def enumerate_behaviours(
    program: Program, model: MemoryModel, *, max_machine_states: int = DEFAULT_LIMIT
) -> Behaviours:
    """Visit every configuration the program can reach under the model, and tell what was seen.

    When there are more than `max_machine_states`, the result has complete=False and is a part of the truth.
    """
    own = program.apart()
    return own.known(lambda: _enumerated(Unfolding(own), model, max_machine_states))


def _enumerated(unfolding: Unfolding, model: MemoryModel, max_machine_states: int) -> Behaviours:
    search = _Search(unfolding, model)
    exhausted = search.visit(max_machine_states)
    return search.behaviours(exhausted)


def local_state_set(unfolding: Unfolding) -> frozenset[LocalState]:
    """All the local states of an unfolding."""
    return frozenset(_named(unfolding))


def failure_set(unfolding: Unfolding) -> frozenset[Failure]:
    """All the exceptions that left a thread."""
    ends = (state.terminal for state in unfolding.leaves())
    return frozenset(Failure(end.error, end.message, str(end.source or "")) for end in ends if isinstance(end, Failed))


def _named(unfolding: Unfolding) -> list[LocalState]:
    """The local state for each state number."""
    named: list[LocalState] = []
    for state in unfolding.states:
        history: tuple[Executed, ...] = ()
        if state.entries:
            history = (*named[state.entry.before.number].history, _step(unfolding, state.entry, named))
        named.append(LocalState(unfolding.thread_name(state.thread), history))
    return named


def _step(unfolding: Unfolding, edge: Edge, named: Sequence[LocalState]) -> Executed:
    """The operation of a step. A start reads a state number of its parent; here it reads the state."""
    operation = edge.before.operation
    assert operation is not None
    if edge.read == NOTHING:
        return Executed(operation.describe(), None)
    value = unfolding.values[edge.read]
    if operation.kind is Kind.START:
        return Executed(operation.describe(), named[spawning_state(value)])
    return Executed(operation.describe(), canonical_key(value))


_Ends = tuple[State, ...]


class _Search:
    """The configurations of one program under one model."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self._unfolding = unfolding
        self._first = Machine(unfolding, model)
        self._seen = {self._first.key()}
        self._ended: dict[_Ends, None] = {}
        self._blocked: dict[_Ends, None] = {}
        self._deadlocked: dict[_Ends, None] = {}

    def visit(self, limit: int) -> bool:
        """Visit all configurations; False if there are more than `limit`."""
        waiting = [self._first]
        while waiting:
            machine = waiting.pop()
            successors = _successors(machine)
            if not successors:
                self._note_last(machine)
            for successor in successors:
                key = successor.key()
                if key in self._seen:
                    continue
                if len(self._seen) == limit:
                    return False
                self._seen.add(key)
                waiting.append(successor)
        return True

    def _note_last(self, machine: Machine) -> None:
        """Take note of a configuration in which nothing is possible."""
        ends = _ends(machine)
        if all(isinstance(end.terminal, Ended) for end in ends):
            self._ended[ends] = None
            return
        self._blocked[ends] = None
        rewound = _rewound(machine)
        if any(_gets_on(rewound, thread, state) for thread, state in enumerate(machine.states)):
            return
        stopped = {end.thread for end in ends if not _ended_or_waits(end)}
        waiting = [end for end in ends if _ended_or_waits(end) and not isinstance(end.terminal, Ended)]
        if any(not _awaits_any(machine, end.thread, stopped, frozenset()) for end in waiting):
            self._deadlocked[ends] = None

    def behaviours(self, exhausted: bool) -> Behaviours:
        """What was seen."""
        unfolding = self._unfolding
        named = _named(unfolding)

        def standing(found: dict[_Ends, None]) -> frozenset[Standing]:
            return frozenset(tuple(named[end.number] for end in ends) for ends in found)

        return Behaviours(
            states=frozenset(named),
            local_states=unfolding.local_states,
            failures=failure_set(unfolding),
            outcomes=final_outcomes(unfolding) if unfolding.final else self._returned(),
            values=standing(self._ended),
            blocked_values=standing(self._blocked),
            deadlocks=standing(self._deadlocked),
            machine_states=len(self._seen),
            complete=exhausted and cut(unfolding) is None,
        )

    def _returned(self) -> frozenset[str]:
        declared = [info.index for info in self._unfolding.threads if info.is_declared]
        terminals = ([ends[thread].terminal for thread in declared] for ends in self._ended)
        return frozenset(shown(tuple(end.value for end in found if isinstance(end, Ended))) for found in terminals)


def _successors(machine: Machine) -> list[Machine]:
    """The configurations that one choice leads to."""
    successors = []
    for choice in machine.choices():
        successor = machine.copy()
        successor.apply(choice)
        successors.append(successor)
    return successors


def _ends(machine: Machine) -> _Ends:
    """The states of the threads that were started, declared ones first, without the final function."""
    threads = machine.unfolding.threads
    return tuple(
        state
        for thread, state in enumerate(machine.states)
        if not threads[thread].is_final and not machine.never_started(thread)
    )


def _ended_or_waits(end: State) -> bool:
    """Whether a thread that cannot go on has ended or waits for others, and did not fail."""
    terminal = end.terminal
    if isinstance(terminal, Blocked):
        return terminal.wait_from >= 0
    return terminal is None or isinstance(terminal, Ended)


def _awaits_any(machine: Machine, thread: int, stopped: set[int], passed: frozenset[int]) -> bool:
    """Whether a thread that waits does so for one of those that stopped, directly or through others.

    Whoever waits for a mutex waits for the thread that has it, whoever joins a thread for that; all others wait for
    anybody who has not ended.
    """
    unfolding, state = machine.unfolding, machine.states[thread]
    operation = state.operation
    if operation is not None and operation.kind is Kind.JOIN:
        name: object = operation.target
    elif operation is not None and operation.tag == LOCK:
        name = unfolding.values[machine.memory.get(state.loc, unfolding.initial[state.loc])]
    else:
        return bool(stopped)
    awaited = unfolding.thread(str(name))
    assert awaited is not None
    if isinstance(machine.states[awaited.index].terminal, Ended):
        return bool(stopped)
    if awaited.index in stopped or awaited.index in passed:
        return awaited.index in stopped
    return _awaits_any(machine, awaited.index, stopped, passed | {awaited.index})


def _rewound(machine: Machine) -> Machine:
    """The configuration with every failed evaluation of a wait undone, and every turn of a loop that only looked."""
    rewound = machine.copy()
    for thread, state in enumerate(machine.states):
        end = state.terminal
        if isinstance(end, Blocked) and end.wait_from >= 0:
            rewound.rewind(thread)
    return rewound


def _gets_on(rewound: Machine, thread: int, stuck: State) -> bool:
    """Whether a thread that was rewound from `stuck` would now do something else, nobody else moving."""
    end = stuck.terminal
    if not isinstance(end, Blocked):
        return False
    attempt = rewound.copy()
    while _tries(attempt.states[thread], end):
        if not attempt.can_run(thread):
            return True
        step = attempt.run(thread)
        if end.reason == SPIN and not looks_only(step.before, step.read, step.wrote):
            return True
    again = attempt.states[thread].terminal
    return not (isinstance(again, Blocked) and again.wait_from == end.wait_from)


def _tries(state: State, end: Blocked) -> bool:
    """Whether a thread is about to do a step of the wait, or of the loop, that it was in when it got stuck at `end`."""
    operation = state.operation
    return operation is not None and (end.reason == SPIN or operation.wait_from == end.wait_from)
