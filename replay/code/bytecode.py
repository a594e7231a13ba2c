"""The instructions of a function, the same in all versions of CPython where they do the same."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator
from types import CodeType
from typing import Any

_OLDER_NAMES = {
    "LOAD_FAST_BORROW": "LOAD_FAST",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": "LOAD_FAST_LOAD_FAST",
    "LOAD_SMALL_INT": "LOAD_CONST",
    "NOT_TAKEN": "NOP",
}
"""Of instructions that came with 3.14: whether a reference is borrowed is nothing that code can see."""

_DOUBLE = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
_SECOND: dict[str, Any] = {"label": None}
"""Nothing jumps to the second of two instructions."""

_FIRST_LITERAL = 7
"""From 3.15 on LOAD_COMMON_CONSTANT loads None, "", True, False and -1 by this number and those behind it."""


@functools.lru_cache(1 << 12)
def instructions(code: CodeType) -> tuple[dis.Instruction, ...]:
    """The instructions of a code object itself, not of functions inside it."""
    return tuple(each._replace(opname=_name(each)) for each in dis.get_instructions(code))


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of the functions inside it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes(each)


@functools.cache
def rebound(code: CodeType) -> frozenset[str]:
    """The variables of functions around it that code assigns, or functions inside it do."""
    own = {
        each.argval
        for each in instructions(code)
        if each.opname in ("STORE_DEREF", "DELETE_DEREF") and each.argval in code.co_freevars
    }
    inner = (rebound(each) for each in code.co_consts if isinstance(each, CodeType))
    return frozenset(name for name in own.union(*inner) if name in code.co_freevars)


def single_instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """As `instructions`, where those that Python makes of two (from 3.13 on) are two again."""
    for each in instructions(code):
        if each.opname not in _DOUBLE:
            yield each
            continue
        (first, second), (one, other) = _DOUBLE[each.opname], each.argval
        yield each._replace(opname=first, argval=one)
        yield each._replace(opname=second, argval=other, **_SECOND)


def _name(instruction: dis.Instruction) -> str:
    name = instruction.opname
    if name == "BINARY_OP" and instruction.argrepr == "[]":  # from 3.14 on
        return "BINARY_SUBSCR"
    if name == "LOAD_COMMON_CONSTANT" and (instruction.arg or 0) >= _FIRST_LITERAL:
        return "LOAD_CONST"
    return _OLDER_NAMES.get(name, name)
