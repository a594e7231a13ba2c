"""A shared dict that C code puts into another one, as `dict(table)` and `{**table}` do: at one moment.

Such code asks for the keys and then for one value after the other. They all
come from the load that gave the keys, since nobody comes in between.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

from replay.code.running_thread import current_run, inside_run
from replay.frontend.ordinary.values import UNSET


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
