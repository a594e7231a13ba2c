"""Classes of executions by brute force: every maximal execution of the machine, prefix by prefix.

It knows the operational semantics and nothing of formulas. Two prefixes are
merged only when they agree on program order, reads-from and coherence: then
they have the same future and the same class. What is found is named without
state numbers, so it can be compared with what an engine found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replay.code.terminals import Cut, Ended
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.options import UnfoldingOptions
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.traces.liveness import find_deadlock
from replay.world.memory_model import MemoryModel
from replay.world.operation import SCHEDULING, Kind
from replay.world.shown import shown

Place = tuple[str, int]
"""Thread name, and how many operations the thread had executed before."""

History = tuple[tuple[str, str], ...]
"""Operations with the values read, "" for none; the last entry says how the thread ended."""

EQUIVALENCES = ("values", "rf", "traces")


class ExecutionClass(NamedTuple):
    """A maximal execution, as much as Shasha and Snir's equivalence sees of it.

    ends       per started thread: its operations with the values read, and how it ended
    rf         each read with its source, None for the initial value
    co         per location its writes in the order in which they reached memory
    """

    ends: tuple[tuple[str, History], ...]
    rf: tuple[tuple[Place, Place | None], ...] = ()
    co: tuple[tuple[str, tuple[Place, ...]], ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every thread that was started ended."""
        return all(did[-1][0] == Ended.__name__ for _, did in self.ends)

    def seen_by(self, equivalence: str) -> ExecutionClass:
        """What a coarser equivalence sees of it."""
        match equivalence:
            case "values":
                return ExecutionClass(self.ends)
            case "rf":
                return ExecutionClass(self.ends, self.rf)
        return self


