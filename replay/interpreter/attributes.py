"""Attributes: which code reads, sets or deletes one, Python's or native.

How the attributes of a class are read is found out once for each class and name (a plan). No code of users is run to
find it out.
"""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from replay.interpreter import protocols
from replay.interpreter.calls import call, call_python
from replay.interpreter.execution import SWITCH, host_lines
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.generators import Generator
from replay.interpreter.intrinsics import called_type, shown_class
from replay.interpreter.lookup import (
    PLAIN,
    forget_lookups,
    identity,
    is_a,
    lookup,
    mro_of,
    namespace_of,
    plans,
    python_method,
)
from replay.interpreter.natives import STANDS_FOR, model_of
from replay.interpreter.ownership import Objects
from replay.interpreter.tracebacks import check_traceback, lines_of, traceback_of

_namespace = type.__dict__["__dict__"].__get__

Plan = Callable[[Frame, Any, str], "int | None"]
"""Reads an attribute: pushes the value, or the frame of the function that makes it."""


def load_attribute(frame: Frame, thing: Any, name: str) -> int | None:
    """`thing.name`: its value is pushed, or a frame that will return it."""
    objects: Objects | None = frame.execution.objects
    kind = type(thing)
    if objects is not None:
        if identity(thing) in objects.shared and not issubclass(kind, type):
            if kind in PLAIN or not _is_read_by_python(kind):
                return objects.load(frame, thing, name)
        elif (
            (kind, name) not in objects.no_memory
            and kind not in PLAIN
            and not _is_read_by_python(kind)
            and objects.load_of_class(frame, thing, name)
        ):
            return SWITCH
    plan = plans.get((kind, name))
    if plan is None:
        plan = plans[kind, name] = _plan(kind, name)
    return plan(frame, thing, name)


def _is_read_by_python(kind: type) -> bool:
    return python_method(kind, "__getattribute__") is not None


def _natively(frame: Frame, thing: Any, name: str) -> int | None:
    frame.stack.append(getattr(thing, name))
    return None


def _plan(kind: type, name: str) -> Plan:
    if kind in PLAIN and name != "__class__":
        return _natively
    if name == "__class__" and (issubclass(kind, Generator) or kind in STANDS_FOR):
        return _shown_class
    if name == "__dict__" and (issubclass(kind, Generator) or kind in STANDS_FOR):
        return _shown_dictionary
    if kind is super:
        return _of_super
    native = kind.native if issubclass(kind, Generator) else STANDS_FOR.get(kind)
    if native is not None and _is_own(kind, name, native):
        return _own
    if name == "__traceback__" and issubclass(kind, BaseException):
        return _traceback
    if issubclass(kind, type):
        return _of_class
    get, fall_back = python_method(kind, "__getattribute__"), python_method(kind, "__getattr__")
    if get is not None:
        return _by_function(get, fall_back)
    found = lookup(kind, name)
    plan = _by_descriptor(kind, found, fall_back)
    if plan is None and found is NULL and fall_back is None and issubclass(kind, types.ModuleType):
        return _of_module
    if plan is None:
        plan = _natively if fall_back is None else _native_or(fall_back)
    return _with_results(plan) if name in _SHOWING_ALL and _remembers(kind) else plan


def _remembers(kind: type) -> bool:
    """Returns whether a class has cached properties."""
    return any(_is_cached(value) for base in mro_of(kind) for value in namespace_of(base).values())


def _is_cached(found: Any) -> bool:
    return is_a(found, functools.cached_property)


def _of_module(frame: Frame, thing: Any, name: str) -> int | None:
    """A global variable of a module, or what the module's `__getattr__` returns (PEP 562)."""
    fall_back = maker_of_attributes(thing)
    if fall_back is None or instance_value(thing, name) is not NULL:
        return _natively(frame, thing, name)
    return call(frame, fall_back, [name], {})


