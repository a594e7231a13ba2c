"""Symbols that can be reached from objects, and the numbers that the running thread puts in their place.

On the path that a thread has decided to go, a symbol is its number, so nobody can tell that the one was exchanged for
the other. What holds symbols and cannot be given numbers is left as it is.
"""

from __future__ import annotations

import functools
import gc
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from replay.interpreter.copied import own_slots
from replay.interpreter.frame import NULL, held_in
from replay.interpreter.lookup import ATOMS, HEAP, python_method
from replay.on_terms.symbols import SYMBOLS

MOST = 20_000
"""Objects that are looked at for symbols."""

_OPAQUE = (type, types.ModuleType, types.CodeType, types.FrameType)
"""What may reach nearly everything, and is nothing that native code looks for numbers in."""

_OURS = "replay."


class TooManyObjects(Exception):
    """There is more than anybody wants to look at."""


def _is_ours(kind: type) -> bool:
    """Returns whether a class is one of this package, other than what stands for objects of Python's."""
    module = types_module(kind)
    return type(module) is str and module.startswith(_OURS)


types_module = type.__dict__["__module__"].__get__


def _held(value: Any) -> Iterator[Any] | list[Any]:
    """Returns what an object holds."""
    kind = type(value)
    if kind is types.FunctionType:
        cells = value.__closure__ or ()
        return [*cells, value.__defaults__, value.__kwdefaults__]
    if issubclass(kind, _OPAQUE) or _is_ours(kind):
        return []
    if issubclass(kind, BaseException):
        others = value.__cause__, value.__context__, value.__traceback__
        return [each for each in gc.get_referents(value) if not any(each is other for other in others)]
    return gc.get_referents(value)


def symbol_in(values: Any) -> Any:
    """A symbol that can be reached from these objects, None if there is none. Raises TooManyObjects."""
    todo = list(values)
    seen: dict[int, Any] = {}
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind in SYMBOLS:
            return value
        if kind in ATOMS or id(value) in seen:
            continue
        seen[id(value)] = value
        if len(seen) > MOST:
            raise TooManyObjects
        todo += _held(value)
    return None


def runs_code(values: Any) -> bool:
    """Returns whether one of these is an iterator of Python code, which could make symbols while native code asks
    it."""
    return any(type(each) not in ATOMS and python_method(type(each), "__next__") for each in values)


def with_numbers(values: list[Any], number_of: Callable[[Any], Any]) -> list[Any]:
    """These objects, and all that can be reached from them, with numbers in the place of symbols."""
    todo: list[Any] = []
    fixed: dict[int, tuple[Any, Any]] = {}

    def of(value: Any) -> Any:
        kind = type(value)
        if kind in SYMBOLS:
            return number_of(value)
        if kind in ATOMS:
            return value
        if kind is not slice and not (issubclass(kind, tuple) and _has_no_attributes(value)):
            todo.append(value)
            return value
        if id(value) not in fixed:
            fixed[id(value)] = value, value
            parts = [value.start, value.stop, value.step] if kind is slice else list(tuple.__iter__(value))
            made = list(map(of, parts))
            if not all(map(_is, parts, made)):
                fixed[id(value)] = value, slice(*made) if kind is slice else tuple.__new__(kind, made)
        return fixed[id(value)][1]

    found = [of(value) for value in values]
    seen: dict[int, Any] = {}
    while todo:
        value = todo.pop()
        if id(value) not in seen:
            seen[id(value)] = value
            _fill(value, of)
    return found


def _has_no_attributes(value: Any) -> bool:
    return not type(value).__dictoffset__ or not object.__getattribute__(value, "__dict__")


def _is(one: Any, other: Any) -> bool:
    return one is other


def _fill(value: Any, of: Callable[[Any], Any]) -> None:
    """Put numbers into an object; what it holds further down is left to `of`."""
    kind = type(value)
    if issubclass(kind, _OPAQUE) or _is_ours(kind):
        return
    for base, fill in _FILL:
        if issubclass(kind, base):
            fill(value, of)
            break
    else:
        for each in _held(value):
            of(each)
    if kind.__flags__ & HEAP:
        _fill_attributes(value, kind, of)


def _fill_attributes(value: Any, kind: type, of: Callable[[Any], Any]) -> None:
    if kind.__dictoffset__:
        _fill_dict(object.__getattribute__(value, "__dict__"), of)
    for member in own_slots(kind):
        try:
            held = member.__get__(value, kind)
        except AttributeError:
            continue
        made = of(held)
        if made is not held:
            member.__set__(value, made)


def _fill_list(value: Any, of: Callable[[Any], Any]) -> None:
    for place, each in enumerate(list(list.__iter__(value))):
        made = of(each)
        if made is not each:
            list.__setitem__(value, place, made)


def _fill_deque(value: Any, of: Callable[[Any], Any]) -> None:
    for place, each in enumerate(list(deque.__iter__(value))):
        made = of(each)
        if made is not each:
            deque.__setitem__(value, place, made)


def _fill_dict(value: Any, of: Callable[[Any], Any]) -> None:
    for key, each in list(dict.items(value)):
        of(key)
        made = of(each)
        if made is not each:
            dict.__setitem__(value, key, made)


def _fill_cell(value: Any, of: Callable[[Any], Any]) -> None:
    held = held_in(value)
    made = held if held is NULL else of(held)
    if made is not held:
        value.cell_contents = made


def _fill_function(value: Any, of: Callable[[Any], Any]) -> None:
    for cell in value.__closure__ or ():
        of(cell)
    for name in ("__defaults__", "__kwdefaults__"):
        held = getattr(value, name)
        made = of(held)
        if made is not held:
            setattr(value, name, made)


def _fill_exception(value: Any, of: Callable[[Any], Any]) -> None:
    arguments = _arguments.__get__(value)
    made = of(arguments)
    if made is not arguments:
        _arguments.__set__(value, made)
    attributes = _attributes.__get__(value)
    if attributes:
        _fill_dict(attributes, of)


_arguments: Any = vars(BaseException)["args"]
_attributes: Any = vars(BaseException)["__dict__"]


def _fill_partial(value: Any, of: Callable[[Any], Any]) -> None:
    state = [value.func, value.args, value.keywords, vars(value)]
    made = list(map(of, state))
    if not all(map(_is, state, made)):
        value.__setstate__((made[0], made[1], dict(made[2]), made[3]))


_FILL: tuple[tuple[type, Callable[[Any, Callable[[Any], Any]], None]], ...] = (
    (list, _fill_list),
    (dict, _fill_dict),
    (deque, _fill_deque),
    (types.CellType, _fill_cell),
    (types.FunctionType, _fill_function),
    (BaseException, _fill_exception),
    (functools.partial, _fill_partial),
)
"""By class, how numbers are put into its objects."""
