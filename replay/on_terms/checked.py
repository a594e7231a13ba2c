"""Instructions of the interpreter on symbols: each makes a term, or has the thread decide what its operands are.

Code on terms is compiled with these, so code on values pays nothing for them. An instruction that needs to know an
operand stops the thread before anything has happened, and runs again with the number in its place.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from types import CodeType
from typing import Any

from replay.code.interpreted import ask_for
from replay.code.running_thread import beyond_terms
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import Instruction, compiled
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.intrinsics import BINARY, COMPARISONS
from replay.interpreter.library import shipped
from replay.interpreter.lookup import ATOMS, HEAP, identity, lookup, python_method
from replay.on_terms import symbols
from replay.on_terms.numbers_in import TooManyObjects, symbol_in, with_numbers
from replay.on_terms.symbols import (
    COMPARED,
    MOST,
    SYMBOLS,
    as_number,
    as_truth,
    is_settled,
    is_truth,
    term_of,
    unsettled,
)
from replay.world.terms import Part, Term, apply

Maker = Callable[[Instruction, Any, Decoded], Instruction]

NUMBERS = frozenset({int, bool, *SYMBOLS})
"""Classes of what terms are made of."""

_checked: dict[int, tuple[CodeType, Decoded]] = {}
"""By identity of code."""

_MOST_CODES = 2_500
"""Code objects that are remembered; then all are forgotten."""


def compiled_on_terms(code: CodeType) -> Decoded:
    """The instructions of a code object, as they run on symbols."""
    found = _checked.get(identity(code))
    if found is None:
        plain = compiled(code)
        decoded = Decoded(plain.code, plain.steps, plain.lines, plain.handlers)
        decoded.offsets, decoded.positions = plain.offsets, plain.positions
        decoded.hidden, decoded.is_ours, decoded.is_own = plain.hidden, plain.is_ours, plain.is_own
        decoded.functions = [
            function if name in UNCHECKED else CHECKED.get(name, _unknown)(function, argument, decoded)
            for (name, argument), function in zip(plain.steps, plain.functions, strict=True)
        ]
        if len(_checked) >= _MOST_CODES:
            _checked.clear()
        found = _checked[identity(code)] = code, decoded
    return found[1]


UNCHECKED = frozenset(
    {
        "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_AND_CLEAR", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME",
        "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_LOCALS", "LOAD_BUILD_CLASS", "LOAD_SUPER",
        "LOAD_SPECIAL", "STORE_FAST", "STORE_DEREF", "STORE_GLOBAL", "STORE_NAME", "DELETE_FAST", "DELETE_DEREF",
        "DELETE_GLOBAL", "DELETE_NAME", "POP_TOP", "PUSH_NULL", "COPY", "SWAP", "MAKE_CELL", "COPY_FREE_VARS",
        "SETUP_ANNOTATIONS", "BUILD_TUPLE", "BUILD_LIST", "BUILD_STRING", "BUILD_SLICE", "BUILD_CONST_KEY_MAP",
        "LIST_TO_TUPLE", "LIST_APPEND", "LIST_EXTEND", "DICT_UPDATE", "DICT_MERGE", "UNPACK_SEQUENCE", "UNPACK_EX",
        "SPREAD", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "CALL", "CALL_KW", "CALL_FUNCTION_EX", "IMPORT_NAME",
        "IMPORT_FROM", "JUMP", "JUMP_BACK", "JUMP_IF_NONE", "FOR", "FOR_END", "SEND", "SEND_END", "RETURN_GENERATOR",
        "YIELD_VALUE", "RETURN_VALUE", "CLEANUP_THROW", "WRAP", "GET_ITER", "GET_YIELD_FROM_ITER", "GET_AWAITABLE",
        "GET_AITER", "GET_ANEXT", "END_ASYNC_FOR", "STOPITERATION_ERROR", "RAISE_VARARGS", "RERAISE", "PUSH_EXC_INFO",
        "POP_EXCEPT", "CHECK_EXC_MATCH", "SPLIT_GROUP", "HANDLE_PART", "PREP_RERAISE_STAR", "BEFORE_WITH",
        "WITH_EXCEPT_START", "GET_LEN", "MATCH_MAPPING", "MATCH_SEQUENCE", "MATCH_KEYS", "MATCH_CLASS",
        "TYPE_PARAMETER", "TYPE_PARAMETER_WITH", "SET_TYPE_PARAMETERS", "SET_TYPE_PARAMETER_DEFAULT",
        "SUBSCRIPT_GENERIC", "TYPE_ALIAS", "BUILD_INTERPOLATION", "BUILD_TEMPLATE", "NOP",
    }
)  # fmt: skip
"""Instructions that pass operands on, call something, or look for special methods, which symbols have as numbers do."""

CHECKED: dict[str, Maker] = {}
"""By the name of an instruction, what makes it one on symbols of the plain one, its argument and the code."""


def _checks(*names: str) -> Callable[[Maker], Maker]:
    def register(maker: Maker) -> Maker:
        CHECKED.update(dict.fromkeys(names, maker))
        return maker

    return register


def _unknown(plain: Instruction, _: Any, __: Decoded) -> Instruction:
    """An instruction of which nobody has said what it may do with symbols: it gets none."""

    def unknown(frame: Frame) -> int | None:
        found = next((each for each in frame.stack if type(each) in SYMBOLS), None)
        if found is not None:
            beyond_terms("an instruction", found.term)
        return plain(frame)

    return unknown


# -- what the thread has decided --------------------------------------------------------


def _known(frame: Frame, part: Part) -> Any:
    """Returns what the thread has decided that a term is; NULL if it has not."""
    return frame.execution.owner.decisions.get(part, NULL) if type(part) is Term else part


def _retry(frame: Frame, term: Term) -> int:
    """Let the thread decide what a term is, and run the instruction again."""
    return ask_for(frame.execution, term, retries=True)


def _push(frame: Frame, count: int, part: Part) -> int | None:
    """The instruction's result, in the place of so many operands."""
    value = unsettled(part)
    if type(value) in SYMBOLS and is_settled(value):
        value = _known(frame, part)
        if value is NULL:
            return _retry(frame, part)
    stack = frame.stack
    del stack[-count:]
    stack.append(value)
    return None


