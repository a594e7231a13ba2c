"""Mistakes put into keys by hand: what fails is merged with what is right, and no certificate of that is confirmed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CellType
from typing import Any

import pytest

import mcr
from replay.frontend.ordinary.own import Lock
from replay.interpreter.lookup import identity
from replay.local_state import code as code_things
from replay.local_state import containers, frames, program_things
from replay.local_state.writer import Writer
from replay.machine.unfolding import Unfolding
from tests.certify.damage import certificate, why_rejected


class Box:
    def __init__(self, value: int) -> None:
        self.value = value


def _reading(reader: Callable[[Any, Any, Any], object]) -> mcr.Program:
    """A program in which a reader looks at `x` twice, and perhaps fails the second time for what it saw the first."""

    def seen(p: mcr.Declarations) -> None:
        x, y = p.var("x", 0), p.var("y", 0)
        p.thread(reader, p, x, y)
        p.thread(x.store, 1)

    seen.__name__ = reader.__name__
    return mcr.program(seen)


@_reading
def local(p, x, y):
    seen = x.load()
    y.load()
    assert not seen


@_reading
def operand(p, x, y):
    total = x.load() + y.load()
    assert total == 0


@_reading
def in_a_list(p, x, y):
    held = [x.load()]
    y.load()
    assert held == [0]


@_reading
def in_a_dict(p, x, y):
    held = {"seen": x.load()}
    y.load()
    assert not held["seen"]


@_reading
def in_a_tuple(p, x, y):
    held = ("seen", x.load())
    y.load()
    assert held == ("seen", 0)


@_reading
def attribute(p, x, y):
    box = Box(x.load())
    y.load()
    assert not box.value


@_reading
def closure(p, x, y):
    seen = x.load()

    def look():
        return seen

    y.load()
    assert not look()


@_reading
def handled(p, x, y):
    try:
        raise ValueError(x.load())
    except ValueError:
        y.load()
        raise_again = x.load() < 0
        try:
            raise
        except ValueError as error:
            if error.args[0] or raise_again:
                raise


@_reading
def of_an_exception(p, x, y):
    error = OSError(2, "gone", str(x.load()))
    y.load()
    assert error.filename == "0"


@_reading
def generator(p, x, y):
    def counting(seen):
        yield 1
        assert not seen

    steps = counting(x.load())
    next(steps)
    y.load()
    list(steps)


@_reading
def alias(p, x, y):
    one: list[int] = []
    other = one if x.load() else []
    y.load()
    one.append(1)
    assert not other


@_reading
def of_the_thread(p, x, y):
    mine = p.local(seen=0)
    mine.seen = x.load()
    y.load()
    assert not mine.seen


@_reading
def place(p, x, y):
    if x.load():
        y.load()
        assert y.load() < 0
    else:
        y.load()


class Cell:
    def __init__(self, held: object) -> None:
        self.held = held


@mcr.program
def of_ordinary_classes(p):
    one, two, chosen = p.share(Cell(1)), p.share(Cell(2)), p.share(Cell(False))

    def reader():
        cell = one if chosen.held else two
        seen = chosen.held
        assert cell is two or not seen

    def writer():
        chosen.held = True

    p.thread(reader)
    p.thread(writer)


@mcr.program
def lock_of_its_own(p):
    cell = p.share(Cell(0))

    def reader():
        lock = threading.Lock()
        if cell.held:
            lock.acquire()
        seen = cell.held
        assert not lock.locked() or seen < 0

    def writer():
        cell.held = 1

    p.thread(reader)
    p.thread(writer)


Mistake = Callable[[pytest.MonkeyPatch], None]


def _bare(writer: Writer, value: object) -> None:
    writer.tokens.append(type(value))


def _without(table: dict[type, Any], kind: type) -> Mistake:
    """What objects of this type hold is left out."""
    return lambda monkeypatch: monkeypatch.setitem(table, kind, _bare)


def _with(place: Any, name: str, value: Any) -> Mistake:
    return lambda monkeypatch: monkeypatch.setattr(place, name, value)


def _no_operands(right: Any) -> Any:
    def write_frame(self: Any, writer: Writer, frame: Any) -> None:
        stack, frame.stack = frame.stack, []
        try:
            right(self, writer, frame)
        finally:
            frame.stack = stack

    return write_frame


def _no_references(right: Any) -> Any:
    def write(self: Any, value: object) -> None:
        objects = None if self.execution is None else self.execution.objects
        if objects is not None and identity(value) in objects.shared:
            self.tokens.append(Cell)
        else:
            right(self, value)

    return write


MISTAKES: dict[str, tuple[mcr.Program, Mistake]] = {
    "local variables": (local, _with(frames, "_live_at", lambda *_: ())),
    "operands": (operand, _with(frames.FrameWriter, "_write_frame", _no_operands(frames.FrameWriter._write_frame))),
    "what a list holds": (in_a_list, _without(containers.HANDLERS, list)),
    "what a dict holds": (in_a_dict, _without(containers.HANDLERS, dict)),
    "what a tuple holds": (in_a_tuple, _without(containers.HANDLERS, tuple)),
    "attributes": (attribute, _with(code_things, "_instance", lambda *_: _bare)),
    "variables of closures": (closure, _without(code_things.HANDLERS, CellType)),
    "the exception that is handled": (handled, _with(frames, "_write_handled", lambda *_: None)),
    "what an exception holds": (of_an_exception, _with(code_things, "_unknown", lambda _: _bare)),
    "frames of generators": (
        generator,
        _with(frames.FrameWriter, "write_generator", lambda _, writer, value: _bare(writer, value)),
    ),
    "which object is which": (alias, _with(Writer, "is_new", lambda *_: True)),
    "attributes of each thread": (of_the_thread, _with(program_things, "write_thread", lambda *_: None)),
    "which shared object": (of_ordinary_classes, _with(Writer, "write", _no_references(Writer.write))),
    "whether a lock of its own is taken": (lock_of_its_own, _with(Lock, "private", lambda _: ())),
    "where code stands": (place, _with(frames, "_numbers", lambda decoded: [0] * len(decoded.steps))),
}


@pytest.mark.parametrize("forgotten", MISTAKES)
def test_what_a_key_forgets_is_seen(forgotten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, put = MISTAKES[forgotten]
    assert mcr.check(program, "sc").verdict is mcr.Verdict.BUG
    with monkeypatch.context() as patched:
        put(patched)
        for name in ("audit",):  # which may find the mistake first
            patched.setattr(Unfolding, name, lambda *_: None)
        said = certificate(program, "sc", "stateful")
    assert said is not None, "the mistake hides nothing"
    assert "where the thread stands otherwise" in why_rejected(said, program)
