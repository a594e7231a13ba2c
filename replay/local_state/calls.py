"""What C code holds that stands between a frame and the code that it called.

Most of such code only passes on: to call an object with a `__call__` of its
own, or to enter a `with` block, keeps nothing that is not on the stack. `any`
and `all` keep an iterator. What keeps more (`max`, `sum`, `sorted`) cannot be
looked into: Doubt, until it is over.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinFunctionType, FrameType, FunctionType, GeneratorType, MethodDescriptorType, MethodType
from typing import Any

from replay.frontend.ordinary.class_cells import ClassCell
from replay.local_state.doubt import Doubt
from replay.local_state.memory import NOTHING_THERE, RawFrame
from replay.local_state.suspended import Suspended


def held_by_c(caller: Suspended, called: FrameType, called_ours: bool) -> list[object]:
    """What the call in which `caller` waits for `called` holds beside what waits on the stack. Raises Doubt."""
    if caller.called_directly:
        if not called_ours and RawFrame(called, 0).previous != caller.raw.address:
            raise Doubt("inside a constructor")
        return []
    rule = _RULES.get(caller.stop.point.name)
    if _may_be_an_end(called):
        raise Doubt("an object that is given up")
    if called_ours and _is_operator(caller, called):
        return []
    if rule is None:
        raise Doubt(f"code called by {caller.stop.point.name}")
    return rule(caller, called)


def _may_be_an_end(called: FrameType) -> bool:
    """Whether a frame may run because an object is given up: what the caller's operands were may be gone then."""
    code = called.f_code
    if code.co_name == "__del__":
        return True
    first = _first_argument(called)
    ends = (vars(kind).get("__del__") for kind in type(first).__mro__)
    return any(getattr(end, "__code__", None) is code for end in ends)


def _is_operator(caller: Suspended, called: FrameType) -> bool:
    """Whether an instruction is a call of a method of ours, of one of its operands: C code keeps nothing else."""
    name = caller.stop.point.name
    count = 1 if name.startswith("POP_JUMP") else _OPERATORS.get(name, 0)
    return any(_answers_for(operand, called) for operand in caller.operands(count))


def _answers_for(thing: object, called: FrameType) -> bool:
    """Whether a frame runs a method of an object or a class, or looks up for it what a class holds."""
    first = _first_argument(called)
    if type(first) is not ClassCell:
        return first is thing
    kinds = (thing, type(thing)) if isinstance(thing, type) else (type(thing),)
    return any(each is first.kind for kind in kinds for each in kind.__mro__)


_OPERATORS = {
    **dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD", "DELETE_ATTR", "UNARY_NOT", "TO_BOOL", "GET_ITER"), 1),
    **dict.fromkeys(("STORE_ATTR", "BINARY_SUBSCR", "DELETE_SUBSCR", "CONTAINS_OP", "COMPARE_OP", "BINARY_OP"), 2),
    **dict.fromkeys(("STORE_SUBSCR", "BINARY_SLICE"), 3),
    "STORE_SLICE": 4,
}
"""Instructions by which Python calls a method of an operand, and how many operands they have."""


def _first_argument(called: FrameType) -> object:
    return RawFrame(called, 1).entry(0) if called.f_code.co_argcount else NOTHING_THERE


def _call(caller: Suspended, called: FrameType) -> list[object]:
    count = int(caller.stop.point.argument or 0)  # type: ignore[call-overload]
    function, *given = (each for each in caller.operands(count + 2) if each is not NOTHING_THERE)
    if len(given) == _PARTS_OF_EXCEPTION and given[0] is None and has_method(function, "__exit__", called):
        return []  # the end of a `with` block; a method that C code calls may have given its place to its object
    return _passed(function, given, called)


_PARTS_OF_EXCEPTION = 3


def _call_with_unpacked(caller: Suspended, called: FrameType) -> list[object]:
    function, given = [each for each in caller.operands(3) if each is not NOTHING_THERE][:2]
    return _passed(function, list(given) if isinstance(given, tuple) else [], called)


def _passed(function: Any, given: list[Any], called: FrameType) -> list[object]:
    """What a call of a function keeps that is no Python function, or was called by C code all the same."""
    if runs(function, called):
        return []
    if function in _BY_CLASS:
        return given
    if function in _TAKING and given and has_method(given[0], "__iter__", called):
        return [function, *given]
    if isinstance(function, BuiltinFunctionType):
        owner, name = function.__self__, function.__name__
        if function in _ASKING and _answers_for(given[0], called):
            return given
        if function in (any, all, next) and _advances(given[0], called):
            return [function, *given]
        if name in _ADVANCING and _advances(owner, called):
            return [function]
    if isinstance(function, MethodDescriptorType) and function.__name__ in _ADVANCING and _advances(given[0], called):
        return [given[0]]
    raise Doubt(f"inside {getattr(function, '__name__', type(function).__name__)}()")


