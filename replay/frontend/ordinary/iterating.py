"""Iteration over shared containers: step by step where a loop runs, at once where a function of Python's takes all.

`for x in items` loads before each step, and raises what Python raises where the container has changed meanwhile.
`list(items)`, `sorted(items)`, `[*items]` are written in C and let nobody in between. So are `dict(table)` and
`{**table}`, which ask for the keys and then for one value after the other: these all come from the load that gave the
keys.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from collections.abc import Iterator as AnyIterator
from types import FrameType
from typing import Any

from replay.code.running_thread import current_run, inside_run
from replay.frontend.ordinary.asking import is_hint, takes_all, takes_rest
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.values import UNSET
from replay.world.values import same


class Merged:
    """What a shared dict held when code asked for its keys, and which values that code has still to ask for."""

    __slots__ = ("_held", "_keys", "_moment")

    def __init__(self, held: dict[Any, Any], frame: FrameType) -> None:
        """`frame` is that of the code."""
        self._held = held
        self._keys = list(reversed(held))
        self._moment = _moment(frame)

    def value(self, key: Any, frame: FrameType) -> Any:
        """The value of a key; `UNSET` if this is another question than the one that follows."""
        if not self._keys or self._keys[-1] is not key or self._moment != _moment(frame):
            return UNSET
        return self._held[self._keys.pop()]


def _moment(frame: FrameType) -> tuple[int, int, int]:
    """An instruction that is being executed, and how many operations its thread has performed."""
    return id(frame), frame.f_lasti, current_run().performed if inside_run() else 0


class Iterator:
    """What gives one item after the other, each as memory holds it at that moment."""

    __slots__ = ("_ended", "_identity", "_rest")

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._ended = False
        self._rest: list[Any] | None = None

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        if self._rest is None and takes_rest(sys._getframe(), self):
            self._take_all()
        found = self._rest.pop(0) if self._rest else None if self._rest is not None else self._one()
        if found is None:
            self._ended = True
            raise StopIteration
        return self._identity.heap.thaw(found[0])

    def _one(self) -> tuple[Any] | None:
        return self._step(self._identity.load("", locks=False))

    def _take_all(self) -> None:
        """What is left goes to a function written in C, which lets nobody in between."""
        now, rest = self._identity.load(""), []
        while (found := self._step(now)) is not None:
            rest.append(found)
        self._rest = rest

    def _step(self, now: Any) -> tuple[Any] | None:
        """The next item, alone in a tuple, where memory holds this now; None for the end."""
        raise NotImplementedError

    def _fail(self, message: str) -> None:
        self._ended = True
        raise RuntimeError(message)


class Backwards(Iterator):
    """What `reversed` gives of a list or a deque."""

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


class Steps(Iterator):
    """An iterator over a shared container; `which` of a dict: keys, values or items."""

    __slots__ = ("_at", "_base", "_left", "_length", "_seen", "_which")

    def __init__(self, identity: Identity, which: str, base: Any) -> None:
        super().__init__(identity)
        self._which = which
        self._base = base
        self._at = 0
        self._seen: Any = () if base is list else identity.load("")
        self._length = self._left = len(self._seen)

    def _step_of_list(self, now: Any) -> tuple[Any] | None:
        self._at += 1
        return (now[self._at - 1],) if self._at <= len(now) else None

    def _step(self, now: Any) -> tuple[Any] | None:
        if self._base is list:
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


def _has_moved(before: Any, now: Any) -> bool:
    """Whether a deque was changed otherwise than by giving one of its places another item, which Python allows."""
    return len(before) != len(now) or sum(not same(one, two) for one, two in zip(before, now, strict=True)) > 1


class View:
    """What `keys`, `values` and `items` of a shared dict give: it always shows what the dict holds now."""

    __slots__ = ("_identity", "_look", "_of", "_which")

    def __init__(self, of: Any, identity: Identity, which: str, look: Callable[[Any], Any]) -> None:
        self._of = of
        self._identity = identity
        self._which = which
        self._look = look

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(getattr(OrderedDict() if isinstance(self._of, OrderedDict) else {}, self._which)())

    def _now(self) -> Any:
        return getattr(self._look(self._of), self._which)()

    def __iter__(self) -> AnyIterator[Any]:
        if not takes_all(sys._getframe(), (self, self._of), self._identity, is_table=self._which != "values"):
            return Steps(self._identity, self._which, dict)
        held = self._look(self._of)
        if self._which == "keys":
            self._identity.merged = Merged(held, sys._getframe(1))
        return iter(list(getattr(held, self._which)()))

    def __len__(self) -> int:
        return 0 if is_hint(sys._getframe(), (self, self._of)) else len(self._of)

    def __contains__(self, value: object) -> bool:
        if self._which == "values":  # which goes through all, and takes no lock
            return any(each is value or each == value for each in Steps(self._identity, self._which, dict))
        return value in self._now()

    def __reversed__(self) -> AnyIterator[Any]:
        return iter(list(self._now())[::-1])

    def isdisjoint(self, other: Any) -> bool:
        return bool(self._now().isdisjoint(other))

    def __repr__(self) -> str:
        return repr(self._now())

    __hash__ = None  # type: ignore[assignment]


def _operator(name: str) -> Callable[..., Any]:
    def method(self: View, other: Any) -> Any:
        if isinstance(other, set):  # it may be a shared one, which a real view does not know
            other = {*other}
        return getattr(self._now(), name)(other._now() if isinstance(other, View) else other)

    return method


for _each in ["eq", "ne", "lt", "le", "gt", "ge", "and", "rand", "or", "ror", "sub", "rsub", "xor", "rxor"]:
    setattr(View, f"__{_each}__", _operator(f"__{_each}__"))
