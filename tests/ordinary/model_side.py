"""The model's side of a random ordinary program: containers as cells that hold immutable values.

One method of a container is one atomic update of its cell, one look at it a
load. Whatever a method does, the method of Python itself does it, to a copy.
A method that moves elements of a list has a second update, when it ends: looks
without the lock of the list find it before or after, or empty while it is
sorted; all else waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import mcr
from replay.code.running_thread import perform
from replay.world.operation import Kind

MOVING = "list, amid a method"
"""Of a list whose elements move: before what it holds in the end, all that it may seem to hold."""

MISSING = ("an attribute that is not there",)

_LIVE: dict[str, Callable[[Any], Any]] = {"list": list, "dict": dict, "deque": deque, "set": set}


def frozen(container: Any) -> tuple[str, Any]:
    """A container as a value: what it is, and what it holds."""
    if isinstance(container, dict):
        return "dict", tuple(container.items())
    if isinstance(container, set):
        return "set", frozenset(container)
    return type(container).__name__, tuple(container)


def live(content: tuple[str, Any]) -> Any:
    kind, held = content
    return _LIVE[kind](held)


def value(container: mcr.Record) -> Any:
    """What a container seems to hold now, to one who takes no lock of it."""
    kind, held = container.content.load()
    if kind == MOVING:
        return live(perform(Kind.CHOOSE, choices=held[:-1]))
    return live((kind, held))


def whole(container: mcr.Record) -> Any:
    """What a container holds, by its lock."""
    while (content := container.content.load())[0] == MOVING:
        pass
    return live(content)


def change(container: mcr.Record, method: str, *arguments: Any) -> Any:
    """Call a method that changes the container; its result, or its exception."""

    def changed(old: tuple[str, Any]) -> tuple[str, Any]:
        if old[0] == MOVING:
            return old
        now = live(old)
        getattr(now, method)(*arguments)
        return meanwhile(method, old, frozen(now))

    while (old := container.content.update(changed, method))[0] == MOVING:
        whole(container)
    if changed(old)[0] == MOVING:
        container.content.update(lambda held: held[1][-1], f"{method} ends")
    return getattr(live(old), method)(*arguments)


def meanwhile(method: str, before: tuple[str, Any], after: tuple[str, Any]) -> tuple[str, Any]:
    """What a container holds until a method ends: `after`, if none of its elements gets another place."""
    kind, held = before
    if kind != "list" or not held:
        return after
    if method == "sort":
        return MOVING, (("list", ()), after)
    places = [at for at, (one, other) in enumerate(zip(held, after[1], strict=False)) if one != other]
    if not places or (len(places) == 1 and len(held) == len(after[1])):
        return after
    return MOVING, (before, after, after)


def each_step(container: mcr.Record) -> Iterator[Any]:
    """Iterate over a list: each step looks at it as it then is."""
    position = 0
    while position < len(held := value(container)):
        yield held[position]
        position += 1


def has(container: mcr.Record, wanted: Any) -> bool:
    """`in`, which looks at each item of a list as it then is."""
    return any(each == wanted for each in each_step(container))


def counted(container: mcr.Record, wanted: Any) -> int:
    return sum([each == wanted for each in each_step(container)])


def place(container: mcr.Record, wanted: Any) -> int:
    for position, each in enumerate(each_step(container)):
        if each == wanted:
            return position
    raise ValueError(f"{wanted} is not in list")


def present(found: Any, error: type[Exception] = AttributeError) -> Any:
    """The value of an attribute that must be there."""
    if found == MISSING:
        raise error("'Shared' object has no attribute 'late'")
    return found


def either(found: Any, default: Any) -> Any:
    return default if found == MISSING else found


def removed(attribute: Any) -> None:
    """Delete an attribute: at once, and only if it is there."""
    if attribute.exchange(MISSING) == MISSING:
        raise AttributeError("'Shared' object has no attribute 'late'")


def taken(attribute: Any, default: Any) -> Any:
    """Delete an attribute if it is there; its value."""
    return either(attribute.exchange(MISSING), default)


def defaulted(attribute: Any, new: Any) -> Any:
    """Set an attribute if it is not there; its value."""
    return either(attribute.update(lambda held: either(held, new)), new)


def assigned(node: Any, new: Any) -> None:
    """Set the value of a node; None has none."""
    if node is None:
        raise AttributeError("'NoneType' object has no attribute 'value'")
    node.value.store(new)
