"""Functions and classes of C that are known to treat symbols as numbers, by identity, and with which arguments.

Nothing else may be given a symbol, whether directly, inside of something, or by
an iterator: code in C looks at types, and knows no symbols (`int.__add__`,
`json.dumps`, `functools.cache`).
"""

from __future__ import annotations

import _bisect
import _heapq
import _operator
import abc
import builtins
import functools
import itertools
import math
import numbers
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from string import Formatter
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

from replay.on_terms.kinds import NUMBERS, OF_C, SYMBOLS, base_of, hands_on, is_faithful, is_ours, is_plain, symbol_in
from replay.on_terms.symbols import ON_TERMS, Number
from replay.world.anatomy import held_by_class

Given = Sequence[Any]
Named = dict[str, Any]
Rule = Callable[[Given, Named], bool]
"""Whether a callable treats symbols among these arguments as numbers."""


# -- rules ---------------------------------------------------------------------------------


def _anything(given: Given, named: Named) -> bool:
    return True


def _of_an_object(given: Given, named: Named) -> bool:
    """It looks at its first argument, which is no number."""
    return bool(given) and type(given[0]) not in SYMBOLS


def _numbers(given: Given, named: Named) -> bool:
    return all(type(each) in NUMBERS or type(each) in SYMBOLS for each in (*given, *named.values()))


def _plain(given: Given, named: Named) -> bool:
    return all(map(is_plain, (*given, *named.values())))


def _iterable(given: Given, named: Named) -> bool:
    """It goes through the first, and perhaps others; numbers say how far."""
    known = (type(each) in SYMBOLS or type(each) in NUMBERS or hands_on(each) for each in given)
    return not named and all(known) and (not given or type(given[0]) not in SYMBOLS)


def _filled(given: Given, named: Named) -> bool:
    """The same of what fills its first argument, or an object of that class."""
    return not named and _iterable(given[1:], {})


def _next(given: Given, named: Named) -> bool:
    return hands_on(given[0])


def _one_object(given: Given, named: Named) -> bool:
    return len(given) == 1 and _of_an_object(given, named)


def _plain_items(given: Given, named: Named) -> bool:
    """It compares, or adds up, what an iterable holds."""
    key = named.get("key")
    rest = (each for name, each in named.items() if name != "key")
    iterables = (each for each in given if type(each) not in SYMBOLS and base_of(type(each)) in (object, None))
    return is_faithful(key) and all(map(hands_on, iterables)) and all(map(is_plain, (*_known(given), *rest)))


def _known(given: Given) -> list[object]:
    """What there is to be seen of arguments, iterators apart, which hand on what their code makes."""
    return [each for each in given if not hasattr(type(each), "__next__")]


def _sum(given: Given, named: Named) -> bool:
    items = given[0] if given and type(given[0]) in (list, tuple) else ()
    start = [*given[1:], *named.values()]
    return _plain_items(given, named) and _numbers([*items, *start], {})


def _lookup(given: Given, named: Named) -> bool:
    """It looks for a key that is given, or a symbol is among what else it is given."""
    return type(given[0]) not in SYMBOLS and (len(given) < 2 or is_plain(given[1]))


def _keeps_no_key(given: Given, named: Named) -> bool:
    """It keeps what it is given, and no symbol as a key: two may be equal on one path, and not on the next."""
    rest = given[1:]
    if any(type(each) is not dict for each in rest[:1]):
        return symbol_in([*rest[:1]]) is None
    return type(given[0]) not in SYMBOLS


def _setdefault(given: Given, named: Named) -> bool:
    return symbol_in(given[1]) is None


def _dict(given: Given, named: Named) -> bool:
    return _keeps_no_key((None, *given), named)


def _function_first(given: Given, named: Named) -> bool:
    return bool(given) and is_faithful(given[0]) and all(map(hands_on, given[1:]))


def _reduce(given: Given, named: Named) -> bool:
    return is_faithful(given[0]) and hands_on(given[1])


def _power(given: Given, named: Named) -> bool:
    """With a modulus, Python asks nobody but the base."""
    return _numbers(given, named) and not named and (len(given) < 3 or type(given[0]) in SYMBOLS)


def _attribute(given: Given, named: Named) -> bool:
    owner, name = given[0], given[1] if len(given) > 1 else None
    if type(owner) in SYMBOLS:
        return type(name) is str and has_attribute_of_number(name)
    return type(name) is str


def has_attribute_of_number(name: str) -> bool:
    """Whether a symbol has the attribute that its number has: it passes on what it does not have itself."""
    return name == "__class__" or not any(name in vars(kind) for kind in Number.__mro__)


def _isinstance(given: Given, named: Named) -> bool:
    return len(given) == 2 and has_plain_check(given[1])


