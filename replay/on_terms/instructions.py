"""Instructions of Python that look at an object otherwise than by its operators, and what each may do with a symbol.

`v is 3`, a key that a dictionary keeps, `v in range(n)`, a call of code in C:
nobody asks the symbol there. Everything that is not known is one of these.
"""

from __future__ import annotations

import dis
import functools
import re
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from replay.code.bytecode import CALLS, ITERATOR_ENTRIES, bytecode, taken_by_call
from replay.code.raw_memory import NOTHING_THERE
from replay.on_terms.calls import Call, has_attribute_of_number, has_plain_check, sets_plainly
from replay.on_terms.kinds import ATOMS, CONTAINERS, SYMBOLS, base_of, hands_on, is_plain, symbol_in
from replay.world.anatomy import looked_up

Operands = list[Any]


class Told(Exception):
    """Something could tell a symbol from a number: what, in the words of readers, and the symbol."""

    def __init__(self, what: str, symbol: Any) -> None:
        super().__init__(what)
        self.what = what
        self.symbol = symbol


Check = Callable[[Operands, dis.Instruction], bool | None]


class GuardedInstruction(NamedTuple):
    """An instruction that is looked at, and which entries of its frame it takes.

    check  raises Told; of what calls code in Python, returns whether that may hand symbols to it (`FEEDING`)
    """

    check: Check
    instruction: dis.Instruction
    first: int
    last: int


def _refuse(what: str, *values: object) -> None:
    """Raise Told if a symbol can be reached from one of these."""
    found = symbol_in(values)
    if found is not None:
        raise Told(what, found)


# -- what each does ------------------------------------------------------------------------


def _is(operands: Operands, _: dis.Instruction) -> None:
    one, other = operands
    for mine, its in ((one, other), (other, one)):
        if type(mine) in SYMBOLS and (type(its) in SYMBOLS or type(its) in (int, bool)):
            raise Told("`is`", mine)


def _binary(operands: Operands, instruction: dis.Instruction) -> None:
    """A symbol on the left asks its own operators, one on the right those of the left operand first."""
    left, right = operands
    if type(left) in SYMBOLS or (type(left) in ATOMS and type(right) in ATOMS):
        return
    if type(left) in (str, bytes) and instruction.argrepr in ("%", "%=") and not _is_plain_format(left):
        _refuse("a format", right)
    if not is_plain(left) or not (type(right) in SYMBOLS or is_plain(right)):
        _refuse("an operator", left, right)


def _is_plain_format(form: str | bytes) -> bool:
    """Whether no width and no character is given by a number, which C code looks at."""
    return isinstance(form, str) and "*" not in form and not re.search(r"%(\([^)]*\))?[^a-zA-Z%]*c", form)


def _compare(operands: Operands, _: dis.Instruction) -> None:
    left, right = operands
    if type(left) in ATOMS and type(right) in ATOMS:
        return
    if not (is_plain(left) and is_plain(right)):
        _refuse("a comparison", left, right)


def _contains(operands: Operands, _: dis.Instruction) -> None:
    item, container = operands
    base = base_of(type(container))
    if type(container) is range:
        if type(item) in SYMBOLS and len(container[:_FEW]) == _FEW:
            raise Told("`in` a long range", item)
    elif base is object:
        if not any(type(looked_up(type(container), name)) is FunctionType for name in _CONTAINING):
            _refuse("`in`", item)
    elif type(container) in _VIEWS or base in CONTAINERS:
        if not (is_plain(item) and (type(container) in _VIEWS or is_plain(container))):
            _refuse("`in`", item, container)
    elif not (type(item) is type(container) is str):
        _refuse("`in`", item, container)


_FEW = 32
"""Numbers of a range that are compared one by one."""

_CONTAINING = ("__contains__", "__iter__", "__getitem__")
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def _subscript(operands: Operands, _: dis.Instruction) -> None:
    owner, *keys = operands
    base = base_of(type(owner))
    if type(owner) in SYMBOLS:
        raise Told("a subscript", owner)
    if base is dict and not all(map(is_plain, keys)):
        _refuse("a key", *keys)
    if base is None and type(owner) is not range:
        _refuse("a subscript", *keys)


def _store_subscript(operands: Operands, _: dis.Instruction) -> None:
    value, owner, *keys = operands
    base = base_of(type(owner))
    if base is dict:
        _refuse("a key that is kept", *keys)
    elif type(owner) in SYMBOLS:
        raise Told("a subscript", owner)
    elif base is None:
        _refuse("a subscript", value, *keys)
    elif len(keys) > 1 and not hands_on(value):
        _refuse("a slice", value)


def _attribute(operands: Operands, instruction: dis.Instruction) -> None:
    if type(operands[0]) in SYMBOLS and not has_attribute_of_number(instruction.argval):
        raise Told(f"the attribute {instruction.argval}", operands[0])