class Prefix:
    """A machine together with the relations of what it executed. `step` changes it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.rf: dict[Place, Place | None] = {}
        self.co: dict[str, tuple[Place, ...]] = {}

    def copy(self) -> Prefix:
        twin = Prefix(self.machine.copy())
        twin.rf = self.rf.copy()
        twin.co = self.co.copy()
        return twin

    def step(self, choice: Choice) -> None:
        """Execute a choice that is possible."""
        machine, thread = self.machine, choice.thread
        if choice.commit != NOTHING:
            store = machine.commit(thread, choice.commit)
            self._reaches_memory(choice.commit, (self._name(thread), store.depth))
            return
        before = machine.states[thread]
        place = (self._name(thread), before.depth)
        assert before.operation is not None
        if before.reads and before.operation.kind not in SCHEDULING:
            self.rf[place] = self._source(thread, before)
        buffered = len(machine.buffers[thread])
        edge = machine.run(thread, choice.chosen)
        if edge.wrote != NOTHING and len(machine.buffers[thread]) == buffered:
            self._reaches_memory(before.loc, place)

    def possible(self) -> list[Choice]:
        """Choices of the threads; the final function is no part of a class."""
        final = self.machine.unfolding.final
        return [choice for choice in self.machine.choices() if final is None or choice.thread != final.index]

    def key(self) -> object:
        """Equal for two prefixes iff they agree on po, rf and co; then they also agree on buffers and memory."""
        states = tuple(state.number for state in self.machine.states)
        return (states, frozenset(self.rf.items()), frozenset(self.co.items()))

    def execution_class(self) -> ExecutionClass:
        return ExecutionClass(
            tuple(sorted((self._name(state.thread), history(self.machine, state)) for state in self.started())),
            tuple(sorted(self.rf.items())),
            tuple(sorted(self.co.items())),
        )

    def started(self) -> list[State]:
        """Where the threads that exist stand, the final function left out."""
        final = self.machine.unfolding.final
        return [
            state
            for thread, state in enumerate(self.machine.states)
            if not (final and thread == final.index) and not self.machine.never_started(thread)
        ]

    def outcome(self) -> str | None:
        """What the final function (or else the declared threads) returns now; None if that is an exception."""
        machine = self.machine.copy()
        final = machine.unfolding.final
        if final is None:
            declared = len(machine.unfolding.program.instance().threads)
            returned = tuple(_returned(machine.states[thread]) for thread in range(declared))
            return repr(returned)
        while machine.can_run(final.index):
            machine.run(final.index)
        terminal = machine.states[final.index].terminal
        return repr(terminal.value) if isinstance(terminal, Ended) else None

    def _name(self, thread: int) -> str:
        return self.machine.unfolding.thread_name(thread)

    def _source(self, thread: int, before: State) -> Place | None:
        """Store forwarding, else memory."""
        for store in reversed(self.machine.buffers[thread]):
            if store.location == before.loc:
                return (self._name(thread), store.depth)
        writes = self.co.get(self._location(before.loc))
        return writes[-1] if writes else None

    def _reaches_memory(self, loc: int, place: Place) -> None:
        name = self._location(loc)
        self.co[name] = (*self.co.get(name, ()), place)

    def _location(self, loc: int) -> str:
        return self.machine.unfolding.locations[loc].name


def history(machine: Machine, state: State) -> History:
    """What a thread did and read on the way to a state, and how it ended there if it did."""
    steps: list[tuple[str, str]] = []
    for edge in state.way():
        operation = edge.before.operation
        assert operation is not None
        read = ""
        if edge.read != NOTHING and operation.kind is not Kind.START:
            read = shown(machine.unfolding.values[edge.read])
        steps.append((operation.describe(), read))
    return (*steps, (type(state.terminal).__name__, ""))


def _returned(state: State) -> object:
    assert isinstance(state.terminal, Ended)
    return state.terminal.value


@dataclass
class Classes:
    """What a program can do under a model; `decided` is False if it was too large, or a thread was cut.

    complete, blocked  classes of maximal executions in which every thread that was started ended, and of the others
    outcomes           repr of what the final function returns
    deadlocks          messages of the deadlocks that an execution may end in
    prefixes           how many prefixes were looked at
    """

    decided: bool = True
    complete: set[ExecutionClass] = field(default_factory=set)
    blocked: set[ExecutionClass] = field(default_factory=set)
    outcomes: set[str] = field(default_factory=set)
    deadlocks: set[str] = field(default_factory=set)
    prefixes: int = 0

    def seen_by(self, equivalence: str) -> tuple[set[ExecutionClass], set[ExecutionClass]]:
        """Complete and blocked classes of an equivalence."""
        complete = {found.seen_by(equivalence) for found in self.complete}
        return complete, {found.seen_by(equivalence) for found in self.blocked}

    def note_end(self, prefix: Prefix) -> None:
        """Take a maximal execution."""
        if any(isinstance(state.terminal, Cut) for state in prefix.started()):
            self.decided = False
        if all(isinstance(state.terminal, Ended) for state in prefix.started()):
            self.complete.add(prefix.execution_class())
            outcome = prefix.outcome()
            if outcome is not None:
                self.outcomes.add(outcome)
            return
        self.blocked.add(prefix.execution_class())
        deadlock = find_deadlock(prefix.machine)
        if deadlock is not None:
            self.deadlocks.add(deadlock.message)


def enumerate_classes(program: Program, model: MemoryModel, limit: int, *, keeps_turns: int = 0) -> Classes:
    """All maximal executions, by classes; not decided if there are more than `limit` prefixes.

    keeps_turns  how many turns of several steps a thread goes round before it waits for memory to change
    """
    own = program.apart()
    return own.known(lambda: _enumerated(Unfolding(own, UnfoldingOptions(keeps_turns=keeps_turns)), model, limit))


def _enumerated(unfolding: Unfolding, model: MemoryModel, limit: int) -> Classes:
    found = Classes()
    waiting = [Prefix(Machine(unfolding, model))]
    seen = {waiting[0].key()}
    while waiting:
        prefix = waiting.pop()
        choices = prefix.possible()
        if not choices:
            found.note_end(prefix)
        for choice in choices:
            following = prefix.copy()
            following.step(choice)
            key = following.key()
            if key not in seen:
                seen.add(key)
                waiting.append(following)
        found.prefixes = len(seen)
        if found.prefixes > limit:
            found.decided = False
            break
    return found


def class_of(unfolding: Unfolding, model: MemoryModel, choices: Sequence[Choice]) -> ExecutionClass:
    """The class of one schedule, the final function's steps left out."""
    prefix = Prefix(Machine(unfolding, model))
    for choice in choices:
        if unfolding.final is None or choice.thread != unfolding.final.index:
            prefix.step(choice)
    return prefix.execution_class()
