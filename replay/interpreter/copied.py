"""Copies of objects, by their types.

Types are known one by one; an object of another type makes the whole execution one that cannot be copied, and its
thread is run again from the beginning instead.
"""

from __future__ import annotations

import array
import collections
import contextvars
import enum
import functools
import re
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from replay.interpreter.async_generators import AsyncStep, AsyncYielded
from replay.interpreter.contexts import is_decimal_context
from replay.interpreter.copier import COPIES, SHARED, Copier, CopyOf, Uncopyable, itself
from replay.interpreter.frame import Returned
from replay.interpreter.lookup import HEAP, identity, is_a, lookup, mro_of
from replay.interpreter.origins import is_host_space, note_made
from replay.interpreter.views import FrameView


def _by_class(copier: Copier, value: Any) -> Any:
    """The copy of an object whose exact type is in no table. Raises Uncopyable."""
    return value if copier.is_shared(value) else _copy_of(type(value), value)(copier, value)


def _copy_of(kind: type, value: Any) -> CopyOf:
    if issubclass(kind, type):
        return _class
    if is_decimal_context(kind):
        return _decimal_context
    if issubclass(kind, enum.Enum):
        return _member
    if lookup(kind, "__del__") is not _NOTHING or weakref.getweakrefcount(value):
        raise Uncopyable(f"an object of class {kind.__qualname__}, whose end may be noticed")
    if issubclass(kind, BaseException):
        return _exception
    for base in mro_of(kind):
        if base in _FILLED:
            return instance
        if not _is_of_python(base):
            break
    raise Uncopyable(f"an object of type {kind.__qualname__}")


_NOT_INSTANTIABLE = 1 << 7


def _is_of_python(kind: type) -> bool:
    """Returns True for a class that a statement `class` has made, whose objects hold nothing that C code put there."""
    new = vars(kind).get("__new__")
    return bool(kind.__flags__ & HEAP) and not kind.__flags__ & _NOT_INSTANTIABLE and type(new) is not _Builtin


_Builtin = types.BuiltinFunctionType
_NOTHING = lookup(object, "__del__")


# -- classes --------------------------------------------------------------------------


def _class(copier: Copier, value: type) -> type:
    """A class that a module has: threads must not change it. One that is made in each run may be changed in it."""
    if not (copier.stays(value) or is_of_module(value)):
        raise Uncopyable(f"the class {value.__qualname__}, which no module has")
    return value


def is_of_module(kind: type) -> bool:
    """Returns True for a class that its module has by its name."""
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = vars(found).get(name) if isinstance(found, types.ModuleType | type) else None
    return found is kind


def _member(copier: Copier, value: enum.Enum) -> enum.Enum:
    copier.copy(type(value))
    return value


def _bare(_: Copier, value: Any) -> Any:
    """A static method or the like, without attributes of its own."""
    if getattr(value, "__dict__", None):
        raise Uncopyable(f"a {type(value).__name__} with attributes")
    return value


def _decimal_context(_: Copier, value: Any) -> Any:
    return value.copy()


# -- containers -----------------------------------------------------------------------


def _list(copier: Copier, original: list[Any]) -> list[Any]:
    copy: list[Any] = copier.made(original, [])
    copy += copier.all(original)
    return copy


def _dict(copier: Copier, original: dict[Any, Any]) -> dict[Any, Any]:
    copy: dict[Any, Any] = copier.made(original, {})
    _fill_dict(copier, original, copy)
    return copy


def _fill_dict(copier: Copier, original: dict[Any, Any], copy: dict[Any, Any]) -> None:
    for key, value in dict.items(original):
        dict.__setitem__(copy, _hashed(copier, key), copier.copy(value))


def _hashed(copier: Copier, key: Any) -> Any:
    """The copy of a key or member. Raises Uncopyable if its hash is computed by Python code."""
    if not _hashes_natively(key):
        raise Uncopyable("a key with a __hash__ of its own")
    return copier.copy(key)


def _hashes_natively(key: Any) -> bool:
    kind = type(key)
    if kind in SHARED:
        return True
    if kind is tuple or kind is frozenset:
        return all(map(_hashes_natively, key))
    return type(lookup(kind, "__hash__")) is not types.FunctionType


def _set(copier: Copier, original: set[Any]) -> set[Any]:
    copy: set[Any] = copier.made(original, set(original))
    if not (all(map(_keeps_hash, original)) or copier.has_all(original)):
        raise Uncopyable("a set whose order is that of addresses")
    if copy.__sizeof__() != original.__sizeof__() or list(copy) != list(original):
        raise Uncopyable("a set that has lost members")
    return copy


def _keeps_hash(member: Any) -> bool:
    return type(member) in SHARED or (type(member) is tuple and all(map(_keeps_hash, member)))