_ASKING = (len, getattr, setattr, delattr, hasattr, iter)
"""Functions that only call a method of what they are given first."""

_TAKING = (list, tuple, set, frozenset, sorted)
"""Functions that ask what they are given for an iterator before they have made anything."""

_BY_CLASS = (object.__getattribute__, object.__setattr__, object.__delattr__)
"""What looks an attribute up in a class, and calls what it finds there."""

_ADVANCING = ("send", "__next__")
"""Methods of generators that let them run."""


def runs(function: object, called: FrameType) -> bool:
    """Whether to call an object is to run the code of a frame, and to return what that returns."""
    if isinstance(function, MethodType):
        return runs(function.__func__, called)
    if isinstance(function, functools.partial):
        return runs(function.func, called)
    if isinstance(function, FunctionType):
        return function.__code__ is called.f_code
    return has_method(function, "__call__", called)


def has_method(value: object, name: str, called: FrameType) -> bool:
    """Whether the class of an object has a method of that name, and a frame runs it."""
    for kind in type(value).__mro__:
        if name in vars(kind):
            method = vars(kind)[name]
            return isinstance(method, FunctionType) and method.__code__ is called.f_code
    return False


def _advances(iterator: Any, called: FrameType) -> bool:
    """Whether a frame runs to give an iterator's next value, and nothing but the iterator keeps what came before."""
    kind = type(iterator)
    if kind is GeneratorType:
        return iterator.gi_frame is called
    if kind is enumerate:
        return _advances(iterator.__reduce__()[1][0], called)
    if kind is map:
        function, *sources = iterator.__reduce__()[1]
        return len(sources) == 1 and (runs(function, called) or _advances(sources[0], called))
    if kind is filter:
        return _advances(iterator.__reduce__()[1][1], called)
    if kind is zip:
        sources = iterator.__reduce__()[1]
        return bool(sources) and type(sources[0]) is GeneratorType and _advances(sources[0], called)
    return has_method(iterator, "__next__", called)


def _advance(caller: Suspended, called: FrameType) -> list[object]:
    """A loop, or `yield from`: the iterator waits on the stack."""
    iterator = caller.operand(-1)
    if not _advances(iterator, called):
        raise Doubt(f"inside an iterator of type {type(iterator).__name__}")
    return []


def _enter(caller: Suspended, called: FrameType) -> list[object]:
    """A `with` statement begins: how it ends was looked up before, and took the place of the manager in Python 3.11."""
    manager = caller.operand(0)
    if isinstance(manager, MethodType):
        manager = manager.__self__
    if not has_method(manager, "__enter__", called):
        raise Doubt(f"entering a {type(manager).__name__}")
    return [manager]


_BELOW_EXCEPTION = -4
"""Where the exit of a `with` block waits while it is called with an exception."""


def _leave(caller: Suspended, called: FrameType) -> list[object]:
    """A `with` block ends by an exception."""
    leave = caller.operand(_BELOW_EXCEPTION)
    if not runs(leave, called):
        raise Doubt("leaving a with block")
    return []


def _get(caller: Suspended, called: FrameType) -> list[object]:
    """An attribute that is a property."""
    _check_property(caller.operand(0), str(caller.stop.point.argument), "fget", called)
    return []


def _set(caller: Suspended, called: FrameType) -> list[object]:
    _check_property(caller.operand(1), str(caller.stop.point.argument), "fset", called)
    return []


def _check_property(owner: object, name: str, part: str, called: FrameType) -> None:
    kind = type(owner)
    if kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__"):
        found = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
        if isinstance(found, property) and runs(getattr(found, part), called):
            return
    raise Doubt("an attribute that code computes")


def _subscript(caller: Suspended, called: FrameType) -> list[object]:
    if not has_method(caller.operand(0), "__getitem__", called):
        raise Doubt("a subscript that code computes")
    return []


def _iterate(caller: Suspended, called: FrameType) -> list[object]:
    if not has_method(caller.operand(0), "__iter__", called):
        raise Doubt("an iterator that code makes")
    return []


_RULES: dict[str, Callable[[Suspended, FrameType], list[object]]] = {
    "CALL": _call,
    "CALL_KW": _call,
    "CALL_FUNCTION_EX": _call_with_unpacked,
    "FOR_ITER": _advance,
    "SEND": _advance,
    "BEFORE_WITH": _enter,
    "WITH_EXCEPT_START": _leave,
    "LOAD_ATTR": _get,
    "LOAD_METHOD": _get,
    "STORE_ATTR": _set,
    "BINARY_SUBSCR": _subscript,
    "GET_ITER": _iterate,
}
