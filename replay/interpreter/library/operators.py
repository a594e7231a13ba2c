"""`operator`: the Python versions that CPython ships, and calls of getters, which are objects of C."""

from __future__ import annotations

import operator
from typing import Any

from replay.interpreter.intrinsics import called_type
from replay.interpreter.library.iterators import Rest, is_sequence
from replay.interpreter.library.looking import MISSING, is_python, plain_arguments, raw_method
from replay.interpreter.library.numeric import stand_in
from replay.interpreter.library.shipped import stand_for_all
from replay.interpreter.library.shown import is_being_shown, listed, listed_arguments, shows_itself
from replay.interpreter.natives import call_natively, natively, stands_for
from replay.interpreter.protocols import iterator_or_missing

_OWN = (operator.index, operator.length_hint, operator.concat, operator.iconcat)
"""Their models follow C in more than the Python versions do."""

stand_for_all("operator", "_operator", plain_arguments, lambda version, native: None if native in _OWN else version)


def _joins_natively(arguments: Any, keywords: Any) -> bool:
    """Returns True if the first sequence is native: it does not ask the other operand."""
    return bool(arguments) and not any(is_python(raw_method(arguments[0], name)) for name in ("__add__", "__iadd__"))


@stands_for(operator.concat, natively_if=_joins_natively)
def concat(left: Any, right: Any, /) -> Any:
    check_sequences(left, right)
    return left + right


@stands_for(operator.iconcat, natively_if=_joins_natively)
def concat_in_place(left: Any, right: Any, /) -> Any:
    check_sequences(left, right)
    left += right
    return left


def check_sequences(left: Any, right: Any) -> None:
    if not (is_sequence(left) and is_sequence(right)):
        raise TypeError(f"'{called_type(left)}' object can't be concatenated")


@stands_for(operator.countOf, natively_if=plain_arguments)
def count_of(things: Any, value: Any, /) -> Any:
    iterator = iterator_or_missing(things)
    if iterator is MISSING:
        return call_natively(operator.countOf, stand_in(things), value)
    number = 0
    for item in Rest(iterator):
        if item is value or item == value:
            number += 1
    return number


@stands_for(operator.indexOf, natively_if=plain_arguments)
def index_of(things: Any, value: Any, /) -> Any:
    iterator = iterator_or_missing(things)
    if iterator is MISSING:
        return call_natively(operator.indexOf, stand_in(things), value)
    for position, item in enumerate(Rest(iterator)):
        if item is value or item == value:
            return position
    raise ValueError("sequence.index(x): x not in sequence")


@natively
def made_with(getter: Any) -> Any:
    """The class of a getter, or a partial of it, and the arguments that it was made with."""
    kind: Any = type(getter)
    return kind.__reduce__(getter)


@stands_for(operator.itemgetter.__call__)
def get_items(getter: Any, thing: Any, /) -> Any:
    _, keys = made_with(getter)
    return thing[keys[0]] if len(keys) == 1 else tuple([thing[key] for key in keys])


@stands_for(operator.itemgetter.__repr__)
@shows_itself
def show_items_getter(getter: Any, /) -> Any:
    return f"operator.itemgetter({'...' if is_being_shown(getter) else listed(made_with(getter)[1])})"


@stands_for(operator.attrgetter.__call__)
def get_attributes(getter: Any, thing: Any, /) -> Any:
    _, names = made_with(getter)
    return attribute(thing, names[0]) if len(names) == 1 else tuple([attribute(thing, name) for name in names])


def attribute(thing: Any, path: str) -> Any:
    for name in path.split("."):
        thing = getattr(thing, name)
    return thing


@stands_for(operator.methodcaller.__call__)
def call_by_name(caller: Any, thing: Any, /) -> Any:
    name, arguments, keywords = call_of(caller)
    return getattr(thing, name)(*arguments, **keywords)


@stands_for(operator.methodcaller.__repr__)
@shows_itself
def show_caller(caller: Any, /) -> Any:
    if is_being_shown(caller):
        return "operator.methodcaller(...)"
    name, arguments, keywords = call_of(caller)
    return f"operator.methodcaller({', '.join([repr(name), *listed_arguments(arguments, keywords)])})"


@natively
def call_of(caller: Any) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """The name of the method, and the arguments."""
    kind, arguments = made_with(caller)
    if isinstance(kind, type):
        return arguments[0], arguments[1:], {}
    return kind.args[0], arguments, kind.keywords
