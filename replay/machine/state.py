"""A local state: one node of the unfolding."""

from __future__ import annotations

from replay.code.thread_run import Terminal
from replay.world.operation import Operation
from replay.world.values import ValueId

NOTHING = -1
"""Stands for "no value" and "no location" where ids are expected."""

LocationId = int


class State:
    """One local state: a thread after a history.

    number     position in the order of discovery
    thread     index of the thread
    depth      operations executed so far
    parent     the state before, None for a root
    read       value id that the operation leading here read (or chose), else NOTHING
    wrote      value id that the operation leading here wrote, else NOTHING
    operation  what the thread asks for next, None if it came to its end
    terminal   how it came to its end, None if it did not
    children   next states by value read; NOTHING is the key where nothing is read

    The rest repeats what `operation` says, as small integers and flags:
    loc, reads, drains (waits for the thread's buffer), stored (value id that a
    plain store will write), inputs (value ids to choose from).
    """

    __slots__ = (
        "children",
        "depth",
        "drains",
        "inputs",
        "loc",
        "number",
        "operation",
        "parent",
        "read",
        "reads",
        "stored",
        "terminal",
        "thread",
        "wrote",
    )  # fmt: skip

    def __init__(self, number: int, thread: int, parent: State | None, read: ValueId, wrote: ValueId) -> None:
        self.number = number
        self.thread = thread
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.read = read
        self.wrote = wrote
        self.operation: Operation | None = None
        self.terminal: Terminal | None = None
        self.children: dict[ValueId, State] = {}
        self.loc: LocationId = NOTHING
        self.reads = False
        self.drains = False
        self.stored: ValueId = NOTHING
        self.inputs: tuple[ValueId, ...] = ()

    @property
    def begins_wait(self) -> bool:
        """Whether the next operation is the first load of a wait_until."""
        return self.operation is not None and self.operation.wait_from == self.depth

    def path(self) -> list[State]:
        """From the root of the thread to this state, both included."""
        states: list[State] = []
        state: State | None = self
        while state is not None:
            states.append(state)
            state = state.parent
        states.reverse()
        return states

    def __repr__(self) -> str:
        return f"<state {self.number}: thread {self.thread} after {self.depth} operations>"
