"""Changes functions and objects of Python where they lie, so that they do something else in a model, under any name.

A name can be bound to something else, but others may have the function already: as a default value, in a
variable, in a table. So the function itself is changed where it lies. One written in Python gets other code; one
written in C gets another entry, which calls what is here. The layout of such an object is checked before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from replay.errors import InternalError
from replay.world.anatomy import HEAP_TYPE

_HEAD = object.__basicsize__
_WORD = ctypes.sizeof(ctypes.c_void_p)
_ENTRY, _SELF, _VECTORCALL = _HEAD, _HEAD + _WORD, _HEAD + 4 * _WORD
"""Where a function written in C (`PyCFunctionObject`) keeps its entry, what it belongs to, and its fast call."""

_ANY_ARGUMENTS = 3
"""METH_VARARGS | METH_KEYWORDS."""


class _Entry(ctypes.Structure):
    """`PyMethodDef`."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


class _Instead(ModuleType):
    """What a changed function written in C belongs to: it says that it is the module, and calls what is to run."""

    run: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.run(*args, **kwargs)


_kept: list[object] = []
_originals: dict[int, Any] = {}
"""By the identity of functions that were changed, what they did before."""


def original(function: Any) -> Any:
    """What a function is where no model runs."""
    return _originals.get(id(function), function)


def is_changed(function: object) -> bool:
    """Whether a function is written in C and was changed: to call it calls what it now belongs to, and nothing else."""
    return type(function) is BuiltinFunctionType and type(function.__self__) is _Instead


def change_in_place(function: Any, make: Callable[[Any], Callable[..., Any]]) -> None:
    """Let a function run what `make` returns, which is given one that does what the function did before."""
    if id(function) in _originals:
        return
    change = _change_python if isinstance(function, FunctionType) else _change_c
    _originals[id(function)] = change(function, make)
    _kept.append(function)


def _change_python(function: FunctionType, make: Callable[[Any], Callable[..., Any]]) -> Any:
    before = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    before.__kwdefaults__ = function.__kwdefaults__
    run = make(before)
    free = function.__code__.co_freevars
    constants = tuple(run if each == "what is to run" else each for each in _template.__code__.co_consts)
    function.__defaults__ = function.__kwdefaults__ = None
    function.__code__ = _template.__code__.replace(co_consts=constants, co_freevars=free)
    return before


def _template(*args: Any, **kwargs: Any) -> Any:
    run: Any = "what is to run"
    return run(*args, **kwargs)


def _change_c(function: Any, make: Callable[[Any], Callable[..., Any]]) -> Any:
    at = id(function)
    entry = _Entry.from_address(ctypes.c_ssize_t.from_address(at + _ENTRY).value)
    owner = ctypes.c_ssize_t.from_address(at + _SELF).value
    if (
        type(function) is not BuiltinFunctionType
        or entry.name != function.__name__.encode()
        or owner != id(function.__self__)
    ):
        raise InternalError(f"{function.__name__} does not lie in memory as this version of Python is known to have it")
    new = ctypes.pythonapi.PyCMethod_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object, ctypes.c_void_p]
    before = new(ctypes.addressof(entry), function.__self__, function.__module__, None)
    instead = _Instead(function.__module__ or "builtins")
    instead.run = make(before)
    call = ctypes.cast(ctypes.pythonapi.PyObject_Call, ctypes.c_void_p).value
    changed = _Entry(entry.name, call, _ANY_ARGUMENTS, entry.doc)
    _kept.extend((entry, instead, changed, before))
    ctypes.c_void_p.from_address(at + _VECTORCALL).value = None
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(instead))
    ctypes.c_void_p.from_address(at + _SELF).value = id(instead)
    ctypes.c_void_p.from_address(at + _ENTRY).value = ctypes.addressof(changed)
    return before


_CLASS_AT = object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)


def set_class(thing: Any, kind: Any) -> None:
    """Give an object another class that has the same room, which Python does only for classes written in Python."""
    before = type(thing)
    assert before.__basicsize__ == kind.__basicsize__ and before.__dictoffset__ == kind.__dictoffset__
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kind))
    ctypes.c_void_p.from_address(id(thing) + _CLASS_AT).value = id(kind)
    if before.__flags__ & HEAP_TYPE:
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(before))
