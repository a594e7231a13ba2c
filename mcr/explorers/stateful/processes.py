"""Processes, what they can do next, and how a global state has them: tables that `System` fills and `Space` reads.

A *process* is a thread in a local state with what waits in its store buffers.
What it can do next is a handful of *actions*: run its operation, or commit a
store. Each looks at one component of the global state at most (the cell that it
reads or overwrites, or the thread that it joins), and what comes of it depends
on nothing else. So an action is a table, from what it looks at to what it adds
to the global state.
"""

from __future__ import annotations

from mcr.explorers.stateful.buffers import Contents
from mcr.explorers.stateful.layout import Component
from replay.code.terminals import Ended
from replay.machine.machine import Choice
from replay.machine.state import LocationId, State
from replay.world.operation import Kind
from replay.world.values import ValueId

_UNSEEN = frozenset({Kind.LOAD, Kind.UPDATE, Kind.FENCE, Kind.STORE_FENCE, Kind.CHOOSE, Kind.FINAL})
"""Actions of a thread that no other thread sees, or (the final function) when all is over."""

Row = tuple[tuple[int, dict[int, int], "ProcessAction"], ...]
"""The actions of a process: where they look (the mask of that component), their table, and the action."""


class Process:
    """A thread in a local state, with what waits in its store buffers.

    number      its component of a global state
    written     that as part of a global state
    operations  its actions that are no commits
    """

    __slots__ = ("actions", "contents", "number", "operations", "state", "thread", "written")

    def __init__(self, thread: ThreadProcesses, number: int, state: State, contents: Contents) -> None:
        self.thread = thread
        self.number = number
        self.written = thread.component.written(number)
        self.state = state
        self.contents = contents
        self.actions: tuple[ProcessAction, ...] = ()
        self.operations: tuple[ProcessAction, ...] = ()

    @property
    def has_ended(self) -> bool:
        """True if it came to its end, and all its stores to memory."""
        return isinstance(self.state.terminal, Ended) and not self.contents

    @property
    def may_be_stuck(self) -> bool:
        """Returns whether its thread may be one that waits, or only looks: other threads can see nothing that it
        has to do."""
        operation = self.state.operation
        if self.contents or len(self.state.inputs) > 1:
            return False
        return operation is None or operation.ready is not None or operation.kind in _UNSEEN


class CellValues:
    """A location.

    held     the values that it was seen to hold, by how a global state has them; the initial one first
    written  how it has them
    """

    __slots__ = ("component", "held", "location", "written")

    def __init__(self, component: Component, location: LocationId, initial: ValueId) -> None:
        self.component = component
        self.location = location
        self.held = {0: initial}
        self.written = {initial: 0}

    def value(self, state: int) -> ValueId:
        """Returns what it holds in a global state."""
        return self.held[state & self.component.mask]


class ThreadProcesses:
    """A thread.

    alike  the thread whose local states it has, and whose code is run: itself, or the first of its group
    group  the threads that are alike, itself among them; their processes have the same numbers
    held   the processes that it was seen to be, by how a global state has them; the first one first
    known  the same by local state and contents of buffers
    rows   the actions of these, as `held` has them
    """

    __slots__ = ("alike", "component", "group", "held", "index", "known", "rows")

    def __init__(self, component: Component, index: int, alike: ThreadProcesses | None = None) -> None:
        self.component = component
        self.index = index
        self.alike = alike or self
        self.group: list[ThreadProcesses] = [self] if alike is None else alike.group
        self.held: dict[int, Process] = {}
        self.known: dict[tuple[int, Contents], Process] = {}
        self.rows: dict[int, Row] = {}
        if alike is not None:
            self.group.append(self)

    def process(self, state: int) -> Process:
        """Returns the process that it is in a global state."""
        return self.held[state & self.component.mask]


class ProcessAction:
    """Something that a process may do next.

    looks_at  what it depends on beside the process; None for nothing
    choice    the step of a schedule that it is
    table     by what it finds where it looks, as a global state has it: what it adds to the state; 0 if that changes
              nothing, it has to wait, or its thread goes on at once
    onward    the same where its thread goes on at once: the next action belongs to the same step
    """

    __slots__ = ("choice", "looks_at", "onward", "process", "table")

    def __init__(self, process: Process, looks_at: CellValues | ThreadProcesses | None, choice: Choice) -> None:
        self.process = process
        self.looks_at = looks_at
        self.choice = choice
        self.table: dict[int, int] = {}
        self.onward: dict[int, int] = {}

    def found_in(self, state: int) -> int:
        """Returns the value that it finds where it looks, in a global state."""
        return 0 if self.looks_at is None else state & self.looks_at.component.mask


Steps = tuple[tuple[ProcessAction, int], ...]
"""Actions of a thread that belong together, each with what it finds where it looks."""
