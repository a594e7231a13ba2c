"""Two histories of one thread, which have one future or two: tables of them, each filled by a decorator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from replay.errors import ModelError
from tests.local_state.driving import Body, Driver

REFUSED = {
    **dict.fromkeys(
        ("holes_of_a_dict", "holes_under_", "room_in_a_dict"), "keys are removed and others added while a loop goes"
    ),
    "instruction_in_a_traceback": "positions_iterator.__iter__ cannot be checked",
    **dict.fromkeys(("end_by_finalize", "finalizer_of_weakref"), "weakref.finalize.__init__ cannot be checked"),
    **dict.fromkeys(("end_by_del", "object_that_is_given_up"), "an object is given up here, and its __del__ uses"),
    **dict.fromkeys(("end_heard_by", "helper_with_a_cache_of_functools"), "native code has called this line back"),
}
"""By what names of programs begin with, what the interpreter says of them: it does not run them."""


@contextmanager
def unless_refused(name: str) -> Iterator[None]:
    """What is within holds, or else the program of that name is refused as it is meant to be."""
    wanted = [sentence for start, sentence in REFUSED.items() if name.startswith(start)]
    if wanted:
        with pytest.raises(ModelError, match=wanted[0]):
            yield
    else:
        yield


@dataclass(frozen=True)
class Trap:
    """A thread that tells `first` from `second` when it is then given `results`."""

    body: Body
    first: Sequence[object]
    second: Sequence[object]
    results: Sequence[object]

    def check(self) -> None:
        """The histories have different futures; so they share no key."""
        driver = Driver(self.body)
        with unless_refused(self.body.__name__):
            assert driver.future(self.first, self.results) != driver.future(self.second, self.results)
            first = driver.key(self.first)
            assert first is None or first != driver.key(self.second)


@dataclass(frozen=True)
class Meeting:
    """A thread that forgets how `first` and `second` differ."""

    body: Body
    first: Sequence[object]
    second: Sequence[object]

    def check(self) -> None:
        """The histories share a key, and nothing is in doubt."""
        driver = Driver(self.body)
        first = driver.key(self.first)
        assert first is not None, driver.keys.doubt
        assert first == driver.key(self.second)


def trap_of(
    table: dict[str, Trap],
) -> Callable[[Sequence[object], Sequence[object], Sequence[object]], Callable[[Body], Body]]:
    """The decorator that puts a thread into a table, by its name."""

    def trap(first: Sequence[object], second: Sequence[object], results: Sequence[object]) -> Callable[[Body], Body]:
        def add(body: Body) -> Body:
            table[body.__name__] = Trap(body, first, second, results)
            return body

        return add

    return trap


def meeting_of(table: dict[str, Meeting]) -> Callable[[Sequence[object], Sequence[object]], Callable[[Body], Body]]:
    """The decorator that puts a thread into a table, by its name."""

    def meeting(first: Sequence[object], second: Sequence[object]) -> Callable[[Body], Body]:
        def add(body: Body) -> Body:
            table[body.__name__] = Meeting(body, first, second)
            return body

        return add

    return meeting
