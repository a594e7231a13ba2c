"""Python objects that threads share behind the back of the model.

A thread sees what others write to locations, and nothing else: each thread
runs in a fresh instance of its program. A list, an attribute or a `nonlocal`
variable that one thread changes and another one uses would therefore seem to
work, and be wrong. So what a thread's code can reach besides locations is
compared before and after it runs.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import CellType, CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

from replay.world.operation import Operation

_PLAIN = (int, float, complex, str, bytes, bool, type(None))
"""Values that are compared; others are the same if they are the same object."""

_OURS = ("replay.", "mcr.")
"""Packages whose objects only describe locations."""

Named = tuple[str, Any]
"""Something that code can reach, and how a program calls it."""

Contents = list[tuple[str, object]]


class _Global(NamedTuple):
    """A global variable."""

    namespace: dict[str, Any]
    name: str


class HiddenState:
    """What some code can reach, as it was when this was made; `others`, code or frames, may reach it as well."""

    def __init__(self, code: Callable[[], object], others: Sequence[object]) -> None:
        self._others = others
        self._before = [(key, name, thing, _contents(thing)) for key, (name, thing) in _reachable(code).items()]

    def changed(self) -> str:
        """The name of something that others reach too and that is not what it was, "" if there is nothing."""
        for key, name, thing, contents in self._before:
            if _contents(thing) != contents and any(key in _reachable(other) for other in self._others):
                return name
        return ""


def _reachable(code: object) -> dict[object, Named]:
    """What code can reach, by identity, with the names under which it does."""
    found: dict[object, Named] = {}
    todo: deque[Named] = deque([("", code)])
    while todo:
        name, thing = todo.popleft()
        key = (id(thing.namespace), thing.name) if isinstance(thing, _Global) else id(thing)
        if key not in found and not _is_opaque(thing):
            found[key] = (name, thing)
            todo.extend(_parts(name, thing))
    return found


def _is_opaque(thing: object) -> bool:
    """Whether there is nothing to look for inside: plain values, code and classes of others, objects of ours."""
    if isinstance(thing, (*_PLAIN, Operation, type)) or inspect.ismodule(thing) or inspect.isbuiltin(thing):
        return True
    home = thing.__module__ if isinstance(thing, FunctionType) else type(thing).__module__
    return str(home).startswith(_OURS) and not isinstance(thing, _Global) and type(thing).__name__ != "Call"


def _parts(name: str, thing: Any) -> Iterator[Named]:
    """What a thing holds."""
    match thing:
        case _Global():
            yield thing.name, thing.namespace.get(thing.name)
        case FunctionType():
            yield from zip(thing.__code__.co_freevars, thing.__closure__ or (), strict=True)
            yield from ((f"a default value of {thing.__name__}", value) for value in thing.__defaults__ or ())
            yield from ((used, _Global(thing.__globals__, used)) for used in _names(thing.__code__))
        case FrameType():
            yield from thing.f_locals.items()
            yield from ((used, _Global(thing.f_globals, used)) for used in _names(thing.f_code))
        case MethodType():
            yield from (("self", thing.__self__), (name, thing.__func__))
        case CellType():
            yield from _cell_contents(name, thing)
        case dict():
            yield from ((f"{name}[{key!r}]", value) for key, value in thing.items())
        case list() | tuple() | set() | frozenset() | deque():
            yield from ((f"{name}[...]", value) for value in thing)
        case _:
            yield from ((f"{name}.{key}" if name else key, value) for key, value in _attributes(thing))


def _cell_contents(name: str, cell: CellType) -> Iterator[Named]:
    try:
        yield name, cell.cell_contents
    except ValueError:  # nothing was assigned yet
        return


def _attributes(thing: Any) -> Iterator[Named]:
    yield from getattr(thing, "__dict__", {}).items()
    for kind in type(thing).__mro__:
        for slot in getattr(kind, "__slots__", ()):
            if hasattr(thing, slot):
                yield slot, getattr(thing, slot)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _contents(thing: Any) -> Contents:
    """What can be compared of a thing: what it holds, without what that holds."""
    if isinstance(thing, bytearray):
        return [("", bytes(thing))]
    if isinstance(thing, FunctionType | MethodType):
        return []
    return [(name, value if isinstance(value, _PLAIN) else id(value)) for name, value in _parts("", thing)]
