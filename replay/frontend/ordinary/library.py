"""Python's own library as part of the model: what is written in C has a counterpart, the rest runs as it is.

The functions that make locks ask who calls: code of a model that shares
ordinary objects gets locks of the model, everybody else what Python makes. So
they are put in place once, for the whole process, and stay.
"""

from __future__ import annotations

import _thread
import functools
import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from greenlet import getcurrent

from replay.code.ordinary import STANDS_FOR
from replay.code.reachable import is_of_python
from replay.frontend.ordinary.locks import Lock, RLock


def in_model() -> bool:
    """Whether code of a model is running that shares ordinary objects."""
    return getattr(getcurrent(), "heap", None) is not None


def _dispatching(original: Callable[..., Any], of_model: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is `of_model` in a model, and the original elsewhere."""

    @functools.wraps(original, assigned=("__doc__",), updated=())
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        return (of_model if in_model() else original)(*args, **kwargs)

    setattr(dispatch, STANDS_FOR, original)
    return dispatch


_LOCK = _dispatching(_thread.allocate_lock, Lock)
_RLOCK = _dispatching(threading.RLock, RLock)
_SLEEP = _dispatching(time.sleep, lambda _: None)

_PLACES: list[tuple[ModuleType, str, Any]] = [
    (threading, "Lock", _LOCK),
    (threading, "_allocate_lock", _LOCK),
    (threading, "RLock", _RLOCK),
    (_thread, "allocate_lock", _LOCK),
    (_thread, "RLock", _RLOCK),
    (time, "sleep", _SLEEP),
]
"""Where the originals are looked up, by Python itself and by others."""

_ORIGINALS: list[tuple[Any, Any]] = [
    (_thread.allocate_lock, _LOCK),
    (threading.RLock, _RLOCK),
    (_thread.RLock, _RLOCK),
    (time.sleep, _SLEEP),
]

_INSTEAD = {id(original): instead for original, instead in _ORIGINALS}
"""By the originals' identity: they live as long as Python."""

_looked_through: set[int] = set()
"""Modules in which names of the originals were replaced."""


def install() -> None:
    """Put the functions in place, and in the modules that imported the originals by name."""
    for module, name, instead in _PLACES:
        setattr(module, name, instead)
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType) and id(module) not in _looked_through and not is_of_python(module):
            _look_through(module)


def _look_through(module: ModuleType) -> None:
    for name, value in list(vars(module).items()):
        if id(value) in _INSTEAD:
            setattr(module, name, _INSTEAD[id(value)])
    if not getattr(module.__spec__, "_initializing", False):
        _looked_through.add(id(module))
