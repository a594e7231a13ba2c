"""What Python has in C, and one thread has until it is shared: counters, `threading.local`, queues (locks: `locks`)."""

from __future__ import annotations

import _queue
import ast
import itertools
from typing import Any, NoReturn

from greenlet import getcurrent

from replay.code.ordinary import Shareable
from replay.code.running_thread import RunningThread, perform, refuse
from replay.frontend.ordinary.clock import note_wait, owe
from replay.frontend.ordinary.contents import DequeContent
from replay.frontend.ordinary.identity import Identity
from replay.world.operation import Guard, Kind
from replay.world.shown import shown


class ShareableBuiltin(Shareable):
    """Something of ours in the place of what Python has written in C. `identity` is None while nobody else has it."""

    __slots__ = ("identity",)
    identity: Identity | None

    def held(self) -> dict[str, Any]:
        """What its parts hold when it becomes shared."""
        raise NotImplementedError

    def private(self) -> tuple[object, ...]:
        """All that it holds while nobody else has it."""
        raise NotImplementedError

    def become_shared(self, identity: Identity) -> None:
        """From now on it is in memory."""
        self.identity = identity

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")


def begun_with(counter: itertools.count[Any]) -> tuple[Any, ...]:
    """What `itertools.count` would have to be called with to give the numbers that this one has still to give.

    Python tells it by the text of a counter only. Raises ValueError for numbers that are no int or float.
    """
    numbers = repr(counter).partition("(")[2].removesuffix(")")
    try:
        return tuple(ast.literal_eval(f"({numbers},)"))
    except SyntaxError as error:
        raise ValueError(f"numbers of an unknown kind: {numbers}") from error


class Count(ShareableBuiltin):
    """What gives one number after the other."""

    __slots__ = ("_at", "_step")
    _at: Any
    _step: Any

    def __init__(self, at: Any = 0, step: Any = 1) -> None:
        self.identity = None
        self._at, self._step = at, step

    def held(self) -> dict[str, Any]:
        return {"": self._at, "step": self._step}

    def private(self) -> tuple[object, ...]:
        return self._at, self._step

    def become_shared(self, identity: Identity) -> None:
        self.identity = identity
        self._step = identity.content["step"]

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        refuse(f"{self!r} counts for others as well, and cannot be copied: make another one")

    def __iter__(self) -> Count:
        return self

    def __next__(self) -> Any:
        assert self.identity is not None
        self.identity.check_running()
        step = self._step
        return perform(
            Kind.UPDATE, self.identity.cell(""), update=lambda at: at + step, result=lambda at: at, label="next()"
        )

    def __repr__(self) -> str:
        return str(self.identity)


class Local(ShareableBuiltin):
    """Attributes of each thread. One that a thread makes is its own as long as nobody else has it."""

    __slots__ = ("_attributes",)
    _attributes: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "identity", None)
        object.__setattr__(self, "_attributes", {})

    def held(self) -> dict[str, Any]:
        """Nothing that others would see."""
        return {}

    def private(self) -> tuple[object, ...]:
        return (self._attributes,)

    def become_shared(self, identity: Identity) -> None:
        object.__setattr__(self, "identity", identity)
        thread: RunningThread | None = getattr(getcurrent(), "thread", None)
        if thread is not None:
            for name, value in self._attributes.items():
                thread.locals[identity.reference.name, name] = value

    def __getattr__(self, name: str) -> Any:
        held = _attributes_of(self)
        place = name if self.identity is None else (self.identity.reference.name, name)
        if place not in held:
            raise AttributeError(f"'_thread._local' object has no attribute {name!r}")
        return held[place]

    def __setattr__(self, name: str, value: object) -> None:
        _attributes_of(self)[name if self.identity is None else (self.identity.reference.name, name)] = value

    def __delattr__(self, name: str) -> None:
        getattr(self, name)
        del _attributes_of(self)[name if self.identity is None else (self.identity.reference.name, name)]


def _attributes_of(local: Local) -> dict[Any, Any]:
    thread: RunningThread | None = getattr(getcurrent(), "thread", None)
    if local.identity is None:
        return local._attributes
    if thread is None:
        refuse(f"{local.identity} is what each thread has for itself: only threads may use it now")
    return thread.locals


class SimpleQueue(ShareableBuiltin):
    """First in, first out, without a limit. `items` are in it while it is private."""

    __slots__ = ("items",)
    items: list[Any]

    def __init__(self) -> None:
        self.identity = None
        self.items = []

    def held(self) -> dict[str, Any]:
        heap: Any = getcurrent().heap  # type: ignore[attr-defined]
        return {"": DequeContent(heap.freeze(item) for item in self.items)}

    def private(self) -> tuple[object, ...]:
        return tuple(self.items)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item. It never waits."""
        if self.identity is None:
            self.items.append(item)
            return
        frozen = self.identity.heap.freeze(item)
        self._update(f"put({shown(frozen)})", lambda held: DequeContent((*held, frozen)), lambda _: None)

    def put_nowait(self, item: Any) -> None:
        self.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take the oldest item as soon as there is one; raises `queue.Empty` if it is not to wait, or not so long."""
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if self.identity is None:
            if self.items:
                return self.items.pop(0)
            if not block or timeout is not None:
                owe(timeout or 0.0)
                raise _queue.Empty
            heap: Any = getcurrent().heap  # type: ignore[attr-defined]
            heap.freeze(self)
        assert self.identity is not None
        waits = block and timeout is None
        if not waits:
            note_wait(timeout or 0.0, expired=True)
        label = "get()" if waits else "get_nowait()"
        taken = self._update(label, _without_oldest, _oldest, ready=_HAS_ITEMS if waits else None)
        return self.identity.heap.thaw(taken)

    def get_nowait(self) -> Any:
        return self.get(block=False)

    def empty(self) -> bool:
        return not self.qsize()

    def qsize(self) -> int:
        return len(self.items if self.identity is None else self.identity.load(""))

    def _update(self, label: str, change: Any, result: Any, ready: Guard | None = None) -> Any:
        assert self.identity is not None
        return perform(Kind.UPDATE, self.identity.cell(""), update=change, result=result, ready=ready, label=label)


_HAS_ITEMS = Guard(lambda held: bool(held))


def _without_oldest(held: Any) -> DequeContent:
    if not held:
        raise _queue.Empty
    return DequeContent(held[1:])


def _oldest(held: Any) -> Any:
    return held[0]
