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
import types
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from string import Formatter
from typing import Any

from replay.on_terms.kinds import NUMBERS, OF_C, SYMBOLS, base_of, hands_on, is_faithful, is_ours, is_plain, symbol_in
from replay.on_terms.symbols import ON_TERMS, Number
from replay.world.anatomy import looked_up

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


def _one_object(given: Given, named: Named) -> bool:
    return len(given) == 1 and _of_an_object(given, named)


def _numbers(given: Given, named: Named) -> bool:
    return all(type(each) in NUMBERS or type(each) in SYMBOLS for each in (*given, *named.values()))


def _plain(given: Given, named: Named) -> bool:
    return all(map(is_plain, (*given, *named.values())))


def _text(given: Given, named: Named) -> bool:
    return len(given) == 1 and not named and is_plain(given[0])


def _iterable(given: Given, named: Named) -> bool:
    """It goes through the first, and perhaps others; numbers say how far."""
    known = (type(each) in SYMBOLS or type(each) in NUMBERS or hands_on(each) for each in given)
    return not named and all(known) and (not given or type(given[0]) not in SYMBOLS)


def _filled(given: Given, named: Named) -> bool:
    """The same of what fills its first argument, or an object of that class."""
    return not named and _iterable(given[1:], {})


def _plain_items(given: Given, named: Named) -> bool:
    """It compares, or adds up, what an iterable holds. Of iterators their code hands on what it makes."""
    key = named.get("key")
    rest = (each for name, each in named.items() if name != "key")
    iterables = (each for each in given if type(each) not in SYMBOLS and base_of(type(each)) in (object, None))
    known = (each for each in given if not hasattr(type(each), "__next__"))
    return is_faithful(key) and all(map(hands_on, iterables)) and all(map(is_plain, (*known, *rest)))


def _sum(given: Given, named: Named) -> bool:
    items = given[0] if given and type(given[0]) in (list, tuple) else ()
    return _plain_items(given, named) and _numbers([*items, *given[1:], *named.values()], {})


def _lookup(given: Given, named: Named) -> bool:
    """It looks for a key that is given, or a symbol is among what else it is given."""
    return type(given[0]) not in SYMBOLS and (len(given) < 2 or is_plain(given[1]))


def _keeps_no_key(given: Given, named: Named) -> bool:
    """It keeps what it is given, and no symbol as a key: two may be equal on one path, and not on the next."""
    filled_with = [*given[1:2]]
    if any(type(each) is not dict for each in filled_with):
        return symbol_in(filled_with) is None
    return type(given[0]) not in SYMBOLS


def _power(given: Given, named: Named) -> bool:
    """With a modulus, Python asks nobody but the base."""
    return _numbers(given, named) and not named and (len(given) < 3 or type(given[0]) in SYMBOLS)


def _attribute(given: Given, named: Named) -> bool:
    owner, name = given[0], given[1] if len(given) > 1 else None
    return type(name) is str and (type(owner) not in SYMBOLS or has_attribute_of_number(name))


def has_attribute_of_number(name: str) -> bool:
    """Whether a symbol has the attribute that its number has: it passes on what it does not have itself."""
    return name == "__class__" or not any(name in vars(kind) for kind in Number.__mro__)


def has_plain_check(kind: Any) -> bool:
    """Whether to ask for objects of a class is to ask for their `__class__`, or runs code in Python."""
    if type(kind) is tuple:
        return all(map(has_plain_check, kind))
    if type(kind) is types.UnionType:
        return all(map(has_plain_check, kind.__args__))
    check = looked_up(type(kind), "__instancecheck__")
    return check is vars(type)["__instancecheck__"] or type(check) is types.FunctionType


_ABSTRACT: tuple[object, ...] = (
    *(numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral, Hashable),
)
"""Abstract classes of which int is one, or is known to be none."""


def _fill_in(given: Given, named: Named) -> bool:
    """`str.format` may ask for attributes."""
    fields = (name or "" for _, name, _, _ in Formatter().parse(given[0])) if type(given[0]) is str else ["."]
    return not any("." in name or "[" in name for name in fields) and _plain(given, named)


def sets_plainly(owner: object, name: str) -> bool:
    """Whether to set an attribute of an object is to keep what it is set to, or runs code in Python."""
    kind = type(owner)
    if kind in SYMBOLS:
        return False
    held, sets = looked_up(kind, name), looked_up(kind, "__setattr__")
    if type(held) is types.MemberDescriptorType:
        return base_of(held.__objclass__) is not None
    return type(sets) is types.FunctionType or (
        type(sets) is types.WrapperDescriptorType and not isinstance(held, OF_C)
    )


# -- who they are --------------------------------------------------------------------------

Entry = tuple[object, Rule, bool]
"""A callable, its rule, and whether code in Python that it calls may give it symbols."""


def _of(home: object, names: str) -> list[object]:
    """What a class or a module has for these names."""
    return [vars(home)[name] for name in names.split()]


_EXTREMES = [builtins.max, builtins.min, *ON_TERMS.values()]

_FED: tuple[tuple[Rule, Iterable[object]], ...] = (
    (_plain_items, (*_EXTREMES, sorted, any, all, vars(list)["sort"])),
    (_sum, (sum, math.prod)),
    (_one_object, (iter,)),
    (_of_an_object, (reversed, enumerate)),
    (lambda given, named: hands_on(given[0]), (next,)),
    (_iterable, (list, tuple, zip, deque, itertools.tee, *_of(list, "extend"), *_of(deque, "extend extendleft"))),
    (_iterable, _of(itertools, "chain zip_longest pairwise islice cycle product permutations combinations")),
    (
        lambda given, named: bool(given) and is_faithful(given[0]) and all(map(hands_on, given[1:])),
        (map, filter, *_of(itertools, "filterfalse takewhile dropwhile")),
    ),
    (lambda given, named: is_faithful(given[0]) and hands_on(given[1]), (functools.reduce,)),
    (_filled, (*_of(tuple, "__new__"), *_of(list, "__init__"), *_of(deque, "__init__"))),
    (_anything, _of(types.GeneratorType, "send __next__ throw close")),
)
"""Code in Python that these call may give them symbols."""

