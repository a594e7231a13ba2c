"""What thread code must not do where it runs on terms, since Python would answer for the term and not for the number.

Everything else that a number can do, a term does, or splits the path for
(`replay.code.symbols`). But nobody can answer for `type(v)` and `id(v)`, and a
comparison that is not decided yet is never the object True.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

from replay.code.reachable import is_of_library, reachable
from replay.errors import ModelError

_NAMES = {"type": "type()", "id": "id()"}


def look_for_what_is_beyond_terms(code: Callable[[], object]) -> None:
    """Raise ModelError, with its line, for what thread code may do that has no meaning on terms."""
    for _, thing in reachable([("", code)]).values():
        if isinstance(thing, FunctionType) and not is_of_library(thing.__code__):
            for line, what in _found(thing.__code__, thing.__globals__):
                raise ModelError(
                    f"thread code uses {what}, which has no meaning for a value that is not known yet: "
                    "use another algorithm than bmc, or write it otherwise",
                    f"{thing.__code__.co_filename}:{line}",
                )


def _found(code: CodeType, names: dict[str, object]) -> Iterator[tuple[int, str]]:
    line, before = code.co_firstlineno, None
    instructions = list(dis.get_instructions(code))
    for place, instruction in enumerate(instructions):
        if instruction.positions is not None and instruction.positions.lineno is not None:
            line = instruction.positions.lineno
        name = instruction.argval
        is_asked = instruction.opname == "LOAD_GLOBAL" and name in _NAMES and name not in names
        if is_asked and not _is_asked_for_its_name(instructions[place:]):
            yield line, _NAMES[name]
        if instruction.opname == "IS_OP" and before is not None:
            yield line, f"'is {before.argval}'"
        before = instruction if instruction.opname == "LOAD_CONST" and type(instruction.argval) is bool else None
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _found(constant, names)


def _is_asked_for_its_name(following: list[dis.Instruction]) -> bool:
    """Whether what is called next is only asked for its name: `type(error).__name__`, of which texts are made."""
    call = next((place for place, each in enumerate(following) if each.opname == "CALL"), -1)
    after = following[call + 1 : call + 2] if call >= 0 else []
    return any(each.opname == "LOAD_ATTR" and each.argval in ("__name__", "__qualname__") for each in after)
