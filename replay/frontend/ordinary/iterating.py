"""Iteration over shared containers: each step is a load.

A step raises what Python raises where the container has changed meanwhile. What takes all at once, as `list(items)`
does, is given a copy (`replay.frontend.ownership.copies`).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from typing import Any

from replay.frontend.ordinary.changes import identity_of_container, looked_at
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.identity import Identity
from replay.world.values import same


class SharedIterator:
    """An iterator over items, each as memory holds it at that moment."""

    __slots__ = ("_ended", "_identity")

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._ended = False

    def __iter__(self) -> SharedIterator:
        return self

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        found = self._step(self._identity.load("", locks=False))
        if found is None:
            self._ended = True
            raise StopIteration
        return self._identity.heap.thaw(found[0])

    def _step(self, now: Any) -> tuple[Any] | None:
        """The next item, alone in a tuple, where memory holds this now; None for the end."""
        raise NotImplementedError

    def _fail(self, message: str) -> None:
        self._ended = True
        raise RuntimeError(message)


class Backwards(SharedIterator):
    """The result of `reversed` for a list or a deque."""

    __slots__ = ("_at", "_base", "_seen")

    def __init__(self, identity: Identity, base: Any) -> None:
        super().__init__(identity)
        self._base = base
        self._seen = identity.load("", locks=False)
        self._at = len(self._seen)

    def _step(self, now: Any) -> tuple[Any] | None:
        self._at -= 1
        if self._base is deque and _has_moved(self._seen, now):
            self._fail("deque mutated during iteration")
        return (now[self._at],) if 0 <= self._at < len(now) else None


class Steps(SharedIterator):
    """An iterator over a shared container; `which` of a dict: keys, values or items."""

    __slots__ = ("_at", "_base", "_left", "_length", "_seen", "_which")

    def __init__(self, identity: Identity, which: str, base: Any) -> None:
        super().__init__(identity)
        self._which = which
        self._base = base
        self._at = 0
        self._seen: Any = () if base in _BY_PLACE else identity.load("")
        self._length = self._left = len(self._seen)

    def _step_of_list(self, now: Any) -> tuple[Any] | None:
        self._at += 1
        return (now[self._at - 1],) if self._at <= len(now) else None

    def _step(self, now: Any) -> tuple[Any] | None:
        if self._base in _BY_PLACE:
            return self._step_of_list(now)
        if self._base is deque:
            if _has_moved(self._seen, now):
                self._fail("deque mutated during iteration")
            return self._step_of_list(now)
        what = "Set" if self._base is set else "dictionary"
        if len(now) != self._length:
            self._fail(f"{what} changed size during iteration")
        return self._next_in_order(now)

    def _next_in_order(self, now: Any) -> tuple[Any] | None:
        """The next that was there before, else the first that came since; those that went are passed over."""
        keys = [self._key(each) for each in now]
        rest = [self._key(each) for each in self._seen[self._at :]]
        known = {self._key(each) for each in self._seen}
        place = next((keys.index(key) for key in rest if key in keys), None)
        if place is None:
            place = next((at for at, key in enumerate(keys) if key not in known), None)
        if place is None:
            return None
        if not self._left:
            self._fail("dictionary keys changed during iteration")
        self._left -= 1
        self._seen, self._at = now, place + 1
        return (self._part(now[place]),)

    def _key(self, entry: Any) -> Any:
        return entry if self._base is set else entry[0]

    def _part(self, entry: Any) -> Any:
        if self._base is set or self._which == "items":
            return entry
        return entry[0] if self._which == "keys" else entry[1]


_BY_PLACE = (list, bytearray)
"""Containers that may change in any way while they are gone through."""


def _has_moved(before: Any, now: Any) -> bool:
    """Returns whether a deque was changed otherwise than by giving one of its places another item, which Python
    allows."""
    return len(before) != len(now) or sum(not same(one, two) for one, two in zip(before, now, strict=True)) > 1


def length(container: Any) -> int:
    """`len`, which takes no lock."""
    return len(identity_of_container(container).load("", locks=False))


def steps_through(container: Any) -> Any:
    """`iter`."""
    return Steps(identity_of_container(container), "keys", base_of(type(container)))


def steps_back(container: Any) -> Any:
    """`reversed`."""
    base = base_of(type(container))
    is_dict = base is not None and issubclass(base, dict)
    return reversed(looked_at(container)) if is_dict else Backwards(identity_of_container(container), base)


class DictView:
    """The result of `keys`, `values` and `items` of a shared dict: it always shows what the dict holds now."""

    __slots__ = ("_identity", "_look", "_of", "_which")

    def __init__(self, of: Any, identity: Identity, which: str, look: Callable[[Any], Any]) -> None:
        self._of = of
        self._identity = identity
        self._which = which
        self._look = look

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(getattr(OrderedDict() if self.is_ordered else {}, self._which)())

    @property
    def is_ordered(self) -> bool:
        """True if it is a view of an OrderedDict."""
        return isinstance(self._of, OrderedDict)

    def at_once(self) -> list[Any]:
        """Returns all that it shows now: one load."""
        return list(self._now())

    def _now(self) -> Any:
        return getattr(self._look(self._of), self._which)()

    def __iter__(self) -> Steps:
        return Steps(self._identity, self._which, dict)

    def __len__(self) -> int:
        return len(self._of)

    def __contains__(self, value: object) -> bool:
        if self._which == "values":  # which goes through all, and takes no lock
            return any(each is value or each == value for each in self)
        return value in self._now()

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self._now())[::-1])

    def isdisjoint(self, other: Any) -> bool:
        return bool(self._now().isdisjoint(other))

    def __repr__(self) -> str:
        return repr(self._now())

    __hash__ = None  # type: ignore[assignment]


def _operator(name: str) -> Callable[..., Any]:
    def method(self: DictView, other: Any) -> Any:
        if isinstance(other, set):  # it may be a shared one, which a real view does not know
            other = {*other}
        return getattr(self._now(), name)(other._now() if isinstance(other, DictView) else other)

    return method


for _each in ["eq", "ne", "lt", "le", "gt", "ge", "and", "rand", "or", "ror", "sub", "rsub", "xor", "rxor"]:
    setattr(DictView, f"__{_each}__", _operator(f"__{_each}__"))