def _on_numbers(frame: Frame, plain: Instruction, *places: int) -> int | None:
    """Run an instruction on numbers; `places` are those of operands from the top, which may be symbols."""
    stack = frame.stack
    for place in places:
        value = stack[-place]
        if type(value) in SYMBOLS:
            known = _known(frame, value.term)
            if known is NULL:
                return _retry(frame, value.term)
            stack[-place] = known
    return plain(frame)


def _on_numbers_within(frame: Frame, plain: Instruction, *places: int) -> int | None:
    """As `_on_numbers`, where operands may hold symbols."""
    stack, decisions = frame.stack, frame.execution.owner.decisions
    for place in places:
        value = stack[-place]
        if type(value) in ATOMS:
            continue
        try:
            found = symbol_in([value])
            if found is None:
                continue
            (stack[-place],) = with_numbers([value], lambda each: decisions.get(each.term, each))
            found = symbol_in([stack[-place]])
        except TooManyObjects:
            beyond_terms("objects that are too many to be looked at")
        if found is not None:
            if found.term in decisions:
                beyond_terms("something that holds it", found.term)
            return _retry(frame, found.term)
    return plain(frame)


def _operands(*places: int, within: bool = False) -> Maker:
    """An instruction that has to know some operands."""
    run = _on_numbers_within if within else _on_numbers

    def maker(plain: Instruction, _: Any, __: Decoded) -> Instruction:
        return lambda frame: run(frame, plain, *places)

    return maker


CHECKED["CONVERT"] = _operands(1)
CHECKED["FORMAT"] = _operands(2)
CHECKED["SET_ADD"] = CHECKED["SET_UPDATE"] = _operands(1, within=True)
CHECKED["MAP_ADD"] = _operands(2, within=True)


CHECKED["BUILD_SET"] = lambda plain, count, decoded: _operands(*range(1, count + 1), within=True)(plain, None, decoded)
CHECKED["BUILD_MAP"] = lambda plain, count, decoded: _operands(*range(2, 2 * count + 1, 2), within=True)(
    plain, None, decoded
)


# -- truth ------------------------------------------------------------------------------


@_checks("TRUTH")
def _truth(plain: Instruction, _: Any, __: Decoded) -> Instruction:
    def truth(frame: Frame) -> int | None:
        thing = frame.stack[-1]
        if type(thing) not in SYMBOLS:
            return plain(frame)
        part = as_truth(thing.term)
        known = _known(frame, part)
        if known is NULL:
            return _retry(frame, part)
        frame.stack[-1] = bool(known)
        return None

    return truth


CHECKED["JUMP_IF"] = _operands(1)


@_checks("NEGATE")
def _negate(plain: Instruction, _: Any, __: Decoded) -> Instruction:
    def negate(frame: Frame) -> int | None:
        thing = frame.stack[-1]
        return _push(frame, 1, apply("not", thing.term)) if type(thing) in SYMBOLS else plain(frame)

    return negate


# -- operators --------------------------------------------------------------------------


@_checks("UNARY_OP")
def _unary(plain: Instruction, name: str, _: Decoded) -> Instruction:
    def unary(frame: Frame) -> int | None:
        thing = frame.stack[-1]
        if type(thing) not in SYMBOLS:
            return plain(frame)
        number = as_number(thing.term)
        if name == "pos":
            return _push(frame, 1, number)
        return _push(frame, 1, apply("-", 0 if name == "neg" else -1, number))

    return unary