def has_plain_check(kind: Any) -> bool:
    """Whether to ask for objects of a class is to ask for their `__class__`, or runs code in Python."""
    if type(kind) is tuple:
        return all(map(has_plain_check, kind))
    if type(kind) is UnionType:
        return all(map(has_plain_check, kind.__args__))
    check = looked_up(type(kind), "__instancecheck__")
    return check is vars(type)["__instancecheck__"] or type(check) is FunctionType


_ABSTRACT: tuple[object, ...] = (
    *(numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral, Hashable),
)
"""Abstract classes of which int is one, or is known to be none."""


def _abstract_check(given: Given, named: Named) -> bool:
    return any(given[0] is each for each in _ABSTRACT)


def _print(given: Given, named: Named) -> bool:
    return all(map(is_plain, given)) and symbol_in(named) is None


def _text(given: Given, named: Named) -> bool:
    return len(given) == 1 and not named and is_plain(given[0])


def _format(given: Given, named: Named) -> bool:
    return all(map(is_plain, given[:1])) and all(type(each) is str for each in given[1:])


def _fill_in(given: Given, named: Named) -> bool:
    """`str.format` may ask for attributes."""
    fields = (name or "" for _, name, _, _ in Formatter().parse(given[0])) if type(given[0]) is str else ["."]
    return not any("." in name or "[" in name for name in fields) and _plain(given, named)


def _set_attribute(given: Given, named: Named) -> bool:
    return len(given) > 1 and type(given[1]) is str and sets_plainly(given[0], given[1])


def sets_plainly(owner: object, name: str) -> bool:
    """Whether to set an attribute of an object is to keep what it is set to, or runs code in Python."""
    kind = type(owner)
    if kind in SYMBOLS:
        return False
    held, sets = looked_up(kind, name), looked_up(kind, "__setattr__")
    if type(held) is MemberDescriptorType:
        return base_of(held.__objclass__) is not None
    return type(sets) is FunctionType or (type(sets) is WrapperDescriptorType and not isinstance(held, OF_C))


# -- who they are --------------------------------------------------------------------------

Entry = tuple[object, Rule, bool]
"""A callable, its rule, and whether code in Python that it calls may give it symbols."""

_known_callables: dict[int, Entry] = {}


def _know(rule: Rule, *callables: object, fed: bool = False) -> None:
    _known_callables.update((id(each), (each, rule, fed)) for each in callables)


def _methods(kind: type, *names: str) -> list[object]:
    return [vars(kind)[name] for name in names]


_EXTREMES = [builtins.max, builtins.min, *ON_TERMS.values()]

_know(_plain_items, *_EXTREMES, sorted, any, all, vars(list)["sort"], fed=True)
_know(_sum, sum, math.prod, fed=True)
_know(_numbers, abs, divmod, round, hex, oct, bin, chr, float, complex, range, slice)
_know(_numbers, math.gcd, math.lcm, math.isqrt, math.comb, math.perm, math.factorial, math.sqrt, math.fabs)
_know(_numbers, math.floor, math.ceil, math.trunc)
_know(_power, pow)
_know(_text, bool, int, str, repr, ascii, hash)
_know(_print, print)
_know(_format, format)
_know(_fill_in, vars(str)["format"])
_know(_one_object, len, id, type)
_know(_one_object, iter, fed=True)
_know(_of_an_object, reversed, enumerate, fed=True)
_know(_next, next, fed=True)
_know(_iterable, list, tuple, zip, deque, itertools.chain, itertools.zip_longest, itertools.pairwise, fed=True)
_know(_iterable, itertools.islice, itertools.cycle, itertools.product, itertools.permutations, fed=True)
_know(_iterable, itertools.combinations, itertools.tee, fed=True)
_know(_anything, callable, itertools.repeat, functools.partial, super, property, staticmethod, classmethod)
_know(_function_first, map, filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile, fed=True)
_know(_reduce, functools.reduce, fed=True)
_know(_dict, dict)
_know(_isinstance, isinstance)
_know(_abstract_check, vars(abc)["_abc_instancecheck"])
_know(_attribute, getattr, hasattr)
_know(_set_attribute, setattr, delattr, *_methods(object, "__setattr__", "__delattr__"))
_know(_attribute, *_methods(object, "__getattribute__"))
_know(_anything, *_methods(object, "__init__", "__new__"), *_methods(BaseException, "__init__", "__new__"))
_know(_plain, *(vars(_operator)[name] for name in ("add", "sub", "mul", "floordiv", "mod", "eq", "ne", "lt", "le")))
_know(_plain, *(vars(_operator)[name] for name in ("gt", "ge", "and_", "or_", "xor", "lshift", "rshift", "truediv")))
_know(_plain, *(vars(_operator)[name] for name in ("neg", "pos", "invert", "abs", "not_", "truth", "index")))
_know(_plain, *(vars(_heapq)[name] for name in ("heappush", "heappop", "heapify", "heapreplace", "heappushpop")))
_know(_plain, *(vars(_bisect)[name] for name in ("bisect_left", "bisect_right", "insort_left", "insort_right")))
_know(_anything, *_methods(list, "append", "insert", "reverse", "copy", "clear", "pop", "__iter__", "__len__"))
_know(_iterable, *_methods(list, "extend"), *_methods(deque, "extend", "extendleft"), fed=True)
_know(_plain, *_methods(list, "index", "count", "remove", "__contains__", "__getitem__", "__setitem__", "__eq__"))
_know(_plain, *_methods(tuple, "index", "count", "__contains__", "__getitem__", "__eq__", "__hash__"))
_know(_filled, vars(tuple)["__new__"], *(vars(kind)["__init__"] for kind in (list, deque)), fed=True)
_know(_lookup, *_methods(dict, "get", "pop", "__contains__", "__getitem__"), *_methods(set, "discard", "remove"))
_know(_lookup, *_methods(set, "__contains__"), *_methods(frozenset, "__contains__"))
_know(_keeps_no_key, *_methods(dict, "update", "__setitem__"), *_methods(set, "add", "update"))
_know(_setdefault, *_methods(dict, "setdefault"))
_know(_anything, *_methods(dict, "keys", "values", "items", "copy", "clear", "popitem", "__iter__", "__len__"))
_know(_anything, *_methods(deque, "append", "appendleft", "pop", "popleft", "clear", "copy", "reverse", "rotate"))
_know(_plain, *_methods(deque, "index", "count", "remove", "insert"))
_know(_anything, *_methods(GeneratorType, "send", "__next__", "throw", "close"), fed=True)


