"""Opcodes of CPython 3.11 to 3.14, and the instructions that each becomes: to add a version is to add its table."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from typing import Any

from replay.interpreter.versions import VERSION

Step = tuple[str, Any]
"""An instruction's name and its argument."""

Rule = Callable[[dis.Instruction], list[Step]]


# -- rules ----------------------------------------------------------------------------


def _same(*names: str) -> dict[str, Rule]:
    return {name: lambda i, name=name: [(name, i.arg)] for name in names}  # type: ignore[misc]


def _by_value(*names: str) -> dict[str, Rule]:
    return {name: lambda i, name=name: [(name, i.argval)] for name in names}  # type: ignore[misc]


def _becomes(*steps: Step) -> Rule:
    return lambda _: list(steps)


def _pair(first: str, second: str) -> Rule:
    return lambda i: [(first, argument_of(i) >> 4), (second, argument_of(i) & 15)]


def argument_of(instruction: dis.Instruction) -> int:
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
    argument = argument_of(instruction)
    convert: list[Step] = list(_CONVERSIONS.get(argument & 3, []))
    if argument & 4:
        return [("SWAP", 2), *convert, ("SWAP", 2), ("FORMAT", None)] if convert else [("FORMAT", None)]
    return [*convert, _EMPTY_SPEC, ("FORMAT", None)]


# -- tables ---------------------------------------------------------------------------


_COMMON: dict[str, Rule] = {
    **_same(
        "BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_STRING", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SLICE",
        "LIST_APPEND", "COPY", "SWAP", "CALL", "RAISE_VARARGS",
        "NOP", "POP_TOP", "PUSH_NULL", "LOAD_FAST", "STORE_FAST", "DELETE_FAST", "LOAD_DEREF",
        "MAKE_CELL", "COPY_FREE_VARS", "BINARY_SUBSCR", "GET_ITER", "GET_YIELD_FROM_ITER", "GET_AITER", "GET_ANEXT",
        "GET_AWAITABLE", "END_ASYNC_FOR", "CHECK_EXC_MATCH", "PUSH_EXC_INFO", "POP_EXCEPT", "GET_LEN",
        "MATCH_CLASS", "MATCH_KEYS", "MATCH_MAPPING", "MATCH_SEQUENCE", "RETURN_GENERATOR", "RETURN_VALUE",
        "LOAD_BUILD_CLASS", "SETUP_ANNOTATIONS", "IS_OP",
    ),
    **_by_value("LOAD_CONST", "LOAD_NAME", "STORE_NAME", "DELETE_NAME", "IMPORT_NAME", "IMPORT_FROM"),
    **_by_name_then_pop("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL"),
    **_by_depth_then_pop("STORE_DEREF", "DELETE_DEREF", "SET_ADD", "MAP_ADD"),
    **_by_depth_then_pop("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"),
    "UNPACK_SEQUENCE": lambda i: [("UNPACK_SEQUENCE", i.arg), ("SPREAD", None)],
    "UNPACK_EX": lambda i: [("UNPACK_EX", i.arg), ("SPREAD", None)],
    "RERAISE": _becomes(("RERAISE", None)),
    "CHECK_EG_MATCH": _becomes(("SPLIT_GROUP", None), ("HANDLE_PART", None)),
    "STORE_SUBSCR": _becomes(("STORE_SUBSCR", None), _POP),
    "DELETE_SUBSCR": _becomes(("DELETE_SUBSCR", None), _POP),
    "LOAD_CLOSURE": lambda i: [("LOAD_FAST", i.arg)],
    **dict.fromkeys(("RESUME", "PRECALL"), _SKIP),
    "JUMP_FORWARD": lambda i: [("JUMP", i.argval)],
    **dict.fromkeys(("JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"), lambda i: [("JUMP_BACK", i.argval)]),
    "BINARY_OP": _operator,
    "COMPARE_OP": _compare,
    "CONTAINS_OP": _contains,
    "UNARY_NEGATIVE": _becomes(("UNARY_OP", "neg")),
    "UNARY_INVERT": _becomes(("UNARY_OP", "invert")),
    "UNARY_NOT": _becomes(_TRUTH, _NEGATE),
    "LOAD_ASSERTION_ERROR": _becomes(("LOAD_CONST", AssertionError)),
    "CALL_FUNCTION_EX": lambda i: [*([] if argument_of(i) & 1 else [_NULL]), ("CALL_FUNCTION_EX", None)],
    "WITH_EXCEPT_START": _becomes(("WITH_EXCEPT_START", 4)),
    "BEFORE_WITH": _becomes(("BEFORE_WITH", ("__enter__", "__exit__"))),
    "BEFORE_ASYNC_WITH": _becomes(("BEFORE_WITH", ("__aenter__", "__aexit__"))),
    "FORMAT_VALUE": _format_value,
    "LOAD_GLOBAL": lambda i: [*([_NULL] if argument_of(i) & 1 else []), ("LOAD_GLOBAL", i.argval)],
    "MAKE_FUNCTION": lambda i: [("MAKE_FUNCTION", i.arg or 0)],
    "POP_JUMP_IF_NONE": _jump_if_none(True),
    "POP_JUMP_IF_NOT_NONE": _jump_if_none(False),
}  # fmt: skip