def _tuple(copier: Copier, original: tuple[Any, ...]) -> tuple[Any, ...]:
    parts = copier.all(original)
    found = copier.copies.get(identity(original))  # it may hold itself
    if found is not None:
        return found  # type: ignore[no-any-return]
    return original if all(map(_is, parts, original)) else tuple(parts)


def _is(one: Any, other: Any) -> bool:
    return one is other


def _frozenset(copier: Copier, original: frozenset[Any]) -> frozenset[Any]:
    if all(copier.copy(each) is each for each in original):
        return original
    raise Uncopyable("a frozenset whose order is that of addresses")


def _deque(copier: Copier, original: collections.deque[Any]) -> collections.deque[Any]:
    copy: collections.deque[Any] = copier.made(original, collections.deque(maxlen=original.maxlen))
    copy.extend(copier.all(original))
    return copy


def _weak_reference(copier: Copier, original: Any) -> Any:
    """A weak reference to an object that all threads have: the copy uses the same one. Raises Uncopyable for others,
    as nothing says when their objects are freed."""
    thing = original()
    if thing is None or not copier.is_of_all(thing):
        raise Uncopyable("a weak reference to what is the thread's own")
    return original


def _defaultdict(copier: Copier, original: Any) -> Any:
    copy = copier.made(original, collections.defaultdict(None))
    copy.default_factory = copier.copy(original.default_factory)
    _fill_dict(copier, original, copy)
    return copy


def _ordered(copier: Copier, original: Any) -> Any:
    keys = list(dict.keys(original))
    if not all(map(_hashes_natively, keys)):
        raise Uncopyable("a key with a __hash__ of its own")
    if not all(map(_is, keys, original)):
        raise Uncopyable("a dictionary with two orders")
    copy = copier.made(original, type(original)())
    for key, value in dict.items(original):
        copy[_hashed(copier, key)] = copier.copy(value)
    if vars(original):
        raise Uncopyable("an OrderedDict with attributes")
    return copy


# -- functions, and what they close over ----------------------------------------------


def _cell(copier: Copier, original: types.CellType) -> types.CellType:
    copy = _empty_cell(copier, original)
    copier.fill_cells()
    return copy


def _empty_cell(copier: Copier, original: types.CellType) -> types.CellType:
    """The copy of a cell, which may have to be filled (`Copier.fill_cells`)."""
    if copier.is_of_all(original) or copier.stays(original):
        return original
    found = copier.copies.get(identity(original))
    if found is None:
        found = copier.made(original, types.CellType())
        copier.empty_cells.append((original, found))
    return found  # type: ignore[no-any-return]


def check_globals(names: dict[str, Any]) -> None:
    """Raise Uncopyable for global variables that are neither a module's nor of the host's code: what threads run by
    `exec` has a dictionary of its own."""
    if getattr(sys.modules.get(names.get("__name__", "")), "__dict__", None) is not names and not is_host_space(names):
        raise Uncopyable("code whose global variables are no module's")


def _function(copier: Copier, original: types.FunctionType) -> types.FunctionType:
    if copier.stays(original):
        return original
    check_globals(original.__globals__)
    closure = original.__closure__
    if not (closure or original.__dict__ or _may_change(original.__defaults__) or _may_change(original.__kwdefaults__)):
        return original
    code, names = original.__code__, original.__globals__
    cells = None if closure is None else tuple(_empty_cell(copier, cell) for cell in closure)
    copy: types.FunctionType = copier.made(original, types.FunctionType(code, names, original.__name__, None, cells))
    copier.fill_cells()
    note_made(copy)
    return _with_rest(copier, original, copy)


def _with_rest(copier: Copier, original: types.FunctionType, copy: types.FunctionType) -> types.FunctionType:
    copy.__defaults__ = copier.copy(original.__defaults__)
    copy.__kwdefaults__ = copier.copy(original.__kwdefaults__)
    copy.__qualname__, copy.__module__, copy.__doc__ = original.__qualname__, original.__module__, original.__doc__
    copy.__annotations__ = original.__annotations__
    held = copier.made(original.__dict__, copy.__dict__)
    held.update((name, copier.copy(value)) for name, value in original.__dict__.items())
    return copy


def _may_change(values: Any) -> bool:
    held = values.values() if type(values) is dict else values or ()
    return not all(type(each) in SHARED for each in held)


def _method(copier: Copier, original: types.MethodType) -> types.MethodType:
    return types.MethodType(copier.copy(original.__func__), copier.copy(original.__self__))


def _builtin(copier: Copier, original: Any) -> Any:
    subject = original.__self__
    if subject is None or type(subject) is types.ModuleType or is_a(subject, type):
        return original
    copied = copier.copy(subject)
    return original if copied is subject else getattr(copied, original.__name__)


def _partial(copier: Copier, original: Any) -> Any:
    copy: Any = copier.made(original, functools.partial(itself))
    state = original.func, original.args, original.keywords, original.__dict__
    copy.__setstate__(tuple(copier.copy(each) for each in state))
    return copy


