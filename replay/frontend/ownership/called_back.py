"""Native code that calls Python code back: CPython would run that past memory, so it is refused where it begins.

Where a model stands for native code, the interpreter runs what that calls. All other native code is watched while it
runs, if anything that it is given may have code of its own: a function, an object of a class, or what holds one.
"""

from __future__ import annotations

import functools
import gc
import json
import re
import sys
import weakref
from collections import OrderedDict, defaultdict, deque
from types import (
    ClassMethodDescriptorType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any

from replay.code.lines import is_of_checker_file, is_of_library
from replay.code.running_thread import refuse
from replay.interpreter.execution import is_shared_here
from replay.interpreter.library.looking import all_plain
from replay.interpreter.lookup import ATOMS, METHODS_OF_C, identity, is_a, namespace_of

_VALUES: frozenset[Any] = ATOMS | {re.Pattern, re.Match, range, bytearray}
"""Classes of objects that have no code of users."""

_CONTAINERS: frozenset[type] = frozenset({tuple, list, set, frozenset, dict, deque, OrderedDict, defaultdict})

_HARMLESS = _VALUES | _CONTAINERS
"""Classes of what a method of a container may be given beside the container."""

_KEEPERS: tuple[tuple[Any, str], ...] = (
    (list, "append"),
    (deque, "append appendleft"),
    (dict, "get setdefault pop __setitem__"),
    (functools.partial, "__new__"),
    (object, "__hash__ __init__"),
    (type(iter([])), "__iter__"),
    *(
        (kind, "__get__")
        for kind in (FunctionType, MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType)
    ),
)
ONLY_KEEP = frozenset(
    map(
        identity,
        (
            *(functools.partial, property, staticmethod, classmethod),
            *(namespace_of(kind)[name] for kind, names in _KEEPERS for name in names.split()),
        ),
    )
)
"""Classes and methods of C that neither look into what they are given to keep, nor call it."""


def run_natively(native: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Returns what native code returns. Refuses it if it calls Python code that is not of the checker."""
    if not _may_call_back(native, arguments, keywords):
        return native(*arguments, **keywords)
    watch = _Watch(native)
    outer, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # or it would free what has a `__del__`, which the native code has not called
    sys.setprofile(watch.note)
    try:
        return native(*arguments, **keywords)
    finally:
        sys.setprofile(outer)
        if collects:
            gc.enable()
        if watch.called is not None:
            _refuse(native, watch.called)


def _may_call_back(native: Any, arguments: list[Any], keywords: dict[str, Any]) -> bool:
    """Returns False if nothing that native code is given has code of its own.

    A method of a container is known to call nothing that the container holds: models stand for those that compare.
    """
    if keywords and not _VALUES.issuperset(map(type, keywords.values())):
        return True
    if identity(native) in ONLY_KEEP:
        return False
    if type(native) in METHODS_OF_C and native.__objclass__ in _CONTAINERS:
        return not _HARMLESS.issuperset(map(type, arguments[1:]))
    return not (_VALUES.issuperset(map(type, arguments)) or all_plain(arguments))


class _Watch:
    """Listens to CPython while native code runs.

    called  the first Python function that must not run and that it has called, which was stopped; None if there is none
    """

    def __init__(self, native: Any) -> None:
        self.called: CodeType | None = None
        self._is_of_library = type(native) is FunctionType
        """Whether it is a function of Python's library itself, which calls others."""
        self._inside: FrameType | None = None
        """A function of the library that was given nothing of users: whatever it calls is its own."""

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """A function begins or ends. Raises `_Stopped` where one begins that must not run."""
        if event == "return" and frame is self._inside:
            self._inside = None
        if event != "call" or self._inside is not None or _is_of_checker(frame):
            return
        if is_of_library(frame.f_code) and _is_harmless(frame):
            self._inside = frame
        elif not (self._is_of_library and is_of_library(frame.f_code)):
            self.called = self.called or frame.f_code
            raise _Stopped


def _is_of_checker(frame: FrameType) -> bool:
    """Returns whether a function is one of the checker, or handles a signal, which it is given with a frame."""
    if is_of_checker_file(frame.f_code.co_filename):
        return True
    given = [each if type(each) is tuple else (each,) for each in frame.f_locals.values()]
    return any(type(each) is FrameType for some in given for each in some)


def _is_harmless(frame: FrameType) -> bool:
    """Returns whether a function of Python's library is given only values and classes, only tells a class, or is told
    by a weak reference that its object is gone."""
    given = list(frame.f_locals.values())
    if frame.f_code is _REFUSES.__code__:
        return not any(map(is_shared_here, given))
    return any(is_a(each, weakref.ref) for each in given) or all_plain([each for each in given if not is_a(each, type)])


class _Stopped(BaseException):
    """Ends native code that has called Python code, which no exception of users would."""


_REFUSES: Any = json.JSONEncoder.default


def _refuse(native: Any, called: CodeType) -> None:
    name = getattr(native, "__qualname__", "") or type(native).__name__
    is_key = called.co_name in ("__hash__", "__eq__")
    refuse(
        f"{name} is written in C, and calls {called.co_qualname} (line {called.co_firstlineno}), past what mcr sees: "
        + ("use a tuple of what it is made of" if is_key else "call it in your code, and pass on what it returns")
    )
