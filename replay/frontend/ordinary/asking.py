"""How C code goes through a shared container that it asks for an iterator or a length: at once, or step by step.

The tables say it of each function of Python's. A function that is in none of them is refused where it asks, since
nobody knows whether other threads may come in between.
"""

from __future__ import annotations

import collections
import functools
import itertools
import json.encoder
import math
import operator
from array import array
from collections.abc import Iterable
from enum import Enum
from types import FrameType, FunctionType
from typing import Any

from replay.code.calling import DIRECT, Caller, called, caller_of, unwrapped
from replay.code.running_thread import refuse
from replay.frontend.ordinary.contents import runs_code
from replay.frontend.ordinary.identity import Identity


class Way(Enum):
    """How an iterable is gone through.

    STEPS  one item after the other: others may come in between
    ALL    at once
    PLAIN  a dict or a set at once, if no item has a method that is asked; all else one item after the other
    """

    STEPS = 0
    ALL = 1
    PLAIN = 2

    __hash__ = object.__hash__  # an enumeration's own is Python code


_ENCODER = vars(json.encoder)["c_make_encoder"]
"""It goes into whatever it finds, at any depth."""

_STEPPING = (
    iter, enumerate, zip, map, filter, reversed, functools.reduce, sum, min, max, any, all, math.prod, math.fsum,
    operator.countOf, operator.indexOf, vars(collections)["_count_elements"],
    *(vars(math)[each] for each in ("sumprod",) if hasattr(math, each)),
    *(vars(itertools)[each] for each in (
        "chain", "islice", "cycle", "takewhile", "dropwhile", "filterfalse", "accumulate", "starmap", "zip_longest",
        "tee", "pairwise", "groupby", "compress",
    )),
    *(vars(itertools)[each] for each in ("batched",) if hasattr(itertools, each)),
    vars(itertools.chain)["from_iterable"],
)  # fmt: skip
_HINTED = (
    list, tuple, sorted, bytes, bytearray, list.extend, list.__init__, list.__iadd__, str.join, bytes.join,
    bytearray.join, bytearray.extend, operator.iadd, operator.iconcat, vars(tuple)["__new__"], itertools.product,
    itertools.permutations, itertools.combinations, itertools.combinations_with_replacement, list.__setitem__,
)  # fmt: skip
"""What asks for a length first, to know how much room it needs, and goes through an iterable at once."""

_TAKING = (
    *_HINTED, collections.deque, array, array.extend, _ENCODER,
    *(vars(collections.deque)[each] for each in ("__init__", "extend", "extendleft", "__iadd__")),
)  # fmt: skip
_COMPUTING = (
    operator.contains, set, frozenset, dict, collections.OrderedDict, collections.defaultdict,
    dict.update, collections.OrderedDict.update, dict.__ior__, operator.ior, operator.or_,
    vars(dict)["fromkeys"], dict.__init__, vars(frozenset)["__new__"], set.__init__,
    *(vars(kind)[each] for kind in (set, frozenset) for each in (
        "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint",
    )),
    *(vars(set)[each] for each in (
        "update", "intersection_update", "difference_update", "symmetric_difference_update",
    )),
    *(vars(type({}.keys()))[each] for each in ("__and__", "__or__", "__sub__", "__xor__", "isdisjoint")),
)  # fmt: skip

WAYS: dict[int, Way] = {
    **dict.fromkeys(map(id, _STEPPING), Way.STEPS),
    **dict.fromkeys(map(id, _TAKING), Way.ALL),
    **dict.fromkeys(map(id, _COMPUTING), Way.PLAIN),
}
"""By the identity of functions and classes: they live as long as Python."""

