"""One thread of a run, as its driver and as its own code meet it: operations out, answers in.

This and `declarations` are the program model of docs/program-model.md and
docs/memory-models.md written a second time, from these pages. Nothing is
shared with the checker, so where the two differ one of them is wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

FILE = "<generated program>"
"""The file name under which generated code is compiled."""


class Unwritten:
    """The type of `UNWRITTEN`, what an update returns to leave memory alone."""


UNWRITTEN = Unwritten()


def same(left: object, right: object) -> bool:
    """Whether memory takes two values for one: type and value, at every depth."""
    return repr(left) == repr(right)


@dataclass(frozen=True, slots=True, eq=False)
class Ask:
    """What a thread wants to do next.

    place    the name of the location, mutex or thread that it concerns
    initial  what that location holds at first
    value    what a store writes; for "choose" the values to choose from
    update   for "rmw": what the location holds afterwards, evaluated by the thread itself
    answer   what the thread is given for the value that it read
    wait     how many steps the thread had taken when the `wait_until` began that this belongs to, -1 for none
    code     for "spawn": what the child runs
    """

    kind: str
    place: str = ""
    initial: object = None
    value: object = None
    update: Callable[[Any], object] | None = None
    answer: Callable[[Any], object] | None = None
    wait: int = -1
    code: Callable[[], object] | None = None

    @property
    def shown(self) -> str:
        """Kind, place and value, in words that two runs may be compared by."""
        return f"{self.kind} {self.place} {self.value!r}"


@dataclass(frozen=True, slots=True)
class End:
    """How a thread came to its end: it "returned" `value`, "failed", or is "blocked".

    error, message  the exception that left it
    lines           of user code that were active when that was raised, innermost first
    wait            of a blocked thread: as in `Ask`; -1 for an assumption
    """

    how: str
    value: object = None
    error: str = ""
    message: str = ""
    lines: tuple[int, ...] = ()
    wait: int = -1

    @property
    def shown(self) -> str:
        return f"{self.how} {self.value!r} {self.error} {self.message} {self.lines} {self.wait}"


class LiveThread:
    """One thread of a run: suspended at `request`, which is `End` when it is over.

    steps   operations that it has taken
    waits   since which step it evaluates the condition of a `wait_until`, -1 if it does not
    wrote   what its latest update wrote
    """

    def __init__(self, name: str, code: Callable[[], object] | None, steps: int = 0) -> None:
        self.name = name
        self.code = code
        self.steps = steps
        self.waits = -1
        self.wrote: object = UNWRITTEN
        self.counts: dict[str, int] = {}
        self.request: Ask | End = End("returned")
        self._given_up = False
        self._greenlet = greenlet(self._main)

    def advance(self, *answer: object) -> None:
        """Run to the next request, with the answer to the last one."""
        global _current
        outer, _current = _current, self
        self.wrote = UNWRITTEN
        self._greenlet.parent = getcurrent()
        try:
            self.request = self._greenlet.switch(*answer)
        finally:
            _current = outer

    def give_up(self) -> None:
        """Unwind the thread's code; `finally` and `except` in it get no further operation."""
        global _current
        self._given_up = True
        if self._greenlet:
            outer, _current = _current, self
            self._greenlet.parent = getcurrent()
            try:
                self._greenlet.throw(GreenletExit)
            finally:
                _current = outer

    def number(self, what: str) -> int:
        """0, 1, ... for each kind of thing that the thread makes."""
        self.counts[what] = self.counts.get(what, -1) + 1
        return self.counts[what]

    def perform(self, ask: Ask) -> Any:
        """What the thread's own code calls: take this operation, and give its result."""
        read = self._suspend(ask)
        self.steps += 1
        if ask.update is not None:
            self.wrote = ask.update(read)
        return read if ask.answer is None else ask.answer(read)

    def block(self) -> None:
        """Stop for good."""
        self._suspend(End("blocked", wait=self.waits))

    def _suspend(self, request: Ask | End) -> object:
        if self._given_up:  # `finally` and `except` of a run that nobody needs any more
            raise GreenletExit
        parent = getcurrent().parent
        assert parent is not None
        try:
            return parent.switch(request)
        except GreenletExit:
            self._given_up = True
            raise

    def _main(self) -> End:
        assert self.code is not None
        try:
            result = self.code()
            if inspect.isgenerator(result):
                result = self._drive(result)
            return End("returned", result)
        except BaseException as error:
            return End("failed", None, type(error).__name__, str(error), _lines(error.__traceback__))

    def _drive(self, generator: Any) -> object:
        """A thread written as a generator: each operation that it yields is taken, its errors are raised there."""
        proceed, given = generator.send, None
        while True:
            try:
                ask = proceed(given)
            except StopIteration as stop:
                return stop.value
            try:
                proceed, given = generator.send, self.perform(ask)
            except BaseException as error:
                proceed, given = generator.throw, error


_current: LiveThread | None = None


def running() -> LiveThread:
    assert _current is not None, "shared state is used outside of threads"
    return _current


def _lines(traceback: TracebackType | None) -> tuple[int, ...]:
    found = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            found.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return tuple(reversed(found))


def inside_thread() -> bool:
    return _current is not None
