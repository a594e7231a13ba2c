"""Bytecode of CPython 3.11 to 3.14, decoded into one set of instructions.

For each opcode a table (`opcodes.py`) says which instructions it becomes. The operand stack is as deep as CPython's
wherever an opcode begins, so that the exception table of the code holds as it is.

An instruction that may call Python code leaves a result and is followed by one which uses it (`STORE_ATTR`, `POP_TOP`;
`FOR`, `FOR_END`): where nothing has to be called, the first one does all and skips the second.
"""

from __future__ import annotations

import bisect
import dis
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from replay.errors import ModelError
from replay.interpreter.opcodes import AFTER_LOOP, TABLES, Rule, Step, argument_of
from replay.interpreter.versions import HAS_END_SEND, VERSION


class Handler(NamedTuple):
    """The handler of an exception: the instruction, the depth of the stack, whether the position is pushed, too."""

    target: int
    depth: int
    pushes_position: bool


class Decoded:
    """A code object as instructions.

    names     of all slots: local variables, cells, free variables
    lines     of each instruction
    offsets   of the opcode that became each instruction
    positions lines and columns of each instruction in the source
    handlers  of each instruction; None where an exception leaves the code
    functions what runs each instruction
    hidden    whether tracebacks leave its frames out
    is_ours   whether it is code of this package, whose variables are no memory
    is_own    whether it is code of the interpreter itself
    may_be_listed  whether a function with this code may be native, modelled or an intrinsic; None if unknown
    original  the code object of functions, in whose place `code` may be interpreted

    The last six are filled in by the interpreter, in a copy of its own.
    """

    __slots__ = (
        "code",
        "functions",
        "handlers",
        "hidden",
        "is_ours",
        "is_own",
        "lines",
        "may_be_listed",
        "names",
        "offsets",
        "original",
        "positions",
        "steps",
    )

    def __init__(self, code: CodeType, steps: list[Step], lines: list[int], handlers: list[Handler | None]) -> None:
        self.code = code
        self.steps = steps
        self.lines = lines
        self.handlers = handlers
        self.names = slot_names(code)
        self.functions: list[Callable[[Any], Any]] = []
        self.offsets: list[int] = []
        self.positions: list[dis.Positions | None] = []
        self.hidden = self.is_ours = self.is_own = False
        self.original = code
        self.may_be_listed: bool | None = None


PLAIN_JUMPS = frozenset({"JUMP", "JUMP_BACK"})
JUMPS = PLAIN_JUMPS | {"JUMP_IF", "JUMP_IF_NONE", "FOR", "FOR_END", "SEND", "SEND_END"}
_LEAVES = frozenset({"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"})


def following(step: Step, place: int) -> list[int]:
    """The places to which the instruction at a place may lead without an exception; of a condition, that for True
    first."""
    name, argument = step
    if name in _LEAVES:
        return []
    if name in PLAIN_JUMPS:
        return [argument]
    if name in ("JUMP_IF", "JUMP_IF_NONE"):
        target, when = argument
        return [target, place + 1] if when else [place + 1, target]
    return [place + 1, argument] if name in JUMPS else [place + 1]


def slot_names(code: CodeType) -> tuple[str, ...]:
    """The names of a frame's slots, in CPython's order."""
    local = code.co_varnames
    return (*local, *(name for name in code.co_cellvars if name not in local), *code.co_freevars)


class _Decoding:
    """The work on one code object."""

    def __init__(self, code: CodeType) -> None:
        self._table = TABLES[VERSION]
        self._code = code
        ignored = ("CACHE", "EXTENDED_ARG")
        self._found = [each for each in dis.get_instructions(code) if each.opname not in ignored]
        self._offsets = [each.offset for each in self._found]
        self._starts: list[int] = []
        self._keyword_names: Step | None = None

    def run(self) -> Decoded:
        steps: list[Step] = []
        lines: list[int] = []
        offsets: list[int] = []
        positions: list[dis.Positions | None] = []
        line = self._code.co_firstlineno
        for number, each in enumerate(self._found):
            self._starts.append(len(steps))
            new = self._decoded(number, each)
            position = each.positions.lineno if each.positions else None
            line = line if position is None else position
            steps += new
            lines += [line] * len(new)
            offsets += [each.offset] * len(new)
            positions += [each.positions] * len(new)
        self._starts.append(len(steps))
        decoded = Decoded(self._code, [self._placed(step) for step in steps], lines, self._handlers(len(steps)))
        decoded.offsets, decoded.positions = offsets, positions
        return decoded

    def _decoded(self, number: int, each: dis.Instruction) -> list[Step]:
        match each.opname:
            case "KW_NAMES":  # from 3.13 on the names are on the stack
                self._keyword_names = ("LOAD_CONST", self._code.co_consts[argument_of(each)])
                return []
            case "CALL" if self._keyword_names is not None:
                names, self._keyword_names = self._keyword_names, None
                return [names, ("CALL_KW", each.arg)]
            case "YIELD_VALUE":
                following = self._found[number + 1]
                return [("YIELD_VALUE", following.opname == "RESUME" and argument_of(following) & 3 >= 2)]
            case "FOR_ITER":
                end = self._offsets[self._number(each.argval) + AFTER_LOOP[VERSION]]
                return [("FOR", end), ("FOR_END", end)]
            case "SEND":
                end = self._offsets[self._number(each.argval) + HAS_END_SEND]
                return [("SEND", end), ("SEND_END", end)]
        rule: Rule | None = self._table.get(each.opname)
        if rule is None:
            place = f"{self._code.co_filename}:{each.positions.lineno if each.positions else 0}"
            raise ModelError(f"the instruction {each.opname} of CPython is not supported in thread code", place)
        return rule(each)

    def _number(self, offset: int) -> int:
        return bisect.bisect_left(self._offsets, offset)  # a jump may aim at an EXTENDED_ARG before its opcode

    def _place(self, offset: int) -> int:
        return self._starts[self._number(offset)]

    def _placed(self, step: Step) -> Step:
        """An instruction whose jump aims at an instruction of ours."""
        name, argument = step
        if name in ("JUMP_IF", "JUMP_IF_NONE"):
            return name, (self._place(argument[0]), argument[1])
        return (name, self._place(argument)) if name in JUMPS else step

    def _handlers(self, count: int) -> list[Handler | None]:
        handlers: list[Handler | None] = [None] * count
        for entry in dis._parse_exception_table(self._code):  # type: ignore[attr-defined]
            handler = Handler(self._place(entry.target), entry.depth, entry.lasti)
            handlers[self._place(entry.start) : self._place(entry.end)] = [handler] * (
                self._place(entry.end) - self._place(entry.start)
            )
        return handlers


_known: dict[int, Decoded] = {}
_MOST_KNOWN = 4_096
"""Code objects whose instructions are remembered; then all are forgotten."""


def decode(code: CodeType) -> Decoded:
    """Returns the instructions of a code object, which all callers share.

    Raises ModelError for a version or an opcode that no table has. Code is told apart by identity: equal code may stand
    in several files.
    """
    number = object.__hash__(code)
    found = _known.get(number)
    if found is None:
        found = _Decoding(code).run()
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[number] = found  # it keeps the code, and so its identity
    return found
