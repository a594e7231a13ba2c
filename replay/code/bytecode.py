"""What bytecode says: the instructions of code, and of a frame that stands at one which variables live and what waits.

Before a program runs, many look at each of its functions, so code is disassembled once. Versions of CPython have
several names for what does the same; here it has the oldest of them.

The compiler gives every instruction one depth of the evaluation stack, and a variable lives if some way from here
reads it before it is written. Both come from one look at the code, by the tables of `dis`; where an instruction is not
known to these tables, the look ends with `Unkeyable`.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType
from typing import Any, NamedTuple


class Unkeyable(Exception):
    """Something that the thread's future may depend on cannot be seen; the message says what, in a few words."""


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
    """The same, where those that Python makes of two (from 3.13 on) are two again."""
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


ITERATOR_ENTRIES = 1 if sys.version_info < (3, 15) else 2
"""How many entries of the stack an iterator takes: from 3.15 on there is beside it NULL, or, where it is a list or
tuple itself, the number of its next item."""

_PUSHED = {
    "CALL": 1, "CALL_KW": 1, "CALL_FUNCTION_EX": 1, "BINARY_SUBSCR": 1, "GET_ITER": ITERATOR_ENTRIES, "FOR_ITER": 1,
    "SEND": 1, "YIELD_VALUE": 1, "RETURN_GENERATOR": 1, "BEFORE_WITH": 2, "WITH_EXCEPT_START": 1, "LIST_EXTEND": 0,
    "STORE_ATTR": 0, "STORE_SUBSCR": 0, "DELETE_SUBSCR": 0, "DELETE_ATTR": 0, "STORE_SLICE": 0, "BINARY_SLICE": 1,
    "CONTAINS_OP": 1, "COMPARE_OP": 1, "BINARY_OP": 1, "UNARY_NOT": 1, "TO_BOOL": 1, "LOAD_SPECIAL": 2,
}  # fmt: skip
"""Instructions that a frame may stand in while other code runs, and how much they leave on top of what waits.

FOR_ITER and SEND leave their iterator, LIST_EXTEND its list, below that.
"""

CALLS = ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
"""Instructions that call a function which lies on the stack, with its arguments."""

_FINAL = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")
"""Instructions after which the next one does not run; so it is after jumps without a condition."""

_READ_SLOT = {
    "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "DELETE_FAST", "LOAD_CLOSURE", "MAKE_CELL",
    "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF",
}  # fmt: skip
"""To write to a cell is to use it: others may hold it."""

_SEES_ALL_VARIABLES = {"locals", "vars", "dir", "eval", "exec", "super"}
"""Where code names one of these functions, every variable lives: `super()` reads the first one behind the scenes."""

_SEES_FRAMES = {"_getframe", "currentframe", "f_back", "f_locals", "gi_frame", "tb_frame", "globals"}
"""Names of what lets code look into frames, past all that is said here."""


class _Handler(NamedTuple):
    """Where an exception goes on: the index of an instruction, with so much on the stack; `kind` tells two apart."""

    at: int
    depth: int
    kind: tuple[int, bool]


@dataclass(frozen=True, slots=True)
class Point:
    """A place where a frame can be suspended.

    number    of the instruction, the same however it was specialised; copies of it after which all is the same share it
    name      of the instruction
    argument  its argument; the name of an attribute
    live      slots whose contents may still be read; the others are dead
    waiting   how many entries of the stack the instruction leaves alone
    called    of these, by number, where what is called lies of calls that wait: it, or it and its first argument
    thrown    whether a generator may be here since an exception was raised at a `yield`, as when it is given up
    """

    number: int
    name: str
    argument: object
    live: tuple[int, ...]
    dead: tuple[int, ...]
    waiting: int
    called: tuple[int, ...]
    thrown: bool


