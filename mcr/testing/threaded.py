"""Tests that start threads, under all schedules: `pytest --mcr`.

Test functions stay what they are for pytest, with their fixtures and parameters; only what runs them is another. What
fixtures make existed before the threads, is shared, and is never written to: each schedule finds it as it was.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shlex import quote
from threading import Thread
from types import FunctionType
from typing import Any
from urllib.parse import quote as in_file_name

import pytest

from mcr.api import open_session
from mcr.exploration.options import Options
from mcr.keys import Said, read
from mcr.testing.checking import CheckedTest, Failing, broken
from mcr.testing.decorators import OptionsOfTest
from mcr.testing.kept import KeptFailures
from mcr.testing.running import run_test
from mcr.testing.settings import configured, jobs
from replay.errors import CheckerError
from replay.frontend.functions import ThreadedFunction
from replay.traces.trace import GIL
from replay.world.memory_models.sc import SC

_LITERALS = (int, str, bool, float, bytes, tuple, type(None))

_NOT_FOR_FUNCTIONS = frozenset({"models", "settings"})


def select(items: list[pytest.Item], which: str) -> None:
    """Let tests run under all schedules: those that are "marked", or "all" that start threads."""
    for item in items:
        mark = item.get_closest_marker("mcr")
        if not isinstance(item, pytest.Function) or (which == "marked" and mark is None):
            continue
        if type(item.function) is FunctionType and not inspect.iscoroutinefunction(item.function):
            item.runtest = partial(_run, item, mark, item.runtest)  # type: ignore[method-assign]


def _run(item: pytest.Function, mark: pytest.Mark | None, as_ever: Callable[[], None]) -> None:
    """Run a test under all schedules; as ever, if it is not marked and starts no threads.

    Raises Failing, also for what is not marked and refused before it starts the threads that it has under CPython.
    """
    program = _program(item)
    if mark is None:
        starts_threads, refused = _look(program)
        if not starts_threads:
            _run_as_ever(as_ever, refused)
            return
    run_test(item, _case(item, mark, program))


def _program(item: pytest.Function) -> ThreadedFunction:
    """The test as a program. Values that are Python literals are parameters, others are handed in."""
    function: Any = item.function
    if _is_of_unittest(item):
        return ThreadedFunction(function, item.cls)
    given = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    if item.instance is not None:
        first = next(iter(inspect.signature(function).parameters))
        given = {first: item.instance, **given}
    literal = {name: value for name, value in given.items() if _is_literal(value)}
    program = ThreadedFunction(function, given={name: given[name] for name in given if name not in literal})
    if item.cls is not None:
        program.name = program.__name__ = f"{item.cls.__name__}.{program.name}"
    return program(**literal) if literal else program  # type: ignore[return-value]


def _is_of_unittest(item: pytest.Function) -> bool:
    return item.cls is not None and hasattr(item.cls, "setUpClass")


def _is_literal(value: object) -> bool:
    """Returns whether a file can say which value it is."""
    try:
        return type(value) in _LITERALS and ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        return False


def _look(program: ThreadedFunction) -> tuple[bool, CheckerError | None]:
    """Returns whether one run of the test, as good as any other, has a second thread, and what it was refused for."""
    session, refused = None, None
    try:
        session = open_session(program, SC, options=Options(sample=1))
        session.explore()
    except CheckerError as error:
        refused = error
    return session is not None and len(session.unfolding.threads) > 1, refused


def _run_as_ever(as_ever: Callable[[], None], refused: CheckerError | None) -> None:
    """Run a test under CPython. Raises Failing if it starts a thread, and was refused before it came to that."""
    if refused is None:
        as_ever()
        return
    started: list[Thread] = []
    start = Thread.start

    def watched(thread: Thread) -> None:
        started.append(thread)
        start(thread)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Thread, "start", watched)
        as_ever()
    if started:
        raise Failing(broken(refused))


def _case(item: pytest.Function, mark: pytest.Mark | None, program: ThreadedFunction) -> CheckedTest:
    command, project = configured(item.config)
    said: Said = {**project, **(_asked(mark, program) if mark is not None else {}), **command}
    name = item.nodeid.partition("::")[2].replace("::", ".")
    lock = f"-{GIL}" if said.get("python") == GIL else ""
    kept = KeptFailures(
        said["folder"], item.config.rootpath, Path(item.path), f"{in_file_name(name, safe='[]=, ')}{lock}"
    )
    flag = "--mcr" if mark is not None else "--mcr=all"
    again = f"pytest {flag} {quote(item.nodeid)}" if program.given else ""
    return CheckedTest(item.name, program, SC.name, said, known=False, kept=kept, jobs=jobs(item.config), again=again)


def _asked(mark: pytest.Mark, program: ThreadedFunction) -> Said:
    """Reads the options of `@pytest.mark.mcr(timeout=60)`. Raises Failing for what is no option."""
    try:
        if mark.args:
            raise ValueError(f"options are named, as in timeout=60, and not {mark.args[0]!r}")
        return read(dict(mark.kwargs), sorted({*OptionsOfTest.__annotations__} - _NOT_FOR_FUNCTIONS))
    except ValueError as error:
        raise Failing(broken(CheckerError(f"{program.place}: @pytest.mark.mcr: {error}"))) from None
