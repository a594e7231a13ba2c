"""Objects that modules and classes have by names: there is one of each for all runs."""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

from replay.code.watchdog import own_watch
from replay.interpreter.lookup import identity, is_a
from replay.interpreter.origins import is_of_host

T = TypeVar("T")


def _once_in_each_exploration(find: Callable[[], T]) -> Callable[[], T]:
    """Decorator: the function looks once, and again after an import or when a file was run, as to go through all names
    takes a while."""

    @functools.wraps(find)
    def found() -> T:
        watch = own_watch()
        known = len(sys.modules), len(_met()), watch.files
        latest: tuple[tuple[int, ...], T] | None = watch.found.get(find)
        if latest is None or latest[0] != known:
            latest = watch.found[find] = known, find()
        return latest[1]

    return found


def is_constant(value: object) -> bool:
    """Returns whether a module or a class has an object by a name: then there is one for all runs."""
    return _held_by_name().is_held(value)


class _NamedObjects:
    """Objects that something has by names."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values  # so that nothing else gets the identity of one
        self._identities = {*map(identity, values)}

    def is_held(self, value: object) -> bool:
        """Returns whether it is one of these objects."""
        return identity(value) in self._identities


@_once_in_each_exploration
def _held_by_name() -> _NamedObjects:
    """Returns what modules and classes have by names."""
    return _NamedObjects([*itertools.chain.from_iterable([*space.values()] for space in _spaces())])


def note_names(names: dict[str, Any]) -> None:
    """Code of a module runs, whose global variables these are: it need not be known by name, or no longer."""
    _met()[identity(names)] = names


def _met() -> dict[int, dict[str, Any]]:
    return own_watch().found.setdefault(note_names, {})  # type: ignore[no-any-return]


def _spaces() -> list[Mapping[str, Any]]:
    """The names of all modules and classes, and of modules whose code has run that are known by no name."""
    modules = [vars(each) for each in list(sys.modules.values()) if is_a(each, ModuleType)]
    spaces = {identity(each): each for each in (*modules, *_met().values())}
    return [*map(vars, _all_classes()), *spaces.values()]


def _all_classes() -> list[Any]:
    classes: dict[int, Any] = {identity(object): object}
    todo: list[Any] = [object]
    while todo:
        for each in type.__subclasses__(todo.pop()):
            if identity(each) not in classes and is_of_host(each):
                classes[identity(each)] = each
                todo.append(each)
    return [*classes.values()]


def title_of(value: object, is_it: Callable[[object, object], bool] = operator.is_) -> str:
    """The first of the names that modules and classes have for an object, and for no other one; "" if there is none."""
    homes = [(held, held.get("__qualname__") or held.get("__name__") or held.get("__module__")) for held in _spaces()]
    names = ((f"{home}.{name}", each) for held, home in homes if home for name, each in [*held.items()])
    return min((name for name, each in names if is_it(each, value)), default="")


def found_by_name(value: Any) -> Any:
    """Returns what its module has by the name that a function or class has for itself."""
    found: Any = sys.modules.get(str(getattr(value, "__module__", "")))
    for part in str(getattr(value, "__qualname__", "")).split("."):
        found = vars(found).get(part) if is_a(found, ModuleType | type) else None
    return found