def maker_of_attributes(module: Any) -> Callable[[str], Any] | None:
    """Returns the `__getattr__` of a module; None if it has none that code of users can notice.

    Those of Python's library and of the checker import what they are asked for, and do nothing else.
    """
    found = instance_value(module, "__getattr__")
    if type(found) is types.FunctionType:
        file = found.__code__.co_filename
        is_of_python = file.startswith(_LIBRARY) and "site-packages" not in file
        return None if is_of_python or found.__globals__.get("__name__") == "mcr" else found
    return None if found is NULL else found


_LIBRARY = os.path.join(os.path.dirname(os.__file__), "")


def _traceback(frame: Frame, thing: Any, _: str) -> None:
    frame.execution.note_look(thing, "the traceback")
    frame.stack.append(traceback_of(frame.execution.passed(thing) or host_lines(thing)))


_SHOWING_ALL = ("__dict__", "__getstate__", "__reduce_ex__", "__reduce__", "__dir__")
"""Names by which code gets at all attributes of an object, those among them that remember results."""


def _with_results(plan: Plan) -> Plan:
    """The plan for a name that shows what cached properties remember."""

    def noting(frame: Frame, thing: Any, name: str) -> int | None:
        if frame.code is not (model_of(_GET) or _GET).__code__:
            frame.execution.note_look(thing, _REMEMBERED)
        return plan(frame, thing, name)

    return noting


_REMEMBERED = "what cached properties remember"
_GET: Any = functools.cached_property.__get__


def _shown_class(frame: Frame, thing: Any, _: str) -> None:
    frame.stack.append(shown_class(thing))


def _shown_dictionary(frame: Frame, thing: Any, name: str) -> int | None:
    """Pushes the dictionary of a native object, if what stands for it has one."""
    if not shown_class(thing).__dictoffset__:
        raise AttributeError(f"{type(thing).__name__!r} object has no attribute '__dict__'", name=name, obj=thing)
    return _natively(frame, thing, name)


def _is_own(kind: type, name: str, native: type) -> bool:
    return lookup(native, name) is NULL and (lookup(kind, name) is not NULL or not native.__dictoffset__)


def _own(frame: Frame, thing: Any, name: str) -> None:
    """Pushes an attribute which the native object does not have: only code of ours that names it sees it.

    A function of protocols asks for code that has called `getattr` or `hasattr`.
    """
    if not frame.decoded.is_ours or frame.code.co_filename == protocols.__file__:
        raise AttributeError(f"{called_type(thing)!r} object has no attribute {name!r}", name=name, obj=thing)
    frame.stack.append(getattr(thing, name))


def _by_function(get: types.FunctionType, fall_back: types.FunctionType | None) -> Plan:
    """A Python `__getattribute__`, and a `__getattr__` for where it raises AttributeError."""

    return lambda frame, thing, name: _push(frame, get, (thing, name), thing, name, fall_back)


def _push(
    frame: Frame, get: Any, arguments: tuple[Any, ...], thing: Any, name: str, fall_back: types.FunctionType | None
) -> int:
    """Call the Python function by which an object has an attribute, and `__getattr__` if that raises AttributeError."""
    if fall_back is None:
        frame.execution.push(get, list(arguments), {})
    else:
        frame.execution.push(protocols.attribute_or_fallback, [get, arguments, thing, name, fall_back], {})
    return SWITCH


def _by_descriptor(kind: type, found: Any, fall_back: types.FunctionType | None) -> Plan | None:
    """The plan for what a class has by the name; None if nothing of it is Python code."""
    if type(found) is property:
        get = found.fget
        if type(get) is not types.FunctionType:
            return None
        return _by_property(get, fall_back)
    get = None if found is NULL else python_method(type(found), "__get__")
    if get is None:
        return None
    get = cast(types.FunctionType, model_of(get) or get)
    is_data = lookup(type(found), "__set__") is not NULL or lookup(type(found), "__delete__") is not NULL
    return _by_python_descriptor(kind, found, get, fall_back, is_data)


def _by_property(get: types.FunctionType, fall_back: types.FunctionType | None) -> Plan:
    def plan(frame: Frame, thing: Any, name: str) -> int | None:
        if fall_back is None:
            return call_python(frame, get, [thing], {})
        return _push(frame, get, (thing,), thing, name, fall_back)

    return plan


