"""Programs that give a value which they have read to code in C, in every way, and to whatever else looks at types.

Each is a function of one number. A thread returns what it makes of a number that may be any of `VALUES`, so what it
returns is what the function makes of each, called directly.
"""

# ruff: noqa: B010, B035, C406, C408, C416, RUF005, SIM300, UP030, UP031, UP032

from __future__ import annotations

import array
import bisect
import builtins
import collections
import copy
import dataclasses
import decimal
import enum
import fractions
import functools
import heapq
import itertools
import json
import math
import numbers
import operator
import pickle
import re
import string
import struct
import typing
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

import mcr
from mcr.exploration.options import Options

VALUES = (-3, 0, 2)

Function = Callable[[Any], Any]

_LEFT_OUT = {
    *("input", "open", "exec", "eval", "breakpoint", "exit", "quit", "help", "print", "id", "compile", "__import__"),
    *("__build_class__", "locals", "vars", "dir", "globals", "object", "super", "memoryview", "copyright", "credits"),
    *("aiter", "anext", "license", "__init_subclass__", "__subclasshook__", "__sizeof__", "__dir__"),
    *("__reduce__", "__reduce_ex__", "__getstate__", "__new__", "_lru_cache_wrapper"),
    *("nextafter", "ulp", "count", "repeat", "cycle"),
}  # fmt: skip
"""What asks for the user, for addresses, or for what the thread has beside the number; and what never ends."""

_MODULES: tuple[Any, ...] = (builtins, operator, math, itertools, functools, heapq, bisect, struct)
_TYPES: tuple[type, ...] = (
    *(int, bool, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice),
    *(collections.deque, collections.OrderedDict, collections.Counter, array.array, fractions.Fraction),
)
_FURTHER: dict[str, Any] = {
    "json.dumps": json.dumps,
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda *given: pickle.loads(pickle.dumps(given)),
    "Decimal": decimal.Decimal,
    "cache": lambda *given: functools.cache(lambda *each: each)(*given),
    "lru_cache of C": lambda *given: functools.lru_cache(operator.neg)(*given),
    "cmp_to_key": lambda *given: sorted(given, key=functools.cmp_to_key(lambda a, b: a - b)),
    "itemgetter": lambda v, *rest: operator.itemgetter(v)([5, 6, 7]),
    "methodcaller": lambda v, *rest: operator.methodcaller("__add__", 1)(v),
    "Template": lambda v, *rest: string.Template("$v").substitute(v=v),
    "array": lambda *given: array.array("i", given),
    "isinstance of a protocol": lambda v, *rest: isinstance(v, typing.SupportsComplex),
    "isinstance of a number": lambda v, *rest: isinstance(v, numbers.Integral),
    "singledispatch": lambda v, *rest: _dispatched(v),
    "pow of three": lambda *given: [pow(2, each, 5) for each in given if each >= 0],
    "is_": lambda v, *rest: operator.is_(v == 0, True),
}


isinstance(1, typing.SupportsComplex)  # the first time changes the class for good, which no model may do


@functools.singledispatch
def _dispatched(value: object) -> str:
    return "object"


@_dispatched.register
def _(value: int) -> str:
    return "int"


def callables() -> dict[str, Any]:
    """Functions, methods and classes of C by name."""
    found: dict[str, Any] = dict(_FURTHER)
    for module in _MODULES:
        found.update((f"{module.__name__}.{name}", each) for name, each in _of_c(vars(module)))
    for kind in _TYPES:
        found.update((f"{kind.__name__}.{name}", getattr(kind, name)) for name, _ in _of_c(vars(kind)))
    return dict(sorted(found.items()))


def _of_c(namespace: Any) -> Iterator[tuple[str, Any]]:
    kinds = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, type)
    for name, each in sorted(namespace.items()):
        is_exception = isinstance(each, type) and issubclass(each, BaseException)
        if isinstance(each, kinds) and name not in _LEFT_OUT and not is_exception:
            yield name, each


