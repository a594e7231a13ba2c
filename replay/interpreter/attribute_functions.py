"""Functions that read, set and delete attributes by name: what the instructions do, for a name that is computed."""

from __future__ import annotations

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
    if len(arguments) == 2:
        return load_attribute(frame, *arguments)
    frame.execution.push(protocols.attribute_or_default, arguments, {})
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


@intrinsic(object.__getattribute__, type.__getattribute__)
def _get_plainly(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if not _names_attribute(arguments, keywords, 2):
        object.__getattribute__(*arguments, **keywords)
    return load_plainly(frame, *arguments)


@intrinsic(object.__setattr__, type.__setattr__)
def _set_plainly(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if not _names_attribute(arguments, keywords, 3):
        object.__setattr__(*arguments, **keywords)
    return _with_result(frame, store_plainly(frame, *arguments))


@intrinsic(object.__delattr__, type.__delattr__)
def _delete_plainly(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if not _names_attribute(arguments, keywords, 2):
        object.__delattr__(*arguments, **keywords)
    return _with_result(frame, delete_plainly(frame, *arguments))
