"""Objects of classes made from texts, numbers, tuples and properties: attributes, and beside them a value.

Attributes are memory. The value never changes and stays in the object, where native code that is given it looks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from replay.code.running_thread import refuse
from replay.world.shown import shown

VALUE = "\0value"
"""The name of the value among the parts of such an object."""

_PLAINLY: dict[type, Callable[[Any], Any]] = {
    str: str.__str__,
    bytes: bytes.__bytes__,
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    property: lambda value: (value.fget, value.fset, value.fdel),
}
"""By class, what an object of one made from it has for a value."""

VALUES = tuple(_PLAINLY)

COMPARED = frozenset(VALUES) - {property}
"""Those whose objects are equal if their values are, and whose methods look at the value alone."""


def base_of_value(kind: type) -> type | None:
    """Returns the class of values that a class is made from; None if it is made from none."""
    return next((each for each in kind.__mro__ if each in _PLAINLY), None)


def has_attributes(value: tuple[Any, ...] | frozenset[Any]) -> bool:
    """Returns whether a tuple or frozenset has attributes of its own, so that it is more than what it holds."""
    kind: Any = type(value)
    if not kind.__dictoffset__ or _only_remembers(kind):
        return False
    return bool(object.__getattribute__(value, "__dict__"))


_REMEMBERING = {"cachetools.keys": "_HashedTuple"}
"""By module, classes whose objects have an attribute for what they have once computed of their value: a hash."""


def _only_remembers(kind: Any) -> bool:
    """Returns whether objects of a class have no attributes but what follows from their value."""
    return any(vars(sys.modules[home]).get(name) is kind for home, name in _REMEMBERING.items() if home in sys.modules)


def check_no_value(thing: Any, where: str) -> None:
    """Refuse an object that has a value and cannot be shared."""
    if (base := base_of_value(type(thing))) is not None:
        refuse(
            f"{where} is {shown(thing)} of class {type(thing).__name__}, made from {base.__name__}: it can be shared "
            "if the class does not compare in a way of its own"
        )


def value_of(thing: Any) -> Any:
    """Returns the value of an object, without its class."""
    base = base_of_value(type(thing))
    assert base is not None
    return _PLAINLY[base](thing)


def with_value(kind: Any, value: Any) -> Any:
    """Returns a new object of a class that has this value."""
    base: Any = base_of_value(kind)
    if base is not property:
        return base.__new__(kind, value)
    made = property.__new__(kind)
    property.__init__(made, *value)
    return made
