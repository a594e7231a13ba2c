"""Code that would never run, runs elsewhere or never ends, and programs that are not the same twice."""

from __future__ import annotations

import threading

import pytest

import mcr
from replay.code.thread_run import ThreadRun
from replay.errors import NondeterminismError


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

    with pytest.raises(mcr.ModelError, match=r"outside \(threading\.Thread") as caught:
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
