"""Parsing and compiling the text of user code from wherever the question comes up."""

from __future__ import annotations

import _thread
import ast
from collections.abc import Callable
from types import CodeType
from typing import Any


def parsed(text: str) -> ast.Module:
    """The tree of a source text. Raises SyntaxError, and RecursionError for one that is nested too deeply."""
    tree: ast.Module = _anywhere(lambda: ast.parse(text))
    return tree


def compiled(tree: ast.Module, file: str) -> CodeType:
    """The code of a tree."""
    code: CodeType = _anywhere(lambda: compile(tree, file, "exec", dont_inherit=True))
    return code


def _anywhere(work: Callable[[], Any]) -> Any:
    """Python 3.11 counts how deep it is within calls while it parses and compiles, and is confused by greenlets.

    So it is asked again in a thread that has none.
    """
    try:
        return work()
    except SystemError:
        return _elsewhere(work)


def _elsewhere(work: Callable[[], Any]) -> Any:
    found: list[Any] = []
    made: Any = _thread.allocate_lock()
    made.acquire()

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            found.append(error)
        finally:
            made.release()

    _thread.start_new_thread(run, ())
    made.acquire()
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]