@_checks("BINARY_OP")
def _binary(plain: Instruction, symbol: str, _: Decoded) -> Instruction:
    operator = symbol.removesuffix("=")
    name = BINARY[operator]
    methods = f"__{name}__", f"__r{name}__", f"__i{name}__"
    logical = _LOGICAL.get(operator, "")

    def binary(frame: Frame) -> int | None:
        stack = frame.stack
        left, right = stack[-2], stack[-1]
        kind, other = type(left), type(right)
        if kind not in SYMBOLS and other not in SYMBOLS:
            is_format = operator == "%" and kind in (str, bytes)
            return _on_numbers_within(frame, plain, 1) if is_format or kind is slice else plain(frame)
        if kind in NUMBERS and other in NUMBERS:
            if operator in _ALWAYS:
                one, another = term_of(left), term_of(right)
                if logical and is_truth(one) and is_truth(another):
                    return _push(frame, 2, apply(logical, one, another))
                return _push(frame, 2, apply(operator, as_number(one), as_number(another)))
            return _LESS_OFTEN.get(operator, _on_both)(frame, plain)
        user = other if kind in SYMBOLS else kind
        if any(python_method(user, each) for each in methods):
            return plain(frame)
        return _on_both(frame, plain)

    return binary


_LOGICAL = {"&": "and", "|": "or", "^": "xor"}
_ALWAYS = frozenset({"+", "-", "*", "&", "|", "^"})
"""Operators on any two numbers."""


def _on_both(frame: Frame, plain: Instruction) -> int | None:
    return _on_numbers(frame, plain, 1, 2)


def _divided(operator: str) -> Callable[[Frame, Instruction], int | None]:
    """Division splits the path: by 0 it raises what Python raises."""

    def divided(frame: Frame, plain: Instruction) -> int | None:
        left, right = (as_number(term_of(each)) for each in frame.stack[-2:])
        is_nought = apply("==", right, 0)
        known = _known(frame, is_nought)
        if known is NULL:
            return _retry(frame, is_nought)
        if known:
            frame.stack[-2:] = [1, 0]
            return plain(frame)
        return _push(frame, 2, apply(operator, left, right))

    return divided


def _shifted(sign: int) -> Callable[[Frame, Instruction], int | None]:
    """The distance has to be known: a number may grow without bound by it."""

    def shifted(frame: Frame, plain: Instruction) -> int | None:
        left, distance = frame.stack[-2:]
        if type(distance) in SYMBOLS:
            return _on_numbers(frame, lambda again: shifted(again, plain), 1)
        if type(left) not in SYMBOLS or not 0 <= distance <= MOST:
            return _on_numbers(frame, plain, 2)
        return _push(frame, 2, apply("<<", as_number(left.term), sign * distance))

    return shifted


def _power(frame: Frame, plain: Instruction) -> int | None:
    base, exponent = frame.stack[-2:]
    if type(exponent) in SYMBOLS:
        return _on_numbers(frame, lambda again: _power(again, plain), 1)
    if type(base) not in SYMBOLS or not 0 <= exponent <= MOST:
        return _on_numbers(frame, plain, 2)
    power: Part = 1
    for _ in range(exponent):
        power = apply("*", power, as_number(base.term))
    return _push(frame, 2, power)


_LESS_OFTEN: dict[str, Callable[[Frame, Instruction], int | None]] = {
    "//": _divided("//"),
    "%": _divided("%"),
    "<<": _shifted(1),
    ">>": _shifted(-1),
    "**": _power,
}
"""Operators that need to know something; all others need to know both operands."""


@_checks("COMPARE_OP")
def _compare(plain: Instruction, symbol: str, _: Decoded) -> Instruction:
    name, back = COMPARISONS[symbol]
    compared = COMPARED[name]
    methods = f"__{name}__", f"__{back}__", "__eq__"

    def compare(frame: Frame) -> int | None:
        stack = frame.stack
        left, right = stack[-2], stack[-1]
        kind, other = type(left), type(right)
        if kind not in SYMBOLS and other not in SYMBOLS:
            return _on_numbers_within(frame, plain, 1, 2) if kind is slice else plain(frame)
        if kind in NUMBERS and other in NUMBERS:
            return _push(frame, 2, compared(as_number(term_of(left)), as_number(term_of(right))))
        user = other if kind in SYMBOLS else kind
        if name in ("eq", "ne") and user in _NEVER_EQUAL:
            return _push(frame, 2, name == "ne")
        if any(python_method(user, each) for each in methods):
            return plain(frame)
        return _on_both(frame, plain)

    return compare


_NEVER_EQUAL = frozenset({type(None), str, bytes, list, tuple, dict, set, frozenset, range})
"""Classes of what equals no number."""