def _by_python_descriptor(
    kind: type, found: Any, get: types.FunctionType, fall_back: types.FunctionType | None, is_data: bool
) -> Plan:
    def plan(frame: Frame, thing: Any, name: str) -> int | None:
        if not is_data:
            held = instance_value(thing, name)
            if held is not NULL:
                frame.stack.append(held)
                return None
        objects: Objects | None = frame.execution.objects
        holder = found if objects is None else objects.admitted(found, name)
        return _push(frame, get, (holder, thing, kind), thing, name, fall_back)

    return plan


def instance_value(thing: Any, name: str) -> Any:
    """Returns what an object's own dictionary has by a name; NULL if it has no such dictionary or entry."""
    if not type(thing).__dictoffset__:
        return NULL
    try:
        return object.__getattribute__(thing, "__dict__").get(name, NULL)
    except AttributeError:
        return NULL


def _native_or(fall_back: types.FunctionType) -> Plan:
    """An object with a Python `__getattr__`, for what it does not have."""

    def plan(frame: Frame, thing: Any, name: str) -> int | None:
        value = NULL
        with suppress(AttributeError):
            value = type(thing).__getattribute__(thing, name)  # type: ignore[call-arg]
        if value is NULL:
            return call_python(frame, fall_back, [thing, name], {})
        frame.stack.append(value)
        return None

    return plan


def _of_class(frame: Frame, thing: Any, name: str) -> int | None:
    """An attribute of a class: the metaclass's data descriptors, the class's own, the metaclass's others."""
    meta = type(thing)
    get, fall_back = python_method(meta, "__getattribute__"), python_method(meta, "__getattr__")
    if get is not None:
        return _by_function(get, fall_back)(frame, thing, name)
    return _of_class_plainly(frame, thing, name, fall_back)


def _of_class_plainly(frame: Frame, thing: Any, name: str, fall_back: types.FunctionType | None) -> int | None:
    """As `_of_class`, without a Python `__getattribute__` of the metaclass."""
    meta = type(thing)
    of_meta = lookup(meta, name)
    if of_meta is not NULL and lookup(type(of_meta), "__set__") is not NULL:
        plan = _by_descriptor(meta, of_meta, fall_back)
        if plan is not None:
            return plan(frame, thing, name)
    else:
        found = lookup(thing, name)
        if found is not NULL:
            get = python_method(type(found), "__get__")
            if get is not None:
                frame.execution.push(get, [found, None, thing], {})
                return SWITCH
        elif of_meta is not NULL:
            plan = _by_descriptor(meta, of_meta, fall_back)
            if plan is not None:
                return plan(frame, thing, name)
    if fall_back is not None:
        return _native_or(fall_back)(frame, thing, name)
    frame.stack.append(type.__getattribute__(thing, name))
    return None


def load_plainly(frame: Frame, thing: Any, name: str) -> int | None:
    """`object.__getattribute__(thing, name)`: no `__getattribute__` or `__getattr__` of Python is asked."""
    objects: Objects | None = frame.execution.objects
    kind = type(thing)
    if objects is not None and identity(thing) in objects.shared and not issubclass(kind, type):
        return objects.load(frame, thing, name, falls_back=False)
    if objects is not None and issubclass(kind, _HOMES) and objects.load_of_class(frame, thing, name):
        return SWITCH
    if issubclass(kind, type):
        return _of_class_plainly(frame, thing, name, None)
    plan = _by_descriptor(kind, lookup(kind, name), None)
    if plan is not None:
        return plan(frame, thing, name)
    frame.stack.append(object.__getattribute__(thing, name))
    return None


_HOMES = (type, types.ModuleType, types.FunctionType)
_this = super.__dict__["__thisclass__"].__get__
_self = super.__dict__["__self__"].__get__
_start = super.__dict__["__self_class__"].__get__


def _of_super(frame: Frame, thing: Any, name: str) -> int | None:
    """An attribute by `super()`."""
    start, subject = _start(thing), _self(thing)
    if start is not None and name != "__class__":
        mro = mro_of(start)
        for base in mro[mro.index(_this(thing)) + 1 :]:
            found = _namespace(base).get(name, NULL)
            if found is not NULL:
                return _of_base(frame, thing, name, found, None if subject is start else subject, start)
    return _natively(frame, thing, name)


