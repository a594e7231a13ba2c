"""Where code takes a method for what it would return, or makes an operation that nobody performs, as it is spelled.

    if x.load: ...          the parentheses are missing: a method is always true
    p.fence                 so they are here: nothing happens
    x.op.store(1)           without `yield`: the operation is described, and forgotten
    v = x.op.load()         the same; v is a description of a load
    if v == 1: ...
    if x is None: ...       a cell is never None, nor an int: Python does not ask it
    match x: ...
    head.load() is node     what comes from memory is another object in each run

One walk along the instructions of a function follows what they put on the
stack, as far as that is spelled by names, attributes and indices, and finds
who takes it from there. What the names stand for is another question
(`replay.code.slips`), so the answer is the same for every run.
"""

from __future__ import annotations

import dis
import enum
import functools
import sys
from collections import Counter
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

from replay.code.bytecode import codes, single_instructions

Path = tuple[str | None, ...]
"""A name, and what is looked up from there on: attributes, None for an index."""


class How(enum.Enum):
    """What code does with something that it takes."""

    VALUE = "takes it for a value"
    IDENTITY = "compares two by `is`"
    TYPE = "asks for its type"


NOT_CONSTANT: Any = object()


class Item(NamedTuple):
    """Something on the stack.

    path       how it is spelled, () if nobody knows
    is_called  it is the result of that function or method
    constant   what it is if the code says so
    variable   the local variable that it comes from, if that is assigned to more than once
    """

    path: Path
    is_called: bool = False
    constant: Any = NOT_CONSTANT
    variable: str = ""

    @property
    def text(self) -> str:
        """The path as its author wrote it, nearly."""
        first, *rest = self.path
        return str(first) + "".join("[...]" if part is None else f".{part}" for part in rest)

    @property
    def is_loaded(self) -> bool:
        """Whether it is spelled as what an operation on memory returns."""
        return self.is_called and len(self.path) > 1 and self.path[-1] in _LOADING


class Place(NamedTuple):
    """Where code takes something: two items if it compares them by `is`, one otherwise."""

    how: How
    items: tuple[Item, ...]
    line: int


_UNKNOWN = Item(())
_LOADING = ("load", "exchange", "update", "join", "get", "result")
"""Methods that return what memory holds, or what a thread returned."""

_READ = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FAST", "LOAD_FAST_CHECK")
_ONE_FOR_TWO = ("COMPARE_OP", "BINARY_OP", "BINARY_SUBSCR", "CONTAINS_OP")
_ONE_FOR_ONE = (
    *("UNARY_NOT", "UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT", "TO_BOOL"),
    *("GET_ITER", "BEFORE_WITH"),
)
_NOTHING = ("NOP", "RESUME", "PRECALL", "KW_NAMES", "EXTENDED_ARG", "CACHE", "MAKE_CELL", "COPY_FREE_VARS")


_ASKING = (("isinstance",), ("type",))
"""Functions that ask for the type of their first argument."""


@functools.cache
def places(code: CodeType) -> tuple[Place, ...]:
    """Those in code itself, not in functions inside it."""
    return tuple(_Walk(code).places())


