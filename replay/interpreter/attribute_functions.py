"""Functions that read, set and delete attributes by name, and `id`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replay.interpreter import protocols
from replay.interpreter.attributes import (
    delete_attribute,
    delete_plainly,
    load_attribute,
    load_plainly,
    store_attribute,
    store_plainly,
)
from replay.interpreter.calls import call, intrinsic, refuse_native
from replay.interpreter.execution import SWITCH
from replay.interpreter.frame import Frame
from replay.interpreter.lookup import is_a


def _names_attribute(arguments: list[Any], keywords: dict[str, Any], *counts: int) -> bool:
    return not keywords and len(arguments) in counts and is_a(arguments[1], str)


@intrinsic(getattr)
def _getattr(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if not _names_attribute(arguments, keywords, 2, 3):
        getattr(*arguments, **keywords)
    if len(arguments) == 2 and not frame.decoded.is_ours:
        return load_attribute(frame, *arguments)
    asked = protocols.named_attribute if len(arguments) == 2 else protocols.attribute_or_default
    frame.execution.push(asked, arguments, {})
    return SWITCH


@intrinsic(protocols.attribute)
def _attribute(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    return load_attribute(frame, *arguments)


@intrinsic(hasattr)
def _hasattr(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int:
    if not _names_attribute(arguments, keywords, 2):
        hasattr(*arguments, **keywords)
    frame.execution.push(protocols.has_attribute, arguments, {})
    return SWITCH


@intrinsic(id)
def _id(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    id(*arguments, **keywords)  # raises TypeError for wrong arguments
    objects = frame.execution.objects
    number = None if objects is None else objects.number_for(frame, arguments[0])
    frame.stack.append(frame.execution.identities.number(arguments[0]) if number is None else number)


@intrinsic(vars)
def _vars(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if not arguments:
        return call(frame, locals, arguments, keywords)
    frame.execution.push(protocols.namespace, arguments, {})
    return SWITCH


@intrinsic(dir)
def _dir(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int:
    if not arguments:
        refuse_native(frame, dir)
    frame.execution.push(protocols.names_of_attributes, arguments, {})
    return SWITCH


@intrinsic(setattr)
def _setattr(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if not _names_attribute(arguments, keywords, 3):
        setattr(*arguments, **keywords)
    return _with_result(frame, store_attribute(frame, *arguments))


@intrinsic(delattr)
def _delattr(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if not _names_attribute(arguments, keywords, 2):
        delattr(*arguments, **keywords)
    return _with_result(frame, delete_attribute(frame, *arguments))


def _with_result(frame: Frame, switch: int | None) -> int | None:
    """A call that sets an attribute has a result, which an instruction that does has not."""
    if switch is None:
        frame.position -= 1
        frame.stack.append(None)
    return switch


def _of_base(kind: type, name: str, count: int, plainly: Callable[..., int | None]) -> None:
    """Register a method of `object` or `type`. It is for objects that are no classes, or for classes."""
    native = vars(kind)[name]

    @intrinsic(native)
    def call_method(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        if not _names_attribute(arguments, keywords, count) or is_a(arguments[0], type) is not (kind is type):
            frame.stack.append(native(*arguments, **keywords))
            return None
        return plainly(frame, *arguments)


def set_with_result(frame: Frame, *arguments: Any) -> int | None:
    """Call `object.__setattr__`."""
    return _with_result(frame, store_plainly(frame, *arguments))


def delete_with_result(frame: Frame, *arguments: Any) -> int | None:
    """Call `object.__delattr__`."""
    return _with_result(frame, delete_plainly(frame, *arguments))


for _kind in (object, type):
    _of_base(_kind, "__getattribute__", 2, load_plainly)
    _of_base(_kind, "__setattr__", 3, set_with_result)
    _of_base(_kind, "__delattr__", 2, delete_with_result)