_V311 = _COMMON | {
    **_by_value("LOAD_ATTR", "LOAD_METHOD"),
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
    **_same("CLEANUP_THROW", "LOAD_FAST_AND_CLEAR", "LOAD_LOCALS", "LOAD_FROM_DICT_OR_DEREF"),
    **_by_value("LOAD_FROM_DICT_OR_GLOBALS"),
    "LOAD_ATTR": lambda i: [("LOAD_METHOD" if argument_of(i) & 1 else "LOAD_ATTR", i.argval)],
    "LOAD_SUPER_ATTR": lambda i: [
        ("LOAD_SUPER", None),
        ("LOAD_METHOD" if argument_of(i) & 1 else "LOAD_ATTR", i.argval),
    ],
    "LOAD_FAST_CHECK": lambda i: [("LOAD_FAST", i.arg)],
    "POP_JUMP_IF_TRUE": _jump_if(True, _TRUTH),
    "POP_JUMP_IF_FALSE": _jump_if(False, _TRUTH),
    "RETURN_CONST": lambda i: [("LOAD_CONST", i.argval), ("RETURN_VALUE", None)],
    "BINARY_SLICE": _becomes(("BUILD_SLICE", 2), ("BINARY_SUBSCR", None)),
    "STORE_SLICE": _becomes(("BUILD_SLICE", 2), ("STORE_SUBSCR", None), _POP),
    "CALL_INTRINSIC_1": lambda i: [_ONE_OPERAND[argument_of(i)]],
    "CALL_INTRINSIC_2": lambda i: [_TWO_OPERANDS[argument_of(i)]],
    "END_FOR": _SKIP,
    "END_SEND": _becomes(("SWAP", 2), _POP),
}

_V313 = _V312 | {
    **_same("CALL_KW", "SET_FUNCTION_ATTRIBUTE"),
    "LOAD_GLOBAL": lambda i: [("LOAD_GLOBAL", i.argval), *([_NULL] if argument_of(i) & 1 else [])],
    "LOAD_FAST_LOAD_FAST": _pair("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": _pair("STORE_FAST", "STORE_FAST"),
    "STORE_FAST_LOAD_FAST": _pair("STORE_FAST", "LOAD_FAST"),
    "CONVERT_VALUE": lambda i: list(_CONVERSIONS[argument_of(i)]),
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
    "LOAD_COMMON_CONSTANT": lambda i: [("LOAD_CONST", _CONSTANTS[argument_of(i)])],
    "LOAD_SPECIAL": lambda i: [("LOAD_SPECIAL", _SPECIAL[argument_of(i)])],
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


AFTER_LOOP = {(3, 11): 0, (3, 12): 1, (3, 13): 2, (3, 14): 2}
"""How many opcodes at the end of a loop FOR passes over: END_FOR, POP_TOP or POP_ITER."""
