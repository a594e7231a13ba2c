"""A random program, determined by its seed: the text of a module which defines `main`."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache, partial
from types import CodeType

from tests.interpreter import (
    calls,
    classes,
    containers,
    functions,
    library_calls,
    made_classes,
    matching,
    raising,
    statements,
    values,
)
from tests.interpreter.grammar import ANY, ATOMS, COMPOUND, DICT, LIST, NUMBER, TEXT
from tests.interpreter.uses import USES
from tests.interpreter.writer import DATA, Writer

PRODUCTIONS = (
    made_classes,
    values,
    containers,
    calls,
    library_calls,
    statements,
    raising,
    matching,
    functions,
    classes,
)
"""Modules that register productions."""

NAME = "<program>"
"""File name of the code of programs."""


def generate(seed: int, version: tuple[int, ...] = sys.version_info[:2]) -> str:
    """The first text drawn from this seed that Python accepts."""
    for attempt in itertools.count():
        source = _drawn(seed * 1000 + attempt, version)
        if version != sys.version_info[:2] or _is_python(source):
            return source
    raise AssertionError


def _drawn(seed: int, version: tuple[int, ...]) -> str:
    w = Writer(seed, version)
    with w.block("def main():"):
        for kind in (NUMBER, NUMBER, TEXT, LIST, DICT, ANY):
            w.line(f"{w.bind(w.new(kind[0]), kind)} = {ATOMS[kind](w)}")
        for _ in w.count(4, 7):
            _part(w)
        names = ", ".join(name for name, kind in w.scope.names.items() if kind in DATA)
        w.line(f"return {w.expression(ANY)}" if w.chance(0.3) else f"return [{names}]")
    return w.source()


def _part(w: Writer) -> None:
    """A statement, and uses of what it defines."""
    before = set(w.scope.names)
    _guarded(w, w.statement if w.chance(0.25) else partial(COMPOUND, w))
    for name, kind in list(w.scope.names.items()):
        if name not in before and kind in USES:
            for _ in w.count(1, 3):
                _guarded(w, partial(w.line, USES[kind](w, name)))
        elif name not in before and w.chance(0.95):
            del w.scope.names[name]


def _guarded(w: Writer, write: Callable[[], None]) -> None:
    """Most often so that what comes after a failure runs."""
    if w.chance(0.02):
        return write()
    with w.block("try:"):
        write()
    with w.block(
        "except* (Mine, TypeError, Exhausted) as error:" if w.chance(0.05) else "except BaseException as error:"
    ):
        w.line("caught(error)")
    return None


def _is_python(source: str) -> bool:
    try:
        compiled(source)
    except SyntaxError:
        return False
    return True


@lru_cache(maxsize=2)
def compiled(source: str) -> CodeType:
    """The code of a program; Python's warnings about senseless expressions are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, NAME, "exec", dont_inherit=True)
