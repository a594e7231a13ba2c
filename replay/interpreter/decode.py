"""Bytecode of CPython 3.11 to 3.14, decoded into one set of instructions.

For each opcode a table says which instructions it becomes. This module is the only one that knows versions: to add one
is to add its table to `TABLES`. The operand stack is as deep as CPython's wherever an opcode begins, so that the
exception table of the code holds as it is.

An instruction that may call Python code leaves a result and is followed by one which uses it (`STORE_ATTR`, `POP_TOP`;
`FOR`, `FOR_END`): where nothing has to be called, the first one does all and skips the second.
"""

from __future__ import annotations

import bisect
import dis
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from replay.errors import ModelError

VERSION = sys.version_info[:2]

# -- what differs beside instructions; no other module asks for the version -----------

CACHED_PROPERTY_LOCKS = VERSION < (3, 12)
"""`functools.cached_property` holds a lock while it computes."""

SHOWS_ORDERED_AS_DICT = VERSION >= (3, 12)
SUBSET_STOPS_EARLY = VERSION >= (3, 12)
"""`issubset` takes no more items of an iterable when all were found."""

SPLITS_OFF_NOTHING = VERSION >= (3, 12)
"""An `except*` that catches nothing of a group leaves what `split` has made; before, the group itself."""

CHANGES_BEFORE_BEGIN = VERSION < (3, 12)
"""StopIteration that is thrown into a generator which has not begun becomes a RuntimeError."""

KEY_ERROR_STAYS = VERSION < (3, 12)
"""A keyword that is there already, while an exception is handled, raises the KeyError by which CPython finds it."""

CALLED_PATTERN = "class" if VERSION >= (3, 12) else "type"
CLOSES_BY_THROWING = VERSION >= (3, 13)
"""`close` of a step of an asynchronous generator raises in it; that of a generator returns its value."""

LOCALS_ARE_NEW = VERSION >= (3, 13)
"""`locals()` of a function is another dictionary each time."""

RUNS_HAVE_EQUALS = VERSION >= (3, 13)
"""Sorting reverses descending runs in which rows are equal."""

TRUNCATES = VERSION < (3, 14)
"""`int` asks for `__trunc__`."""

ANNOTATIONS_ARE_KEPT = VERSION < (3, 14)
"""A function has annotations; from 3.14 on it computes them when it is asked."""

TUPLE_ASKS_LENGTH = VERSION < (3, 14)
WRAPPED_HAS_LINE = VERSION >= (3, 14)
"""The group that `except*` makes of a single exception has a traceback."""

SETS_ARE_ASKED_TO_SHOW = VERSION < (3, 14)
"""What a set shows is what its `__iter__` gives."""

RESULTS_HAVE_CONTEXT = VERSION < (3, 14)
"""The StopIteration that carries a result has a context."""

NEW_MESSAGES = VERSION >= (3, 14)
"""Messages of errors are those of 3.14."""

Step = tuple[str, Any]
"""An instruction's name and its argument."""

Rule = Callable[[dis.Instruction], list[Step]]


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


# -- rules ----------------------------------------------------------------------------


def _same(*names: str) -> dict[str, Rule]:
    return {name: lambda i, name=name: [(name, i.arg)] for name in names}  # type: ignore[misc]


def _by_value(*names: str) -> dict[str, Rule]:
    return {name: lambda i, name=name: [(name, i.argval)] for name in names}  # type: ignore[misc]


def _becomes(*steps: Step) -> Rule:
    return lambda _: list(steps)


def _pair(first: str, second: str) -> Rule:
    return lambda i: [(first, _argument(i) >> 4), (second, _argument(i) & 15)]


def _argument(instruction: dis.Instruction) -> int:
    assert instruction.arg is not None
    return instruction.arg


def _jump_if(when: bool, *before: Step) -> Rule:
    return lambda i: [*before, ("JUMP_IF", (i.argval, when))]


def _jump_if_none(when: bool) -> Rule:
    return lambda i: [("JUMP_IF_NONE", (i.argval, when))]


def _jump_or_pop(when: bool) -> Rule:
    return lambda i: [("COPY", 1), _TRUTH, ("JUMP_IF", (i.argval, when)), _POP]


def _by_name_then_pop(*names: str) -> dict[str, Rule]:
    return {name: lambda i, name=name: [(name, i.argval), _POP] for name in names}  # type: ignore[misc]


def _by_depth_then_pop(*names: str) -> dict[str, Rule]:
    return {name: lambda i, name=name: [(name, i.arg), _POP] for name in names}  # type: ignore[misc]


