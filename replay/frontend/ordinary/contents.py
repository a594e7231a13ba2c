"""What a shared container holds, as one value of memory: a tuple that says of which kind it is.

To change it, a method of Python's own container runs on a copy, and what the
copy holds then is the next value.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

from replay.code.ordinary import class_of_shared
from replay.world.shown import shown


class Content(tuple[Any, ...]):
    """What a container holds, in order."""

    __slots__ = ()


class ListContent(Content):
    """Of a list: its elements."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"[{', '.join(map(shown, self))}]"


class DequeContent(ListContent):
    """Of a deque: its elements."""

    __slots__ = ()


class DictContent(Content):
    """Of a dict: its keys with their values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{shown(key)}: {shown(value)}' for key, value in self)}}}"


class SetContent(Content):
    """Of a set: its elements in the order in which they came."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{{{', '.join(map(shown, self))}}}" if self else "set()"


BASES: tuple[type, ...] = (OrderedDict, defaultdict, dict, list, set, deque)
"""The containers that can be shared; of two that fit a class, the first one is meant."""


def base_of(kind: type) -> type | None:
    """The container that a class is made from, None if it is none."""
    known = class_of_shared(kind) or kind
    return next((base for base in BASES if issubclass(known, base)), None)


def taken(base: type, held: Any, each: Callable[[Any, str], Any]) -> Content:
    """What a container holds that is not shared yet; `each` makes of a part and its name what memory holds."""
    if issubclass(base, dict):
        pairs = list(dict.items(held))
        return DictContent((each(key, f"[{shown(key)}]"), each(value, f"[{shown(key)}]")) for key, value in pairs)
    if base is set:
        parts = [each(value, f"[{shown(value)}]") for value in set.__iter__(held)]
        return SetContent(sorted(parts, key=lambda part: (type(part).__name__, shown(part))))
    kind = DequeContent if base is deque else ListContent
    return kind(each(value, f"[{index}]") for index, value in enumerate(base.__iter__(held)))  # type: ignore[attr-defined]


def unpacked(base: type, content: Iterable[Any], limit: int | None = None) -> Any:
    """A container of Python that holds this; a `defaultdict` without its factory."""
    if base is deque:
        return deque(content, limit)
    return {} | dict(content) if base is defaultdict else base(content)


def packed(base: type, container: Any, before: Content, given: Iterable[Any]) -> Content:
    """What a container holds after it held `before`; of a set, `given` tells the order of what was added."""
    if issubclass(base, dict):
        return DictContent(container.items())
    if base is set:
        old = dict.fromkeys(before)
        added = [value for value in dict.fromkeys(given) if value in container and value not in old]
        return SetContent([*(value for value in before if value in container), *added])
    return DequeContent(container) if base is deque else ListContent(container)
