"""`pickle.dumps` and `loads`: natively of built-in values, else as Python's library has them in Python."""

from __future__ import annotations

import pickle
import pickletools
from collections.abc import Mapping, Sequence
from typing import Any

from replay.interpreter.library.looking import plain_arguments
from replay.interpreter.natives import stands_for

_MAKING = frozenset(
    {
        *("GLOBAL", "STACK_GLOBAL", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "REDUCE", "BUILD", "EXT1", "EXT2", "EXT4"),
        *("PERSID", "BINPERSID", "NEXT_BUFFER", "READONLY_BUFFER"),
    }
)
"""Instructions of a pickle that look up or call what may be code."""


def _holds_values(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Returns whether a pickle only has numbers, texts and containers of Python's own; a damaged one calls no code."""
    if keywords or len(arguments) != 1 or type(arguments[0]) is not bytes:
        return False
    try:
        return all(each.name not in _MAKING for each, _, _ in pickletools.genops(arguments[0]))
    except (ValueError, IndexError):
        return False


_VERSIONS: dict[str, Any] = {
    name: vars(pickle)[f"_{name}"] for name in ("dumps", "loads") if f"_{name}" in vars(pickle)
}

for _name, _condition in (("dumps", plain_arguments), ("loads", _holds_values)):
    stands_for(vars(pickle)[_name], natively_if=_condition)(_VERSIONS[_name])