_POP: Step = ("POP_TOP", None)
_TRUTH: Step = ("TRUTH", None)
_NULL: Step = ("PUSH_NULL", None)
_NEGATE: Step = ("NEGATE", None)
_SKIP = _becomes()
_CONSTANTS = (AssertionError, NotImplementedError, tuple, all, any)
_SPECIAL = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_EMPTY_SPEC: Step = ("LOAD_CONST", "")
_CONVERSIONS: dict[int, list[Step]] = {1: [("CONVERT", str)], 2: [("CONVERT", repr)], 3: [("CONVERT", ascii)]}


def _operator(instruction: dis.Instruction) -> list[Step]:
    if instruction.argrepr == "[]":
        return [("BINARY_SUBSCR", None)]
    return [("BINARY_OP", instruction.argrepr)]


def _compare(instruction: dis.Instruction) -> list[Step]:
    as_truth = instruction.argrepr.startswith("bool(")
    return [("COMPARE_OP", instruction.argval), *([_TRUTH] if as_truth else [])]


def _contains(instruction: dis.Instruction) -> list[Step]:
    return [("CONTAINS_OP", None), _TRUTH, *([_NEGATE] if instruction.arg else [])]


def _format_value(instruction: dis.Instruction) -> list[Step]:
    argument = _argument(instruction)
    convert: list[Step] = list(_CONVERSIONS.get(argument & 3, []))
    if argument & 4:
        return [("SWAP", 2), *convert, ("SWAP", 2), ("FORMAT", None)] if convert else [("FORMAT", None)]
    return [*convert, _EMPTY_SPEC, ("FORMAT", None)]


_COMMON: dict[str, Rule] = {
    **_same(
        "BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_STRING", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SLICE",
        "LIST_APPEND", "COPY", "SWAP", "CALL", "RAISE_VARARGS",
        "POP_TOP", "PUSH_NULL", "STORE_FAST", "DELETE_FAST", "LOAD_DEREF",
        "MAKE_CELL", "COPY_FREE_VARS", "BINARY_SUBSCR", "GET_ITER", "GET_YIELD_FROM_ITER", "GET_AITER", "GET_ANEXT",
        "GET_AWAITABLE", "END_ASYNC_FOR", "CHECK_EXC_MATCH", "PUSH_EXC_INFO", "POP_EXCEPT", "GET_LEN",
        "MATCH_CLASS", "MATCH_KEYS", "MATCH_MAPPING", "MATCH_SEQUENCE", "RETURN_GENERATOR", "RETURN_VALUE",
        "LOAD_BUILD_CLASS", "SETUP_ANNOTATIONS", "IS_OP",
    ),
    **_by_value(
        "LOAD_CONST", "LOAD_NAME", "STORE_NAME", "DELETE_NAME", "IMPORT_NAME", "IMPORT_FROM",
    ),
    **_by_name_then_pop("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL"),
    **_by_depth_then_pop("STORE_DEREF", "DELETE_DEREF", "SET_ADD", "MAP_ADD"),
    **_by_depth_then_pop("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"),
    "UNPACK_SEQUENCE": lambda i: [("UNPACK_SEQUENCE", i.arg), ("SPREAD", None)],
    "UNPACK_EX": lambda i: [("UNPACK_EX", i.arg), ("SPREAD", None)],
    "RERAISE": _becomes(("RERAISE", None)),
    "CHECK_EG_MATCH": _becomes(("SPLIT_GROUP", None), ("HANDLE_PART", None)),
    "STORE_SUBSCR": _becomes(("STORE_SUBSCR", None), _POP),
    "DELETE_SUBSCR": _becomes(("DELETE_SUBSCR", None), _POP),
    "LOAD_FAST": lambda i: [("LOAD_FAST", i.arg)],
    "LOAD_CLOSURE": lambda i: [("LOAD_FAST", i.arg)],
    **dict.fromkeys(("RESUME", "PRECALL"), _SKIP),
    "NOP": _becomes(("NOP", None)),
    **dict.fromkeys(("JUMP_FORWARD",), lambda i: [("JUMP", i.argval)]),
    **dict.fromkeys(("JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"), lambda i: [("JUMP_BACK", i.argval)]),
    "FOR_ITER": lambda i: [("FOR", i.argval), ("FOR_END", i.argval)],
    "SEND": lambda i: [("SEND", i.argval), ("SEND_END", i.argval)],
    "YIELD_VALUE": lambda _: [("YIELD_VALUE", False)],
    "BINARY_OP": _operator,
    "COMPARE_OP": _compare,
    "CONTAINS_OP": _contains,
    "UNARY_NEGATIVE": _becomes(("UNARY_OP", "neg")),
    "UNARY_INVERT": _becomes(("UNARY_OP", "invert")),
    "UNARY_NOT": _becomes(_TRUTH, _NEGATE),
    "LOAD_ASSERTION_ERROR": _becomes(("LOAD_CONST", AssertionError)),
    "CALL_FUNCTION_EX": lambda i: [*([] if _argument(i) & 1 else [_NULL]), ("CALL_FUNCTION_EX", None)],
    "WITH_EXCEPT_START": _becomes(("WITH_EXCEPT_START", 4)),
    "BEFORE_WITH": _becomes(("BEFORE_WITH", ("__enter__", "__exit__"))),
    "BEFORE_ASYNC_WITH": _becomes(("BEFORE_WITH", ("__aenter__", "__aexit__"))),
    "FORMAT_VALUE": _format_value,
    "LOAD_GLOBAL": lambda i: [*([_NULL] if _argument(i) & 1 else []), ("LOAD_GLOBAL", i.argval)],
    "MAKE_FUNCTION": lambda i: [("MAKE_FUNCTION", i.arg or 0)],
    "POP_JUMP_IF_NONE": _jump_if_none(True),
    "POP_JUMP_IF_NOT_NONE": _jump_if_none(False),
}  # fmt: skip