class Box:
    """An object of a user, with methods that Python calls."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __index__(self) -> Any:
        return self.held

    def __eq__(self, other: object) -> Any:
        return self.held == other

    def __lt__(self, other: object) -> Any:
        return self.held < other

    def __hash__(self) -> Any:
        return self.held

    def __iter__(self) -> Iterator[Any]:
        yield self.held

    def __len__(self) -> Any:
        return self.held

    def __bool__(self) -> Any:
        return self.held

    def __str__(self) -> str:
        return f"Box({self.held})"

    __repr__ = __str__


@dataclasses.dataclass(frozen=True)
class Pair:
    """A value of a user."""

    one: Any
    other: Any = 0


class Colour(enum.IntEnum):
    RED = 2


class Point(typing.NamedTuple):
    x: Any
    y: Any = 1


SHAPES: dict[str, Callable[[Any, Any], Any]] = {
    "alone": lambda f, v: f(v),
    "first": lambda f, v: f(v, 2),
    "second": lambda f, v: f(2, v),
    "first of three": lambda f, v: f(v, 1, 2),
    "last of three": lambda f, v: f(1, 2, v),
    "twice": lambda f, v: f(v + 1, v),
    "a truth": lambda f, v: f(v > 0),
    "after a list": lambda f, v: f([1, 2, 0], v),
    "after a text": lambda f, v: f("abc", v),
    "after a dict": lambda f, v: f({0: 1, 2: 3}, v),
    "in a list": lambda f, v: f([v, 1]),
    "in a tuple": lambda f, v: f((v, 1)),
    "in a tuple, second": lambda f, v: f(1, (v, 1)),
    "in a dict": lambda f, v: f({"k": v}),
    "in a list, with another": lambda f, v: f([v, 1], [2]),
    "as a key": lambda f, v: f({v: "x"}),
    "in a set": lambda f, v: f({v, 1}),
    "in an object": lambda f, v: f(Box(v)),
    "in a value": lambda f, v: f(Pair(v)),
    "in a named tuple": lambda f, v: f(Point(v)),
    "generated": lambda f, v: f(each for each in (v, 1)),
    "generated, second": lambda f, v: f(list, (each for each in (v, 1))),
    "iterated": lambda f, v: f(iter([v, 1])),
    "mapped": lambda f, v: list(map(f, [v, 1])),
    "mapped in two": lambda f, v: list(map(f, [v, 1], [1, v])),
    "in a map": lambda f, v: f(map(operator.neg, [v, 1])),
    "partial": lambda f, v: functools.partial(f, v)(),
    "partial, named": lambda f, v: functools.partial(f, key=v)(1),
    "named": lambda f, v: f(1, key=v),
    "unpacked": lambda f, v: f(*(each for each in (v, 1))),
    "unpacked list": lambda f, v: f(*[v, 2]),
    "returned by a function": lambda f, v: f(lambda *_: v, [1, 2]),
    "returned by a key": lambda f, v: f([1, 2], key=lambda *_: v),
    "as a key function": lambda f, v: sorted([v, 1, 0], key=f),
    "as the key of max": lambda f, v: max(v, 1, key=f),
    "reduced": lambda f, v: functools.reduce(f, [v, 1, 2]),
    "accumulated": lambda f, v: list(itertools.accumulate([v, 1, 2], f)),
    "filtered": lambda f, v: list(filter(f, [v, 1])),
    "method": lambda f, v: getattr(v, f.__name__)(1),
    "in a helper": lambda f, v: (lambda *given: f(*given))(v, 1),
    "in a cache": lambda f, v: functools.cache(f)(v),
}
"""How something is called with a value."""


def _match(v: Any) -> str:
    match v:
        case True:
            return "true"
        case 0:
            return "zero"
        case Colour.RED:
            return "red"
        case bool():
            return "bool"
        case int(real=real):
            return f"int {real}"
    return "none"


def _match_in(v: Any) -> object:
    match {"a": [v, 1]}:
        case {"a": [0, *rest]}:
            return rest
        case {"a": [int() as one, other]} if one > 0:
            return one, other
    return None


def _attribute(v: Any) -> object:
    box = Box(1)
    box.held = v
    setattr(box, "other", v)
    return vars(box), hasattr(v, "term"), hasattr(v, "canonical"), getattr(v, "real", None)


def _closure(v: Any) -> object:
    held = [v]

    def add() -> Any:
        nonlocal v
        v += held[0]
        return v

    return add(), add()


def _raised(v: Any) -> object:
    try:
        raise ValueError(v, [v])
    except ValueError as error:
        return str(error), error.args, error.args[0] is v


class _Kind(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return type(instance) is int


class _Whole(metaclass=_Kind):
    pass


def _defined(v: Any) -> object:
    class Made:
        held = v

        def __class_getitem__(cls, key: object) -> object:
            return key

    return Made.held, Made[v], Made().held


CONSTRUCTS: dict[str, Function] = {
    "is a number": lambda v: (v is VALUES[1], v is VALUES[2]),
    "is not": lambda v: (v == 0) is not False,
    "is itself": lambda v: v is v,
    "is none": lambda v: (v is None, (v or None) is None),
    "type": lambda v: type(v) is int,
    "name of the type": lambda v: type(v).__name__,
    "type of a truth": lambda v: type(v > 0),
    "class": lambda v: (v.__class__, (v > 0).__class__.__name__),
    "attributes": _attribute,
    "a method of int": lambda v: (v.__add__(1), v.__eq__("x"), v.bit_length(), v.conjugate()),
    "match": lambda v: (_match(v), _match(v > 0)),
    "match in a container": _match_in,
    "f-string": lambda v: (f"{v}", f"{v!r:>5}", f"{v:+d}", f"{[v]}", f"{v:{abs(v) + 3}d}"),
    "format": lambda v: ("{} {x:03d}".format(v, x=v), "%s %r" % (v, [v]), "%(a)d" % {"a": v}),
    "width of a format": lambda v: "%*d" % (v, 5),
    "character of a format": lambda v: "%c" % abs(v),
    "attribute of a format": lambda v: "{0.real}".format(v),
    "slices": lambda v: ("abcdef"[v:], [1, 2, 3, 4][:v], (1, 2, 3)[v : v + 2], "abc"[v - v]),
    "assigned slices": lambda v: _assigned(v),
    "index": lambda v: ([5, 6, 7][v], "abc"[v], range(9)[v], (1, 2, 3)[v]),
    "bytes": lambda v: (bytes([abs(v)]), bytes(abs(v)), bytearray([1])[v - v]),
    "in": lambda v: (v in [0, 1], v in {0, 1}, v in {0: 1}, v in range(5), 2 in [v], (v,) in [(2,)]),
    "in a long range": lambda v: v in range(10**7 + 1),
    "in a text": lambda v: v in "abc",
    "keys": lambda v: ({v: 1}, {v for _ in range(2)}, {v: v for _ in range(1)}, dict([(v, 2)]), dict(a=v)),
    "keys of one path": lambda v: _keys(v),
    "a set that grows": lambda v: _grown({1, 2}, v),
    "counters": lambda v: (collections.Counter([v, v, 1]), collections.defaultdict(list, {v: [1]})),
    "setdefault": lambda v: {0: "x"}.setdefault(v, "y"),
    "sorting": lambda v: (sorted([v, 1, 0]), sorted([(v, 1), (0, 2)], reverse=True), sorted([v, 0.5])),
    "unpacking": lambda v: [*[v], *(each for each in (v,))] + [*range(abs(v))],
    "loops": lambda v: [each for each in range(v)] + [each for each in [v]],
    "a loop over it": lambda v: [each for each in v],
    "subscript of it": lambda v: v[0],
    "a call of it": lambda v: v(),
    "length of it": lambda v: len(v),
    "attribute set": lambda v: setattr(v, "x", 1),
    "with": lambda v: _with(v),
    "raised": _raised,
    "raising it": lambda v: _raise(v),
    "cause": lambda v: isinstance(v, (_Whole, str)),
    "isinstance": lambda v: (isinstance(v, int), isinstance(v, bool), isinstance(v > 0, bool | str)),
    "issubclass": lambda v: issubclass(v.__class__, int),
    "hash": lambda v: (hash(v), hash((v, 1)), hash(v) == hash(v + 0)),
    "closure": _closure,
    "classes": _defined,
    "power": lambda v: (v**2, 2 ** abs(v), v ** (v + 3), (v + 3) ** 70),
    "shifts": lambda v: (v << 2, v >> 1, 1 << abs(v), v << 70),
    "division": lambda v: (v / 2, v // 2, v % 3, divmod(v, 2), -v // 2),
    "floats": lambda v: (v + 0.5, v * 1.0, v == 0.0, v < 0.5, round(v + 0.4)),
    "fractions": lambda v: (fractions.Fraction(1, 2) + v, v + fractions.Fraction(1, 2), v + 1j),
    "decimals": lambda v: (decimal.Decimal(1) + v, v + decimal.Decimal(1), v == decimal.Decimal(2)),
    "enums": lambda v: (Colour.RED == v, v == Colour.RED, v + Colour.RED, Colour.RED + v),
    "bad operands": lambda v: v + "x",
    "bad operands of a list": lambda v: [1] + v,
    "bad comparison": lambda v: v < "x",
    "repeated": lambda v: ("ab" * v, v * [1], (1,) * v),
    "objects": lambda v: (Box(v) == 2, Box(v) < 1, Pair(v) == Pair(2), Point(v) == (2, 1), Point(v) < (0, 0)),
    "truth of an object": lambda v: bool(Box(v)),
    "hash of an object": lambda v: hash(Box(v)),
    "beside a class with a metaclass": lambda v: str((v, numbers.Number)),
    "length of an object": lambda v: len(Box(abs(v))),
    "index by an object": lambda v: [5, 6, 7][Box(v)],
    "replaced": lambda v: dataclasses.replace(Pair(1), other=v),
    "as a dict": lambda v: (dataclasses.asdict(Pair(v)), Point(v)._asdict(), Point(v)._replace(y=v)),
    "an enum": lambda v: Colour(v),
    "heap": lambda v: _heap(v),
    "bisect": lambda v: (bisect.bisect([0, 1, 2], v), bisect.bisect_left([v, 5], 1)),
    "deque": lambda v: (collections.deque([v, 1], maxlen=1), collections.deque([1, 2, 3])[v]),
    "chain": lambda v: list(itertools.chain([v], (v + 1,))) + list(itertools.islice([1, 2, 3], abs(v))),
    "zip": lambda v: list(zip([v, 1], enumerate([v]), strict=False)),
    "any": lambda v: (any([v, 0]), all([v, 1]), sum([v, 1], start=2), any(each > 0 for each in (v, 1))),
    "mapping C": lambda v: next(map(int.__neg__, [v])),
    "mapping C later": lambda v: _mapped_later(v),
    "filter of C": lambda v: list(filter((0).__eq__, [v, 0])),
    "star map": lambda v: list(itertools.starmap(pow, [(2, abs(v))])),
    "regular expression": lambda v: re.sub("x", str(v), "axb"),
    "sub by a function": lambda v: re.sub("x", lambda _: v, "axb"),
    "join": lambda v: "-".join([str(v), "x"]),
    "join of it": lambda v: "-".join([v]),
    "to bytes": lambda v: abs(v).to_bytes(2, "big"),
    "as integer ratio": lambda v: (v.as_integer_ratio(), v.numerator, v.denominator),
}  # fmt: skip
"""What else code may do with a value that it has read."""


def _assigned(v: Any) -> object:
    held = [1, 2, 3]
    held[v - v :] = [v]
    held[0:0] = (each for each in (v, 1))
    del held[v - v]
    return held


def _keys(v: Any) -> object:
    table = {}
    table[v] = 1
    table[v + 0] = 2
    return table, table.get(v), table.pop(v), v in table


def _grown(held: set[Any], v: Any) -> object:
    held.add(v)
    held |= {v + 1}
    held.discard(v)
    return sorted(held)


def _with(v: Any) -> None:
    with v:
        pass


def _raise(v: Any) -> None:
    raise v


def _heap(v: Any) -> object:
    held = [3, 1]
    heapq.heapify(held)
    heapq.heappush(held, v)
    return held, heapq.heappushpop(held, v + 1)


def _mapped_later(v: Any) -> object:
    held: list[Any] = []
    later = map(json.dumps, held)
    held.append(v)
    return list(later)


def functions() -> dict[str, Function]:
    """All of them, by name."""
    found = dict(CONSTRUCTS)
    for name, callable in callables().items():
        for shape, call in SHAPES.items():
            found[f"{name}, {shape}"] = functools.partial(call, callable)
    return found


def shown(function: Function, value: Any) -> str:
    """What a function makes of a value, whatever that is."""
    try:
        made = function(value)
        if not isinstance(made, int) and hasattr(made, "__next__"):
            made = list(itertools.islice(made, 4))
        text = str(made) if isinstance(made, int) else f"{type(made).__name__} {made!r}"
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    return re.sub("0x[0-9a-f]+", "0x", text)


class _Shared:
    pass


def program_of(function: Function) -> mcr.Program:
    """A program, a thread of which reads any of `VALUES`, and returns what the function makes of that."""

    @mcr.program
    def telling(p):  # type: ignore[no-untyped-def]
        _tell(p, function)

    return telling


def ordinary_program_of(function: Function) -> mcr.Program:
    """The same, where an object of an ordinary class is shared as well."""

    @mcr.program
    def telling(p):  # type: ignore[no-untyped-def]
        p.share(_Shared())
        _tell(p, function)

    return telling


def _tell(p: Any, function: Function) -> None:
    x = p.var("x", VALUES[0])

    def writer() -> None:
        for value in VALUES[1:]:
            x.store(value)

    p.thread(writer)
    thread = p.thread(lambda: shown(function, x.load()))
    p.final(lambda: thread.join())


def difference(function: Function, *, ordinary: bool = False) -> str | None:
    """How code on terms differs from code on values, "" if it does not; None for what no model may have."""
    program = ordinary_program_of(function) if ordinary else program_of(function)
    options = Options(shorten=False, timeout=60)
    try:
        result = mcr.check(program, "sc", objective="outcomes", algorithm="bmc", options=options)
    except mcr.ModelError as error:
        try:
            mcr.check(program, "sc", objective="outcomes", algorithm="cover", options=options)
        except mcr.ModelError:
            return None
        return f"refused: {error}"
    expected = {repr(shown(function, value)) for value in VALUES}
    lines = [f"missed {each}" for each in sorted(expected - set(result.outcomes))]
    lines += [f"impossible {each}" for each in sorted(set(result.outcomes) - expected)]
    if result.verdict is not mcr.Verdict.VERIFIED:
        lines.append(f"{result.verdict.value}: {result.stop}")
    return "; ".join(lines)
