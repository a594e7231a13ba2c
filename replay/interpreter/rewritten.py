"""Code as its file reads, where pytest has rewritten the assertions in it.

A rewritten assertion describes the values in it, with the addresses of objects: two runs of one history would fail with
two messages, and pytest would see another bug than `mcr check`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from types import CodeType

_MARK = "@pytest_ar"
"""The name under which rewritten code knows pytest."""


def as_written(code: CodeType) -> CodeType:
    """The code that CPython makes of the same lines; the code itself where its file cannot be read, or is another."""
    if _MARK not in code.co_names:
        return code
    try:
        found = os.stat(code.co_filename)
    except OSError:
        return code
    return _codes_of(code.co_filename, found.st_mtime_ns, found.st_size).get(_key(code), code)


@functools.lru_cache(maxsize=256)
def _codes_of(file: str, *_: int) -> dict[tuple[object, ...], CodeType]:
    """All code of a file, by where it is, but for code of which there is more at one place, as lambdas in one line.

    Told apart by what else is given: a file may be another one later.
    """
    try:
        with open(file, "rb") as stream:
            module = compile(stream.read(), file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[tuple[object, ...], list[CodeType]] = {}
    for code in _inside(module):
        found.setdefault(_key(code), []).append(code)
    return {key: codes[0] for key, codes in found.items() if len(codes) == 1}


def _key(code: CodeType) -> tuple[object, ...]:
    return code.co_qualname, code.co_firstlineno, code.co_freevars, code.co_flags


def _inside(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if type(each) is CodeType:
            yield from _inside(each)