class Call:
    """A call, as code in C or an instruction makes it: what is called in the end, and with what."""

    def __init__(self, function: Any, given: Given, named: Named | None = None) -> None:
        self.given = [*given]
        self.named = named or {}
        self.function = self._unwrapped(function)

    def _unwrapped(self, function: Any) -> Any:
        while True:
            kind = type(function)
            if kind is MethodType:
                self.given.insert(0, function.__self__)
                function = function.__func__
            elif kind is functools.partial:
                self.given = [*function.args, *self.given]
                self.named = {**function.keywords, **self.named}
                function = function.func
            elif kind in (BuiltinFunctionType, MethodWrapperType) and _is_bound(function.__self__):
                self.given.insert(0, function.__self__)
                return looked_up(type(function.__self__), function.__name__)
            else:
                return function

    @property
    def is_of_python(self) -> bool:
        """Whether it runs code in Python, and nothing else before that."""
        function = self.function
        kind = type(function)
        if kind in SYMBOLS:
            return False
        if kind is FunctionType:
            return not any(function is each for each in _EXTREMES)
        if isinstance(function, type):
            return is_ours(function) or _is_made_in_python(function)
        return is_ours(kind) or type(looked_up(kind, "__call__")) is FunctionType

    def entry(self) -> Entry | None:
        """What is known of a callable of C."""
        function = self.function
        found = _known_callables.get(id(function))
        if found is None and isinstance(function, type):
            return _entry_of_class(function)
        return found

    @property
    def name(self) -> str:
        """What readers call it."""
        function = self.function
        return f"{getattr(function, '__qualname__', type(function).__qualname__)}()"


def _is_bound(owner: object) -> bool:
    return owner is not None and not isinstance(owner, ModuleType | type)


def looked_up(kind: type, name: str) -> Any:
    """What the class of an object has by a name."""
    return held_by_class(kind.__mro__, name)


def _is_made_in_python(kind: type) -> bool:
    """Whether calling a class runs code in Python, and what makes any object."""
    if type(looked_up(type(kind), "__call__")) is FunctionType:
        return True
    if looked_up(type(kind), "__call__") is not vars(type)["__call__"]:
        return False
    new, init = looked_up(kind, "__new__"), looked_up(kind, "__init__")
    made = new is vars(object)["__new__"] or type(getattr(new, "__func__", None)) is FunctionType
    return made and (init is vars(object)["__init__"] or type(init) is FunctionType)


def _entry_of_class(kind: type) -> Entry | None:
    """That of what makes its objects: a class of C that is known, or an exception."""
    base = base_of(kind)
    if base is BaseException:
        return kind, _anything, False
    if base is None or base is object or type(kind) is not type:
        return None
    return _known_callables.get(id(base))
