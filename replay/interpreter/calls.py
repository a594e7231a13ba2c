"""Calls: what is done with each kind of callable."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NamedTuple, NoReturn

from replay.errors import ModelError
from replay.interpreter import protocols
from replay.interpreter.exceptions import Refused, UnknownCallable
from replay.interpreter.execution import SWITCH, Execution, compiled, forget_listed, running
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.intrinsics import called_type, shown_class
from replay.interpreter.lookup import ATOMS, HEAP, METHODS_OF_C, PLAIN, identity, is_a, lookup, mro_of, namespace_of
from replay.interpreter.natives import (
    call_natively,
    condition_of,
    is_of_checker,
    is_pure,
    is_vouched,
    model_of,
    name_of_vouched,
    runs_natively,
)
from replay.interpreter.origins import note_made
from replay.interpreter.ownership import is_shared
from replay.interpreter.sizes import Check, check_of

Intrinsic = Callable[..., "int | None"]


class _Way(NamedTuple):
    """The way to call a callable which is not simply interpreted."""

    called: Any
    intrinsic: Intrinsic | None = None
    of_objects: Intrinsic | None = None
    model: Any = None
    natively_if: Any = None
    is_pure: bool = False
    check: Check | None = None
    vouched: str = ""
    makes: bool = False
    """Whether it returns a function or a class that it has made."""
    is_watched: bool = False
    """Whether it must call nothing back where code shares objects: that is seen while it runs."""


_ways: dict[int, _Way] = {}
"""By identity of a callable, which lives as long as its entry."""

_intrinsics: dict[int, tuple[Any, Intrinsic]] = {}
_of_objects: dict[int, tuple[Any, Intrinsic]] = {}
"""All that was registered, with the callables: in `_of_objects` for code that shares objects of ordinary classes."""

_MAKE = frozenset(map(identity, (type.__new__, FunctionType, FunctionType.__new__)))

_MOST_WAYS = 5_000
"""Entries of `_ways`, which are looked up again after that."""


def intrinsic(*natives: Any) -> Callable[[Intrinsic], Intrinsic]:
    """Register what the interpreter does in the place of a callable: it gets the frame, arguments and keywords."""
    return _registering(_intrinsics, natives)


def intrinsic_of_objects(*natives: Any) -> Callable[[Intrinsic], Intrinsic]:
    """As `intrinsic`, for code that shares objects of ordinary classes; other code calls them as if unregistered."""
    return _registering(_of_objects, natives)


def _registering(table: dict[int, tuple[Any, Intrinsic]], natives: tuple[Any, ...]) -> Callable[[Intrinsic], Intrinsic]:
    def register(function: Intrinsic) -> Intrinsic:
        for native in natives:
            key = identity(native)
            table[key] = native, function
            _ways.pop(key, None)
            if type(native) is FunctionType:
                forget_listed(native.__code__)
        return function

    return register


def is_of_objects(native: Any) -> bool:
    """Returns whether something else is done where code shares objects, by what knows what it may be given."""
    return identity(native) in _of_objects


def on_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of this package run natively where all that it is given are values: then it calls nothing back."""

    @intrinsic(function)
    def run(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        if keywords or not ATOMS.issuperset(map(type, arguments)):
            frame.execution.push(function, arguments, keywords)
            return SWITCH
        frame.stack.append(function(*arguments))
        return None

    return function


def _way(native: Any) -> _Way:
    """Returns the way to call a native callable, found out once."""
    key = identity(native)
    found = _ways.get(key)
    if found is None:
        if len(_ways) >= _MOST_WAYS:
            _ways.clear()  # programs make classes at run time
        found = _ways[key] = _found(native)
    return found


def _found(native: Any) -> _Way:
    key = identity(native)
    _, of_objects = _of_objects.get(key, (native, None))
    _, instead = _intrinsics.get(key, (native, None))
    if instead is not None:
        return _Way(native, instead, of_objects)
    if by_name := name_of_vouched(native):
        return _Way(native, None, of_objects, is_pure=True, vouched=by_name)
    model = model_of(native)
    condition = None if model is None else condition_of(native)
    return _Way(
        native,
        None,
        of_objects,
        model,
        condition,
        model is None and is_pure(native),
        check_of(native),
        makes=key in _MAKE,
        is_watched=model is None and not is_of_checker(native),
    )


def call(frame: Frame, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """Call something: its result is pushed, or a frame that will return it."""
    while True:
        kind = type(function)
        if kind is FunctionType:
            return call_python(frame, function, arguments, keywords)
        if kind is MethodType:
            arguments = [function.__self__, *arguments]
            function = function.__func__
            continue
        by_kind = _BY_KIND.get(kind)
        if by_kind is not None:
            return by_kind(frame, function, arguments, keywords)
        if issubclass(kind, type):
            return call_class(frame, function, arguments, keywords)
        if is_vouched(function):
            return call_native(frame, function, arguments, keywords, function)
        method = lookup(kind, "__call__")
        if method is NULL:
            raise TypeError(f"{called_type(function)!r} object is not callable")
        if type(method) in _DESCRIPTORS:
            return call_native(frame, method, [function, *arguments], keywords, function)
        if type(method) is not FunctionType:
            function = method.__get__(function, kind)
            continue
        arguments = [function, *arguments]
        function = method


def call_python(frame: Frame, function: FunctionType, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """Call a Python function."""
    code, execution = function.__code__, frame.execution
    decoded = execution.compiled(code)
    if decoded.may_be_listed is None:
        decoded.may_be_listed = _has_way(function)
    if decoded.may_be_listed and _is_listed(function, execution):
        return call_native(frame, function, arguments, keywords, function)
    execution.enter(function, code, decoded, arguments, keywords)
    return SWITCH


def _may_be_listed(function: FunctionType) -> bool:
    """Returns False if no function with that code is anything but interpreted."""
    decoded = compiled(function.__code__)
    if decoded.may_be_listed is None:
        decoded.may_be_listed = _has_way(function)
    return decoded.may_be_listed


def _has_way(called: Any) -> bool:
    """Returns False for a function or class of Python that is interpreted as it stands, whatever code shares."""
    key = identity(called)
    return key in _intrinsics or key in _of_objects or is_pure(called) or model_of(called) is not None


def _is_listed(called: Any, execution: Execution) -> bool:
    """Returns True for a function or class that is not interpreted as it stands. Others are not remembered."""
    if not _has_way(called):
        return False
    way = _way(called)
    return execution.objects is not None or way.intrinsic is not None or way.model is not None or way.is_pure


def call_native(frame: Frame, native: Any, arguments: list[Any], keywords: dict[str, Any], called: Any) -> int | None:
    """Call native code, known by `native`; `called` is what a refusal names."""
    objects = frame.execution.objects
    if objects is not None and arguments:
        instead = objects.instead(native, arguments)
        if instead is not None:
            return call(frame, instead, arguments, keywords)
    if objects is not None and keywords:
        objects.check_keywords(native, keywords)
    way = _way(native)
    guard = frame.execution.guard
    if guard is not None and guard.asks(frame, native, way.is_pure, arguments, keywords):
        return SWITCH
    if way.of_objects is not None and objects is not None:
        return way.of_objects(frame, arguments, keywords)
    if way.intrinsic is not None:
        return way.intrinsic(frame, arguments, keywords)
    if way.model is not None:
        if way.natively_if is None or not way.natively_if(arguments, keywords):
            return _call_model(frame, native, way.model, arguments, keywords)
    elif way.vouched:
        frame.execution.assumed.vouched.add(way.vouched)
    elif not way.is_pure:
        if not is_vouched(native):
            refuse_native(frame, called)
        del _ways[identity(native)]  # the user has vouched for it meanwhile
        return call_native(frame, native, arguments, keywords, called)
    if way.check is not None:
        way.check(arguments)
    made = _run(frame, native, arguments, keywords) if way.is_watched else native(*arguments, **keywords)
    if objects is not None and way.makes:
        note_made(made)
    frame.stack.append(made)
    return None


@intrinsic(call_natively)
def _call_natively(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    function, *given = arguments
    frame.stack.append(
        function(*given, **keywords) if is_of_checker(function) else _run(frame, function, given, keywords)
    )
    return None


def _run(frame: Frame, native: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Returns what native code returns. Where code shares objects, it is refused if it calls Python code back."""
    objects = frame.execution.objects
    return native(*arguments, **keywords) if objects is None else objects.run_natively(native, arguments, keywords)


def needs_model(method: Any, arguments: list[Any]) -> bool:
    """Returns True for a native method with a model, unless these arguments let it run natively all the same."""
    return _way(method).model is not None and not runs_natively(method, arguments, {})


def _call_model(frame: Frame, native: Any, model: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """Call the Python version of native code; for arguments that do not fit it the native one, which says so."""
    if type(native) not in METHODS_OF_C or (arguments and _is_of(arguments[0], native.__objclass__)):
        with suppress(TypeError):
            return call(frame, model, arguments, keywords)
    if type(native) is types.WrapperDescriptorType and native.__name__ == "__call__" and arguments:
        native, *arguments = arguments  # whoever calls an object does not go through its slot, which has other words
    frame.stack.append(_run(frame, native, arguments, keywords))
    return None


def _is_of(thing: Any, kind: type) -> bool:
    """Returns True if native methods of a class are for the object, or for what it stands for."""
    return is_a(thing, kind) or issubclass(shown_class(thing), kind)


def refuse_native(frame: Frame, native: Any) -> NoReturn:
    """Raise UnknownCallable."""
    raise UnknownCallable(native, place_of(frame.execution))


def place_of(execution: Execution) -> str:
    """File and line of the innermost code that is not hidden."""
    return next((f"{frame.code.co_filename}:{frame.line}" for frame in execution.visible()), "")


def refuse_here(message: str) -> NoReturn:
    """The innermost code does what cannot be checked. Called from native code only. Raises Refused."""
    raise Refused(ModelError(message, place_of(running())))


# -- kinds of callables ---------------------------------------------------------------


def _builtin(frame: Frame, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """A function of C, or a method of C bound to an object."""
    owner = function.__self__
    if owner is None or type(owner) is types.ModuleType:
        return call_native(frame, function, arguments, keywords, function)
    descriptor = lookup(owner, function.__name__) if is_a(owner, type) else NULL
    if type(descriptor) is types.ClassMethodDescriptorType:
        return call_native(frame, descriptor, [owner, *arguments], keywords, function)
    if is_a(owner, type) and function.__name__ == "__new__":
        return _native_new(frame, function, arguments, keywords)
    descriptor = _descriptor_of(function, owner)
    if descriptor is NULL:
        return call_native(frame, function, arguments, keywords, function)
    return call_native(frame, descriptor, [owner, *arguments], keywords, descriptor)


def _descriptor_of(function: Any, owner: Any) -> Any:
    """The method of C that was bound to an object: of its class, or of a base which `super()` has found; else NULL."""
    for base in mro_of(type(owner)):
        descriptor = namespace_of(base).get(function.__name__)
        if type(descriptor) in _DESCRIPTORS and descriptor.__get__(owner, type(owner)) == function:
            return descriptor
    return NULL


def _native_new(frame: Frame, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """`T.__new__(kind, ...)` of a native class T."""
    owner = function.__self__
    way = _way(function)
    if way.of_objects is not None or way.intrinsic is not None or way.model is not None:
        return call_native(frame, function, arguments, keywords, function)
    of_owner = _way(owner)
    if owner not in _MAKES_ANY and of_owner.model is None and not of_owner.is_pure:
        refuse_native(frame, function)
    guard = frame.execution.guard
    if guard is not None and guard.asks(frame, function, True, arguments, keywords, owner):
        return SWITCH
    frame.stack.append(_of_module(frame, function(*arguments, **keywords)))
    return None


_MAKES_ANY = (object, type)


def _descriptor(frame: Frame, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    return call_native(frame, function, arguments, keywords, function)


def _method_wrapper(frame: Frame, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """A slot of C bound to an object: `x.__add__`."""
    descriptor = lookup(function.__objclass__, function.__name__)
    return call_native(frame, descriptor, [function.__self__, *arguments], keywords, function)


def _static(frame: Frame, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    return call(frame, function.__func__, arguments, keywords)


def _alias(frame: Frame, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """`list[int](...)`."""
    return call(frame, function.__origin__, arguments, keywords)


_DESCRIPTORS = frozenset({types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType})
_BY_KIND: dict[type, Callable[[Frame, Any, list[Any], dict[str, Any]], int | None]] = {
    BuiltinFunctionType: _builtin,
    type(re.compile("").match): _builtin,  # a class of its own: methods of C which are told the class that has them
    types.MethodDescriptorType: _descriptor,
    types.WrapperDescriptorType: _descriptor,
    types.ClassMethodDescriptorType: _descriptor,
    types.MethodWrapperType: _method_wrapper,
    staticmethod: _static,
    types.GenericAlias: _alias,
}


# -- classes --------------------------------------------------------------------------


def call_class(frame: Frame, kind: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """Call a class, by the `__call__` of its metaclass."""
    by_meta = lookup(type(kind), "__call__")
    if type(by_meta) is FunctionType:
        frame.execution.push(by_meta, [kind, *arguments], keywords)
        return SWITCH
    return make(frame, kind, arguments, keywords)


def make(frame: Frame, kind: Any, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """`type.__call__`: make an object, and initialise it."""
    if kind in PLAIN or not kind.__flags__ & HEAP or _is_listed(kind, frame.execution):
        return call_native(frame, kind, arguments, keywords, kind)
    if frame.execution.objects is not None and type(lookup(kind, "__del__")) is FunctionType:
        frame.execution.assumed.ending.add(kind.__name__)
    new, initialise = lookup(kind, "__new__"), lookup(kind, "__init__")
    if type(new) is staticmethod:
        new = new.__func__
    by_object = new is object.__new__
    if by_object and type(initialise) is FunctionType and not _may_be_listed(initialise):
        made = object.__new__(kind)  # raises TypeError for an abstract class
        frame.execution.push(initialise, [made, *arguments], keywords).made = made
        return SWITCH
    if (
        _is_interpreted(new, [kind, *arguments], keywords)
        or _is_interpreted(initialise, [None, *arguments], keywords)
        or (frame.execution.objects is not None and identity(new) in _of_objects)
        or is_shared(frame, *arguments)
    ):
        frame.execution.push(protocols.construct, [kind, new, initialise, arguments, keywords], {})
        return SWITCH
    return _make_natively(frame, kind, new, initialise, arguments, keywords)


def _is_interpreted(constructor: Any, arguments: list[Any], keywords: dict[str, Any]) -> bool:
    """Returns True for a `__new__` or `__init__` of Python, or one with a model that these arguments need."""
    if type(constructor) is FunctionType:
        return True
    return model_of(constructor) is not None and not runs_natively(constructor, arguments, keywords)


def _make_natively(
    frame: Frame, kind: Any, new: Any, initialise: Any, arguments: list[Any], keywords: dict[str, Any]
) -> int | None:
    """Make an object none of whose constructors is Python code."""
    if new is object.__new__ and initialise is object.__init__:
        frame.stack.append(type.__call__(kind, *arguments, **keywords))
        return None
    owner = getattr(new, "__self__", None)
    known = owner is type or (is_a(owner, type) and (_way(owner).is_pure or _way(owner).model is not None))
    if not known and not is_pure(kind):
        refuse_native(frame, kind)
    guard = frame.execution.guard
    if guard is not None and guard.asks(frame, kind, True, arguments, keywords):
        return SWITCH
    frame.stack.append(_of_module(frame, type.__call__(kind, *arguments, **keywords)))
    return None


def _of_module(frame: Frame, made: Any) -> Any:
    """Returns what native code has made: a class is noted, and one that names no module is of that whose code asked."""
    if is_a(made, type) and made.__module__ == __name__:
        made.__module__ = frame.execution.outside().globals.get("__name__", "builtins")
    if is_a(made, type) and frame.execution.objects is not None:
        note_made(made)
    return made


@intrinsic(type)
def _type(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if len(arguments) == 1 and not keywords:
        frame.stack.append(shown_class(arguments[0]))
    else:
        frame.stack.append(_of_module(frame, type(*arguments, **keywords)))
    return None


@intrinsic(type.__call__)
def _type_call(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    if not arguments or not is_a(arguments[0], type):
        type.__call__(*arguments, **keywords)
    return make(frame, arguments[0], arguments[1:], keywords)