def _iterator(copier: Copier, original: Any) -> Any:
    """An iterator over a sequence: over what it goes, and how far it is."""
    make, arguments, *state = original.__reduce__()
    copy = make(*copier.all(arguments))
    if state and state[0] is not None:
        copy.__setstate__(state[0])
    return copy


def _wrapped(copier: Copier, original: Any) -> Any:
    return type(original)(copier.copy(original.value))


# -- objects of classes written in Python ---------------------------------------------


def instance(copier: Copier, original: Any) -> Any:
    """An object of a class made by `class`: what a built-in base holds, its attributes and its slots."""
    kind = type(original)
    copier.copy(kind)
    base = next(each for each in mro_of(kind) if each in _FILLED)
    copy = copier.made(original, base.__new__(kind))
    _FILLED[base](copier, original, copy)
    _copy_attributes(copier, original, copy)
    return copy


def _copy_attributes(copier: Copier, original: Any, copy: Any) -> None:
    kind: Any = type(original)
    if kind.__dictoffset__:
        attributes = object.__getattribute__(original, "__dict__")
        held = object.__getattribute__(copy, "__dict__")
        copier.made(attributes, held)
        for name, value in attributes.items():
            held[name] = copier.copy(value)
    for member in own_slots(kind):
        try:
            value = member.__get__(original, kind)
        except AttributeError:
            continue
        member.__set__(copy, value if type(value) in SHARED else copier.copy(value))


@functools.lru_cache(maxsize=1_000)
def own_slots(kind: type) -> tuple[Any, ...]:
    """The slots that classes made by `class` give to the objects of a class."""
    owners = [owner for owner in mro_of(kind) if owner.__flags__ & HEAP]
    return tuple(each for owner in owners for each in vars(owner).values() if type(each) is types.MemberDescriptorType)


def _exception(copier: Copier, original: Any) -> Any:
    kind = type(original)
    native = next(each for each in mro_of(kind) if not each.__flags__ & HEAP)
    if native.__basicsize__ != BaseException.__basicsize__ and native not in _KNOWN_EXCEPTIONS:
        raise Uncopyable(f"an exception of type {native.__name__}")
    copy = copier.made(original, native.__new__(kind, *original.args))
    copy.args = copier.copy(original.args)
    for name in _KNOWN_EXCEPTIONS.get(native, ()):
        setattr(copy, name, copier.copy(getattr(original, name)))
    copy.__context__ = copier.copy(original.__context__)
    copy.__cause__ = copier.copy(original.__cause__)
    copy.__suppress_context__ = original.__suppress_context__
    _copy_attributes(copier, original, copy)
    return copy


_KNOWN_EXCEPTIONS: dict[type, tuple[str, ...]] = {
    StopIteration: ("value",),
    SystemExit: ("code",),
    AttributeError: ("name", "obj"),
    NameError: ("name",),
    UnboundLocalError: ("name",),
}
"""Built-in exceptions which hold more than arguments, context and cause, and the names of it."""


def _refused(_: Copier, value: Any) -> Any:
    raise Uncopyable(f"an object of type {type(value).__qualname__}")


_FILLED: dict[type, Callable[[Copier, Any, Any], None]] = {
    list: lambda copier, original, copy: list.extend(copy, copier.all(list.__iter__(original))),
    dict: _fill_dict,
    object: lambda _copier, _original, _copy: None,
}
"""By built-in base of a class, what fills a new object of that class."""

_ITERATORS: tuple[type, ...] = (
    *(type(iter([])), type(iter(())), type(reversed([])), type(iter(range(1))), type(iter(range(1 << 80)))),
    *(type(iter("")), type(iter("\u00e9")), type(iter(b"")), type(iter(bytearray()))),
)

_BY_TYPE: dict[type, CopyOf] = {
    object: _by_class,
    contextvars.ContextVar: itself,
    type: _class,
    **dict.fromkeys((staticmethod, classmethod), _bare),
    list: _list,
    dict: _dict,
    set: _set,
    tuple: _tuple,
    frozenset: _frozenset,
    collections.deque: _deque,
    collections.defaultdict: _defaultdict,
    collections.OrderedDict: _ordered,
    collections.Counter: _ordered,
    bytearray: lambda _, original: bytearray(original),
    array.array: lambda _, original: original[:],
    slice: lambda copier, original: slice(*copier.all((original.start, original.stop, original.step))),
    weakref.ReferenceType: _weak_reference,
    types.CellType: _cell,
    types.FunctionType: _function,
    types.MethodType: _method,
    **dict.fromkeys((types.BuiltinFunctionType, type(re.compile("").match)), _builtin),
    functools.partial: _partial,
    AsyncStep: instance,
    **dict.fromkeys((Returned, AsyncYielded), _wrapped),
    FrameView: _refused,
    **dict.fromkeys(_ITERATORS, _iterator),
}
COPIES.update(_BY_TYPE)