class _Walk:
    def __init__(self, code: CodeType) -> None:
        self._instructions = [each for each in single_instructions(code) if each.opname not in _NOTHING]
        self._line = code.co_firstlineno
        self._stack: list[Item] = []
        self._stored = Counter(map(_stored, self._instructions))
        self._parameters = _parameters(code)
        self._locals: dict[str, Item] = {}
        self._loaded: dict[str, Item] = {}
        self._is_copied = False
        self._asked: list[Place] = []

    def places(self) -> Iterator[Place]:
        for instruction in self._instructions:
            positions = instruction.positions
            self._line = (positions and positions.lineno) or self._line
            if instruction.is_jump_target and instruction.opname != "FOR_ITER":
                self._stack.clear()  # from elsewhere there may come something else
            for item in self._taken(instruction):
                if _is_telling(item):
                    self._ask(How.VALUE, item)
            self._is_copied = instruction.opname == "COPY"
        for place in self._asked:
            yield place._replace(items=tuple(self._loaded.get(item.variable, item) for item in place.items))

    def _ask(self, how: How, *items: Item) -> None:
        self._asked.append(Place(how, items, self._line))

    def _taken(self, instruction: dis.Instruction) -> list[Item]:
        """Let an instruction do its work; returns what it took from the stack for a value."""
        name, argument = instruction.opname, instruction.argval
        if name in _READ:
            self._push(self._read(argument), *self._null(instruction))
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            self._look_up(instruction)
        elif name == "LOAD_CONST":
            self._push(Item((), constant=argument))
        elif name == "PUSH_NULL":
            self._push(_UNKNOWN)
        elif name in ("COPY", "SWAP"):
            self._rearrange(name, instruction.arg or 0)
        elif name == "CALL":
            self._call(instruction.arg or 0)
        elif name in ("STORE_FAST", "STORE_DEREF"):
            self._store(argument)
        elif name == "FOR_ITER":
            self._push(_element(self._stack[-1] if self._stack else _UNKNOWN))
        else:
            return self._consume(name)
        return []

    def _rearrange(self, name: str, depth: int) -> None:
        if depth > len(self._stack):
            self._stack.clear()
        elif name == "COPY":
            self._push(self._stack[-depth])
        else:
            self._stack[-1], self._stack[-depth] = self._stack[-depth], self._stack[-1]

    def _consume(self, name: str) -> list[Item]:
        """Let an instruction do its work that takes what is there for a value; it says nothing of any other."""
        if name == "IS_OP":
            right, left = self._pop(), self._pop()
            self._ask(How.IDENTITY, left, right)
            self._push(_UNKNOWN)
            return []
        if name.startswith("MATCH_"):
            self._ask(How.TYPE, (self._stack[-3:] or [_UNKNOWN])[0] if name == "MATCH_CLASS" else self._pop())
            self._stack.clear()
            return []
        if name.startswith("POP_JUMP_") and name.endswith("_NONE"):
            item = self._pop()
            if self._is_copied:  # the subject of a `match`
                self._ask(How.TYPE, item)
            else:
                self._ask(How.IDENTITY, item, Item((), constant=None))
            return [item]
        if name in _ONE_FOR_TWO:
            taken = [self._pop(), self._pop()]
            self._push(_element(taken[1]) if name == "BINARY_SUBSCR" else _UNKNOWN)
            return taken
        if name in _ONE_FOR_ONE:
            taken = [self._pop()]
            self._push(taken[0] if name == "GET_ITER" else _UNKNOWN)
            return taken
        if name == "LOAD_SPECIAL":  # what `with` looks up, from 3.14 on
            taken = [self._pop()]
            self._push(_UNKNOWN, _UNKNOWN)
            return taken
        if name == "POP_TOP" or name.startswith(("POP_JUMP_", "JUMP_IF_")):
            return [self._pop()]
        self._stack.clear()
        return []

    def _read(self, name: str) -> Item:
        if name in self._locals:
            return self._locals[name]
        return Item((), variable=name) if self._stored[name] else Item((name,))

    def _push(self, *items: Item) -> None:
        self._stack.extend(items)

    def _pop(self) -> Item:
        return self._stack.pop() if self._stack else _UNKNOWN

    def _null(self, instruction: dis.Instruction) -> list[Item]:
        """What a global that is to be called has beside it on the stack."""
        return [_UNKNOWN] if instruction.opname == "LOAD_GLOBAL" and (instruction.arg or 0) & 1 else []

    def _look_up(self, instruction: dis.Instruction) -> None:
        owner = self._pop()
        item = Item((*owner.path, instruction.argval)) if owner.path and not owner.is_called else _UNKNOWN
        is_to_be_called = sys.version_info >= (3, 12) and (instruction.arg or 0) & 1
        if instruction.opname == "LOAD_METHOD" or is_to_be_called:
            self._push(item, _UNKNOWN)
        else:
            self._push(item)

    def _call(self, arguments: int) -> None:
        taken = [self._pop() for _ in range(arguments + 2)]
        path = taken[-1].path or taken[-2].path  # where nothing belongs beside it, that is below or above it
        if path[-1:] in _ASKING and arguments:
            self._ask(How.TYPE, taken[arguments - 1])
        self._push(Item(path, is_called=True) if path else _UNKNOWN)

    def _store(self, name: str) -> None:
        item = self._pop()
        if item.is_loaded:
            self._loaded[name] = item
        if item.path and self._stored[name] == 1 and name not in self._parameters:
            self._locals[name] = item


def _element(owner: Item) -> Item:
    return Item((*owner.path, None)) if owner.path and not owner.is_called else _UNKNOWN


def _is_telling(item: Item) -> bool:
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
def assigned(code: CodeType) -> frozenset[str]:
    """The variables to which code, or a function inside it, assigns."""
    stored = (_stored(each) for inner in codes(code) for each in single_instructions(inner))
    return frozenset(name for name in stored if name is not None)