def _of_base(frame: Frame, thing: Any, name: str, found: Any, subject: Any, start: type) -> int | None:
    if type(found) is property and subject is not None and type(found.fget) is types.FunctionType:
        frame.execution.push(found.fget, [subject], {})
        return SWITCH
    get = python_method(type(found), "__get__")
    if get is not None:
        frame.execution.push(get, [found, subject, start], {})
        return SWITCH
    return _natively(frame, thing, name)


def store_attribute(frame: Frame, thing: Any, name: str, value: Any) -> int | None:
    """`thing.name = value`; if a value or a frame is pushed, it or its value is dropped by the next instruction."""
    kind = type(thing)
    by_python = python_method(kind, "__setattr__")
    if by_python is not None:
        frame.execution.push(by_python, [thing, name, value], {})
        return SWITCH
    return _store(frame, thing, name, value, setattr)


def store_plainly(frame: Frame, thing: Any, name: str, value: Any) -> int | None:
    """`object.__setattr__(thing, name, value)`: no `__setattr__` of Python is asked."""
    plainly: Any = type.__setattr__ if is_a(thing, type) else object.__setattr__
    return _store(frame, thing, name, value, plainly)


def _store(frame: Frame, thing: Any, name: str, value: Any, natively: Callable[..., object]) -> int | None:
    kind = type(thing)
    objects: Objects | None = frame.execution.objects
    found = lookup(kind, name)
    if found is not NULL and kind not in PLAIN:
        if type(found) is property and type(found.fset) is types.FunctionType:
            return call_python(frame, found.fset, [thing, value], {})
        by_python = python_method(type(found), "__set__")
        if by_python is not None:
            found = found if objects is None else objects.admitted(found, name)
            frame.execution.push(by_python, [found, thing, value], {})
            return SWITCH
        if _is_cached(found):
            frame.execution.note_look(thing, _REMEMBERED)
    if name == "__traceback__" and issubclass(kind, BaseException):
        check_traceback(value)
        frame.execution.set_lines(thing, lines_of(value))
    else:
        if objects is not None:
            if identity(thing) in objects.shared:
                return objects.store(frame, thing, name, value)
            if objects.store_of_class(frame, thing, name, value):
                return SWITCH
        natively(thing, name, value)
    if issubclass(kind, type):
        forget_lookups()
    frame.position += 1
    return None


def delete_attribute(frame: Frame, thing: Any, name: str) -> int | None:
    """`del thing.name`, in the same way."""
    kind = type(thing)
    by_python = python_method(kind, "__delattr__")
    if by_python is not None:
        frame.execution.push(by_python, [thing, name], {})
        return SWITCH
    return _delete(frame, thing, name, delattr)


def delete_plainly(frame: Frame, thing: Any, name: str) -> int | None:
    """`object.__delattr__(thing, name)`."""
    plainly: Any = type.__delattr__ if is_a(thing, type) else object.__delattr__
    return _delete(frame, thing, name, plainly)


def _delete(frame: Frame, thing: Any, name: str, natively: Callable[..., object]) -> int | None:
    kind = type(thing)
    objects: Objects | None = frame.execution.objects
    found = lookup(kind, name)
    if found is not NULL and kind not in PLAIN:
        if type(found) is property and type(found.fdel) is types.FunctionType:
            frame.execution.push(found.fdel, [thing], {})
            return SWITCH
        by_python = python_method(type(found), "__delete__")
        if by_python is not None:
            found = found if objects is None else objects.admitted(found, name)
            frame.execution.push(by_python, [found, thing], {})
            return SWITCH
        if _is_cached(found):
            frame.execution.note_look(thing, _REMEMBERED)
    if objects is not None:
        if identity(thing) in objects.shared:
            return objects.delete(frame, thing, name)
        if objects.delete_of_class(frame, thing, name):
            return SWITCH
    natively(thing, name)
    if issubclass(kind, type):
        forget_lookups()
    frame.position += 1
    return None
