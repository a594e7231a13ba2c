"""How iterators are written: over what, and how far they are.

They are asked for a way to make their equal, which changes nothing.
"""

from __future__ import annotations

import gc
from typing import Any

from replay.local_state.doubt import Doubt
from replay.local_state.writer import Handler, Writer


def _sequence(writer: Writer, value: Any) -> None:
    """Of a list, tuple, string: the sequence and the position; one that came to the end has let go of it."""
    if writer.is_new(value):
        _, (sequence,), *position = value.__reduce__()
        if position:
            writer.tokens += (type(value), *position)
            writer.write(sequence)
        else:
            writer.tokens += (type(value), "at the end")


def _range(writer: Writer, value: Any) -> None:
    """Of a range: what is left of it."""
    if writer.is_new(value):
        _, (whole,), *position = value.__reduce__()
        left = whole[position[0] if position and position[0] else 0 :]
        writer.tokens += (type(value), len(left), *((left.start, left.step) if left else ()))


def _wrapper(writer: Writer, value: Any) -> None:
    """Of iterators: these, and what it keeps itself."""
    if writer.is_new(value):
        _, parts, *more = value.__reduce__()
        writer.tokens += (type(value), *more)
        writer.all(parts)


def _unordered(writer: Writer, value: Any) -> None:
    """Of a set or dictionary: what is left, and whose it is, since a change of that ends the iteration."""
    if not writer.is_new(value):
        return
    whole = [each for each in gc.get_referents(value) if isinstance(each, set | frozenset | dict)]
    try:
        _, (left,) = value.__reduce__()
    except RuntimeError:
        raise Doubt("an iterator over something that changed its size") from None
    writer.tokens.append(type(value))
    writer.all(left)
    writer.all(whole)


def _view(writer: Writer, value: Any) -> None:
    """The keys, values or items of a dictionary."""
    if writer.is_new(value):
        (whole,) = gc.get_referents(value)
        writer.tokens.append(type(value))
        writer.write(whole)


class _BySubscript:
    """What `iter` reads one subscript after the other."""

    def __getitem__(self, _: int) -> object:
        raise IndexError


_nothing: dict[Any, Any] = {}

_LARGE = 1 << 80

HANDLERS: dict[type, Handler] = {
    **dict.fromkeys(
        (
            type(iter([])),
            type(reversed([])),
            type(iter(())),
            type(iter("")),
            type(iter("\u00e9")),
            type(iter(b"")),
            type(iter(bytearray())),
            type(iter(_BySubscript())),
            reversed,
        ),
        _sequence,
    ),
    **dict.fromkeys((type(iter(range(1))), type(iter(range(_LARGE)))), _range),
    **dict.fromkeys((enumerate, zip, map, filter, type(iter(int, 1))), _wrapper),
    **dict.fromkeys(
        (
            type(iter(set())),
            type(iter(_nothing)),
            type(iter(_nothing.values())),
            type(iter(_nothing.items())),
            type(reversed(_nothing)),
            type(reversed(_nothing.values())),
            type(reversed(_nothing.items())),
        ),
        _unordered,
    ),
    **dict.fromkeys((type(_nothing.keys()), type(_nothing.values()), type(_nothing.items())), _view),
}