_NOT_FED: tuple[tuple[Rule, Iterable[object]], ...] = (
    (_numbers, (abs, divmod, round, hex, oct, bin, chr, float, complex, range, slice)),
    (_numbers, _of(math, "gcd lcm isqrt comb perm factorial sqrt fabs floor ceil trunc")),
    (_power, (pow,)),
    (_text, (bool, int, str, repr, ascii, hash)),
    (lambda given, named: all(map(is_plain, given)) and symbol_in(named) is None, (print,)),
    (lambda given, named: all(map(is_plain, given[:1])) and all(type(each) is str for each in given[1:]), (format,)),
    (_fill_in, _of(str, "format")),
    (_one_object, (len, id, type)),
    (_anything, (callable, itertools.repeat, functools.partial, super, property, staticmethod, classmethod)),
    (lambda given, named: _keeps_no_key((None, *given), named), (dict,)),
    (lambda given, named: len(given) == 2 and has_plain_check(given[1]), (isinstance,)),
    (lambda given, named: any(given[0] is each for each in _ABSTRACT), _of(abc, "_abc_instancecheck")),
    (_attribute, (getattr, hasattr, *_of(object, "__getattribute__"))),
    (
        lambda given, named: len(given) > 1 and type(given[1]) is str and sets_plainly(given[0], given[1]),
        (setattr, delattr, *_of(object, "__setattr__ __delattr__")),
    ),
    (_anything, (*_of(object, "__init__ __new__"), *_of(BaseException, "__init__ __new__"))),
    (_plain, _of(_operator, "add sub mul floordiv mod eq ne lt le gt ge and_ or_ xor lshift rshift truediv")),
    (_plain, _of(_operator, "neg pos invert abs not_ truth index")),
    (_plain, _of(_heapq, "heappush heappop heapify heapreplace heappushpop")),
    (_plain, _of(_bisect, "bisect_left bisect_right insort_left insort_right")),
    (_anything, _of(list, "append insert reverse copy clear pop __iter__ __len__")),
    (_plain, _of(list, "index count remove __contains__ __getitem__ __setitem__ __eq__")),
    (_plain, _of(tuple, "index count __contains__ __getitem__ __eq__ __hash__")),
    (_lookup, _of(dict, "get pop __contains__ __getitem__")),
    (_lookup, (*_of(set, "discard remove __contains__"), *_of(frozenset, "__contains__"))),
    (_keeps_no_key, (*_of(dict, "update __setitem__"), *_of(set, "add update"))),
    (lambda given, named: symbol_in(given[1]) is None, _of(dict, "setdefault")),
    (_anything, _of(dict, "keys values items copy clear popitem __iter__ __len__")),
    (_anything, _of(deque, "append appendleft pop popleft clear copy reverse rotate")),
    (_plain, _of(deque, "index count remove insert")),
)

_known_callables: dict[int, Entry] = {
    id(each): (each, rule, fed)
    for fed, rows in ((True, _FED), (False, _NOT_FED))
    for rule, callables in rows
    for each in callables
}


class Call:
    """A call, as code in C or an instruction makes it: what is called in the end, and with what."""

    def __init__(self, function: Any, given: Given, named: Named | None = None) -> None:
        self.given = [*given]
        self.named = named or {}
        self.function = self._unwrapped(function)

    def _unwrapped(self, function: Any) -> Any:
        while True:
            kind = type(function)
            if kind is types.MethodType:
                self.given.insert(0, function.__self__)
                function = function.__func__
            elif kind is functools.partial:
                self.given = [*function.args, *self.given]
                self.named = {**function.keywords, **self.named}
                function = function.func
            elif kind in (types.BuiltinFunctionType, types.MethodWrapperType) and not isinstance(
                function.__self__, types.ModuleType | type | None
            ):
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
        if kind is types.FunctionType:
            return not any(function is each for each in _EXTREMES)
        if isinstance(function, type):
            return is_ours(function) or _is_made_in_python(function)
        return is_ours(kind) or type(looked_up(kind, "__call__")) is types.FunctionType

    def entry(self) -> Entry | None:
        """What is known of a callable of C."""
        function = self.function
        found = _known_callables.get(id(function))
        if found is not None or not isinstance(function, type):
            return found
        base = base_of(function)  # what makes the objects of a class: a class of C that is known, or an exception
        if base is BaseException:
            return function, _anything, False
        return None if base is object or type(function) is not type else _known_callables.get(id(base))

    @property
    def name(self) -> str:
        """What readers call it."""
        function = self.function
        return f"{getattr(function, '__qualname__', type(function).__qualname__)}()"


def _is_made_in_python(kind: type) -> bool:
    """Whether calling a class runs code in Python, and what makes any object."""
    if type(looked_up(type(kind), "__call__")) is types.FunctionType:
        return True
    if looked_up(type(kind), "__call__") is not vars(type)["__call__"]:
        return False
    new, init = looked_up(kind, "__new__"), looked_up(kind, "__init__")
    made = new is vars(object)["__new__"] or type(getattr(new, "__func__", None)) is types.FunctionType
    return made and (init is vars(object)["__init__"] or type(init) is types.FunctionType)
