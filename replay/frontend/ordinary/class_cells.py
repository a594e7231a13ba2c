"""Attributes of classes as memory: in the place of each that may change stands one that asks which model runs.

Classes outlive the runs of a program. So what a class holds is, for code of a
model, what the memory of that model holds, and what it always was for others.
Who assigns goes through the class of the class, which is put in place where
an object keeps its class.
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from types import FunctionType
from typing import Any

from greenlet import getcurrent

from replay.code.bytecode import codes, instructions
from replay.code.facts import facts
from replay.code.in_place import set_class
from replay.code.lines import is_user_code
from replay.code.ordinary import ClassAttribute, class_of_shared, names_of_class
from replay.code.reachable import is_user_class
from replay.code.running_thread import refuse
from replay.code.seen import attributes
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.stores import sources_of, stores_of
from replay.frontend.ordinary.values import UNSET
from replay.world.anatomy import held_by_class, is_written_in_python


class ClassCell(ClassAttribute):
    """What stands in a class for an attribute that may change.

    kind      the class
    name      the attribute
    original  what it holds where no model runs; `UNSET` if nothing
    """

    __slots__ = ("kind", "name", "original")

    def __init__(self, kind: Any, name: str, original: Any) -> None:
        self.kind = kind
        self.name = name
        self.original = original

    def __get__(self, thing: Any, owner: Any = None) -> Any:
        value = self.value
        if value is not UNSET:
            get = None if isinstance(value, type) else getattr(type(value), "__get__", None)
            return value if get is None else get(value, thing, owner)
        return self._inherited(thing, owner if owner is not None else type(thing))

    @property
    def value(self) -> Any:
        """What it holds here and now, `UNSET` if nothing."""
        heap = _heap()
        return self.original if heap is None else heap.classes.load(self)

    def _inherited(self, thing: Any, owner: Any) -> Any:
        """What a class further back has."""
        order = owner.__mro__
        found = held_by_class(order[order.index(self.kind) + 1 :], self.name, UNSET)
        if found is not UNSET:
            get = getattr(type(found), "__get__", None)
            return found if get is None else get(found, thing, owner)
        known = class_of_shared(owner) or owner
        what = f"type object {known.__name__!r}" if thing is None else f"{known.__name__!r} object"
        raise AttributeError(f"{what} has no attribute {self.name!r}")

    def __repr__(self) -> str:
        return f"{self.kind.__name__}.{self.name}"


def _heap() -> Any:
    """The shared objects of the model that runs; None if none does."""
    return getattr(getcurrent(), "heap", None)


class _Names(Mapping[str, Any]):
    """What `vars` says that a class holds: not the cells, but what they hold."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def __getitem__(self, name: str) -> Any:
        value = names_of_class(self._kind)[name]
        if type(value) is ClassCell:
            value = value.value
        if value is UNSET:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in names_of_class(self._kind) if name in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)  # `list` would ask for the length