_ALL_INSTRUCTIONS = (
    *("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "UNPACK_SEQUENCE", "UNPACK_EX"),
    *("BINARY_OP", "STORE_SUBSCR", "STORE_SLICE", "COMPARE_OP", "CALL_INTRINSIC_1", "LIST_TO_TUPLE"),
)
_LOOPS = ("GET_ITER", "GET_YIELD_FROM_ITER")


def takes_all(method: FrameType, things: tuple[object, ...], identity: Identity, *, is_table: bool) -> bool:
    """Whether the code that calls a method goes through a container at once, and lets nobody in between.

    `method` is the frame of the method. `things` are what the code may have of it: the container, and a view of it.
    `is_table` says whether the code asks a dict or a set, which functions that look up hold the lock of. Refuses code
    that is not known.
    """
    caller = caller_of(method)
    name = caller.instruction
    if name == DIRECT or name in _LOOPS:
        return False
    if name in _ALL_INSTRUCTIONS and (name not in _GOING or _is_given(caller, things)):
        return True
    if name == "CALL_FUNCTION_EX" and _is_given(caller, things):
        return True  # f(*thing)
    functions = [_ENCODER] if type(caller.function) is _ENCODER else called(caller, things)
    ways = {_way(each) for each in functions}
    if not caller.is_sure and (None not in ways or isinstance(caller.function, FunctionType)):
        return False
    if not ways and caller.function is not None and _way(unwrapped(caller.function, ())[0]) is not None:
        return False  # it goes through an iterator that code of its argument has made
    if None in ways or not ways:
        who = next((each for each in functions if _way(each) is None), caller.function)
        title = getattr(who, "__qualname__", None) or name or "code that nobody can look into"
        refuse(
            f"{title} is written in C, and nobody knows whether it goes through {identity} at once: give it a copy, "
            "as list(...) makes one"
        )
    return ways == {Way.ALL} or (
        is_table and Way.STEPS not in ways and _is_all_plain(caller, things, identity.load(""))
    )


_GOING = ("LIST_EXTEND", "SET_UPDATE", "UNPACK_SEQUENCE", "UNPACK_EX")


def _way(function: Any) -> Way | None:
    if isinstance(function, type):
        for each in function.__mro__:  # a class of the user's is made as the first one of Python's is
            found = WAYS.get(id(each))
            if found is not None:
                is_same = function.__init__ is each.__init__ and function.__new__ is each.__new__  # type: ignore[misc]
                return found if is_same else None
    return WAYS.get(id(function))


def _is_given(caller: Caller, things: tuple[object, ...]) -> bool:
    return any(id(each) in caller.addresses for each in things)


def _is_all_plain(caller: Caller, things: tuple[object, ...], content: Iterable[object]) -> bool:
    _, given = unwrapped(caller.function, caller.operands)
    others = [each for each in given if not any(each is thing for thing in things) and not isinstance(each, _OWN)]
    return not any(runs_code(each) for each in (*content, *others))


_OWN = (type, set, dict, frozenset)
"""What is beside an iterable is one of these where it is changed or made."""

_HINTED_BY = ("LIST_EXTEND", "SET_UPDATE", "CALL_FUNCTION_EX", "UNPACK_EX", "STORE_SUBSCR", "STORE_SLICE")
_HINTED_AT = frozenset(map(id, _HINTED))


def is_hint(method: FrameType, things: tuple[object, ...]) -> bool:
    """Whether a function asks for a length that will take all items, and only wants to know the room they need."""
    caller = caller_of(method)
    if caller.instruction in _HINTED_BY:
        return True
    if caller.instruction == "BINARY_OP":
        return caller.operator == "+="
    functions = called(caller, things)
    return bool(functions) and all(id(each) in _HINTED_AT for each in functions)


_IN_PLACE = frozenset(map(id, (operator.ior, operator.iand, operator.isub, operator.ixor)))


def is_in_place(method: FrameType) -> bool:
    """Whether an operator that is being computed changes what is on its left."""
    caller = caller_of(method)
    return caller.operator.endswith("=") or id(unwrapped(caller.function, ())[0]) in _IN_PLACE


def takes_rest(method: FrameType, iterator: object) -> bool:
    """Whether the function that advances an iterator goes on to its end, and lets no other thread in between."""
    caller = caller_of(method)
    if caller.instruction in ("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE"):
        return id(iterator) in caller.addresses
    return caller.is_sure and [_way(each) for each in called(caller, (iterator,))] == [Way.ALL]
