"""Classes that threads make, as a `class` statement in a function does, as shared objects: they stay what they are.

Each instance of a program has its own of each, with methods of its own. To change one that is shared is refused.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from replay.interpreter.copied import is_of_module
from replay.interpreter.lookup import mro_of, namespace_of
from replay.interpreter.origins import is_of_host, note_made

METACLASSES = frozenset({type, abc.ABCMeta})

PARTS = "\0class"
"""The part that has all that a class is made of."""


def is_made_class(value: Any) -> bool:
    """Returns whether a value is a class that interpreted code has made, and that can be made again natively."""
    return (
        type(value) in METACLASSES
        and not is_of_host(value)
        and not is_of_module(value)
        and not any("__init_subclass__" in namespace_of(base) for base in mro_of(value)[1:] if base is not object)
    )


def parts_of_class(kind: Any, frozen: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Returns what memory holds for a class; `frozen` makes of a part and its name what memory holds."""
    space = namespace_of(kind)
    slots = space.get("__slots__")
    return {
        PARTS: (
            (kind.__name__, kind.__qualname__, kind.__module__),
            tuple(frozen(base, f".{base.__name__}") for base in kind.__bases__),
            slots if slots is None or isinstance(slots, str) else tuple(slots),
            tuple((name, frozen(held, f".{name}")) for name, held in space.items() if _is_member(name, held)),
        )
    }


def _is_member(name: str, held: Any) -> bool:
    return name not in _GIVEN and type(held) not in _MADE


_GIVEN = frozenset({"__module__", "__qualname__", "__slots__"})
"""What a class is given when it is made."""

_MADE = (MemberDescriptorType, GetSetDescriptorType, type(vars(abc.ABC)["_abc_impl"]))
"""What it has in any case."""


def class_again(meta: Any, content: dict[str, Any], thaw: Callable[[Any], Any], enter: Callable[[Any], None]) -> type:
    """A class that stands for one of these parts; `enter` notes it, before what it leads to is made."""
    (name, qualified, module), bases, slots, members = content[PARTS]
    given = {"__module__": module, "__qualname__": qualified} | ({} if slots is None else {"__slots__": slots})
    made: type = meta(name, tuple(map(thaw, bases)), given)
    note_made(made)
    enter(made)
    for each, held in members:
        type.__setattr__(made, each, thaw(held))
    return made