class _Memory(type):
    """The class of classes that are memory in a model."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __dict__(cls) -> Any:  # type: ignore[override]
        is_asked_by_user = is_user_code(sys._getframe(1).f_code.co_filename)
        return _Names(cls) if is_asked_by_user else names_of_class(cls)

    def __setattr__(cls, name: str, value: Any) -> None:
        cell, heap = _cell_of(cls, name), _heap()
        if _made_now:
            super().__setattr__(name, value)
        elif heap is not None and not _is_pythons(name):
            heap.classes.store(_seen(cls, name, cell, heap), value)
        elif cell is not None:
            cell.original = value
        else:
            super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        cell, heap = _cell_of(cls, name), _heap()
        if heap is not None and not _is_pythons(name):
            heap.classes.remove(_seen(cls, name, cell, heap))
        elif cell is None:
            super().__delattr__(name)
        elif cell.original is UNSET:
            raise AttributeError(name)
        else:
            cell.original = UNSET


_made_now: list[str] = []
"""The classes that are being made for shared objects: what their bases set in them then is no memory."""


@contextmanager
def class_is_made(name: str) -> Iterator[None]:
    """Around the making of a class for shared objects."""
    _made_now.append(name)
    try:
        yield
    finally:
        _made_now.pop()


def _cell_of(kind: Any, name: str) -> ClassCell | None:
    found = vars(class_of_shared(kind) or kind).get(name)
    return found if type(found) is ClassCell else None


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _seen(kind: Any, name: str, cell: ClassCell | None, heap: Any) -> ClassCell:
    """The cell that is to change. Refuses an attribute of which nobody has seen that it does."""
    if cell is None or not heap.classes.varies(cell):
        known = class_of_shared(kind) or kind
        refuse(
            f"{known.__name__}.{name} is set by code that was not seen to set it: assign it as "
            f"`{known.__name__}.{name} = ...`, or as `cls.{name} = ...` in a class method"
        )
    return cell


@functools.cache
def _class_of_classes(before: type) -> Any:
    return _Memory if before is type else type(before.__name__, (_Memory, before), {"__slots__": ()})


def can_be_memory(kind: Any) -> bool:
    """Whether a class is the user's, and Python's own code assigns its attributes."""
    if not is_user_class(kind) or issubclass(kind, Enum) or class_of_shared(kind) is not None:
        return False
    if not is_written_in_python(kind):
        return False
    assigns: Any = type(kind).__setattr__
    return _is_memory(kind) or assigns is type.__setattr__


def _is_memory(kind: Any) -> bool:
    return isinstance(kind, _Memory)


@functools.lru_cache(1024)
def look_for_class_cells(kind: Any, function: Any) -> None:
    """Let a class, and its bases, be memory where a program of this function may change them."""
    order: tuple[Any, ...] = kind.__mro__
    for each in order:
        if can_be_memory(each):
            if not _is_memory(each):
                before: Any = type(each)
                set_class(each, _class_of_classes(before))
            for name in cells_of(each, function):
                if _cell_of(each, name) is None:
                    type.__setattr__(each, name, ClassCell(each, name, vars(each).get(name, UNSET)))


@functools.lru_cache(1024)
def cells_of(kind: Any, function: Any) -> dict[str, bool]:
    """The attributes of a class that are memory in a program of this function; whether some code assigns them."""
    stores = stores_of(sources_of(kind, function))
    bases = [each.__name__ for each in kind.__mro__]
    there = {name: value for name, held in vars(kind).items() if (value := _value(held)) is not UNSET}
    held = {name: value for name, value in there.items() if not _is_pythons(name) and can_be_cell(value)}
    found = {name: False for name, value in held.items() if may_change(value, is_changed=name in stores.changed)}
    for name, owner in sorted(stores.classes):
        is_new = name not in there and owner in bases and not _is_pythons(name)
        if is_new or name in held:
            found[name] = True
    return found


def _value(held: Any) -> Any:
    return held.original if type(held) is ClassCell else held


def can_be_cell(value: Any) -> bool:
    """Whether something that a class holds is a value, and not what makes attributes of objects."""
    return isinstance(value, type) or not (hasattr(type(value), "__get__") or hasattr(type(value), "__set__"))


def may_change(value: Any, *, is_changed: bool) -> bool:
    """Whether it is something that may change where it is; `is_changed` if code does more than to look at it."""
    kind = type(value)
    base = base_of(kind)
    if base is None:
        is_of_user = is_user_class(kind) and not isinstance(value, type | Enum) and not _holds_nothing(value)
        return kind is itertools.count or is_for_threads(value) or is_of_user
    parts = [*value, *value.values()] if issubclass(base, dict) else value
    return is_changed or base is defaultdict or not all(type(each) in _NEVER_CHANGING for each in parts)


def _holds_nothing(value: Any) -> bool:
    """Whether an object has no attributes, and its class assigns none: which one it is may count, as of a sentinel."""
    kinds = [kind for kind in type(value).__mro__ if kind is not object]
    functions = [each for kind in kinds for each in vars(kind).values() if isinstance(each, FunctionType)]
    return not any(attributes(value)) and not any(map(_assigns_attributes, functions))


@functools.cache
def _assigns_attributes(function: FunctionType) -> bool:
    stores = ("STORE_ATTR", "DELETE_ATTR")
    return "__dict__" in facts(function.__code__).looked_up or any(
        each.opname in stores for code in codes(function.__code__) for each in instructions(code)
    )


def is_for_threads(value: Any) -> bool:
    """Whether it is an object of Python's own library that threads wait at, and that is written in Python."""
    home = str(type(value).__module__).partition(".")[0]  # a class may have a slot of that name
    is_object = not isinstance(value, type | threading.Thread) and hasattr(value, "__dict__")
    return home in ("threading", "queue", "concurrent") and is_object


_NEVER_CHANGING = (int, float, str, bytes, bool, type(None), FunctionType, type)
"""Of what is inside of a container that code only looks at."""
