"""Histories of calls: what threads call, and what that returns, told to an observer who judges it.

An observer is no memory of the program: to tell it something waits for no store buffer, orders nothing, and the
thread learns nothing but that it may go on. What was told so far is a value in a cell of its own, so that two
executions of which the observer thinks the same are one global state.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Protocol

from replay.code.belonging import is_user_class
from replay.code.running_thread import current_run, perform, refuse
from replay.interpreter.execution import is_shared_here
from replay.interpreter.natives import natively
from replay.world.operation import Guard, Kind, Location
from replay.world.shown import shown_error

WRONG: Final = "no order explains it"
"""What an observer thinks when nothing explains what it was told."""

CALLS = "(calls)"
"""The name of the cell that holds what an observer thinks; no program can declare one of that name."""


TURN = "(turn)"
"""The name of the cell that says whose turn it is."""

IS_CALLED: Final = " is called"
"""What reports say of a call that begins, after the operation."""


class Observer(Protocol):
    """Judges a history of calls; threads and operations are numbered. What it thinks is a value that memory can hold.

    first  what it thinks when nothing was told
    """

    first: object

    def called(self, seen: object, thread: int, operation: int) -> object:
        """Returns the knowledge after `seen` when a thread calls an operation."""

    def returned(self, seen: object, thread: int, operation: int, result: str) -> object:
        """Returns the knowledge when that call ends with this result; `WRONG` if nothing explains that."""


class Thought(Protocol):
    """The knowledge of an observer that looks at waiting, too.

    may_wait  whether those whose calls have not ended may wait for ever, if nobody else gets on
    """

    @property
    def may_wait(self) -> bool: ...


class UnexplainedError(AssertionError):
    """A call ended with a result that nothing explains."""


class History:
    """The calls that threads make, each of an operation.

        with history.call(0, 1) as call:  # thread 0 calls operation 1
            call.returns(queue.get())

    An exception that leaves the block is the result of the call.
    """

    __slots__ = ("_location", "_observer", "_texts", "_turn")

    def __init__(self, observer: Observer, texts: tuple[str, ...]) -> None:
        """`texts` are the operations as readers see them."""
        self._observer = observer
        self._texts = texts
        self._location = Location(CALLS, observer.first)
        self._turn = Location(TURN, 0)

    def call(self, thread: int, operation: int) -> Call:
        return Call(self, thread, operation)

    def pass_on(self) -> None:
        """Lets the threads begin whose turn is next."""
        _take_turn(self._turn, 0, "passes on", _one_more)

    def wait(self, turn: int) -> None:
        """Wait until it was passed on so many times."""
        _take_turn(self._turn, turn, f"waits for turn {turn}", _the_same)

    def begin(self, call: Call) -> None:
        """Tell that a call begins."""
        perform(Kind.NOTE, self._location, **self._called(call.thread, call.operation))

    def end(self, call: Call, result: str) -> None:
        """Tell that a call ended with this result. Raises UnexplainedError if nothing explains it."""
        told = self._returned(call.thread, call.operation, result)
        if not perform(Kind.NOTE, self._location, at_once=True, **told):
            raise UnexplainedError(f"{told['label']}, but no order of the calls explains it")

    @natively
    def _called(self, thread: int, operation: int) -> dict[str, Any]:
        text = f"{self._texts[operation]}{IS_CALLED}"
        return _note((thread, operation), text, lambda seen: self._observer.called(seen, thread, operation))

    @natively
    def _returned(self, thread: int, operation: int, result: str) -> dict[str, Any]:
        text = f"{self._texts[operation]} {result}"
        return _note((thread, operation), text, lambda seen: self._observer.returned(seen, thread, operation, result))


def _note(number: tuple[int, ...], label: str, update: Callable[[object], object]) -> dict[str, Any]:
    """Returns the keywords of an operation that tells an observer; the thread goes on unless that finds it wrong."""
    return {"update": update, "result": lambda seen: update(seen) != WRONG, "label": label, "operands": number}


def _take_turn(location: Location, turn: int, label: str, update: Callable[[int], int]) -> None:
    perform(Kind.NOTE, location, update=update, result=bool, ready=Guard(_has_come, turn), label=label)


def _has_come(passed: int, turn: int) -> bool:
    return passed >= turn


def _one_more(passed: int) -> int:
    return passed + 1


def _the_same(passed: int) -> int:
    return passed


class Call:
    """A call that is being made."""

    __slots__ = ("_history", "operation", "thread")

    def __init__(self, history: History, thread: int, operation: int) -> None:
        self._history = history
        self.thread = thread
        self.operation = operation

    def __enter__(self) -> Call:
        self._history.begin(self)
        return self

    def returns(self, value: object) -> None:
        """The call has returned this. Raises UnexplainedError like `History.end`, ModelError for what cannot be told
        from others."""
        self._history.end(self, f"returns {told(value, _named)}")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or isinstance(error, UnexplainedError):
            return False
        self._history.end(self, f"raises {type(error).__name__}({_without_marks(shown_error(error))})")
        return True


OBJECT: Final = "(⟨[^⟩]*⟩)"
"""A pattern for objects in the texts of results, which have these brackets for nothing else."""


def told(value: object, named: Callable[[object], str] = lambda value: "") -> str:
    """Returns a result as a text: equal for two that cannot be told apart. Raises ModelError if that is not known.

    `named` gives the name of an object, by which it is known wherever it turns up; "" for what has none.
    """
    if value is None or type(value) in (bool, int, float, complex, str, bytes):
        return _without_marks(repr(value))

    def each(part: object) -> str:
        return told(part, named)

    kind = None if is_shared_here(value) else type(value)  # a shared list can change
    match value:
        case tuple() if kind is tuple:
            return f"({', '.join(map(each, value))}{',' * (len(value) == 1)})"
        case list() if kind is list:
            return f"[{', '.join(map(each, value))}]"
        case dict() if kind is dict:
            return "{" + ", ".join(f"{each(key)}: {each(one)}" for key, one in value.items()) + "}"
        case set() | frozenset() if kind in (set, frozenset):
            return f"{type(value).__name__}({', '.join(sorted(map(each, value)))})"
    if name := named(value):
        return f"⟨{_without_marks(name)}⟩"
    refuse(
        f"a call returned an object of type {type(value).__name__}: results are compared if they are numbers, texts, "
        "None, objects of classes that are shared, or tuples, lists, dicts and sets of these; of what can change, "
        "return a copy"
    )


def _without_marks(text: str) -> str:
    return text.replace("⟨", "\\u27e8").replace("⟩", "\\u27e9")


def _named(value: object) -> str:
    """Returns the name of an object of a class, which becomes shared memory by being returned; "" for other values."""
    heap = current_run().heap
    if heap is None or not is_user_class(type(value)):
        return ""
    heap.freeze(value)
    return heap.name_of(value)
