"""Things that can change, with what they held when somebody looked."""

from __future__ import annotations

import _abc  # type: ignore[import-not-found]
import enum
import functools
import gc
import linecache
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from logging import Manager
from operator import is_
from types import CellType, FunctionType, ModuleType
from typing import Any, NamedTuple

from replay.code.belonging import is_of_checker
from replay.code.names import cell_contents
from replay.code.reachable import Named, variables_of
from replay.code.seen import (
    FLAG_VALUES,
    LOGGERS,
    PLAIN,
    WRAPPERS,
    Contents,
    attributes,
    held,
    is_memory,
    is_seen,
    is_stream,
    loggers_of,
    names_of_pythons,
)
from replay.code.variables import INNER, Global, Table
from replay.world.anatomy import dictionary_of, is_cached_attribute


class Watched(NamedTuple):
    """Something that is compared, by its identity, its name and what it held."""

    key: object
    name: str
    thing: object
    contents: Contents


def watch(found: dict[object, Named], *, ordinary: bool = False) -> Iterator[Watched]:
    """Yields the things found that can change, with their contents.

    Without those of Python's library if the program shares `ordinary` objects: what that changes is memory then.
    """
    for key, (name, thing) in found.items():
        contents = None if ordinary and type(thing) is Table else contents_of(thing)
        if contents is not None:
            yield Watched(key, name, thing, contents)


def changes(watched: Iterable[Watched]) -> Iterator[Watched]:
    """Yields the things that are not what they were."""
    for each in watched:
        now, before = contents_of(each.thing), each.contents
        if each.thing is sys.modules:
            now = now and [*now[: len(before)], *_no_imports(now[len(before) :])]
        if now is None or len(now) != len(before) or not _are_same(before, now):
            yield each


def _are_same(before: Contents, now: Contents) -> bool:
    # objects are the same by identity: what they hold is compared where they are
    return all(map(is_, before, now)) or all(
        one is other or (type(one) in PLAIN and type(one) is type(other) and one == other)
        for one, other in zip(before, now, strict=True)
    )


def _no_imports(entries: Contents) -> Contents:
    """Returns the entries of `sys.modules` that are no modules imported by their names, as the checker's own may be."""
    pairs = zip(entries[::2], entries[1::2], strict=True)
    return [name for name, module in pairs if getattr(getattr(module, "__spec__", None), "name", None) != name]


def contents_of(thing: Any) -> Contents | None:
    """Returns the parts of a thing that can change; None if it has none, is memory, or cannot be seen."""
    kind = type(thing)
    if is_memory(kind) or thing is INNER or thing is linecache.cache:  # the checker reads lines for messages, too
        return None
    match thing:
        case Global():
            return [thing.value]
        case Table():
            return contents_of(thing.held)
        case CellType():
            return list(cell_contents(thing))
        case FunctionType():
            own = (thing.__code__, thing.__doc__, thing.__name__, thing.__qualname__, thing.__module__)
            named = thing.__kwdefaults__ or {}
            return [*own, *(thing.__defaults__ or ()), *named, *named.values(), *vars(thing).values()]
        case type():
            return _contents_of_class(thing)
        case ModuleType():
            return [*variables_of(thing)]
        case memoryview():
            return _contents_of_view(thing)
        case functools._lru_cache_wrapper():
            return [value for key, value in attributes(thing) if key != "__wrapped__"]
    if thing is sys.modules:
        return [each for entry in thing.items() for each in entry]
    if kind in LOGGERS:
        told = [value for key, value in vars(thing).items() if key not in LOGGERS[kind]]
        if kind is not Manager:
            return [*told, *thing.handlers, *thing.filters]
        return [*told, *chain.from_iterable(map(_set_of, loggers_of(thing).values()))]
    if is_stream(thing):
        return [*(dictionary_of(thing) or {}).values()]
    if kind is functools.cached_property:
        return [value for _, value in attributes(thing)]
    if kind in (property, super):
        return gc.get_referents(thing)
    if kind in WRAPPERS or is_of_checker(kind) or not is_seen(kind):
        return None
    return [kind, *held(thing), *(value for key, value in attributes(thing) if not is_cached_attribute(kind, key))]


def _contents_of_view(view: memoryview) -> Contents:
    try:
        return [view.tobytes()]
    except ValueError:  # it was released
        return []


def _set_of(logger: Any) -> Iterator[object]:
    """Yields what was set of a logger; nothing if it was only asked for."""
    yield from (value for value in (logger.level, logger.disabled, not logger.propagate) if value)
    yield from (*logger.handlers, *logger.filters)


def _contents_of_class(kind: type) -> Contents:
    """Returns the bases and attributes of a class, and the classes registered with it if it is abstract."""
    names = names_of_pythons(kind)
    own = {
        name: value
        for name, value in vars(kind).items()
        if name not in names and not (name == "__annotations__" and value == {})  # made when anybody asks for it
    }
    registered = _abc._get_dump(kind)[0] if "_abc_impl" in vars(kind) else ()
    named = [vars(type)[name].__get__(kind) for name in ("__name__", "__qualname__")]
    return [type(kind), *kind.__bases__, *named, *own, *own.values(), *sorted(map(id, registered)), *_added(kind)]


def _added(kind: type) -> Iterator[object]:
    """Yields what was added to combinations of flags, beside what Python computes of them."""
    combinations = vars(kind).get(FLAG_VALUES, {}).values() if issubclass(kind, enum.Flag) else ()
    for each in combinations:
        if each._name_ not in vars(kind)["_member_map_"]:
            yield from (value for key, value in vars(each).items() if key not in _OF_COMBINATIONS)


_OF_COMBINATIONS = ("_value_", "_name_", "_inverted_", "__objclass__", "_sort_order_")
