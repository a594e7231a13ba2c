"""Faults put back by hand into the rules about keys, each with a program that it makes *verified* although it fails."""

from __future__ import annotations

import functools
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from types import CellType, FunctionType, GeneratorType
from typing import Any

import pytest

from replay.frontend.program import Program
from replay.local_state import code, keys, program_things
from replay.local_state.keys import LocalStateKeys
from replay.local_state.suspended import Stop
from replay.local_state.writer import Writer

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Fault:
    """What is wrong with the rules, and a program that fails under SC in one of two histories that they merge."""

    put_back: Patch
    program: Program


FAULTS: dict[str, Fault] = {}


def caught_by(put_back: Patch) -> Callable[[Callable[..., Any]], None]:
    """The decorator that puts a fault into the table, by the name of the program that shows it."""

    def add(body: Callable[..., Any]) -> None:
        @functools.wraps(body)
        def declare(p):  # type: ignore[no-untyped-def]
            x = p.var("x", 0)
            p.thread(body(p, x))
            p.thread(x.store, 1)

        FAULTS[body.__name__] = Fault(put_back, Program(declare))

    return add


def no_contents(*kinds: type) -> Patch:
    """Of objects of these types nothing is written but the type."""

    def put_back(monkeypatch: pytest.MonkeyPatch) -> None:
        make = LocalStateKeys.__init__

        def wrong(self: LocalStateKeys, *arguments: Any) -> None:
            make(self, *arguments)
            for kind in kinds:
                self._handlers[kind] = lambda writer, value: writer.tokens.append(type(value))

        monkeypatch.setattr(LocalStateKeys, "__init__", wrong)

    return put_back


def what_is_used(rule: Callable[[Stop], tuple[int, ...]]) -> Patch:
    """Of what a frame holds only this is written."""

    def put_back(monkeypatch: pytest.MonkeyPatch) -> None:
        make = Stop.__init__

        def wrong(self: Stop, *arguments: Any) -> None:
            make(self, *arguments)
            if not self.known.is_ours:
                self.used = rule(self)

        monkeypatch.setattr(Stop, "__init__", wrong)

    return put_back


def replaced(owner: object, name: str, by: object) -> Patch:
    return lambda monkeypatch: monkeypatch.setattr(owner, name, by)


NO_ATTRIBUTES = replaced(code, "rule_for", lambda kind: lambda writer, value: writer.tokens.append(kind.__qualname__))
"""Of instances of users' classes only the class is written."""

NOTHING_LIVES = what_is_used(lambda stop: tuple(range(stop.known.slots, stop.known.slots + stop.point.waiting)))
NOTHING_WAITS = what_is_used(lambda stop: stop.point.live)
NOTHING_HELD = replaced(keys, "held_by_c", lambda *_: [])


# -- merges ---------------------------------------------------------------------------


@caught_by(NOTHING_HELD)
def what_list_has_gathered(p, x):
    class Cells:
        def __iter__(self):
            yield x.load()
            yield x.load()

    def reader():
        assert list(Cells()) != [1, 1]

    return reader


@caught_by(NOTHING_WAITS)
def operand_that_waits(p, x):
    def reader():
        assert x.load() + x.load() != 2

    return reader


@caught_by(NOTHING_LIVES)
def live_variable(p, x):
    def reader():
        first = x.load()
        x.load()
        assert not first

    return reader


@caught_by(no_contents(type(iter([]))))
def position_of_an_iterator(p, x):
    def reader():
        numbers = iter([1, 2, 3])
        if x.load():
            next(numbers)
        x.load()
        assert next(numbers) != 2

    return reader


@caught_by(no_contents(GeneratorType))
def frame_of_a_generator(p, x):
    def reader():
        numbers = (number for number in (1, 2, 3))
        if x.load():
            next(numbers)
        x.load()
        assert next(numbers) != 2

    return reader


@caught_by(no_contents(CellType))
def cell_of_a_closure(p, x):
    def reader():
        seen = 0

        def look():
            nonlocal seen
            seen = x.load()

        look()
        x.load()
        assert not seen

    return reader


@caught_by(no_contents(functools.partial))
def arguments_of_a_partial(p, x):
    def reader():
        later = functools.partial(int, x.load())
        x.load()
        assert not later()

    return reader


@caught_by(no_contents(deque))
def contents_of_a_deque(p, x):
    def reader():
        found = deque([x.load()])
        x.load()
        assert not found.pop()

    return reader


@caught_by(replaced(Writer, "is_new", lambda self, value: True))
def sharing(p, x):
    def reader():
        one = []
        other = one if x.load() else []
        x.load()
        one.append(1)
        assert not other

    return reader


def _true_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    write = Writer.write
    monkeypatch.setattr(Writer, "write", lambda self, value: write(self, int(value) if value is True else value))


@caught_by(_true_is_one)
def equal_values_of_two_types(p, x):
    def reader():
        found = True if x.load() else 1
        x.load()
        assert found is not True

    return reader


@caught_by(NO_ATTRIBUTES)
def attribute_of_an_object(p, x):
    class Seen:
        pass

    def reader():
        seen = Seen()
        seen.value = x.load()
        x.load()
        assert not seen.value

    return reader


@caught_by(no_contents(FunctionType))
def attribute_of_a_function(p, x):
    def reader():
        def seen():
            pass

        seen.value = x.load()
        x.load()
        assert not seen.value

    return reader


@caught_by(replaced(program_things, "write_thread", lambda writer, thread: None))
def number_of_the_next_record(p, x):
    def reader():
        if x.load():
            p.record("node", value=0)
        x.load()
        node = p.record("node", value=0)
        assert node != p.record("other") and "1" not in str(node.value)

    return reader


@caught_by(replaced(keys, "_write_end", lambda writer, end: writer.tokens.append(type(end))))
def result_of_a_thread(p, x):
    def reader():
        return x.load()

    @p.final
    def end():
        assert not thread.join()

    thread = p.thread(reader)
    return lambda: None


# -- turns of loops -------------------------------------------------------------------


@caught_by(NOTHING_LIVES)
def loop_that_counts_in_a_variable(p, x):
    def reader():
        tries = 0
        while tries < 5:
            x.load()
            tries += 1
        raise AssertionError("five tries")

    return reader


@caught_by(no_contents(OrderedDict))
def loop_that_counts_in_an_attribute(p, x):
    def reader():
        state = OrderedDict()
        state.tries = 0
        while state.tries < 5:
            x.load()
            state.tries += 1
        raise AssertionError("five tries")

    return reader


@caught_by(no_contents(CellType))
def loop_that_counts_in_a_cell(p, x):
    def reader():
        tries = 0

        def look():
            nonlocal tries
            tries += 1
            return x.load()

        while tries < 5:
            look()
        raise AssertionError("five tries")

    return reader


@caught_by(NOTHING_HELD)
def iterator_that_any_keeps(p, x):
    class Three:
        def __init__(self):
            self.left = 3

        def __iter__(self):
            return Three()

        def __next__(self):
            self.left -= 1
            if not self.left:
                raise StopIteration
            return x.load()

    def reader():
        assert any(Three()), "none"

    return reader
