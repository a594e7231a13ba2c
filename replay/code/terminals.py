"""How a thread comes to its end, and what it asks for until then."""

from __future__ import annotations

from dataclasses import dataclass

from replay.world.operation import Operation, Source
from replay.world.terms import Term

ASSUMED = "assume"
"""The reason why a thread is blocked whose assumption failed."""

GIVEN_UP = "given up: "
"""Begins the reason why a thread is stopped, as if an assumption had failed, where mcr cannot know how it goes on.

What it does, why that is so, and what to do about it follow, with colons between them. No exploration is complete then.
"""


@dataclass(frozen=True)
class Ended:
    """The thread returned `value`."""

    value: object = None


@dataclass(frozen=True)
class Blocked:
    """The thread stopped for good at a failed assumption or an unfulfilled wait.

    `wait_from` is how many operations had been executed when the wait began;
    -1 for an assumption.
    """

    reason: str
    wait_from: int = -1
    source: Source | None = None


@dataclass(frozen=True)
class Failed:
    """An exception left the thread: a bug of the checked program.

    `stack` lists the lines of user code that were active, innermost first.
    """

    error: str
    message: str
    stack: tuple[Source, ...] = ()

    @property
    def source(self) -> Source | None:
        return self.stack[0] if self.stack else None

    def __str__(self) -> str:
        return f"{self.error}: {self.message}" if self.message else self.error


@dataclass(frozen=True)
class Cut:
    """The thread was stopped: the exploration is not complete.

    limit   the operations that it may have
    source  the line to which it came
    spins   whether it was stopped before, in a loop that would have gone on to the limit (`replay.machine.spinning`)
    """

    limit: int
    source: Source | None = None
    spins: bool = False


@dataclass(frozen=True, slots=True)
class Undecided:
    """The thread came to where it has to know what a term is, and nobody has said so."""

    term: Term
    source: Source | None = None


def at_once(request: object) -> bool:
    """Returns whether a thread asks for an operation before which no other thread runs (`Operation.at_once`)."""
    return isinstance(request, Operation) and request.at_once


Terminal = Ended | Blocked | Failed | Cut
Request = Operation | Terminal
"""What a thread asks for, or how it came to its end."""
