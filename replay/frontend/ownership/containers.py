"""Methods of shared containers, by the container that Python has and the name of the method."""

from __future__ import annotations

import functools
from collections import deque
from typing import Any

from replay.frontend.ordinary.changes import identity_of_container, looked_at
from replay.frontend.ordinary.iterating import Backwards, Iterator, Steps, View
from replay.frontend.ordinary.methods import copied_deeply, item, methods_of
from replay.frontend.ordinary.values import UNSET
from replay.interpreter.frame import NULL
from replay.interpreter.lookup import mro_of, namespace_of


class _OneByOne(Iterator):
    """An iterator of which each step is a load."""

    __slots__ = ()

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        found = self._one()
        if found is None:
            self._ended = True
            raise StopIteration
        return self._identity.heap.thaw(found[0])


class Walk(_OneByOne, Steps):
    """An iterator over a shared container."""

    __slots__ = ()


class WalkBack(_OneByOne, Backwards):
    """What `reversed` gives of a shared list or deque."""

    __slots__ = ()


class LiveView(View):
    """A view of a shared dict, as `keys`, `values` and `items` give one."""

    __slots__ = ()

    def __iter__(self) -> Any:
        return Walk(self._identity, self._which, dict)

    def __len__(self) -> int:
        return len(self._of)

    def __contains__(self, value: object) -> bool:
        if self._which == "values":  # which goes through all, and takes no lock
            return any(each is value or each == value for each in self)
        return value in self._now()


def _length(self: Any) -> int:
    return len(identity_of_container(self).load("", locks=False))


def _walked_back(base: type) -> Any:
    def method(self: Any) -> Any:
        return WalkBack(identity_of_container(self), base)

    return method


def _walked(base: type) -> Any:
    def method(self: Any) -> Any:
        return Walk(identity_of_container(self), "keys", base)

    return method


def _copied_deeply(self: Any, memory: Any) -> Any:
    return copied_deeply(self, memory, Walk)


def _view(which: str) -> Any:
    def method(self: Any) -> Any:
        return LiveView(self, identity_of_container(self), which, looked_at)

    return method


def _item(self: Any, key: Any) -> Any:
    return item(self, looked_at(self), key)


@functools.cache
def _methods(base: Any) -> dict[str, Any]:
    methods = methods_of(base) | {"__len__": _length, "__iter__": _walked(base), "__deepcopy__": _copied_deeply}
    if issubclass(base, dict):
        methods |= {which: _view(which) for which in ("keys", "values", "items")} | {"__getitem__": _item}
    if issubclass(base, list | deque):
        methods["__reversed__"] = _walked_back(base)
    for name in ("__class__", "__reduce_ex__", "fromkeys"):
        methods.pop(name, None)
    return methods


def method(base: type, kind: type, name: str) -> Any:
    """Returns the method of a shared container in the place of Python's; None where its own class has one."""
    for each in mro_of(kind):
        if each is base:
            return _methods(base).get(name)
        if name in namespace_of(each):
            return None
    return None


def method_of_native(base: type, native: Any) -> Any:
    """The same for a method of C."""
    name = native.__name__
    found = next((namespace_of(each).get(name, NULL) for each in mro_of(base) if name in namespace_of(each)), UNSET)
    return _methods(base).get(name) if found is native else None
