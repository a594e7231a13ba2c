"""The things to which the code of a thread may come, found before it runs: by name, with numbers for all of them.

Functions, classes and modules that a module defines, and code, are the same objects in every run, so a number says all
that their identity can tell. Code reaches them by the globals that it loads and by what a module or class holds. They
must not change, or not even a history would tell what a thread does next. Still they are looked at for each key: most
only have to be the same as at first; what can change is written each time.
"""

from __future__ import annotations

import enum
import functools
import operator
import sys
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Mapping
from re import Pattern
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any, NamedTuple

from replay.code.belonging import is_user_class
from replay.code.facts import UseSite, facts
from replay.code.lines import is_library_file, is_library_module
from replay.code.names import UNKNOWN, stands_for
from replay.code.reachable import reachable, user_functions
from replay.code.stateless import is_stateless, looks_behind
from replay.interpreter.natives import STANDS_FOR
from replay.world.anatomy import HEAP_TYPE, IMMUTABLE

_MISSING = object()


class Fixed:
    """Numbers such objects in the order of their first meeting, keeps them alive, and knows what they reach by name."""

    def __init__(self) -> None:
        self._reached: dict[tuple[int, int], Namespace] = {}
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []
        self._combined: dict[tuple[object, ...], int] = {}
        self._codes: dict[CodeType, int] = {}

    def number(self, thing: Any) -> int | None:
        """The number of a function, class or module that its module knows by its name, else None."""
        found = self._numbers.get(id(thing))
        return self.keep(thing) if found is None and (_is_model(thing) or _is_importable(thing)) else found

    def code_number(self, code: CodeType) -> int:
        """Code that was compiled anew, as `dataclass` does for each class, has the number of its equal."""
        found = self._numbers.get(id(code))
        if found is None:
            found = self._codes.get(code)
        if found is None:
            found = self._codes[code] = self.keep(code)
        return found

    def namespace_number(self, namespace: dict[str, Any]) -> int | None:
        """The number of a module's dictionary, None for any other that code was executed in."""
        found = self._numbers.get(id(namespace))
        return self.keep(namespace) if found is None and _is_of_module(namespace) else found

    def pair_number(self, parts: tuple[object, ...]) -> int:
        """The number of a combination of numbers."""
        return self._combined.setdefault(parts, len(self._combined))

    def keep(self, thing: object) -> int:
        """The number of an object, whatever it is, which lives from now on."""
        found = self._numbers.get(id(thing))
        if found is None:
            self._kept.append(thing)
            found = self._numbers[id(thing)] = len(self._numbers)
        return found

    def reached_by_code(self, code: CodeType, names: Mapping[str, Any]) -> Namespace:
        """Returns what code reaches whose global variables are `names`."""
        key = (self.code_number(code), id(names))
        found = self._reached.get(key)
        if found is None:
            found = self._reached[key] = Namespace(code, self, names)
        return found

    def reached_by_class(self, kind: type) -> Namespace:
        """Returns what a class holds that a module defines."""
        found = self._reached.get((-1, id(kind)))
        if found is None:
            found = self._reached[-1, id(kind)] = Namespace(kind, self)
        return found


def _is_of_module(namespace: dict[str, Any]) -> bool:
    module = sys.modules.get(str(namespace.get("__name__")))
    return "__spec__" in namespace or (module is not None and vars(module) is namespace)


def _is_model(thing: Any) -> bool:
    """Returns whether it is a class of the interpreter's library, which is named as the native class that it stands
    for."""
    return isinstance(thing, type) and thing in STANDS_FOR


def _is_importable(thing: Any) -> bool:
    if isinstance(thing, ModuleType):
        return sys.modules.get(thing.__name__) is thing
    if isinstance(thing, type) and not thing.__flags__ & HEAP_TYPE:
        return True
    if "<" in thing.__qualname__:
        return False
    found: object = sys.modules.get(str(thing.__module__), _MISSING)
    for name in thing.__qualname__.split("."):
        if not isinstance(found, ModuleType | type):
            return False
        found = vars(found).get(name, _MISSING)
    return found is thing


MISSING = object()
"""What is bound to a name that nothing is bound to."""

_PLAIN = (int, str, bool, bytes, float, complex, type(None), CodeType, range, BuiltinFunctionType)


class Binding(NamedTuple):
    """A name in a namespace: its number, how to get what is bound to it, and what that was when first looked at."""

    number: int
    get: Callable[[str, object], object]
    name: str
    value: object


