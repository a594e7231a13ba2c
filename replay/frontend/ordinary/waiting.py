"""`queue.SimpleQueue`, which is written in C: a queue that is one location, and each call one operation."""

from __future__ import annotations

import _queue
from typing import Any

from greenlet import getcurrent

from replay.code.running_thread import current_run, line_of_request
from replay.frontend.ordinary.contents import DequeContent
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.locks import EXPIRED
from replay.frontend.ordinary.own import Own
from replay.world.operation import Guard, Kind, Operation
from replay.world.shown import shown


class SimpleQueue(Own):
    """First in, first out, without a limit. `items` are in it while it is private."""

    __slots__ = ("items",)
    items: list[Any]

    def __init__(self) -> None:
        self.identity = None
        self.items = []

    def held(self) -> dict[str, Any]:
        heap: Any = getcurrent().heap  # type: ignore[attr-defined]
        return {"": DequeContent(heap.freeze(item) for item in self.items)}

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item. It never waits."""
        if self.identity is None:
            self.items.append(item)
            return
        frozen = self.identity.heap.freeze(item)
        self._update(self.identity, f"put({shown(frozen)})", lambda held: DequeContent((*held, frozen)))

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
                raise _queue.Empty
            heap: Any = getcurrent().heap  # type: ignore[attr-defined]
            heap.freeze(self)
        assert self.identity is not None
        waits = block and timeout is None
        label = "get()" if waits else "get_nowait()"
        if not waits:
            current_run().locals[EXPIRED] = True
        return self.identity.heap.thaw(
            self._update(self.identity, label, _without_oldest, _oldest, _HAS_ITEMS, waits=waits)
        )

    def get_nowait(self) -> Any:
        return self.get(block=False)

    def empty(self) -> bool:
        return not self.qsize()

    def qsize(self) -> int:
        return len(self.items if self.identity is None else self.identity.load(""))

    def _update(
        self,
        identity: Identity,
        label: str,
        change: Any,
        result: Any = None,
        ready: Guard | None = None,
        *,
        waits: bool = False,
    ) -> Any:
        operation = Operation(
            Kind.UPDATE,
            identity.cell(""),
            update=change,
            result=result or (lambda _: None),
            ready=ready if waits else None,
            label=label,
            source=line_of_request(),
        )
        return current_run().perform(operation)


_HAS_ITEMS = Guard(lambda held: bool(held))


def _without_oldest(held: Any) -> DequeContent:
    if not held:
        raise _queue.Empty
    return DequeContent(held[1:])


def _oldest(held: Any) -> Any:
    return held[0]
