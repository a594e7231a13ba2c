"""Results of calls that code remembers: `functools.cache`, `lru_cache` and `cached_property`.

To remember is no change that others could notice, who get the same where they ask themselves; unless it is one object
for all, and somebody changes that, or what they ask for depends on more than their arguments.
"""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Iterator
from typing import Any

from replay.world.anatomy import is_cached_attribute


def results(thing: Any) -> Iterator[object]:
    """Yields what something remembers; nothing if it is no cache."""
    if isinstance(thing, functools._lru_cache_wrapper):
        yield from _results_of_calls(thing)
    else:
        held: dict[str, object] = getattr(thing, "__dict__", {})
        yield from (value for key, value in held.items() if is_cached_attribute(type(thing), key))


def remembered_code(thing: Any) -> Iterator[types.CodeType]:
    """The code of the functions whose results something remembers."""
    if isinstance(thing, functools._lru_cache_wrapper):
        yield from _codes(thing.__wrapped__)
    else:
        found = (value for base in type(thing).__mro__ for value in vars(base).values())
        yield from (
            code for value in found if isinstance(value, functools.cached_property) for code in _codes(value.func)
        )


def _codes(function: Any) -> Iterator[types.CodeType]:
    """The code that a call runs first, in a frame of its own."""
    match function:
        case types.FunctionType():
            yield function.__code__
        case types.MethodType():
            yield from _codes(function.__func__)
        case functools.partial() | functools.partialmethod():
            yield from _codes(function.func)
        case type():
            yield from _codes(function.__init__)  # type: ignore[misc]  # its own, not of what it makes
        case _:
            yield from _codes(type(function).__call__) if not isinstance(function, _SLOTS) else ()


_SLOTS = (types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodWrapperType)
"""What is written in C, and has no code."""


def _results_of_calls(cache: functools._lru_cache_wrapper[Any]) -> list[object]:
    """They are values of its dictionary; those of a cache of limited size it holds itself, before that dictionary.

    Keys are of no interest: who can ask with an object has it already.
    """
    held = gc.get_referents(cache)
    place = max(at for at, value in enumerate(held) if type(value) is dict and value is not vars(cache))
    memory = held[place]
    if cache.cache_parameters()["maxsize"] is None:
        return list(memory.values())
    keys = {id(key) for key in memory}
    return [value for value in held[:place] if id(value) not in keys and not isinstance(value, type)]