class Namespace:
    """All that some code, or a class, reaches by name, directly or by way of functions.

    settled  places with values that cannot change, or are looked at elsewhere in this list; also names of `UNTOLD`
    open     places whose values may change
    """

    def __init__(self, root: object, fixed: Fixed, names: Mapping[str, Any] | None = None) -> None:
        self._kept = (root, names)
        self.settled: list[Binding] = []
        self.open: list[Binding] = []
        self._fixed = fixed
        self._seen: set[int] = set()
        self._found: list[object] = []
        """Code, and what it takes from modules of Python's library."""
        self._todo: list[tuple[object, Mapping[str, Any], Iterable[str]]] = []
        if isinstance(root, CodeType):
            assert names is not None
            self._reach_code(root, names)
        else:
            self._reach_class(root)
        while self._todo:
            owner, namespace, wanted = self._todo.pop()
            for name in wanted:
                self._place(owner, namespace, name)

    def changed(self) -> list[Binding]:
        """The places that may hold something else now than when this was made."""
        found = [place for place in self.settled if place.get(place.name, MISSING) is not place.value]
        return found + self.open if found else self.open

    @functools.cached_property
    def values(self) -> list[object]:
        """Constants, and what is inside of them: code may tell them by identity from what equals them."""
        todo: list[Any] = [*self._found, *(place.value for place in self.settled)]
        seen: set[int] = set()
        found: list[object] = []
        for each in todo:
            if id(each) in seen:
                continue
            seen.add(id(each))
            if isinstance(each, CodeType):
                todo += each.co_consts
            elif type(each) is FunctionType:
                todo += (*(each.__defaults__ or ()), *(each.__kwdefaults__ or {}).values())
            elif isinstance(each, staticmethod | classmethod):
                todo.append(each.__func__)
            elif has_identity(each):
                found.append(each)
                todo += each if type(each) in (tuple, frozenset) else ()
        return found

    def _place(self, owner: object, namespace: Mapping[str, Any], name: str) -> None:
        value = namespace.get(name, MISSING)
        place = Binding(self._fixed.pair_number((self._fixed.keep(owner), name)), namespace.get, name, value)
        if (name in UNTOLD and isinstance(owner, type)) or self._is_settled(value):
            self.settled.append(place)
        else:
            self.open.append(place)

    def _is_settled(self, value: object) -> bool:
        """Returns whether a value is as it is for good; what it reaches by name is looked at as well."""
        if value is MISSING or type(value) in _PLAIN or is_plain_tuple(value):
            return True
        if isinstance(value, staticmethod | classmethod):
            return self._is_settled(value.__func__)
        if isinstance(value, property):
            return all(self._is_settled(each) for each in (value.fget, value.fset, value.fdel))
        if type(value) is FunctionType:
            if is_bare(value):
                self._reach_code(value.__code__, value.__globals__)
            return is_bare(value)
        if isinstance(value, ModuleType):
            return True
        if isinstance(value, type) and self._fixed.number(value) is not None:
            self._reach_class(value)
            return True
        return type(value).__module__ == "builtins" and type(value).__name__.endswith("descriptor")

    def _reach_code(self, code: CodeType, namespace: Mapping[str, Any]) -> None:
        if id(code) in self._seen or is_library_file(code.co_filename):
            return
        self._seen.add(id(code))
        self._found.append(code)
        seen = facts(code)
        self._todo.append((namespace, namespace, seen.globals))
        for name in seen.globals:
            module = namespace.get(name)
            if isinstance(module, ModuleType) and is_library_module(module.__name__):
                self._found += (vars(module)[each] for each in seen.looked_up if each in vars(module))
            elif isinstance(module, ModuleType):
                self._todo.append(
                    (vars(module), vars(module), [each for each in seen.looked_up if each in vars(module)])
                )

    def _reach_class(self, root: Any) -> None:
        for each in root.__mro__:
            if id(each) not in self._seen and each is not object and not is_library_module(each.__module__):
                self._seen.add(id(each))
                self._todo.append((each, vars(each), [*told(each), *(name for name in vars(each) if name in UNTOLD)]))


UNTOLD = frozenset(
    {
        "__module__", "__dict__", "__weakref__", "__doc__", "__qualname__", "__annotations__", "__slots__",
        "__annotate_func__", "__annotations_cache__",
        "__firstlineno__", "__static_attributes__", "__match_args__", "__abstractmethods__", "_abc_impl",
        "__parameters__", "__orig_bases__", "__dataclass_params__", "__dataclass_fields__",
    }
)  # fmt: skip
"""Names in classes whose values follow from the text of the class, unless others are set, or that models cannot see."""


