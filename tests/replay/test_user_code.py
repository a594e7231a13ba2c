"""Exceptions that leave user code: one of any type is a bug of the program, with its line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

import pytest

import mcr
from mcr.api import open_session
from replay.world.memory_models import MODELS

LEAVING: list[Callable[[], object]] = [
    lambda: sys.exit(0),
    lambda: sys.exit("text"),
    lambda: _raise(BaseException("base")),
    lambda: _raise(KeyboardInterrupt()),
    lambda: _raise(GeneratorExit()),
    lambda: _raise(BaseExceptionGroup("group", [KeyboardInterrupt()])),
    lambda: _raise(StopIteration(3)),
    lambda: _raise(Mute()),
]


NAMES = [
    "SystemExit", "SystemExit", "BaseException", "KeyboardInterrupt", "GeneratorExit", "BaseExceptionGroup",
    "StopIteration", "Mute",
]  # fmt: skip


class Mute(BaseException):
    def __str__(self) -> str:
        raise KeyboardInterrupt


def _raise(error: BaseException) -> object:
    raise error


def _in_a_thread(p: mcr.Declarations, leave: Callable[[], object]) -> None:
    x = p.var("x", 0)
    p.thread(lambda: x.load() == 0 and leave())


def _in_an_update(p: mcr.Declarations, leave: Callable[[], object]) -> None:
    x = p.var("x", 0)
    p.thread(lambda: x.update(lambda _: leave()))


def _in_a_condition(p: mcr.Declarations, leave: Callable[[], object]) -> None:
    x = p.var("x", 0)
    p.thread(lambda: p.wait_until(lambda: x.load() == 0 and leave()))


def _in_the_final_function(p: mcr.Declarations, leave: Callable[[], object]) -> None:
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.final(lambda: x.load() and leave())


def _in_a_generator(p: mcr.Declarations, leave: Callable[[], object]) -> None:
    x = p.var("x", 0)

    def thread():
        yield x.op.load()
        yield x.op.update(lambda _: leave())

    p.thread(thread)


def _in_a_child(p: mcr.Declarations, leave: Callable[[], object]) -> None:
    p.thread(lambda: p.spawn(leave).join())


@pytest.mark.parametrize("number", range(len(LEAVING)), ids=NAMES)
@pytest.mark.parametrize(
    "place",
    [_in_a_thread, _in_an_update, _in_a_condition, _in_the_final_function, _in_a_generator, _in_a_child],
)
def test_an_exception_of_any_type_that_leaves_a_thread_is_a_bug(place, number: int) -> None:
    program = mcr.program(lambda_free(place))(number=number)
    result = mcr.check(program, "tso")
    assert result.verdict is mcr.Verdict.BUG
    failure = result.failures[0].failure
    assert failure is not None
    expected = NAMES[number]
    if place is _in_a_generator and expected == "StopIteration":
        expected = "RuntimeError"  # so Python has it for generators
    assert failure.error == expected
    assert failure.stack[0].file == __file__
    assert mcr.replay(program, result.failures[0]).failure == failure


def lambda_free(place: Callable[[mcr.Declarations, Callable[[], object]], None]) -> Callable[..., None]:
    def program(p: mcr.Declarations, number: int) -> None:
        place(p, LEAVING[number])

    return program


@pytest.mark.parametrize("number", range(len(LEAVING)), ids=NAMES)
def test_a_program_function_that_raises_is_a_broken_model(number: int) -> None:
    @mcr.program
    def broken(p: mcr.Declarations) -> None:
        LEAVING[number]()

    with pytest.raises(mcr.ModelError, match=f"cannot be set up: {NAMES[number]}: "):
        mcr.check(broken)


def test_an_exploration_that_is_opened_tells_interrupts_apart() -> None:
    program = mcr.program(lambda_free(_in_a_thread))(number=NAMES.index("KeyboardInterrupt"))
    assert open_session(program, MODELS["sc"]).explore().verdict is mcr.Verdict.BUG


@pytest.mark.parametrize("disposition", [signal.SIG_IGN, signal.SIG_DFL], ids=lambda each: each.name)
def test_an_interrupt_of_its_own_is_a_bug_where_ctrl_c_is_not_heard(disposition: signal.Handlers) -> None:
    program = mcr.program(lambda_free(_in_a_thread))(number=NAMES.index("KeyboardInterrupt"))
    before = signal.signal(signal.SIGINT, disposition)
    try:
        result = mcr.check(program)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.verdict is mcr.Verdict.BUG
