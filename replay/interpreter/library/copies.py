"""The protocol of `copy` and `pickle`: `object.__reduce_ex__`, which calls special methods of Python."""

from __future__ import annotations

import copyreg
from collections import OrderedDict, defaultdict, deque
from typing import Any

from replay.interpreter.generators import Generator
from replay.interpreter.intrinsics import called_type, class_of
from replay.interpreter.library.looking import MISSING, call_method, has, is_python, raw_of_class
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively, stands_for

_copyreg: Any = copyreg

_ASKED = (
    "__getattribute__", "__getattr__", "__reduce__", "__getstate__", "__getnewargs_ex__", "__getnewargs__", "__iter__",
    "items",
)  # fmt: skip


def _asks_no_python(arguments: Any, _: Any) -> bool:
    if not arguments or is_a(arguments[0], dict) or is_a(arguments[0], Generator):
        return not arguments
    return not any(is_python(raw_of_class(type(arguments[0]), name)) for name in _ASKED)


@stands_for(object.__reduce_ex__, natively_if=_asks_no_python)
def reduce_ex(thing: Any, protocol: Any, /) -> Any:
    reduce = getattr(thing, "__reduce__", MISSING)
    if reduce is not MISSING and class_of(thing).__reduce__ is not object.__reduce__:
        return reduce()
    return _copyreg._reduce_ex(thing, protocol) if protocol < 2 else reduced(thing)


@stands_for(object.__reduce__, natively_if=_asks_no_python)
def reduce(thing: Any, /) -> Any:
    return _copyreg._reduce_ex(thing, 0)


def reduced(thing: Any) -> Any:
    """As `reduce_newobj` of CPython: how to make the object anew, its state, its items."""
    arguments, keywords = new_arguments(thing)
    kind = class_of(thing)
    if is_a(thing, Generator):
        raise TypeError(f"cannot pickle '{called_type(thing)}' object")
    if keywords:
        make, given = _copyreg.__newobj_ex__, (kind, arguments, keywords)
    else:
        make, given = _copyreg.__newobj__, (kind, *(() if arguments is MISSING else arguments))
    state = getattr(thing, "__getstate__")()  # noqa: B009 - asked as CPython asks
    items = iter(thing) if is_a(thing, list) else None
    return make, given, state, items, iter(thing.items()) if is_a(thing, dict) else None


@stands_for(OrderedDict.__reduce__)
def reduce_ordered(things: Any, /) -> Any:
    state = things.__getstate__()
    return class_of(things), (), state, None, iter(things.items())


@stands_for(defaultdict.__reduce__)
def reduce_with_default(things: Any, /) -> Any:
    factory = things.default_factory
    return class_of(things), () if factory is None else (factory,), None, None, iter(things.items())


@stands_for(deque.__reduce__)
def reduce_deque(things: Any, /) -> Any:
    state, limit = things.__getstate__(), things.maxlen
    return class_of(things), () if limit is None else ((), limit), state, iter(things)


def new_arguments(thing: Any) -> Any:
    """The arguments with which `__new__` is to be called; MISSING if the object does not say."""
    if has(thing, "__getnewargs_ex__"):
        both = checked(call_method(thing, "__getnewargs_ex__"), "__getnewargs_ex__")
        if len(both) != 2:
            raise ValueError(f"__getnewargs_ex__ should return a tuple of length 2, not {len(both)}")
        return both
    if has(thing, "__getnewargs__"):
        return checked(call_method(thing, "__getnewargs__"), "__getnewargs__"), {}
    return MISSING, {}


@natively
def checked(result: Any, method: str) -> Any:
    if not is_a(result, tuple):
        raise TypeError(f"{method} should return a tuple, not '{called_type(result)}'")
    return result
