"""Instructions of type parameters and template strings (3.12, 3.14)."""

from __future__ import annotations

import typing
from typing import Any

from replay.interpreter.decode import Decoded
from replay.interpreter.execution import Instruction, simple, with_argument
from replay.interpreter.frame import Frame
from replay.interpreter.type_parameters import TypeAlias, parameter_of, with_bound, with_constraints, with_default

_typing: Any = typing


def _module(frame: Frame) -> str:
    return str(frame.globals.get("__name__", "builtins"))


@with_argument
def TYPE_PARAMETER(kind: str, _: Decoded) -> Instruction:
    def type_parameter(frame: Frame) -> None:
        frame.stack.append(parameter_of(kind, frame.stack.pop(), _module(frame)))

    return type_parameter


@with_argument
def TYPE_PARAMETER_WITH(what: str, _: Decoded) -> Instruction:
    make = with_bound if what == "bound" else with_constraints

    def type_parameter_with(frame: Frame) -> None:
        evaluate, name = frame.stack.pop(), frame.stack.pop()
        frame.stack.append(make(name, evaluate, _module(frame)))

    return type_parameter_with


@simple
def SET_TYPE_PARAMETERS(frame: Frame) -> None:
    parameters = frame.stack.pop()
    frame.stack[-1].__type_params__ = parameters


@simple
def SET_TYPE_PARAMETER_DEFAULT(frame: Frame) -> None:
    default, parameter = frame.stack.pop(), frame.stack.pop()
    frame.stack.append(with_default(parameter, default, _module(frame)))


@simple
def SUBSCRIPT_GENERIC(frame: Frame) -> None:
    parameters = frame.stack.pop()
    unpacked = tuple(_typing.Unpack[each] if type(each) is _typing.TypeVarTuple else each for each in parameters)
    frame.stack.append(_typing.Generic[unpacked])


@simple
def TYPE_ALIAS(frame: Frame) -> None:
    name, parameters, evaluate = frame.stack.pop()
    frame.stack.append(TypeAlias(name, parameters or (), evaluate, _module(frame)))


@with_argument
def BUILD_INTERPOLATION(flags: int, _: Decoded) -> Instruction:
    from string.templatelib import Interpolation  # type: ignore[import-not-found]

    conversion = {0: None, 1: "s", 2: "r", 3: "a"}[flags >> 2]

    def build_interpolation(frame: Frame) -> None:
        stack = frame.stack
        spec = stack.pop() if flags & 1 else ""
        text, value = stack.pop(), stack.pop()
        stack.append(Interpolation(value, text, conversion, spec))

    return build_interpolation


@simple
def BUILD_TEMPLATE(frame: Frame) -> None:
    from string.templatelib import Template

    interpolations, strings = frame.stack.pop(), frame.stack.pop()
    parts: list[Any] = []
    for number, text in enumerate(strings):
        parts += [text, *interpolations[number : number + 1]]
    frame.stack.append(Template(*parts))