_V311 = _COMMON | {
    **_by_value("LOAD_ATTR", "LOAD_METHOD"),
    **_same("KW_NAMES"),
    "LOAD_CLASSDEREF": lambda i: [("LOAD_LOCALS", None), ("LOAD_FROM_DICT_OR_DEREF", i.arg)],
    **{f"POP_JUMP_{way}_IF_TRUE": _jump_if(True, _TRUTH) for way in ("FORWARD", "BACKWARD")},
    **{f"POP_JUMP_{way}_IF_FALSE": _jump_if(False, _TRUTH) for way in ("FORWARD", "BACKWARD")},
    **{f"POP_JUMP_{way}_IF_NONE": _jump_if_none(True) for way in ("FORWARD", "BACKWARD")},
    **{f"POP_JUMP_{way}_IF_NOT_NONE": _jump_if_none(False) for way in ("FORWARD", "BACKWARD")},
    "JUMP_IF_TRUE_OR_POP": _jump_or_pop(True),
    "JUMP_IF_FALSE_OR_POP": _jump_or_pop(False),
    "UNARY_POSITIVE": _becomes(("UNARY_OP", "pos")),
    "ASYNC_GEN_WRAP": _becomes(("WRAP", None)),
    "LIST_TO_TUPLE": _becomes(("LIST_TO_TUPLE", None)),
    "PREP_RERAISE_STAR": _becomes(("PREP_RERAISE_STAR", None)),
}

_ONE_OPERAND: dict[int, Step] = {
    3: ("STOPITERATION_ERROR", None),
    4: ("WRAP", None),
    5: ("UNARY_OP", "pos"),
    6: ("LIST_TO_TUPLE", None),
    7: ("TYPE_PARAMETER", "TypeVar"),
    8: ("TYPE_PARAMETER", "ParamSpec"),
    9: ("TYPE_PARAMETER", "TypeVarTuple"),
    10: ("SUBSCRIPT_GENERIC", None),
    11: ("TYPE_ALIAS", None),
}
_TWO_OPERANDS: dict[int, Step] = {
    1: ("PREP_RERAISE_STAR", None),
    2: ("TYPE_PARAMETER_WITH", "bound"),
    3: ("TYPE_PARAMETER_WITH", "constraints"),
    4: ("SET_TYPE_PARAMETERS", None),
    5: ("SET_TYPE_PARAMETER_DEFAULT", None),
}

_V312 = _COMMON | {
    **_same("KW_NAMES", "CLEANUP_THROW", "LOAD_LOCALS", "LOAD_FROM_DICT_OR_DEREF"),
    **_by_value("LOAD_FROM_DICT_OR_GLOBALS"),
    "LOAD_ATTR": lambda i: [("LOAD_METHOD" if _argument(i) & 1 else "LOAD_ATTR", i.argval)],
    "LOAD_SUPER_ATTR": lambda i: [
        ("LOAD_SUPER", None),
        ("LOAD_METHOD" if _argument(i) & 1 else "LOAD_ATTR", i.argval),
    ],
    "LOAD_FAST_CHECK": lambda i: [("LOAD_FAST", i.arg)],
    "LOAD_FAST_AND_CLEAR": lambda i: [("LOAD_FAST_AND_CLEAR", i.arg)],
    "POP_JUMP_IF_TRUE": _jump_if(True, _TRUTH),
    "POP_JUMP_IF_FALSE": _jump_if(False, _TRUTH),
    "RETURN_CONST": lambda i: [("LOAD_CONST", i.argval), ("RETURN_VALUE", None)],
    "BINARY_SLICE": _becomes(("BUILD_SLICE", 2), ("BINARY_SUBSCR", None)),
    "STORE_SLICE": _becomes(("BUILD_SLICE", 2), ("STORE_SUBSCR", None), _POP),
    "CALL_INTRINSIC_1": lambda i: [_ONE_OPERAND[_argument(i)]],
    "CALL_INTRINSIC_2": lambda i: [_TWO_OPERANDS[_argument(i)]],
    "END_FOR": _SKIP,
    "END_SEND": _becomes(("SWAP", 2), _POP),
}

