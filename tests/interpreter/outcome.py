"""The outcome of a program as it can be observed: result or exception, exceptions caught, logs and prints."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from replay.interpreter.exceptions import HostStop
from tests.interpreter.program import NAME
from tests.interpreter.showing import shown, without_addresses

Line = tuple[str, int]
Lines = Callable[[BaseException], list[Line]]

PRELUDE = compile((Path(__file__).parent / "prelude.py").read_text(), "<prelude>", "exec", dont_inherit=True)

DEEPEST = 6
"""Causes and contexts of causes and contexts that are compared."""


@dataclass(frozen=True)
class Failure:
    """An exception, with everything that CPython says of it."""

    kind: str
    arguments: str
    attributes: str
    suppresses_context: bool
    lines: tuple[Line, ...]
    cause: Failure | None
    context: Failure | None
    group: tuple[Failure | None, ...]


@dataclass
class Outcome:
    result: str = ""
    raised: Failure | None = None
    caught: list[Failure | None] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    prints: str = ""
    total: str = ""


def outcome(program: CodeType, run: Callable[[Callable[[], Any]], Any], lines: Lines) -> Outcome:
    """The outcome of `run(main)` in a fresh namespace; `lines` gives those of a raised exception's traceback."""
    space: dict[str, Any] = {"__name__": "program"}
    exec(PRELUDE, space)
    exec(program, space)
    printed, found = io.StringIO(), Outcome()
    with _quiet(), redirect_stdout(printed):
        try:
            found.result = shown(run(space["main"]))
        except BaseException as error:
            if isinstance(error, HostStop):
                raise
            found.raised = failure(error, lines)
        found.log = list(space["LOG"])
        found.caught = [failure(error, lines) for error in space["CAUGHT"]]
        found.prints, found.total = without_addresses(printed.getvalue()), shown(space["total"])
        space.clear()
    return found


class Late(HostStop):
    """A program took longer than it may."""


@contextmanager
def _quiet() -> Iterator[None]:
    """Without warnings, and without what CPython says of generators and coroutines that are dropped."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.unraisablehook = hook


def failure(error: BaseException | None, lines: Lines, depth: int = DEEPEST) -> Failure | None:
    if error is None or depth == 0:
        return None
    below = depth - 1
    group = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return Failure(
        type(error).__qualname__,
        shown(error.args),
        shown({name: getattr(error, name, None) for name in _attributes(error)}, 2),
        error.__suppress_context__,
        tuple(lines(error)),
        failure(error.__cause__, lines, below),
        failure(error.__context__, lines, below),
        tuple(failure(each, lines, below) for each in group),
    )


def _attributes(error: BaseException) -> tuple[str, ...]:
    """What else is compared; not the name in an AttributeError, which CPython sets now and then for its suggestions."""
    return ("value", "code", "__notes__") + (() if isinstance(error, AttributeError) else ("name",))


def native_lines(error: BaseException) -> list[Line]:
    """Function and line of each entry of CPython's traceback in a program."""
    found, entry = [], vars(BaseException)["__traceback__"].__get__(error)  # its class may log each attribute
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == NAME:
            found.append((entry.tb_frame.f_code.co_name, entry.tb_lineno))
        entry = entry.tb_next
    return found


def by_python(program: CodeType) -> Outcome:
    return outcome(program, lambda main: main(), native_lines)
