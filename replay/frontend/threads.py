"""Threads as a program sees them: handles, what they run, and the locations of their beginning and end."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from replay.code.thread_run import current_run, line_of_request
from replay.errors import ModelError
from replay.world.operation import Kind, Location, Operation, Source

FINAL = "final"
"""The name of the thread that runs the final function."""


def start_location(thread: str) -> Location:
    """What a spawn writes and the first step of its child reads."""
    return Location(f"start of thread {thread}")


def end_location(thread: str) -> Location:
    """Where a thread that ended leaves the pair ("returned", value); None before that."""
    return Location(f"end of thread {thread}")


class Thread:
    """A handle on a thread, for joining it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def join(self) -> Any:
        """Wait until the thread ended and its stores are in memory; returns what it returned."""
        returned = current_run().perform(
            Operation(
                Kind.JOIN,
                end_location(self.name),
                ready=lambda value: value is not None,
                target=self.name,
                source=line_of_request(),
            )
        )
        return returned[1]

    def __repr__(self) -> str:
        return f"thread {self.name}"


class Call:
    """What a thread runs: function(*args).

    name    what its author calls it, "" for nothing
    source  the line that declared or spawned it
    """

    __slots__ = ("args", "function", "name", "source")

    def __init__(
        self, function: Callable[..., object], args: tuple[object, ...], name: str = "", source: Source | None = None
    ) -> None:
        """Finds out `source` if it is None. Raises ModelError for what cannot be called."""
        self.source = source or line_of_request()
        if not callable(function):
            raise ModelError(f"a thread needs a function to run, not {function!r}", str(self.source or ""))
        self.function = function
        self.args = args
        self.name = name

    @property
    def title(self) -> str:
        """What reports call the thread; ModelError if the arguments cannot be shown."""
        try:
            return self.name or str(self)
        except Exception as error:
            wrong = f"the arguments of a thread cannot be shown: {type(error).__name__}: {error}"
            raise ModelError(wrong, str(self.source or "")) from error

    def __call__(self) -> object:
        return self.function(*self.args)

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{name}({', '.join(_ADDRESS.sub(_bare_name, repr(arg)) for arg in self.args)})"


_ADDRESS = re.compile(r"<(function |bound method )?([\w.<>]+?)( object| of [^<>]*(?:<[^<>]*>)?)? at 0x[0-9a-fA-F]+>")


def _bare_name(match: re.Match[str]) -> str:
    """Objects without a repr of their own show an address, different in every run; their type says enough."""
    return match[2].rpartition(".")[2]