_V313 = _V312 | {
    **_same("CALL_KW", "SET_FUNCTION_ATTRIBUTE"),
    "LOAD_GLOBAL": lambda i: [("LOAD_GLOBAL", i.argval), *([_NULL] if _argument(i) & 1 else [])],
    "LOAD_FAST_LOAD_FAST": _pair("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": _pair("STORE_FAST", "STORE_FAST"),
    "STORE_FAST_LOAD_FAST": _pair("STORE_FAST", "LOAD_FAST"),
    "CONVERT_VALUE": lambda i: list(_CONVERSIONS[_argument(i)]),
    "FORMAT_SIMPLE": _becomes(_EMPTY_SPEC, ("FORMAT", None)),
    "FORMAT_WITH_SPEC": _becomes(("FORMAT", None)),
    "TO_BOOL": _becomes(_TRUTH),
    "UNARY_NOT": _becomes(_NEGATE),
    "POP_JUMP_IF_TRUE": _jump_if(True),
    "POP_JUMP_IF_FALSE": _jump_if(False),
}

_V314 = _V313 | {
    **_same("BUILD_INTERPOLATION", "BUILD_TEMPLATE"),
    "LOAD_SMALL_INT": lambda i: [("LOAD_CONST", i.arg)],
    "LOAD_FAST_BORROW": lambda i: [("LOAD_FAST", i.arg)],
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": _pair("LOAD_FAST", "LOAD_FAST"),
    "LOAD_COMMON_CONSTANT": lambda i: [("LOAD_CONST", _CONSTANTS[_argument(i)])],
    "LOAD_SPECIAL": lambda i: [("LOAD_SPECIAL", _SPECIAL[_argument(i)])],
    "WITH_EXCEPT_START": _becomes(("WITH_EXCEPT_START", 5)),
    "CALL_FUNCTION_EX": _becomes(("CALL_FUNCTION_EX", None)),
    "NOT_TAKEN": _SKIP,
    "POP_ITER": _becomes(_POP),
}

TABLES = {(3, 11): _V311, (3, 12): _V312, (3, 13): _V313, (3, 14): _V314}
"""The rules of each version, by opcode."""


def why_unknown() -> str:
    """Why thread code cannot be run on this Python, a sentence; "" if it can."""
    if sys.implementation.name == "cpython" and VERSION in TABLES:
        return ""
    name = "CPython" if sys.implementation.name == "cpython" else sys.implementation.name
    *known, last = (f"{major}.{minor}" for major, minor in TABLES)
    return (
        f"mcr runs the code of threads itself, and does not know the instructions of {name} {VERSION[0]}.{VERSION[1]}: "
        f"use {', '.join(known)} or {last}"
    )


_AFTER_LOOP = {(3, 11): 0, (3, 12): 1, (3, 13): 2, (3, 14): 2}
"""How many opcodes at the end of a loop FOR passes over: END_FOR, POP_TOP or POP_ITER."""

_HAS_END_SEND = (3, 12)
"""The first version in which END_SEND follows the loop of a `yield from`; SEND_END does its work."""


# -- decoding -------------------------------------------------------------------------


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
                self._keyword_names = ("LOAD_CONST", self._code.co_consts[_argument(each)])
                return []
            case "CALL" if self._keyword_names is not None:
                names, self._keyword_names = self._keyword_names, None
                return [names, ("CALL_KW", each.arg)]
            case "CALL_KW" if VERSION >= (3, 13):
                return [("CALL_KW", each.arg)]
            case "YIELD_VALUE":
                following = self._found[number + 1]
                return [("YIELD_VALUE", following.opname == "RESUME" and _argument(following) & 3 >= 2)]
            case "FOR_ITER":
                end = self._offsets[self._number(each.argval) + _AFTER_LOOP[VERSION]]
                return [("FOR", end), ("FOR_END", end)]
            case "SEND":
                end = self._offsets[self._number(each.argval) + (VERSION >= _HAS_END_SEND)]
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
        if name in ("JUMP", "JUMP_BACK", "FOR", "FOR_END", "SEND", "SEND_END"):
            return name, self._place(argument)
        if name in ("JUMP_IF", "JUMP_IF_NONE"):
            return name, (self._place(argument[0]), argument[1])
        return step

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
