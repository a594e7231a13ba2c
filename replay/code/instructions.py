"""The instructions of code, disassembled once: before a program runs, many look at each of its functions.

Versions of CPython have several names for what does the same; here it has the oldest of them.
"""

from __future__ import annotations

import dis
import functools
from types import CodeType

_OLDER_NAMES = {
    "LOAD_FAST_BORROW": "LOAD_FAST",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": "LOAD_FAST_LOAD_FAST",
    "LOAD_SMALL_INT": "LOAD_CONST",
    "NOT_TAKEN": "NOP",
}
"""Of instructions that came with 3.14: whether a reference is borrowed is nothing that code can see."""

_FIRST_LITERAL = 7
"""From 3.15 on LOAD_COMMON_CONSTANT loads None, "", True, False and -1 by this number and those behind it."""


@functools.lru_cache(1 << 12)
def instructions(code: CodeType) -> tuple[dis.Instruction, ...]:
    """The instructions of a code object itself, not of functions inside it."""
    return tuple(each._replace(opname=_name(each)) for each in dis.get_instructions(code))


def _name(instruction: dis.Instruction) -> str:
    name = instruction.opname
    if name == "LOAD_COMMON_CONSTANT" and (instruction.arg or 0) >= _FIRST_LITERAL:
        return "LOAD_CONST"
    return _OLDER_NAMES.get(name, name)