class Bytecode:
    """The points of one code object. `slots` are the names of its variables, cells and free variables, in order."""

    def __init__(self, code: CodeType, is_ours: bool) -> None:
        self.code = code
        self._is_ours = is_ours
        self.slots = tuple(_slots(code))
        self._instructions = [each for each in instructions(code) if each.opname != "CACHE"]
        self._offsets = [each.offset for each in self._instructions]
        self._index = {offset: index for index, offset in enumerate(self._offsets)}
        self._points: dict[int, Point] = {}
        self._handlers: list[_Handler | None] = [None] * len(self._instructions)
        for start, end, target, depth, lasti in reversed(dis._parse_exception_table(code)):  # type: ignore[attr-defined]
            handler = _Handler(self._index[target], depth + lasti + 1, (depth, lasti))
            for index in range(bisect_left(self._offsets, start), bisect_left(self._offsets, end)):
                self._handlers[index] = handler
        self._following = [tuple(self._next(index)) for index in range(len(self._instructions))]
        """Of each instruction those that may follow without an exception, and whether by a jump."""

    def point(self, offset: int) -> Point:
        """The point at the instruction that `offset` lies in. Raises Unkeyable if something there is not known."""
        found = self._points.get(offset)
        if found is None:
            if not self.code.co_flags & inspect.CO_OPTIMIZED:
                raise Unkeyable("code of a class or module")
            if not self._is_ours and not _SEES_FRAMES.isdisjoint(self.code.co_names):
                raise Unkeyable("code that looks into frames")
            found = self._points[offset] = self._make_point(self._index_at(offset))
        return found

    def _index_at(self, offset: int) -> int:
        """Of the instruction that is not over where a frame is said to stand.

        In Python 3.11 some calls happen in the instruction before CALL; from 3.13 on
        a generator stands after its `yield`.
        """
        index = bisect_right(self._offsets, offset) - 1
        name, before = self._instructions[index].opname, self._instructions[index - 1].opname
        if name == "PRECALL":
            return index + 1
        return index - ((before, name) in (("YIELD_VALUE", "RESUME"), ("RETURN_GENERATOR", "POP_TOP")))

    def instruction_at(self, offset: int) -> tuple[dis.Instruction, int]:
        """The instruction that `offset` lies in, and how much of the stack it leaves alone. Raises Unkeyable."""
        index = self._index_at(offset)
        instruction = self._instructions[index]
        if instruction.opname in CALLS:
            return instruction, self._depths[index] + _effect(instruction, False) - 1
        return instruction, self._depths[index] - (ITERATOR_ENTRIES if instruction.opname == "FOR_ITER" else 1)

    def loader(self, offset: int) -> tuple[dis.Instruction, dis.Instruction]:
        """The instruction that put the function there which the call at `offset` calls, and the one before."""
        _, waiting = self.instruction_at(offset)
        index = bisect_right(self._offsets, offset) - 1
        at = next(each for each in range(index - 1, -1, -1) if self._depths[each] <= waiting + 1)
        return self._instructions[at], self._instructions[at - 1]

    def depths(self) -> Iterator[tuple[dis.Instruction, int]]:
        """The instructions, each with the depth of the stack before it, -1 if it is out of reach. Raises Unkeyable."""
        return zip(self._instructions, self._depths, strict=True)

    def _make_point(self, index: int) -> Point:
        instruction = self._instructions[index]
        if self._depths[index] < 0:
            raise Unkeyable("code that seems out of reach")
        pushed = _PUSHED.get(instruction.opname)
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            pushed = 1 + (dis.stack_effect(instruction.opcode, instruction.arg) > 0)
        if instruction.opname.startswith("POP_JUMP"):
            pushed = 0
        if pushed is None:
            raise Unkeyable(f"code called by {instruction.opname}")
        waiting = self._depths[index] + _effect(instruction, False) - pushed
        mask = self._live_after(index, self._live)
        live = tuple(slot for slot in range(len(self.slots)) if mask >> slot & 1)
        dead = tuple(slot for slot in range(len(self.slots)) if not mask >> slot & 1)
        argument = instruction.argval if instruction.opname.startswith(("LOAD_", "STORE_ATTR")) else instruction.arg
        number = self._numbers[index]
        called = tuple(self._called(index, waiting))
        return Point(number, instruction.opname, argument, live, dead, waiting, called, index in self._thrown)

    def _called(self, index: int, waiting: int) -> Iterator[int]:
        """Where attributes lie that were looked up to be called, and wait for their arguments.

        From Python 3.13 on whatever is called may: nothing is above it, or its first argument. Before, there may be
        nothing below it, and below other things too; so it is told by the instruction that put both there, the last one
        that found the stack no higher: what an expression does stands in one piece.
        """
        if sys.version_info >= (3, 13):
            yield from range(waiting - 1)
            return
        for below in range(waiting - 1):
            at = next(each for each in range(index - 1, -1, -1) if 0 <= self._depths[each] <= below + 1)
            put = self._instructions[at]
            if self._depths[at] == below + 1 and put.opname in _LOOKS_UP and _effect(put, False) == 1:
                yield below

    # -- what is found out once ---------------------------------------------------------

    def _next(self, index: int) -> Iterator[tuple[int, bool]]:
        instruction = self._instructions[index]
        name = instruction.opname
        if _jumps(instruction):
            yield self._index[instruction.argval], True
            if name.startswith("JUMP_") and not name.startswith("JUMP_IF"):
                return
        if name not in _FINAL and index + 1 < len(self._instructions):
            yield index + 1, False

    @functools.cached_property
    def _depths(self) -> list[int]:
        """How deep the stack is before each instruction."""
        depths = [-1] * len(self._instructions)
        # a generator finds the value that it was first sent, None, on its stack; dis counts that since 3.12
        makers = [each for each in self._instructions if each.opname == "RETURN_GENERATOR"]
        todo = [(0, 1 if makers and _effect(makers[0], False) == 0 else 0)]
        while todo:
            index, depth = todo.pop()
            if depths[index] >= 0:
                if depths[index] != depth:
                    raise Unkeyable("code whose stack has no one depth")
                continue
            depths[index] = depth
            for after, jumps in self._following[index]:
                todo.append((after, depth + _effect(self._instructions[index], jumps)))
            handler = self._handlers[index]
            if handler is not None:
                todo.append((handler.at, handler.depth))
        return depths

    @functools.cached_property
    def _thrown(self) -> set[int]:
        """What can be reached from the handlers of exceptions that are raised at a `yield`."""
        found: set[int] = set()
        yields = (index for index, each in enumerate(self._instructions) if each.opname == "YIELD_VALUE")
        todo = [handler.at for index in yields if (handler := self._handlers[index]) is not None]
        while todo:
            index = todo.pop()
            if index not in found:
                found.add(index)
                handler = self._handlers[index]
                todo += (after for after, _ in self._following[index])
                todo += [handler.at] if handler is not None else []
        return found

    @functools.cached_property
    def _live(self) -> list[int]:
        """The slots that may still be read when an instruction begins, as bits."""
        count = len(self._instructions)
        if self._sees_all_variables():
            return [(1 << len(self.slots)) - 1] * count
        live = [0] * count
        masks = [_masks(instruction) for instruction in self._instructions]
        before: list[int] = []
        while live != before:
            before = list(live)
            for index in range(count - 1, -1, -1):
                reads, writes = masks[index]
                handler = self._handlers[index]
                caught = 0 if handler is None else live[handler.at]
                live[index] = reads | (self._live_after(index, live) & ~writes) | caught
        return live

    def _live_after(self, index: int, live: list[int]) -> int:
        """The same of what follows an instruction, however it ends."""
        handler = self._handlers[index]
        found = 0 if handler is None else live[handler.at]
        for after, _ in self._following[index]:
            found |= live[after]
        return found

    @functools.cached_property
    def _numbers(self) -> list[int]:
        """Copies of an instruction have one number, if they stand for the same place and what may follow is the same.

        Compilers write what stands once in the source at several places, such as the condition of a loop, at its
        beginning and at its end. Two copies are told apart if any step from them can be: classes are split until
        none has two instructions whose next ones are of different classes.
        """
        kinds: list[object] = [self._kind(index) for index in range(len(self._instructions))]
        numbers, found = _classes(kinds), 0
        while found < len(set(numbers)) < len(numbers):
            found = len(set(numbers))
            ways = (self._ways(index) for index in range(len(numbers)))
            numbers = _classes(
                [(number, *(numbers[to] for to in way)) for number, way in zip(numbers, ways, strict=True)]
            )
        return numbers

    def _kind(self, index: int) -> object:
        """What an instruction is, but for what follows it."""
        each, handler = self._instructions[index], self._handlers[index]
        argument = None if _jumps(each) else each.arg
        caught = handler and handler.kind
        return _asked(each.opname)[0], argument, each.positions, self._depths[index], caught, index in self._thrown

    def _ways(self, index: int) -> list[int]:
        """What may follow an instruction: by what it asks if it is a jump, and after an exception."""
        following = [self._past_jumps(after) for after, _ in self._following[index]]
        if _asked(self._instructions[index].opname)[1]:
            following.reverse()
        handler = self._handlers[index]
        return following if handler is None else [*following, handler.at]

    def _past_jumps(self, index: int) -> int:
        """The next instruction that does anything."""
        passed = set()
        while index not in passed and self._instructions[index].opname in _PASSING:
            passed.add(index)
            index = self._following[index][0][0]
        return index

    def _sees_all_variables(self) -> bool:
        """Whether a function is named that looks at all variables; what pytest makes of `assert` only names them."""
        if _SEES_ALL_VARIABLES.isdisjoint(self.code.co_names):
            return False
        return any(
            each.opname.startswith("LOAD_") and each.argval in _SEES_ALL_VARIABLES and before.argval != "@py_builtins"
            for before, each in pairwise(self._instructions)
            if isinstance(each.argval, str)
        )


