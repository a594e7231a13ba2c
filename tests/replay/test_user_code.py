"""What leaves user code, and how user code is stopped."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable

import greenlet
import pytest

import mcr
from mcr.api import open_session
from replay.code import watchdog
from replay.code.thread_run import ThreadRun
from replay.errors import NondeterminismError
from replay.world.memory_models import MODELS

LEAVING: list[Callable[[], object]] = [
    lambda: sys.exit(0),
    lambda: sys.exit("text"),
    lambda: _raise(BaseException("base")),
    lambda: _raise(KeyboardInterrupt()),
    lambda: _raise(GeneratorExit()),
    lambda: _raise(BaseExceptionGroup("group", [KeyboardInterrupt()])),
    lambda: _raise(greenlet.GreenletExit()),
    lambda: _raise(StopIteration(3)),
    lambda: _raise(Mute()),
]
NAMES = [
    "SystemExit", "SystemExit", "BaseException", "KeyboardInterrupt", "GeneratorExit", "BaseExceptionGroup",
    "GreenletExit", "StopIteration", "Mute",
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


@mcr.program
def caught(p: mcr.Declarations, generator: bool = False) -> None:
    """An update that fails is a read, in the thread that asked for it."""
    x, seen = p.var("x", 0), p.var("seen")

    def half(value: int) -> int:
        if value % 2:
            raise ValueError(value)
        return value // 2

    def halver() -> None:
        try:
            x.update(half)
            x.fetch_add("text")
        except (ValueError, TypeError) as error:
            seen.store(str(error))

    def halver_that_yields():
        try:
            yield x.op.update(half)
            yield x.op.fetch_add("text")
        except (ValueError, TypeError) as error:
            yield seen.op.store(str(error))

    p.thread(halver_that_yields if generator else halver)
    p.thread(x.store, 3)

    @p.final
    def outcome() -> object:
        return x.load(), seen.load()


@pytest.mark.parametrize("generator", [False, True])
@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
@pytest.mark.parametrize("algorithm", ["cover", "trust"])
def test_a_thread_catches_what_its_update_raises(algorithm: str, model: str, generator: bool) -> None:
    result = mcr.check(caught(generator=generator), model, algorithm=algorithm, options=mcr.Options(paranoid=True))
    assert result.verdict is mcr.Verdict.VERIFIED
    text = "unsupported operand type(s) for +: 'int' and 'str'"
    assert result.outcomes == tuple(sorted([repr((3, "3")), repr((3, text))]))


def test_an_update_that_is_not_caught_fails_at_its_line() -> None:
    @mcr.program
    def wrong(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def divide(value: int) -> float:
            return 1 / value

        def thread() -> None:
            x.update(divide)

        p.thread(thread)

    failure = mcr.check(wrong).failures[0].failure
    assert failure is not None
    assert [line.line - wrong.line for line in failure.stack] == [5, 8]


def test_an_update_runs_where_the_thread_stands() -> None:
    """Also when another value is considered than the one that was read."""

    @mcr.program
    def late(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def adder() -> int:
            amount = 1
            old = x.update(lambda value: value + amount, "add")
            amount = 100
            return old

        p.thread(adder)
        p.thread(adder)
        p.final(x.load)

    for objective in ("states", "values", "rf"):
        assert mcr.check(late, objective=objective).outcomes == ("2",)


def test_an_update_may_not_use_shared_memory() -> None:
    @mcr.program
    def nested(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def thread() -> None:
            try:
                x.update(lambda old: x.load() + 1)
            except Exception:
                x.store(1)

        p.thread(thread)

    with pytest.raises(mcr.ModelError, match="an update must not use shared memory"):
        mcr.check(nested)


@mcr.program
def yields(p: mcr.Declarations) -> None:
    x, n = p.var("x", 0), p.var("n", 5)

    def method():
        return (x.compare_exchange(0, 1), x.compare_exchange(0, 1), x.exchange(7), n.fetch_add(2), n.load(), x.store(1))

    def generator():
        first = yield x.op.compare_exchange(0, 1)
        second = yield x.op.compare_exchange(0, 1)
        third = yield x.op.exchange(7)
        fourth = yield n.op.fetch_add(2)
        return first, second, third, fourth, (yield n.op.load()), (yield x.op.store(1))

    first = p.thread(method)

    def undo():
        first.join()
        x.store(0), n.store(5), p.fence()
        return p.spawn(generator).join()

    p.thread(undo)


def test_operations_that_are_yielded_give_what_the_methods_give() -> None:
    (outcome,) = mcr.check(yields.returning_results()).outcomes
    assert outcome == repr(((True, False, 1, 5, 7, None),) * 2)


@mcr.program
def wait_that_raises(p: mcr.Declarations) -> None:
    """The wait is over for who catches what left its condition."""
    x, y = p.var("x", 0), p.var("y", 0)

    def ready() -> bool:
        if x.load() == 0:
            raise ValueError
        return bool(y.load())

    def waiter() -> str:
        try:
            p.wait_until(ready)
        except ValueError:
            y.store(2)
            p.assume(y.load() == 1)
        return "over"

    def other() -> None:
        x.store(1)
        y.store(1)

    p.thread(waiter)
    p.thread(other)
    p.final(lambda: y.load())


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_an_exception_ends_the_wait_that_it_leaves(model: str) -> None:
    result = mcr.check(wait_that_raises, model, objective="outcomes,deadlocks")
    assert result.verdict is mcr.Verdict.VERIFIED
    assert result.outcomes == ("1",)


def test_an_assumption_inside_a_condition_is_no_wait() -> None:
    @mcr.program
    def assumes(p: mcr.Declarations) -> None:
        x = p.var("x", 0)
        p.thread(lambda: p.wait_until(lambda: p.assume(x.load() == 1)))

    assert mcr.check(assumes, objective="deadlocks").verdict is mcr.Verdict.VERIFIED


def _coroutine():
    async def code(x):
        x.store(1)

    return code


def _async_generator():
    async def code(x):
        x.store(1)
        yield 1

    return code


def _generator_in_a_generator():
    def code(x):
        def inner():
            yield x.op.store(1)

        return inner()
        yield

    return code


LAZY = {
    "coroutine": _coroutine,
    "asynchronous generator": _async_generator,
    "generator": _generator_in_a_generator,
    "map iterator": lambda: lambda x: map(x.store, [1]),
    "a function": lambda: lambda x: lambda: x.store(1),
}


@pytest.mark.parametrize("what", LAZY)
@pytest.mark.parametrize("place", ["thread", "final", "wait", "update"])
def test_code_that_never_runs_is_refused(what: str, place: str) -> None:
    @mcr.program
    def lazy(p: mcr.Declarations) -> None:
        x, code = p.var("x", 0), LAZY[what]()
        threads = {
            "thread": lambda: code(x),
            "final": lambda: x.load(),
            "wait": lambda: p.wait_until(lambda: code(x)),
            "update": lambda: x.update(lambda _: code(x)),
        }
        p.thread(threads[place])
        if place == "final":
            p.final(lambda: code(x))

    with pytest.raises(mcr.ModelError, match=what) as caught:
        mcr.check(lazy)
    assert caught.value.where.startswith(f"{__file__}:")


def _loops_for_ever(p, x):
    while True:
        try:
            p.assume(x.load() == 1)
            return
        except:  # noqa: E722
            continue


def _loops_inside_a_loop(p, x):
    while True:
        try:
            while True:
                try:
                    p.assume(x.load() == 1)
                    return
                except BaseException:
                    x.load()
        except BaseException:
            continue
        finally:
            x.load()


def _generator_loops(p, x):
    def inner():
        while True:
            try:
                if (yield x.op.load()) == 1:
                    return
                p.assume(False)
            except BaseException:
                continue

    yield from inner()


@pytest.mark.parametrize("code", [_loops_for_ever, _loops_inside_a_loop, _generator_loops])
def test_code_that_clings_to_life_is_unwound(code, capfd) -> None:
    @mcr.program
    def clings(p: mcr.Declarations) -> None:
        x = p.var("x", 0)
        p.thread(code, p, x)
        p.thread(code, p, x)
        p.thread(x.store, 1)

    def greenlets() -> int:
        gc.collect()
        return sum(isinstance(thing, greenlet.greenlet) for thing in gc.get_objects())

    before = greenlets()
    assert mcr.check(clings, "pso").verdict is mcr.Verdict.VERIFIED
    assert greenlets() <= before
    assert sys.gettrace() is None or os.environ.get("COVERAGE_RUN")
    assert capfd.readouterr() == ("", "")


def _busy() -> None:
    pass


def test_no_except_holds_up_the_watchdog(monkeypatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.3)

    @mcr.program
    def stubborn(p: mcr.Declarations) -> None:
        def thread() -> None:
            while True:
                try:
                    _busy()
                except BaseException:
                    _busy()

        p.thread(thread)

    with pytest.raises(mcr.ModelError, match="without touching shared memory"):
        mcr.check(stubborn)


def test_unwinding_that_loops_is_told(monkeypatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.3)

    @mcr.program
    def stubborn(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def thread() -> None:
            try:
                p.assume(x.load())
            finally:
                while True:
                    _busy()

        p.thread(thread)
        p.thread(x.store, 1)

    with pytest.raises(mcr.ModelError, match="without touching shared memory"):
        mcr.check(stubborn)


@pytest.mark.parametrize("swallow", [False, True])
def test_ctrl_c_is_no_bug_of_the_program(swallow: bool) -> None:
    @mcr.program
    def interrupted(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def thread() -> None:
            x.load()
            try:
                os.kill(os.getpid(), signal.SIGINT)
                _busy()
            except BaseException:
                if not swallow:
                    raise
            x.store(1)

        p.thread(thread)

    result = mcr.check(interrupted)
    assert result.verdict is mcr.Verdict.INCOMPLETE
    assert result.stop is not None
    assert "interrupt" in result.stop.reason
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("disposition", [signal.SIG_IGN, signal.SIG_DFL], ids=lambda each: each.name)
def test_an_interrupt_of_its_own_is_a_bug_where_ctrl_c_is_not_heard(disposition: signal.Handlers) -> None:
    program = mcr.program(lambda_free(_in_a_thread))(number=NAMES.index("KeyboardInterrupt"))
    before = signal.signal(signal.SIGINT, disposition)
    try:
        result = mcr.check(program)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.verdict is mcr.Verdict.BUG


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_threads_of_python_are_refused() -> None:
    @mcr.program
    def real(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def thread() -> None:
            other = vars(threading)["Thread"](target=lambda: x.store(1))  # hidden from who reads the code
            other.start()
            other.join()

        p.thread(thread)

    with pytest.raises(mcr.ModelError, match="a thread of Python") as caught:
        mcr.check(real)
    assert caught.value.where == f"{__file__}:{real.line + 5}"


@pytest.mark.parametrize("what", ["threads", "final"])
def test_a_program_that_declares_something_else_is_told(what: str) -> None:
    calls = iter(range(1000))

    @mcr.program
    def fickle(p: mcr.Declarations) -> None:
        x, call = p.var("x", 0), next(calls)
        p.thread(lambda: x.store(1))
        if what == "threads" and call == 0:
            p.thread(lambda: x.load() and x.load())
        if what == "final" and call == 0:
            p.final(x.load)

    with pytest.raises(NondeterminismError, match="program fickle is not deterministic: it declared") as caught:
        mcr.check(fickle)
    assert caught.value.where == f"{__file__}:{fickle.line}"


@mcr.program
def nested(p: mcr.Declarations, depth: int) -> None:
    def thread(left: int) -> None:
        if left:
            p.spawn(thread, left - 1)

    p.thread(thread, depth)


def test_children_of_children_may_be_many() -> None:
    assert mcr.check(nested(depth=200)).verdict is mcr.Verdict.VERIFIED


def test_a_chain_of_spawns_takes_a_bounded_number_of_runs_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    start = ThreadRun.start

    def counted(run: ThreadRun) -> object:
        runs.append(run.name)
        return start(run)

    monkeypatch.setattr(ThreadRun, "start", counted)
    mcr.check(nested(depth=60))
    assert len(runs) <= 10 * 61


def test_recursion_is_told_with_its_line() -> None:
    @mcr.program
    def deep(p: mcr.Declarations) -> None:
        def down(depth: int) -> int:
            return down(depth + 1)

        p.thread(down, 0)

    with pytest.raises(mcr.ModelError, match="recursion without end") as caught:
        mcr.check(deep)
    assert caught.value.where == f"{__file__}:{deep.line + 3}"


def test_an_exploration_that_is_opened_tells_interrupts_apart() -> None:
    program = mcr.program(lambda_free(_in_a_thread))(number=NAMES.index("KeyboardInterrupt"))
    assert open_session(program, MODELS["sc"]).explore().verdict is mcr.Verdict.BUG
