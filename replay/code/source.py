"""Parsing the text of user code from wherever the question comes up."""

from __future__ import annotations

import _thread
import ast
from typing import Any

from replay.code.ordinary import STANDS_FOR


def parsed(text: str) -> ast.Module:
    """The tree of a source text. Raises SyntaxError, and RecursionError for one that is nested too deeply.

    Python 3.11 counts how deep it is within calls while it parses, and is confused by greenlets; so it is asked
    again in a thread that has none.
    """
    try:
        return ast.parse(text)
    except SystemError:
        return _parsed_elsewhere(text)


def _parsed_elsewhere(text: str) -> ast.Module:
    found: list[Any] = []
    made: Any = getattr(_thread.allocate_lock, STANDS_FOR, _thread.allocate_lock)()
    made.acquire()

    def parse() -> None:
        try:
            found.append(ast.parse(text))
        except BaseException as error:
            found.append(error)
        finally:
            made.release()

    _thread.start_new_thread(parse, ())
    made.acquire()
    if isinstance(found[0], BaseException):
        raise found[0]
    tree: ast.Module = found[0]
    return tree