@_checks("IS_OP")
def _is(plain: Instruction, negated: int, decoded: Decoded) -> Instruction:
    """Of equal truths there is one, of equal numbers there may be several; models ask it before they compare."""
    if decoded.is_own and not decoded.code.co_filename.startswith(shipped.HIDDEN):
        return plain

    def is_(frame: Frame) -> int | None:
        one, other = frame.stack[-2:]
        if (type(one) not in SYMBOLS and type(other) not in SYMBOLS) or one is other:
            return plain(frame)
        mine, its = term_of(one), term_of(other)
        if mine is NotImplemented or its is NotImplemented or is_truth(mine) is not is_truth(its):
            return plain(frame)
        if not is_truth(mine):
            return _on_both(frame, plain)
        differ = apply("xor", mine, its)
        return _push(frame, 2, differ if negated else apply("not", differ))

    return is_


@_checks("CONTAINS_OP")
def _contains(plain: Instruction, _: Any, __: Decoded) -> Instruction:
    def contains(frame: Frame) -> int | None:
        item, things = frame.stack[-2:]
        kind = type(things)
        if type(item) in NUMBERS and (kind is list or kind is tuple) and NUMBERS.issuperset(map(type, things)):
            found: Part = False
            for each in things:
                found = apply("or", found, apply("==", as_number(term_of(item)), as_number(term_of(each))))
            return _push(frame, 2, found)
        if type(item) in SYMBOLS and kind is range:
            return _push(frame, 2, _in_range(as_number(item.term), things))
        if kind in SYMBOLS:
            return _on_numbers(frame, plain, 1)
        if type(lookup(kind, "__contains__")) is types.FunctionType or kind in (list, tuple):
            return plain(frame)
        return _on_numbers_within(frame, plain, 2)

    return contains


def _in_range(number: Part, things: range) -> Part:
    if not things:
        return False
    low, high = min(things[0], things[-1]), max(things[0], things[-1])
    inside = apply("and", apply("not", apply("<", number, low)), apply("not", apply("<", high, number)))
    step = abs(things.step)
    if step == 1:
        return inside
    return apply("and", inside, apply("==", apply("%", apply("-", number, low), step), 0))


# -- attributes and items ---------------------------------------------------------------


@_checks("LOAD_ATTR", "LOAD_METHOD")
def _load_attribute(plain: Instruction, name: str, decoded: Decoded) -> Instruction:
    """Loads an attribute of a symbol: all but its class is that of its number."""
    if name == "__class__" or decoded.code.co_filename == symbols.__file__:
        return plain
    return _operands(1)(plain, name, decoded)


CHECKED["DELETE_ATTR"] = _operands(1)


@_checks("STORE_ATTR")
def _store_attribute(plain: Instruction, name: str, _: Decoded) -> Instruction:
    def store_attribute(frame: Frame) -> int | None:
        value, thing = frame.stack[-2:]
        if type(thing) in SYMBOLS or (type(value) in SYMBOLS and _sets_natively(type(thing), name)):
            return _on_both(frame, plain)
        return plain(frame)

    return store_attribute


def _sets_natively(kind: type, name: str) -> bool:
    """Returns whether native code looks at what the attribute is set to."""
    return type(lookup(kind, name)) in _SETTERS and not kind.__flags__ & HEAP


_SETTERS = (types.GetSetDescriptorType, types.MemberDescriptorType)


@_checks("BINARY_SUBSCR", "DELETE_SUBSCR")
def _subscript(plain: Instruction, _: Any, __: Decoded) -> Instruction:
    def subscript(frame: Frame) -> int | None:
        thing, key = frame.stack[-2:]
        if type(key) in ATOMS and type(thing) not in SYMBOLS:
            return plain(frame)
        return _with_key(frame, plain, type(thing), 2, "__getitem__")

    return subscript


@_checks("STORE_SUBSCR")
def _store_subscript(plain: Instruction, _: Any, __: Decoded) -> Instruction:
    def store_subscript(frame: Frame) -> int | None:
        value, thing, key = frame.stack[-3:]
        keeps = type(thing) in (list, dict) or type(value) not in SYMBOLS
        if keeps and type(key) in ATOMS and type(thing) not in SYMBOLS:
            return plain(frame)
        return _with_key(frame, plain, type(thing), 2, "__setitem__")

    return store_subscript


def _with_key(frame: Frame, plain: Instruction, kind: type, place: int, name: str) -> int | None:
    """An instruction whose key, the topmost operand, has to be known unless code in Python is given it."""
    if kind in SYMBOLS:
        return _on_numbers(frame, plain, place)
    if python_method(kind, name) is not None or issubclass(kind, type):
        return plain(frame)
    return _on_numbers_within(frame, plain, 1)
