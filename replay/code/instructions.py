"""The instructions of code, disassembled once: before a program runs, many look at each of its functions."""

from __future__ import annotations

import dis
import functools
from types import CodeType


@functools.lru_cache(1 << 12)
def instructions(code: CodeType) -> tuple[dis.Instruction, ...]:
    """The instructions of a code object itself, not of functions inside it."""
    return tuple(dis.get_instructions(code))
