"""Keys of shared dicts and sets that code of their class compares, by `__eq__` and `__hash__`.

Memory holds such a key by reference, and two objects may be one key. Which of those that are there is meant, the code
itself says. To look a key up is one step all the same: while it compares, nothing may be looked at that changes, so
that no other thread could make a difference. Where code does so, it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from replay.code.ordinary import class_of_shared
from replay.code.running_thread import silenced
from replay.frontend.ordinary.values import Reference

_WHY = (
    "the __eq__ or __hash__ of a key of a shared dict or set looks at something that threads change, which makes many "
    "steps of one: use a tuple, or a frozen data class"
)


@contextmanager
def comparing_keys() -> Iterator[None]:
    """Around what hashes and compares keys: refuses operations of the code that does."""
    with silenced(_WHY):
        yield


def check_key(key: Any, base: type) -> None:
    """Raise, as a dict or set does, TypeError for a key without a hash. Refuses one whose hash changes."""
    kind = class_of_shared(type(key)) or type(key)
    if kind.__hash__ is None:
        named = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
        stand_in = type(kind.__name__, (), {"__hash__": None, **named})()  # what is shared has a class of another name
        {stand_in} if issubclass(base, set) else {stand_in: None}
    if hasattr(kind.__hash__, "__code__") or kind is tuple:
        with comparing_keys():
            hash(key)


def is_compared_by_code(frozen: object) -> bool:
    """Whether a key, as memory holds it, is an object that is equal to others when code of the user says so."""
    if type(frozen) is Reference:
        return hasattr(frozen.member.kind.__eq__, "__code__")
    return isinstance(frozen, tuple | frozenset) and any(map(is_compared_by_code, frozen))


def resolver(known: Iterable[Any], thaw: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What finds, for a key as memory holds it, the one that is there already, or the key itself, which is there then.

    `known` are the keys that are there; `thaw` makes of a key of memory what threads have.
    """
    there = list(known)
    is_coded = any(map(is_compared_by_code, there))

    def resolved(key: Any) -> Any:
        nonlocal is_coded
        is_coded = is_coded or is_compared_by_code(key)
        if is_coded:
            with comparing_keys():
                key = {thaw(each): each for each in there}.get(thaw(key), key)
        there.append(key)
        return key

    return resolved
