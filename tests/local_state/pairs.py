"""Two histories of one thread, which have one future or two: tables of them, each filled by a decorator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.local_state.driving import Body, Driver


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