def _store_attribute(operands: Operands, instruction: dis.Instruction) -> None:
    *value, owner = operands
    if type(owner) in SYMBOLS or (
        value and type(value[0]) not in ATOMS and not sets_plainly(owner, instruction.argval)
    ):
        _refuse(f"the attribute {instruction.argval}", owner, *value)


def _keeps_keys(operands: Operands, _: dis.Instruction) -> None:
    _refuse("a key that is kept", *(each for each in operands if type(each) not in ATOMS))


def _update_map(operands: Operands, instruction: dis.Instruction) -> None:
    if type(operands[0]) is not dict:
        _keeps_keys(operands, instruction)


def _goes_through(operands: Operands, _: dis.Instruction) -> bool:
    iterable = operands[0]
    if type(iterable) in SYMBOLS:
        raise Told("a loop", iterable)
    if hands_on(iterable):
        return True
    _refuse("an iterator", iterable)
    return False


def _no_symbol(operands: Operands, instruction: dis.Instruction) -> None:
    for each in operands:
        if type(each) in SYMBOLS:
            raise Told(instruction.opname.lower(), each)


def _show(operands: Operands, _: dis.Instruction) -> None:
    value, *form = operands
    if any(type(each) is not str for each in form) or not is_plain(value):
        _refuse("a text", value, *form)


def _match_class(operands: Operands, _: dis.Instruction) -> None:
    subject, kind, _names = operands
    if type(subject) in SYMBOLS and not has_plain_check(kind):
        raise Told("a class pattern", subject)


def _anything_else(operands: Operands, instruction: dis.Instruction) -> None:
    _refuse(instruction.opname.lower(), *operands)


def _call(operands: Operands, instruction: dis.Instruction, names: tuple[str, ...]) -> bool:
    """`names` are those of the last arguments, which from 3.13 on lie on the stack."""
    if instruction.opname == "CALL_KW":
        *operands, names = operands
    function, *given = (each for each in operands if each is not NOTHING_THERE)
    count = len(given) - len(names)
    return check_call(Call(function, given[:count], dict(zip(names, given[count:], strict=True))))


def _call_unpacked(operands: Operands, _: dis.Instruction) -> bool:
    function, given, *named = (each for each in operands if each is not NOTHING_THERE)
    if type(given) not in (tuple, list) or any(type(each) is not dict for each in named):
        _refuse("a call", given, *named)
        return False
    return check_call(Call(function, given, named[0] if named else {}))


def check_call(call: Call) -> bool:
    """Whether code in Python that a call runs may hand symbols to it. Raises Told if it must not be given its own."""
    if call.is_of_python:
        return True
    _, rule, feeds = call.entry() or (None, None, False)
    try:
        follows = rule is not None and rule(call.given, call.named)
    except LookupError:  # it lacks arguments
        follows = False
    if not follows:
        _refuse(call.name, call.function, call.given, call.named)
    return follows and feeds


_LOOPS = ("GET_ITER", "LIST_EXTEND", "UNPACK_SEQUENCE", "UNPACK_EX", "GET_YIELD_FROM_ITER")

_CHECKS: dict[str, tuple[Check, int]] = {
    **dict.fromkeys(_LOOPS, (_goes_through, 1)),
    **dict.fromkeys(("BEFORE_WITH", "LOAD_SPECIAL", "WITH_EXCEPT_START"), (_no_symbol, 1)),
    **dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD"), (_attribute, 1)),
    **dict.fromkeys(("SET_ADD", "SET_UPDATE"), (_keeps_keys, 1)),
    **dict.fromkeys(("DICT_UPDATE", "DICT_MERGE"), (_update_map, 1)),
    **dict.fromkeys(("FORMAT_SIMPLE", "CONVERT_VALUE"), (_show, 1)),
    "DELETE_ATTR": (_store_attribute, 1),
    "FOR_ITER": (_goes_through, ITERATOR_ENTRIES),
    "IS_OP": (_is, 2),
    "BINARY_OP": (_binary, 2),
    "COMPARE_OP": (_compare, 2),
    "CONTAINS_OP": (_contains, 2),
    **dict.fromkeys(("BINARY_SUBSCR", "DELETE_SUBSCR"), (_subscript, 2)),
    "STORE_ATTR": (_store_attribute, 2),
    "MAP_ADD": (lambda operands, each: _keeps_keys(operands[:1], each), 2),
    "FORMAT_WITH_SPEC": (_show, 2),
    "SEND": (_goes_through, ITERATOR_ENTRIES + 1),
    "STORE_SUBSCR": (_store_subscript, 3),
    "BINARY_SLICE": (_subscript, 3),
    "MATCH_CLASS": (_match_class, 3),
    "STORE_SLICE": (_store_subscript, 4),
}
"""Instructions that are looked at, and how many entries of the stack they take."""