def _jumps(instruction: dis.Instruction) -> bool:
    return instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs


def _asked(name: str) -> tuple[str, bool]:
    """What an instruction is called whichever way it jumps, and whether it jumps if what it asks is not so."""
    if not name.startswith("POP_JUMP_"):
        return name, False
    asked = name.replace("_FORWARD", "").replace("_BACKWARD", "")
    return asked.replace("_IF_FALSE", "_IF_TRUE").replace("_IF_NOT_NONE", "_IF_NONE"), asked.endswith(_NEGATED)


_NEGATED = ("_IF_FALSE", "_IF_NOT_NONE")
_PASSING = ("NOP", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
"""Instructions that do nothing but go on."""


def _classes(kinds: list[object]) -> list[int]:
    """Of each the index of the first that is equal."""
    first: dict[object, int] = {}
    return [first.setdefault(kind, index) for index, kind in enumerate(kinds)]


_LOOKS_UP = ("LOAD_ATTR", "LOAD_METHOD")


@functools.lru_cache(1 << 12)
def bytecode(code: CodeType, is_ours: bool) -> Bytecode:
    """What the bytecode of some code says, our own or not; to find it out takes as long as a small program."""
    return Bytecode(code, is_ours)


def _slots(code: CodeType) -> Iterator[str]:
    try:
        for number in range(1 << 16):
            yield code._varname_from_oparg(number)  # type: ignore[attr-defined]
    except IndexError:
        return


def _effect(instruction: dis.Instruction, jumps: bool) -> int:
    return dis.stack_effect(instruction.opcode, instruction.arg, jump=jumps)


def taken_by_call(instruction: dis.Instruction) -> int:
    """How many entries of the stack a call takes: what it calls and what belongs beside that, and the arguments.

    CALL_FUNCTION_EX takes one for arguments by name from 3.14 on, even if there are none.
    """
    more = {"CALL": 2, "CALL_KW": 3}.get(instruction.opname)
    return 1 - _effect(instruction, False) if more is None else (instruction.arg or 0) + more


def _masks(instruction: dis.Instruction) -> tuple[int, int]:
    """The slots that an instruction reads, and those that it only writes, as bits."""
    name, argument = instruction.opname, instruction.arg
    if instruction.opcode not in dis.haslocal and instruction.opcode not in dis.hasfree:
        return 0, 0
    assert argument is not None
    if name == "STORE_FAST":
        return 0, 1 << argument
    if name in _READ_SLOT:
        return 1 << argument, 0
    first, second = 1 << (argument >> 4), 1 << (argument & 15)
    match name:
        case "LOAD_FAST_LOAD_FAST":
            return first | second, 0
        case "STORE_FAST_STORE_FAST":
            return 0, first | second
        case "STORE_FAST_LOAD_FAST":
            return second & ~first, first
    raise Unkeyable(f"the instruction {name}")
