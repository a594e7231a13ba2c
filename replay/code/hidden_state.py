"""Python objects that threads share behind the back of the model.

A thread sees what others write to locations, and nothing else: each thread
runs in a fresh instance of its program. A list, an attribute or a `nonlocal`
variable that one thread changes and another one uses would therefore seem to
work, and be wrong; so would one that outlives the instance. What a thread's
code can reach besides locations, and what memory hands to it, is therefore
compared before and after it runs. What cannot be compared must not be shared.
"""

from __future__ import annotations

import array
import copyreg
import functools
import io
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CellType, FrameType, FunctionType, GeneratorType, MappingProxyType, MethodType
from typing import Any, NamedTuple

from replay.code.reachable import (
    PLAIN,
    Global,
    Named,
    attributes,
    cell_contents,
    class_attributes,
    is_user_class,
    reachable,
)

Contents = list[object]
"""What a thing holds, without what that holds."""

_CONSTANT: tuple[type, ...] = (
    *(tuple, frozenset, MethodType, functools.partial, property, staticmethod, classmethod, FrameType),
    *(MappingProxyType, type({}.keys()), type({}.values()), type({}.items())),
)
"""Types whose objects hold the same for ever, unless a subclass gives them attributes."""


class Watched(NamedTuple):
    """Something that is compared, by its identity, its name and what it held."""

    key: object
    name: str
    thing: object
    contents: Contents


class HiddenState:
    """What some code can reach, as it was when this was made; `others`, code or frames, may reach it as well."""

    def __init__(self, code: Callable[[], object], others: Sequence[object]) -> None:
        self._others = others
        found = reachable([("", code)])
        self._watched = list(_watch(found))
        self._shared: list[Watched] = []
        self._known: set[object] = set()
        self._unseen = [(key, name) for key, (name, thing) in found.items() if _is_unseen(thing)]

    def share(self, value: object) -> None:
        """Watch a value that went through memory: whatever it holds, all threads do."""
        if type(value) in PLAIN or id(value) in self._known:
            return
        found = reachable([(type(value).__name__, value)])
        self._known.update(found)
        self._shared += (
            watched for watched in _watch(found) if not isinstance(watched.thing, Global | CellType | FunctionType)
        )

    def uncertain(self) -> str:
        """The name of something that others reach too and whose changes nobody could see, "" if there is nothing."""
        return next((name for key, name in self._unseen if self._is_shared(key)), "")

    def changed(self) -> str:
        """The name of something that others reach too and that is not what it was, "" if there is nothing."""
        return next((name for key, name in _changes(self._watched) if self._is_shared(key)), "")

    def changed_in_memory(self) -> str:
        """The name of something that went through memory and is not what it was then, "" if there is nothing."""
        return next((name for _, name in _changes(self._shared)), "")

    def _is_shared(self, key: object) -> bool:
        return any(key in reachable([("", other)]) for other in self._others)


def _watch(found: dict[object, Named]) -> Iterator[Watched]:
    """What can change among things that were found."""
    for key, (name, thing) in found.items():
        contents = _contents(thing)
        if contents is not None:
            yield Watched(key, name, thing, contents)


def _changes(watched: Iterable[Watched]) -> Iterator[tuple[object, str]]:
    for key, name, thing, before in watched:
        now = _contents(thing)
        if now is None or len(now) != len(before) or not all(map(_is_same, before, now)):
            yield key, name


def _is_same(before: object, now: object) -> bool:
    """Objects are the same by identity: what they hold is compared where they are."""
    return before is now or (type(before) in PLAIN and type(before) is type(now) and before == now)


def _contents(thing: Any) -> Contents | None:
    """What can change of a thing; None if nothing can."""
    kind = type(thing)
    match thing:
        case Global():
            return [thing.value]
        case CellType():
            return list(cell_contents(thing))
        case FunctionType():
            return [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values(), *vars(thing).values()]
        case type():
            return [value for _, value in class_attributes(thing)]
        case _ if kind in _CONSTANT:
            return None
        case dict():
            held: Contents = [*thing, *thing.values()]
        case list() | tuple() | set() | frozenset() | deque():
            held = list(thing)
        case bytearray() | array.array():
            held = [bytes(memoryview(thing))]
        case memoryview():
            held = [thing.tobytes()]
        case io.StringIO() | io.BytesIO():
            held = [] if thing.closed else [thing.getvalue(), thing.tell()]
        case random.Random():
            held = [repr(thing.getstate())]
        case _:
            held = []
    return [*held, *(value for _, value in attributes(thing))]


def _is_unseen(thing: object) -> bool:
    """Whether a thing may hold what cannot be compared: generators and other iterators, objects of extensions."""
    kind = type(thing)
    if isinstance(thing, GeneratorType) or (hasattr(kind, "__next__") and not is_user_class(kind)):
        return not isinstance(thing, io.IOBase)
    if _contents(thing) or isinstance(thing, _CONSTANT) or is_user_class(kind) or kind in copyreg.dispatch_table:
        return False
    try:
        object.__reduce_ex__(thing, 4)
    except TypeError:  # it says itself that it cannot be copied
        return not (callable(thing) or isinstance(thing, Global | CellType))
    except Exception:
        return False
    return False
