"""Where code takes a method for what it would return, or makes an operation that nobody performs, as it is spelled.

    if x.load: ...          the parentheses are missing: a method is always true
    p.fence                 so they are here: nothing happens
    x.op.store(1)           without `yield`: the operation is described, and forgotten
    v = x.op.load()         the same; v is a description of a load
    if v == 1: ...

One walk along the instructions of a function follows what they put on the
stack, as far as that is spelled by names, attributes and indices, and finds
who takes it from there. What the names stand for is another question
(`replay.code.slips`), so the answer is the same for every run.
"""

from __future__ import annotations

import dis
import functools
import sys
from collections import Counter
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

Path = tuple[str | None, ...]
"""A name, and what is looked up from there on: attributes, None for an index."""


class Place(NamedTuple):
    """Where something is taken for a value.

    path       how it is spelled; the last part is an attribute
    is_called  it is the result of that method, not the method
    """

    path: Path
    is_called: bool
    line: int

    @property
    def text(self) -> str:
        """The path as its author wrote it, nearly."""
        first, *rest = self.path
        return str(first) + "".join("[...]" if part is None else f".{part}" for part in rest)


class _Item(NamedTuple):
    """Something on the stack."""

    path: Path
    is_called: bool = False


_UNKNOWN = _Item(())

_READ = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FAST", "LOAD_FAST_CHECK")
_ONE_FOR_TWO = ("COMPARE_OP", "BINARY_OP", "BINARY_SUBSCR", "IS_OP", "CONTAINS_OP")
_ONE_FOR_ONE = (
    *("UNARY_NOT", "UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT", "TO_BOOL"),
    *("GET_ITER", "BEFORE_WITH"),
)
_NOTHING = ("NOP", "RESUME", "PRECALL", "KW_NAMES", "EXTENDED_ARG", "CACHE", "MAKE_CELL", "COPY_FREE_VARS")


@functools.cache
def places(code: CodeType) -> tuple[Place, ...]:
    """Those in code itself, not in functions inside it."""
    return tuple(_Walk(code).places())


class _Walk:
    def __init__(self, code: CodeType) -> None:
        self._instructions = [each for each in dis.get_instructions(code) if each.opname not in _NOTHING]
        self._line = code.co_firstlineno
        self._stack: list[_Item] = []
        self._stored = Counter(map(_stored, self._instructions))
        self._parameters = _parameters(code)
        self._locals: dict[str, _Item] = {}

    def places(self) -> Iterator[Place]:
        for instruction in self._instructions:
            positions = instruction.positions
            self._line = (positions and positions.lineno) or self._line
            if instruction.is_jump_target and instruction.opname != "FOR_ITER":
                self._stack.clear()  # from elsewhere there may come something else
            for item in self._taken(instruction):
                if _is_telling(item):
                    yield Place(item.path, item.is_called, self._line)

    def _taken(self, instruction: dis.Instruction) -> list[_Item]:
        """Let an instruction do its work; returns what it took from the stack for a value."""
        name, argument = instruction.opname, instruction.argval
        if name in _READ:
            self._push(self._read(argument), *self._null(instruction))
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            self._look_up(instruction)
        elif name in ("LOAD_CONST", "PUSH_NULL"):
            self._push(_UNKNOWN)
        elif name == "CALL":
            self._call(instruction.arg or 0)
        elif name in ("STORE_FAST", "STORE_DEREF"):
            self._store(argument)
        elif name == "FOR_ITER":
            self._push(_element(self._stack[-1] if self._stack else _UNKNOWN))
        else:
            return self._consume(name)
        return []

    def _consume(self, name: str) -> list[_Item]:
        """Let an instruction do its work that takes what is there for a value; it says nothing of any other."""
        if name in _ONE_FOR_TWO:
            taken = [self._pop(), self._pop()]
            self._push(_element(taken[1]) if name == "BINARY_SUBSCR" else _UNKNOWN)
            return taken
        if name in _ONE_FOR_ONE:
            taken = [self._pop()]
            self._push(taken[0] if name == "GET_ITER" else _UNKNOWN)
            return taken
        if name == "POP_TOP" or name.startswith(("POP_JUMP_", "JUMP_IF_")):
            return [self._pop()]
        self._stack.clear()
        return []

    def _read(self, name: str) -> _Item:
        if name in self._locals:
            return self._locals[name]
        return _UNKNOWN if self._stored[name] else _Item((name,))

    def _push(self, *items: _Item) -> None:
        self._stack.extend(items)

    def _pop(self) -> _Item:
        return self._stack.pop() if self._stack else _UNKNOWN

    def _null(self, instruction: dis.Instruction) -> list[_Item]:
        """What a global that is to be called has beside it on the stack."""
        return [_UNKNOWN] if instruction.opname == "LOAD_GLOBAL" and (instruction.arg or 0) & 1 else []

    def _look_up(self, instruction: dis.Instruction) -> None:
        owner = self._pop()
        item = _Item((*owner.path, instruction.argval)) if owner.path and not owner.is_called else _UNKNOWN
        is_to_be_called = sys.version_info >= (3, 12) and (instruction.arg or 0) & 1
        if instruction.opname == "LOAD_METHOD" or is_to_be_called:
            self._push(item, _UNKNOWN)
        else:
            self._push(item)

    def _call(self, arguments: int) -> None:
        taken = [self._pop() for _ in range(arguments + 2)]
        path = taken[-1].path
        self._push(_Item(path, is_called=True) if len(path) > 1 else _UNKNOWN)

    def _store(self, name: str) -> None:
        item = self._pop()
        if item.path and self._stored[name] == 1 and name not in self._parameters:
            self._locals[name] = item


def _element(owner: _Item) -> _Item:
    return _Item((*owner.path, None)) if owner.path and not owner.is_called else _UNKNOWN


def _is_telling(item: _Item) -> bool:
    """Whether it may be a slip to take this for a value: an attribute, or what a method of `x.op` returned."""
    path = item.path
    return len(path) > 1 and path[-1] is not None and (not item.is_called or path[-2] == "op")


def _stored(instruction: dis.Instruction) -> str | None:
    """The variable to which an instruction assigns."""
    is_variable = instruction.opname.startswith(("STORE_", "DELETE_")) and not instruction.opname.endswith("_ATTR")
    return str(instruction.argval) if is_variable else None


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


@functools.cache
def rebound(code: CodeType) -> frozenset[str]:
    """The variables to which code, or a function inside it, assigns."""
    own = frozenset(name for name in map(_stored, dis.get_instructions(code)) if name is not None)
    return own.union(*(rebound(constant) for constant in code.co_consts if isinstance(constant, CodeType)))
