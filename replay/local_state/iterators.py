"""How iterators are written: over what, and how far they are.

They are asked for a way to make their equal, which changes nothing.
"""

from __future__ import annotations

import gc
from typing import Any

from replay.code.bytecode import Doubt
from replay.code.raw_memory import dict_layout, iteration
from replay.local_state.writer import Handler, Writer, made_of


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
        if writer.reach_of_thread.ends:
            raise Doubt("an iterator that may hold what it gave last")
        _, parts, *more = value.__reduce__()
        writer.tokens += (type(value), *more)
        writer.all(parts)


def _unordered(writer: Writer, value: Any) -> None:
    """Of a set or dictionary: whose it is, how large that was, and how far it is in its places and empty places."""
    if not writer.is_new(value):
        return
    whole = next((each for each in gc.get_referents(value) if isinstance(each, set | frozenset | dict)), None)
    if whole is None:
        writer.tokens += (type(value), "over")
        return
    layout = dict_layout(whole) if isinstance(whole, dict) else ()
    if layout is None:
        raise Doubt("an iterator over the attributes of an object")
    writer.tokens += (type(value), value.__length_hint__(), *iteration(value), *layout)
    writer.write(whole)


class _BySubscript:
    """What `iter` reads one subscript after the other."""

    def __getitem__(self, _: int) -> object:
        raise IndexError


_nothing: dict[Any, Any] = {}

_LARGE = 1 << 80

_SEQUENCES: tuple[type, ...] = (
    *(type(iter([])), type(reversed([])), type(iter(()))),
    *(type(iter("")), type(iter("\u00e9")), type(iter(b"")), type(iter(bytearray()))),
)
_RANGES = (type(iter(range(1))), type(iter(range(_LARGE))))
_UNORDERED: tuple[type, ...] = (
    *(type(iter(set())), type(iter(_nothing)), type(iter(_nothing.values())), type(iter(_nothing.items()))),
    *(type(reversed(_nothing)), type(reversed(_nothing.values())), type(reversed(_nothing.items()))),
)

KEEPS_TO_ITSELF = frozenset((*_SEQUENCES, *_RANGES, *_UNORDERED))
"""Types of iterators that call no code of others."""

HANDLERS: dict[type, Handler] = {
    **dict.fromkeys((*_SEQUENCES, type(iter(_BySubscript())), reversed), _sequence),
    **dict.fromkeys(_RANGES, _range),
    **dict.fromkeys((enumerate, zip, map, filter, type(iter(int, 1))), _wrapper),
    **dict.fromkeys(_UNORDERED, _unordered),
    **dict.fromkeys(
        (type(_nothing.keys()), type(_nothing.values()), type(_nothing.items())), made_of(gc.get_referents)
    ),
}
