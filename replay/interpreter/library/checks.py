"""`isinstance`, `issubclass` and `callable`, with hooks of Python."""

from __future__ import annotations

import _abc  # type: ignore[import-not-found]
import types
from typing import Any

from replay.interpreter.intrinsics import class_of
from replay.interpreter.library.looking import call_method, has, raw_method, shown_kind
from replay.interpreter.lookup import PLAIN, is_a, is_derived
from replay.interpreter.natives import call_natively, natively, stands_for


def _by_class(arguments: Any, keywords: Any) -> bool:
    """The second argument is an ordinary class, or some, and the first shows its class."""
    if len(arguments) != 2 or not (type(arguments[1]) is type or _are_classes(arguments[1])):
        return False
    return type(arguments[0]) in PLAIN or (
        isinstance(shown_kind(arguments[0]), type)
        and shown_kind(arguments[0]) is type(arguments[0])
        and raw_method(arguments[0], "__class__") is _CLASS
        and raw_method(arguments[0], "__getattribute__") in _PLAIN_LOOKUP
    )


def _are_classes(kinds: Any) -> bool:
    if type(kinds) is types.UnionType:
        kinds = kinds.__args__
    return type(kinds) is tuple and all(type(kind) is type for kind in kinds)


_CLASS = vars(object)["__class__"]
_PLAIN_LOOKUP = (vars(object)["__getattribute__"], vars(type)["__getattribute__"])


@stands_for(isinstance, natively_if=_by_class)
def is_instance(thing: Any, class_or_tuple: Any, /) -> Any:
    if class_or_tuple is shown_kind(thing):
        return True
    if class_of(class_or_tuple) is type:
        return is_instance_of_class(thing, class_or_tuple)
    return by_kinds_or_hook(isinstance, "__instancecheck__", thing, class_or_tuple)


def by_kinds_or_hook(check: Any, hook: str, subject: Any, class_or_tuple: Any) -> Any:
    """The answer of `isinstance` or `issubclass` for one of several classes, or for one that answers by a hook."""
    if is_a(class_or_tuple, types.UnionType):
        class_or_tuple = class_or_tuple.__args__
    if is_a(class_or_tuple, tuple):
        for kind in class_or_tuple:  # noqa: SIM110 - `any` is a model as well
            if check(subject, kind):
                return True
        return False
    if has(class_or_tuple, hook):
        return True if call_method(class_or_tuple, hook, subject) else False  # noqa: SIM210
    return call_natively(check, subject, class_or_tuple)


def is_instance_of_class(thing: Any, kind: Any) -> bool:
    """`type.__instancecheck__`: by the class of an object, and by the class which it says it has."""
    if is_derived(shown_kind(thing), kind):
        return True
    said = getattr(thing, "__class__", class_of(thing)) if says_its_class(thing) else class_of(thing)
    return said is not shown_kind(thing) and is_a(said, type) and is_derived(said, kind)


@stands_for(type.__instancecheck__)
def instance_check(kind: Any, thing: Any, /) -> Any:
    return is_instance_of_class(thing, kind)


@natively
def says_its_class(thing: Any) -> bool:
    """Returns True if reading `__class__` of an object may run code of Python."""
    return raw_method(thing, "__class__") is not _CLASS or raw_method(thing, "__getattribute__") not in _PLAIN_LOOKUP


def _of_classes(arguments: Any, keywords: Any) -> bool:
    return len(arguments) == 2 and type(arguments[0]) is type and type(arguments[1]) is type


@stands_for(issubclass, natively_if=_of_classes)
def is_subclass(kind: Any, class_or_tuple: Any, /) -> Any:
    if class_of(class_or_tuple) is type:
        return call_natively(issubclass, kind, class_or_tuple)
    return by_kinds_or_hook(issubclass, "__subclasscheck__", kind, class_or_tuple)


@stands_for(_abc._abc_instancecheck)
def abstract_instance_check(kind: Any, thing: Any, /) -> Any:
    shown, said = shown_kind(thing), thing.__class__
    if kind.__subclasscheck__(said):
        return True
    return said is not shown and kind.__subclasscheck__(shown)


@stands_for(callable)
def is_callable(thing: Any, /) -> Any:
    return has(thing, "__call__")
