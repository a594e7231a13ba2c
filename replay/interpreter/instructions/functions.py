"""Instructions that make and call functions, begin classes, and import."""

from __future__ import annotations

import types
from typing import Any

from replay.interpreter import protocols
from replay.interpreter.attributes import instance_value, maker_of_attributes
from replay.interpreter.calls import call
from replay.interpreter.decode import Decoded
from replay.interpreter.evaluated import a_module
from replay.interpreter.execution import SWITCH, Instruction, simple, with_argument
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.origins import note_made
from replay.interpreter.versions import ANNOTATIONS_ARE_KEPT

_DEFAULTS, _KEYWORD_DEFAULTS, _ANNOTATIONS, _CLOSURE, _ANNOTATE = 1, 2, 4, 8, 16


@with_argument
def MAKE_FUNCTION(flags: int, _: Decoded) -> Instruction:
    def make_function(frame: Frame) -> None:
        stack = frame.stack
        code = stack.pop()
        closure = stack.pop() if flags & _CLOSURE else None
        annotations = stack.pop() if flags & _ANNOTATIONS else None
        keyword_defaults = stack.pop() if flags & _KEYWORD_DEFAULTS else None
        defaults = stack.pop() if flags & _DEFAULTS else None
        if closure is None and code.co_freevars:  # from 3.13 on the closure comes later
            closure = tuple(types.CellType() for _ in code.co_freevars)
        function = types.FunctionType(code, frame.globals, code.co_name, defaults, closure)
        function.__kwdefaults__ = keyword_defaults
        function.__qualname__ = code.co_qualname
        if "__name__" in frame.globals:
            function.__module__ = frame.globals["__name__"]
        if annotations:
            function.__annotations__ = _annotations(annotations)
        if frame.execution.objects is not None:
            note_made(function)
        stack.append(function)

    return make_function


def _annotations(given: Any) -> Any:
    return dict(zip(given[::2], given[1::2], strict=True)) if type(given) is tuple else given


@with_argument
def SET_FUNCTION_ATTRIBUTE(flag: int, _: Decoded) -> Instruction:
    def set_function_attribute(frame: Frame) -> None:
        function, value = frame.stack.pop(), frame.stack.pop()
        if flag == _DEFAULTS:
            function.__defaults__ = value
        elif flag == _KEYWORD_DEFAULTS:
            function.__kwdefaults__ = value
        elif flag == _ANNOTATIONS:
            function.__annotations__ = _annotations(value)
        elif flag == _ANNOTATE:
            function.__annotate__ = value
        elif flag == _CLOSURE:
            function = _with_closure(function, value)
            if frame.execution.objects is not None:
                note_made(function)
        frame.stack.append(function)

    return set_function_attribute


def _with_closure(function: types.FunctionType, closure: tuple[Any, ...]) -> types.FunctionType:
    """Returns a copy of the function with these cells: those of a function cannot be exchanged."""
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    if ANNOTATIONS_ARE_KEPT:
        made.__annotations__ = function.__annotations__
    else:
        made.__annotate__ = function.__annotate__  # type: ignore[attr-defined]
    return made


def _callee(frame: Frame, arguments: list[Any]) -> Any:
    """The function of a call: the two entries below the arguments are a function and NULL, or one and its `self`."""
    stack = frame.stack
    upper, lower = stack.pop(), stack.pop()
    if lower is NULL:
        return upper
    if upper is not NULL:
        arguments.insert(0, upper)
    return lower


@with_argument
def CALL(count: int, _: Decoded) -> Instruction:
    def call_(frame: Frame) -> int | None:
        stack = frame.stack
        cut = len(stack) - count
        arguments = stack[cut:]
        del stack[cut:]
        return call(frame, _callee(frame, arguments), arguments, {})

    return call_


@with_argument
def CALL_KW(count: int, _: Decoded) -> Instruction:
    def call_kw(frame: Frame) -> int | None:
        stack = frame.stack
        names = stack.pop()
        cut = len(stack) - count
        arguments = stack[cut:]
        del stack[cut:]
        named = count - len(names)
        keywords = dict(zip(names, arguments[named:], strict=True))
        del arguments[named:]
        return call(frame, _callee(frame, arguments), arguments, keywords)

    return call_kw


@simple
def CALL_FUNCTION_EX(frame: Frame) -> int | None:
    stack = frame.stack
    keywords, arguments = stack.pop(), stack.pop()
    upper, lower = stack.pop(), stack.pop()
    function = upper if lower is NULL else lower
    keywords = {} if keywords is NULL else keywords
    if type(arguments) is not tuple or type(keywords) is not dict:
        frame.execution.push(protocols.call_with, [function, arguments, keywords], {})
        return SWITCH
    try:
        return call(frame, function, list(arguments), keywords)
    except TypeError as error:
        if type(function) is not types.BuiltinFunctionType or not str(error).endswith("() takes no keyword arguments"):
            raise
    function(*arguments, **keywords)  # a method of C that is bound raises that in words of its own
    return None


@simple
def LOAD_BUILD_CLASS(frame: Frame) -> None:
    frame.stack.append(protocols.build_class)


@with_argument
def IMPORT_NAME(name: str, _: Decoded) -> Instruction:
    def import_name(frame: Frame) -> int | None:
        names, level = frame.stack.pop(), frame.stack.pop()
        if names:
            package = __import__(name, frame.globals, None, ("__name__",), level)
            if instance_value(package, "__path__") is not NULL and maker_of_attributes(package) is not None:
                frame.execution.push(protocols.find_in_package, [package, names], {})
                return SWITCH
        frame.stack.append(a_module(frame, __import__(name, frame.globals, None, names, level)))
        return None

    return import_name


@with_argument
def IMPORT_FROM(name: str, _: Decoded) -> Instruction:
    def import_from(frame: Frame) -> int:
        frame.execution.push(protocols.import_from, [frame.stack[-1], name], {})
        return SWITCH

    return import_from
