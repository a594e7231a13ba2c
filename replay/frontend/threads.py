"""Threads as a program sees them: handles, what they run, what each has for itself, and where they begin and end."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic

from replay.code.running_thread import current_run, line_of_request
from replay.code.user_code import stop_here
from replay.errors import ModelError
from replay.frontend.description import Description, T
from replay.world.operation import Guard, Kind, Location, Operation, Source
from replay.world.shown import shown
from replay.world.values import NoValue

FINAL = "final"
"""The name of the thread that runs the final function."""


def start_location(thread: str) -> Location:
    """Returns the location that a spawn writes and the first step of its child reads."""
    return Location(f"start of thread {thread}")


def end_location(thread: str) -> Location:
    """Returns the location where a thread that ended leaves the pair ("returned", value); None before that."""
    return Location(f"end of thread {thread}")


_HAS_ENDED = Guard(lambda end: end is not None)


def joining(thread: str, source: Source | None) -> Operation:
    """The operation that waits for the end of a thread, and gives what it returned."""
    return Operation(
        Kind.JOIN,
        end_location(thread),
        ready=_HAS_ENDED,
        result=lambda end: end[1],
        target=thread,
        source=source,
    )


class Thread(Description, Generic[T]):
    """A handle on a thread, for joining it. Handles are values: they can be stored and compared."""

    __slots__ = ("name",)
    name: str

    is_value = True
    _is = "a handle on a thread"
    _instead = "write join() for what the thread returned, `is None` to ask whether there is a handle"

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "name", name)

    def _key(self) -> Hashable:
        return self.name

    def join(self) -> T:
        """Wait until the thread ended and its stores are in memory; returns what it returned."""
        run = current_run()
        result = run.perform(joining(self.name, line_of_request()))
        return result if run.heap is None else run.heap.thaw(result)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"thread {self.name}"


class ThreadCall:
    """The function of a thread with its arguments: function(*args).

    name    what its author calls it, "" for nothing
    source  the line that declared or spawned it
    daemon  it may serve for ever: nobody expects it to end
    """

    __slots__ = ("args", "daemon", "function", "name", "source")

    def __init__(
        self,
        function: Callable[..., object],
        args: tuple[object, ...],
        name: str = "",
        source: Source | None = None,
        *,
        daemon: bool = False,
    ) -> None:
        """Finds out `source` if it is None. Raises ModelError for what cannot be called."""
        self.source = source or line_of_request()
        if not callable(function):
            stop_here(ModelError(f"a thread needs a function to run, not {shown(function)}", str(self.source or "")))
        self.function = function
        self.args = args
        self.name = name
        self.daemon = daemon

    @property
    def title(self) -> str:
        """The name of the thread in reports."""
        return self.name or str(self)

    def __call__(self) -> object:
        return self.function(*self.args)

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{name}({', '.join(map(shown, self.args))})"


class Local(NoValue):
    """Attributes that each thread sets and reads for itself: `mine = p.local(node=None)`, then `mine.node = ...`."""

    __slots__ = ("initial_attributes", "name")
    initial_attributes: dict[str, object]
    name: str

    def __init__(self, name: str, initial: Mapping[str, object]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "initial_attributes", dict(initial))

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # what Python and its libraries try
            raise AttributeError(attribute)
        run = current_run()
        held = run.locals.get((self.name, attribute), self.initial_attributes.get(attribute, run))
        if held is run:
            raise AttributeError(f"thread {run.name} has no {self.name}.{attribute}")
        return held

    def __setattr__(self, attribute: str, value: object) -> None:
        current_run().locals[self.name, attribute] = value

    def why_no_value(self) -> str:
        return f"{self.name} is what each thread has for itself, and no value: store an attribute of it"

    def __repr__(self) -> str:
        return self.name
