"""Instructions on objects: attributes, items, operators, comparisons, truth, text."""

from __future__ import annotations

import operator
from collections import deque
from types import FunctionType
from typing import Any

from replay.interpreter import attributes, protocols
from replay.interpreter.calls import call, needs_model
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import SWITCH, Instruction, simple, with_argument
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.intrinsics import BINARY, COMPARISONS, NATIVE_BINARY
from replay.interpreter.lookup import ATOMS, PLAIN, is_hashed_by_code, lookup, python_method
from replay.interpreter.ownership import is_shared
from replay.interpreter.sizes import check_of

# -- attributes and items -----------------------------------------------------------------


@with_argument
def LOAD_ATTR(name: str, _: Decoded) -> Instruction:
    def load_attr(frame: Frame) -> int | None:
        return attributes.load_attribute(frame, frame.stack.pop(), name)

    return load_attr


@with_argument
def LOAD_METHOD(name: str, _: Decoded) -> Instruction:
    """The bound method, above the NULL which says that it is no function and its `self`."""

    def load_method(frame: Frame) -> int | None:
        stack = frame.stack
        thing = stack[-1]
        stack[-1] = NULL
        return attributes.load_attribute(frame, thing, name)

    return load_method


@simple
def LOAD_SUPER(frame: Frame) -> int | None:
    """`super()` from 3.12 on: the class `super` as it is named there, `__class__` and `self`."""
    stack = frame.stack
    subject, kind, function = stack.pop(), stack.pop(), stack.pop()
    return call(frame, function, [kind, subject], {})


@with_argument
def STORE_ATTR(name: str, _: Decoded) -> Instruction:
    def store_attr(frame: Frame) -> int | None:
        thing, value = frame.stack.pop(), frame.stack.pop()
        return attributes.store_attribute(frame, thing, name, value)

    return store_attr


@with_argument
def DELETE_ATTR(name: str, _: Decoded) -> Instruction:
    def delete_attr(frame: Frame) -> int | None:
        return attributes.delete_attribute(frame, frame.stack.pop(), name)

    return delete_attr


@simple
def BINARY_SUBSCR(frame: Frame) -> int | None:
    stack = frame.stack
    key, thing = stack.pop(), stack.pop()
    if type(thing) in PLAIN and not _calls_back(key) and not is_shared(frame, thing):
        stack.append(thing[key])
        return None
    return _subscript(frame, thing, key)


def _calls_back(key: Any) -> bool:
    """Returns True for a key or index which native code would ask for its hash, or number, by a method of Python."""
    kind = type(key)
    if kind in ATOMS:
        return False
    if kind is slice:
        return _calls_back(key.start) or _calls_back(key.stop) or _calls_back(key.step)
    return is_hashed_by_code(key) or python_method(kind, "__index__") is not None


def _check_index(method: Any, key: Any) -> None:
    """Raise what CPython says of an index of a sequence that is no number: the method itself says something else."""
    if any(method is each for each in _BY_NUMBER) and lookup(type(key), "__index__") is NULL:
        raise TypeError(f"sequence index must be integer, not {type(key).__name__!r}")


_BY_NUMBER = (deque.__getitem__, deque.__setitem__, deque.__delitem__)


def _subscript(frame: Frame, thing: Any, key: Any) -> int | None:
    """`thing[key]`, by `__getitem__`, or `__class_getitem__` of a class."""
    method = lookup(type(thing), "__getitem__")
    if method is not NULL:
        _check_index(method, key)
        return call(frame, method, [thing, key], {})
    if issubclass(type(thing), type):
        by_class = lookup(thing, "__class_getitem__")
        if by_class is not NULL and hasattr(by_class, "__get__"):
            return call(frame, by_class.__get__(None, thing), [key], {})
    frame.stack.append(thing[key])
    return None


@simple
def STORE_SUBSCR(frame: Frame) -> int | None:
    stack = frame.stack
    key, thing, value = stack.pop(), stack.pop(), stack.pop()
    if type(thing) not in PLAIN or _calls_back(key) or is_shared(frame, thing, value):
        method = lookup(type(thing), "__setitem__")
        if method is not NULL:
            _check_index(method, key)
            return call(frame, method, [thing, key, value], {})
    thing[key] = value
    frame.position += 1
    return None


@simple
def DELETE_SUBSCR(frame: Frame) -> int | None:
    stack = frame.stack
    key, thing = stack.pop(), stack.pop()
    if type(thing) not in PLAIN or _calls_back(key) or is_shared(frame, thing):
        method = lookup(type(thing), "__delitem__")
        if method is not NULL:
            _check_index(method, key)
            return call(frame, method, [thing, key], {})
    del thing[key]
    frame.position += 1
    return None


# -- operators ------------------------------------------------------------------------


def _computed(frame: Frame, natively: Any, left: Any, right: Any) -> Any:
    """Returns what an operator makes of two objects whose classes have no Python code for it."""
    objects = frame.execution.objects
    if objects is None or (type(left) in PLAIN and type(right) in PLAIN):
        return natively(left, right)
    return objects.run_natively(natively, [left, right], {})


