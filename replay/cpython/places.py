"""Which instruction performs each operation of a recorded execution, and how often its thread has come to it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

from replay.code.lines import is_user_code
from replay.cpython.scheduler import instructions
from replay.frontend.ordinary.own import Lock, SimpleQueue
from replay.frontend.ordinary.threads import join
from replay.interpreter.execution import STOP, Execution
from replay.interpreter.frame import Frame
from replay.world.operation import Operation

Place = tuple[Any, ...]
"""Of an instruction: file, function, lines, columns, opcode (`scheduler.instructions`)."""

Visit = tuple[Place, int]
"""A place, and how often a thread has come to it."""

_WAITS = {
    each.__code__: each.__code__.co_varnames.index("timeout")
    for each in (threading.Condition.wait, join, Lock.acquire, SimpleQueue.get)
}
"""Code that waits, and which of its variables is the timeout."""


class Places:
    """Runs executions in place of their own loop, and counts the instructions of users' code.

    found         by thread and number of an operation, where the thread asked for it; None where no Python code did
    has_timeouts  whether a thread has waited with a timeout
    """

    def __init__(self) -> None:
        self.found: dict[tuple[str, int], Visit | None] = {}
        self.has_timeouts = False
        self._visits: WeakKeyDictionary[Execution, Counter[Place]] = WeakKeyDictionary()

    def steps(self, execution: Execution) -> Any:
        """Does what `Execution.steps` does."""
        frames, dropped = execution.frames, execution.dropped
        visits = self._visits.setdefault(execution, Counter())
        while True:
            frame = frames[-1]
            decoded, position = frame.decoded, frame.position
            frame.position = position + 1
            offsets = decoded.offsets
            if position == 0 and decoded.code in _WAITS and frame.slots[_WAITS[decoded.code]] not in (None, -1):
                self.has_timeouts = True
            if not decoded.hidden and (position == 0 or offsets[position] != offsets[position - 1]):
                visits[_place(frame, offsets[position])] += 1
            if decoded.functions[position](frame) is STOP:
                self._note(execution, visits)
                return execution.result
            if dropped:
                execution.push(execution.close, [dropped.pop()], {})

    def _note(self, execution: Execution, visits: Counter[Place]) -> None:
        """The execution has stopped: note where, if its thread asks for an operation."""
        if type(execution.result) is Operation and execution.frames:
            thread = execution.owner
            frame = next((each for each in reversed(execution.frames) if _is_of_cpython(each)), None)
            place = None if frame is None else _place(frame, frame.decoded.offsets[frame.position - 1])
            self.found[thread._name, thread.performed] = None if place is None else (place, visits[place])

    def raised(self, frame: Frame, error: BaseException) -> None:
        """Called where an exception was raised."""

    def left(self, frame: Frame) -> None:
        """Called where an exception has left a frame."""


def _is_of_cpython(frame: Frame) -> bool:
    """Returns whether CPython has this frame, too, when it runs the same code."""
    return not frame.decoded.hidden and is_user_code(frame.code.co_filename)


def _place(frame: Frame, offset: int) -> Place:
    return _places(frame.code, frame.code.co_filename, frame.code.co_qualname)[offset]


@lru_cache(1 << 12)
def _places(code: CodeType, *names: str) -> dict[int, Place]:
    return {offset: place for offset, _, place in instructions(code, *names)}


@contextmanager
def noted() -> Iterator[Places]:
    """In the block, it is noted which instructions perform the operations of threads."""
    before, places = Execution.tracing, Places()
    Execution.tracing = places
    try:
        yield places
    finally:
        Execution.tracing = before