def told(kind: type) -> Iterator[str]:
    """The names in a class whose values matter; the members of an enumeration are what they are for good."""
    for name, value in vars(kind).items():
        if name not in UNTOLD and (not issubclass(kind, enum.Enum) or isinstance(value, _CODE)):
            yield name


_CODE = (FunctionType, property, staticmethod, classmethod)


def is_plain_tuple(value: object) -> bool:
    """Returns whether a value is a tuple, or a frozen set, of plain values only."""
    return type(value) in (tuple, frozenset) and all(
        type(each) in _PLAIN or is_plain_tuple(each)
        for each in value  # type: ignore[attr-defined]
    )


def is_bare(function: FunctionType) -> bool:
    """Returns whether a function holds nothing but code and plain defaults."""
    return not (
        function.__closure__
        or function.__dict__
        or (function.__defaults__ and not is_plain_tuple(function.__defaults__))
        or (function.__kwdefaults__ and not is_plain_tuple(tuple(function.__kwdefaults__.values())))
    )


class Reach:
    """The things to which some code may come.

    doubt       why no state of the thread has a key, in a few words; "" if nothing is against it
    identities  whether it may ask if two values are one object, where keys say only that they are equal
    ends        whether something may happen when an object is given up: a generator is closed, or it has a `__del__`
    names       what it may look up by name, as an attribute
    """

    def __init__(self, code: Callable[[], object], *, shares_objects: bool) -> None:
        """The code must not have run. `shares_objects`: it is that of ordinary classes, with all that Python has."""
        found = [thing for _, thing in reachable([("", code)]).values()]
        looked = [(each, facts(each.__code__)) for each in user_functions(found)]
        named = [
            (stands_for(use, each), use, each)
            for each, seen in looked
            for use in (*seen.uses, *(use.owner for use in seen.sets))
        ]
        things = [thing for thing, _, _ in named]
        self.names = frozenset[str]().union(
            *(seen.names for _, seen in looked), *(vars(each) for each in found if isinstance(each, type))
        )
        self.ends = shares_objects or "__del__" in self.names or any(seen.ends for _, seen in looked)
        self.identities = any(thing is each for thing in things for each in _BY_IDENTITY) or any(
            _may_tell(comparison, each) for each, seen in looked for comparison in seen.comparisons
        )
        if hidden := looks_behind(self.names):
            self.doubt = f"code that may use {hidden}"
        elif "register" in self.names and any(isinstance(each, ABCMeta) and not is_user_class(each) for each in things):
            self.doubt = "code that may register a class with an abstract one of Python's"
        else:
            harmful = (
                f"{use}, which may keep something ({each.__code__.co_filename}:{use.line})"
                for thing, use, each in named
                if not _is_harmless(thing)
            )
            self.doubt = next(harmful, "")


def _is_harmless(thing: object) -> bool:
    """Returns whether code may look this up: it keeps nothing, or is only known when code runs."""
    if type(thing) is dict and _is_of_module(thing):  # names that no code spells lead to its variables
        return False
    return thing is UNKNOWN or is_stateless(thing)


def _may_tell(comparison: UseSite, function: FunctionType) -> bool:
    """Returns whether a comparison may tell equal values apart: neither side is known to be an object that is there
    once."""
    things = (UNKNOWN if item.use is None else stands_for(item.use, function) for item in comparison.items)
    return all(thing is UNKNOWN or _is_written_as_value(type(thing)) for thing in things)


def _is_written_as_value(kind: type) -> bool:
    """Returns whether objects of a type are written by value, not by identity: numbers, texts, dates, views."""
    return kind in _VALUES or (kind in IMMUTABLE and kind is not object)  # which grows as modules are imported


_VALUES = (MethodType, BuiltinFunctionType, MethodWrapperType, MappingProxyType, Pattern)

_THERE_ONCE = range(-5, 257)
"""Whole numbers of which Python has one object each."""


def has_identity(value: object) -> bool:
    """Returns whether there may be two objects that are written as one value."""
    kind = type(value)
    return _is_written_as_value(kind) and not (kind is int and value in _THERE_ONCE)


_BY_IDENTITY = (id, operator.is_, operator.is_not, object.__eq__, object.__ne__, object.__hash__)
"""Functions that tell which object it is."""