@with_argument
def BINARY_OP(symbol: str, _: Decoded) -> Instruction:
    in_place = symbol.endswith("=")
    name = BINARY[symbol.removesuffix("=")]
    natively = NATIVE_BINARY[symbol]
    check = check_of(natively)
    method, reflected, changing = f"__{name}__", f"__r{name}__", f"__i{name}__"

    def binary_op(frame: Frame) -> int | None:
        stack = frame.stack
        right, left = stack.pop(), stack.pop()
        kind, other = type(left), type(right)
        if check is not None:
            check((left, right))
        if kind in ATOMS and other in ATOMS:
            stack.append(natively(left, right))
            return None
        if not (
            python_method(kind, method)
            or python_method(other, reflected)
            or (in_place and python_method(kind, changing))
            or is_shared(frame, left, right)
        ):
            by_native = lookup(kind, changing) if in_place else NULL
            if by_native is NULL:
                by_native = lookup(kind, method)
            operands = [left, right]
            if by_native is NULL:
                by_native, operands = lookup(other, reflected), [right, left]
            if needs_model(by_native, operands):
                return call(frame, by_native, operands, {})
            stack.append(_computed(frame, natively, left, right))
            return None
        if in_place:
            arguments = [left, right, method, reflected, changing, symbol]
            frame.execution.push(protocols.binary_in_place, arguments, {})
        else:
            frame.execution.push(protocols.binary, [left, right, method, reflected, symbol], {})
        return SWITCH

    return binary_op


@with_argument
def COMPARE_OP(symbol: str, _: Decoded) -> Instruction:
    name, back = COMPARISONS[symbol]
    natively = getattr(operator, name)
    method, reflected = f"__{name}__", f"__{back}__"

    def compare_op(frame: Frame) -> int | None:
        stack = frame.stack
        right, left = stack.pop(), stack.pop()
        kind, other = type(left), type(right)
        if kind in ATOMS and other in ATOMS:
            stack.append(natively(left, right))
            return None
        if not (
            python_method(kind, method)
            or python_method(other, reflected)
            or (name == "ne" and (python_method(kind, "__eq__") or python_method(other, "__eq__")))
            or needs_model(lookup(kind, method), [left, right])
            or is_shared(frame, left, right)
        ):
            stack.append(_computed(frame, natively, left, right))
            return None
        frame.execution.push(protocols.compare, [left, right, method, reflected, symbol], {})
        return SWITCH

    return compare_op


@with_argument
def UNARY_OP(name: str, _: Decoded) -> Instruction:
    natively, method = getattr(operator, name), f"__{name}__"

    def unary_op(frame: Frame) -> int | None:
        thing = frame.stack.pop()
        by_python = None if type(thing) in PLAIN else python_method(type(thing), method)
        if by_python is not None:
            frame.execution.push(by_python, [thing], {})
            return SWITCH
        frame.stack.append(natively(thing))
        return None

    return unary_op


@simple
def TRUTH(frame: Frame) -> int | None:
    thing = frame.stack[-1]
    if thing is True or thing is False:
        return None
    frame.stack.pop()
    kind = type(thing)
    if is_shared(frame, thing) and lookup(kind, "__bool__") is NULL and lookup(kind, "__len__") is not NULL:
        frame.execution.push(protocols.truth_by_length, [thing], {})
        return SWITCH
    if kind not in PLAIN:
        method = lookup(kind, "__bool__")
        if type(method) is FunctionType:
            frame.execution.push(protocols.truth_by_bool, [method, thing], {})
            return SWITCH
        if method is NULL and python_method(kind, "__len__") is not None:
            frame.execution.push(protocols.truth_by_length, [thing], {})
            return SWITCH
    frame.stack.append(bool(thing))
    return None


@simple
def NEGATE(frame: Frame) -> None:
    frame.stack[-1] = not frame.stack[-1]


@with_argument
def IS_OP(negated: int, _: Decoded) -> Instruction:
    def is_op(frame: Frame) -> None:
        stack = frame.stack
        right = stack.pop()
        stack[-1] = (stack[-1] is right) != bool(negated)

    return is_op


@simple
def CONTAINS_OP(frame: Frame) -> int | None:
    """`item in thing`; the truth of the result is taken by the next instruction."""
    stack = frame.stack
    thing, item = stack.pop(), stack.pop()
    kind = type(thing)
    method = lookup(kind, "__contains__")
    if method is not NULL:
        if method is None:
            raise TypeError(f"{kind.__name__!r} object is not a container")
        return call(frame, method, [thing, item], {})
    if lookup(kind, "__iter__") is not NULL or python_method(kind, "__getitem__") is not None:
        frame.execution.push(protocols.contains, [thing, item], {})
        return SWITCH
    stack.append(item in thing)
    return None


# -- text -----------------------------------------------------------------------------


@with_argument
def CONVERT(conversion: Any, _: Decoded) -> Instruction:
    def convert(frame: Frame) -> int | None:
        return call(frame, conversion, [frame.stack.pop()], {})

    return convert


@simple
def FORMAT(frame: Frame) -> int | None:
    stack = frame.stack
    spec, thing = stack.pop(), stack.pop()
    if type(thing) in ATOMS:
        stack.append(format(thing, spec))
        return None
    return call(frame, format, [thing, spec], {})
