"""Small native functions that the interpreter's interpreted code calls: each runs at once and calls nothing back."""

from __future__ import annotations

import importlib
import operator
import sys
import types
from typing import Any

from replay.interpreter.async_generators import AsyncStep
from replay.interpreter.frame import MISSING, NULL, held_in
from replay.interpreter.generators import Coroutine, Generator
from replay.interpreter.lookup import is_a, lookup
from replay.interpreter.natives import STANDS_FOR, natively
from replay.interpreter.versions import NEW_MESSAGES

BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "<<": "lshift",
    ">>": "rshift", "&": "and", "|": "or", "^": "xor", "@": "matmul",
}  # fmt: skip
"""The name of the special method of a binary operator, without its underscores."""

COMPARISONS = {
    "<": ("lt", "gt"),
    "<=": ("le", "ge"),
    "==": ("eq", "eq"),
    "!=": ("ne", "ne"),
    ">": ("gt", "lt"),
    ">=": ("ge", "le"),
}
"""The names of the method of a comparison and of the reflected one."""

NATIVE_BINARY = {
    symbol: getattr(operator, {"and": "and_", "or": "or_"}.get(name, name)) for symbol, name in BINARY.items()
}
NATIVE_BINARY |= {f"{symbol}=": getattr(operator, f"i{name}") for symbol, name in BINARY.items()}

_SEQUENCE_METHODS = {
    id(getattr(kind, name))
    for kind in (list, tuple, str, bytes, bytearray)
    for name in ("__add__", "__mul__", "__iadd__", "__imul__")
    if name in vars(kind)
}


@natively
def class_of(thing: Any) -> Any:
    """The class of an object: of one that stands for a native one its own class, which `type` does not show."""
    return type(thing)


@natively
def special(kind: type, name: str) -> Any:
    """The special method of a class, to be called with the object as its first argument; MISSING if it has none."""
    found = lookup(kind, name)
    if type(found) is staticmethod:
        return found.__func__
    return MISSING if found is NULL else found


@natively
def import_module_of(package: Any, name: str) -> None:
    """Import a module of a package, if it has one of that name."""
    full = f"{package.__name__}.{name}"
    try:
        importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name != full:
            raise


@natively
def imported_before(module: Any, name: str) -> Any:
    """Returns the module of a package that is being imported. Raises ImportError if there is none."""
    own = getattr(module, "__name__", None)
    if f"{own}.{name}" in sys.modules:
        return sys.modules[f"{own}.{name}"]
    place = getattr(module, "__file__", None)
    raise ImportError(f"cannot import name {name!r} from {own!r} ({place or 'unknown location'})", name=own, path=place)


@natively
def is_sequence_method(method: Any) -> bool:
    """Returns True for `+` and `*` of built-in sequences, which come after the method of the other operand."""
    return id(method) in _SEQUENCE_METHODS


@natively
def called_type(thing: Any) -> str:
    """Returns the name of an object's type in messages of native code: with its module for types of C."""
    try:
        str.__add__("", thing)
    except TypeError as error:
        return str(error).partition('(not "')[2].partition('")')[0]
    return type(thing).__name__


@natively
def unsupported_operand(left: Any, right: Any, symbol: str) -> str:
    """The message of an operator that neither operand supports."""
    shown = {"**": "** or pow()"}.get(symbol, symbol)
    return f"unsupported operand type(s) for {shown}: '{called_type(left)}' and '{called_type(right)}'"


@natively
def too_many(iterable: Any, count: int) -> str:
    """The message of an assignment to too few targets."""
    exact = NEW_MESSAGES and type(iterable) in (list, tuple, dict)
    return f"too many values to unpack (expected {count}{f', got {len(iterable)}' if exact else ''})"


@natively
def is_awaitable_itself(thing: Any) -> bool:
    """Returns True for a coroutine of ours, or a step of an asynchronous generator of ours."""
    return is_a(thing, (Coroutine, AsyncStep))


@natively
def all_are_classes(things: tuple[Any, ...]) -> bool:
    """Returns True if nothing but classes is among these."""
    return all(is_a(thing, type) for thing in things)


@natively
def metaclass_of(given: Any, bases: tuple[Any, ...]) -> Any:
    """The metaclass of a new class. Raises TypeError if those of its bases conflict."""
    if given is MISSING:
        given = type(bases[0]) if bases else type
    if not is_a(given, type):
        return given
    winner = given
    for base in bases:
        kind = type(base)
        if issubclass(winner, kind):
            continue
        if not issubclass(kind, winner):
            raise TypeError(
                "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the "
                "metaclasses of all its bases"
            )
        winner = kind
    return winner


@natively
def check_class_cell(cell: Any, made: Any, name: str) -> None:
    """Raise what CPython raises if a metaclass has lost the cell `__class__`."""
    if type(cell) is not types.CellType or not is_a(made, type):
        return
    held = held_in(cell)
    if held is NULL:
        raise RuntimeError(
            f"__class__ not set defining {name!r} as {made!r}. Was __classcell__ propagated to type.__new__?"
        )
    if held is not made:
        raise TypeError(f"__class__ set to {held!r} defining {name!r} as {made!r}")


@natively
def has_iteration(thing: Any) -> bool:
    """Returns True for what can be iterated over."""
    return lookup(type(thing), "__iter__") is not NULL or lookup(type(thing), "__getitem__") is not NULL


@natively
def not_a_container(thing: Any) -> str:
    """The message of `in` for what cannot be iterated over."""
    what = "a container or iterable" if NEW_MESSAGES else "iterable"
    return f"argument of type {called_type(thing)!r} is not {what}"


@natively
def merges_natively(mapping: Any) -> bool:
    """Returns True for a dictionary whose `__iter__` is that of `dict`."""
    return is_a(mapping, dict) and lookup(type(mapping), "__iter__") is dict.__iter__


@natively
def native_update(filled: dict[Any, Any], mapping: Any) -> None:
    dict.update(filled, mapping)


@natively
def check_iterable(thing: Any) -> None:
    """Raise the TypeError of `[*thing]`."""
    if not has_iteration(thing):
        raise TypeError(f"Value after * must be an iterable, not {called_type(thing)}")


def shown_class(thing: Any) -> type:
    """The class that Python shows for an object: of what stands for a native one, the native class."""
    kind = type(thing)
    if issubclass(kind, Generator):
        return kind.native
    return STANDS_FOR.get(kind, kind)