_HARMLESS = re.compile(
    r"""
    (LOAD|STORE|DELETE)_(FAST|DEREF|GLOBAL|NAME|CLASSDEREF|CLOSURE|CONST|COMMON|LOCALS|FROM_DICT|SUPER|ASSERTION|BUILD_CLASS).*
    | (POP|PUSH|COPY|SWAP|JUMP|MAKE|RETURN|IMPORT|YIELD|UNARY|SETUP|END|LIST_APPEND|LIST_TO|CALL_INTRINSIC).*
    | BUILD_(TUPLE|LIST|SLICE|STRING|CONST_KEY_MAP) | MATCH_(MAPPING|SEQUENCE|KEYS) | CHECK_(EXC|EG)_MATCH | GET_LEN
    | CACHE | NOP | RESUME | RESERVED | EXTENDED_ARG | PRECALL | KW_NAMES | TO_BOOL | RAISE_VARARGS | RERAISE
    | SET_FUNCTION_ATTRIBUTE | CLEANUP_THROW
    """,
    re.VERBOSE,
)
"""Instructions that pass objects on, make tuples or lists of them, or ask operators only."""

FEEDING = frozenset({"CALL", "PRECALL", "CALL_KW", "CALL_FUNCTION_EX", "SEND", "FOR_ITER", *_LOOPS})
"""Instructions of which their check says whether what they call may hand symbols to them."""

OPERATORS = frozenset(
    {
        *("BINARY_OP", "COMPARE_OP", "CONTAINS_OP", "BINARY_SUBSCR", "BINARY_SLICE", "LOAD_ATTR", "LOAD_METHOD"),
        *("LOAD_SUPER_ATTR", "BEFORE_WITH", "UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT"),
        *("STORE_ATTR", "STORE_SUBSCR", "WITH_EXCEPT_START", "CALL_INTRINSIC_1"),
    }
)
"""Other instructions that hand on what a method in Python returns."""

CONVERSIONS = frozenset(
    {
        *("__bool__", "__hash__", "__index__", "__int__", "__float__", "__complex__", "__len__", "__length_hint__"),
        *("__str__", "__repr__", "__format__", "__bytes__", "__instancecheck__", "__subclasscheck__", "__sizeof__"),
        *("__trunc__", "__dir__", "__fspath__"),
    }
)
"""Methods of which Python wants a result of a certain type."""


class Looked(NamedTuple):
    """What is known of some code.

    places  the instructions that are looked at, by offset, with those that extend their arguments
    names   the instruction of each two bytes, caches included
    """

    code: CodeType
    places: dict[int, GuardedInstruction]
    names: list[str]

    def name_at(self, offset: int) -> str:
        """The instruction in which a frame stands that called another one: perhaps at the caches behind it."""
        place = offset // 2
        while self.names[place] == "CACHE":
            place -= 1
        return self.names[place]


_looked: dict[int, Looked] = {}
"""By identity, as code has its hash computed each time."""


def looked_at(code: CodeType) -> Looked:
    """What is known of some code. Raises Unkeyable."""
    found = _looked.get(id(code))
    if found is None:
        if len(_looked) > _KEPT:
            _looked.clear()
        names = [dis.opname[each] for each in code.co_code[::2]]
        found = _looked[id(code)] = Looked(code, dict(_places(code)), names)
    return found


_KEPT = 4_096
"""Pieces of code of which it is known what is looked at."""


def _places(code: CodeType) -> Iterator[tuple[int, GuardedInstruction]]:
    known = bytecode(code, False)
    slots = len(known.slots)
    names: tuple[str, ...] = ()
    extended: list[int] = []
    passed = 0
    for instruction, depth in known.depths():
        name, argument = instruction.opname, instruction.arg or 0
        if name == "EXTENDED_ARG":
            extended.append(instruction.offset)
            continue
        offsets, extended = [*extended, instruction.offset], []
        if name == "PRECALL":
            passed = argument  # of Python 3.11, which says here that they are gone
            continue
        if name == "KW_NAMES":
            names = code.co_consts[argument]
            continue
        found: tuple[Check, int] | None
        check: Check
        if name in CALLS:
            check = _call_unpacked if name == "CALL_FUNCTION_EX" else functools.partial(_call, names=names)
            found = check, taken_by_call(instruction)
            depth, names, passed = depth + passed, (), 0
        elif name in ("BUILD_MAP", "BUILD_SET"):
            pairs = name == "BUILD_MAP"
            check = (lambda operands, each: _keeps_keys(operands[::2], each)) if pairs else _keeps_keys
            found = check, argument * (1 + pairs)
        elif name == "FORMAT_VALUE":
            found = _show, 2 if argument & 4 else 1
        else:
            found = _CHECKS.get(name)
            if found is None and not _HARMLESS.fullmatch(name):
                found = _anything_else, depth
        if found is not None and depth >= 0:
            check, count = found
            place = GuardedInstruction(check, instruction, slots + depth - count, slots + depth)
            yield from ((offset, place) for offset in offsets)
