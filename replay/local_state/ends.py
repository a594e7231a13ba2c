"""Whether something may happen when an object is given up: a generator is closed, or a `__del__` called."""

from __future__ import annotations

import functools
import gc
from collections import OrderedDict, defaultdict, deque
from types import CellType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any

from replay.code.raw_memory import Nothing
from replay.world.anatomy import IMMUTABLE, all_is_seen, base_of, is_written_in_python

_NOTHING_INSIDE = frozenset({*IMMUTABLE, bool, NoneType, Nothing, bytearray, ModuleType}) - {tuple, frozenset}

_SHOWS_ALL = frozenset(
    {tuple, frozenset, list, dict, set, OrderedDict, defaultdict, deque, CellType, MethodType, functools.partial}
)
"""Types whose objects tell the garbage collector of all that they hold."""

_LIMIT = 1_000
"""Objects that are looked at."""


def may_end(value: object) -> bool:
    """Whether code may run when an object is given up, and with it what nobody else holds."""
    if type(value) in _NOTHING_INSIDE:
        return False
    seen = {id(value)}
    todo: list[Any] = [value]
    while todo:
        thing = todo.pop()
        inside = _inside(thing)
        if inside is None or len(seen) > _LIMIT:
            return True
        new = [each for each in inside if id(each) not in seen and type(each) not in _NOTHING_INSIDE]
        seen.update(map(id, new))
        todo += new
    return False


def _inside(thing: Any) -> list[Any] | None:
    """What an object holds that may be given up with it; None if it has an end of its own, or nobody knows."""
    kind = type(thing)
    if kind in _SHOWS_ALL:
        return gc.get_referents(thing)
    if kind is FunctionType:
        return [thing.__closure__, thing.__defaults__, thing.__kwdefaults__, thing.__dict__]
    if isinstance(thing, type):
        return []  # a class is given up when Python looks for garbage
    if kind.__module__.startswith("replay."):
        return []
    base = base_of(kind)
    known = base in _SHOWS_ALL or base in IMMUTABLE
    if not known or not is_written_in_python(kind) or hasattr(kind, "__del__") or not all_is_seen(kind, base):
        return None
    return gc.get_referents(thing)
