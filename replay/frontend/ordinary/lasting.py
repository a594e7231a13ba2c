"""What outlives the runs of a program, since a class, a module or a function holds it: locks, and classes written in C.

Locks were made before anybody knew of a model. In their place comes one that is a lock of the model for threads of a
model, and the one that was there for others. In place of `type`, modules of users have one that tells the class of a
shared object as its author knows it.
"""

from __future__ import annotations

import _thread
import functools
import sys
from collections.abc import Iterable
from types import FunctionType, GenericAlias, ModuleType
from typing import Any

from greenlet import getcurrent

from replay.code.ordinary import class_of_shared
from replay.code.reachable import cell_contents, is_user_class
from replay.code.seen import attributes
from replay.frontend.locks import ByWith
from replay.frontend.ordinary.outside import address_of
from replay.frontend.ordinary.own import Local, Lock, RLock
from replay.frontend.ordinary.past_classes import take_from_here
from replay.world.anatomy import HEAP_TYPE


class _ClassOfType(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Type and len(args) == 1 and not kwargs:
            found = type(args[0])
            return Type if found is type else class_of_shared(found) or found
        return type.__call__(type if cls is Type else cls, *args, **kwargs)

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, type) if cls is Type else type.__instancecheck__(cls, thing)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type) if cls is Type else type.__subclasscheck__(cls, kind)


class Type(type, metaclass=_ClassOfType):
    """`type`, where a module says so."""

    def __class_getitem__(cls, key: Any) -> Any:
        return GenericAlias(type, key)


Type.__name__ = Type.__qualname__ = "type"


LOCAL: Any = vars(_thread)["_local"]
LOCK, RLOCK = type(_thread.allocate_lock()), type(_thread.RLock())

INSTEAD: dict[int, Any] = {}
"""What comes in the place of classes and functions, by their identity: they live as long as Python."""


_names: dict[str, int] = {}
"""How many have a name."""


def _own_name(name: str) -> str:
    """A name for something that lasts which nothing else has that does."""
    number = _names[name] = _names.get(name, 0) + 1
    return name if number == 1 else f"{name}#{number}"


class LastingLock(ByWith):
    """A lock that a class, a module or a function holds by a name.

    `is_idle`: it guards nothing that a model has.
    """

    __slots__ = ("is_idle", "name", "original")

    def __init__(self, name: str, original: Any) -> None:
        self.name = _own_name(name)
        self.original = original
        self.is_idle = False

    def _here(self) -> Any:
        if sys.is_finalizing():  # greenlet does not answer any more: handlers of loggers are removed at the end
            return self.original
        running: Any = getcurrent()
        heap = getattr(running, "heap", None)
        if heap is None or running.thread is None:
            return self.original
        return _IDLE if self.is_idle else heap.lasting(self)

    def of_model(self) -> Lock | RLock:
        """A new lock of a model that does the same."""
        return RLock() if isinstance(self.original, RLOCK) else Lock()

    def acquire(self, *args: Any, **kwargs: Any) -> Any:
        return self._here().acquire(*args, **kwargs)

    def release(self) -> None:
        self._here().release()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._here(), name)

    def __deepcopy__(self, _: Any) -> LastingLock:
        return self

    def __repr__(self) -> str:
        return self.name


class LastingLocal:
    """A `threading.local` that a class, a module or a function holds by a name: each thread of each run has its own."""

    __slots__ = ("name", "original")

    def __init__(self, name: str, original: Any) -> None:
        object.__setattr__(self, "name", _own_name(name))
        object.__setattr__(self, "original", original)

    def of_model(self) -> Local:
        return Local()

    def __getattr__(self, name: str) -> Any:
        return getattr(_here(self), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(_here(self), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_here(self), name)


def _here(lasting: Any) -> Any:
    """What stands for something that outlives the runs: in threads of a model one of the model."""
    running: Any = getcurrent()
    heap = getattr(running, "heap", None)
    return lasting.original if heap is None or running.thread is None else heap.lasting(lasting)


class IdleLock:
    """A lock that is always free."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        return True

    def release(self) -> None:
        pass


_IDLE = IdleLock()


def _instead(value: Any, name: str) -> Any:
    """What comes in the place of a value that something holds by a name: itself if there is nothing."""
    if isinstance(value, LOCK | RLOCK):
        return LastingLock(name, value)
    return LastingLocal(name, value) if type(value) is LOCAL else INSTEAD.get(id(value), value)


@functools.cache
def look_for_lasting_locks(kind: Any) -> None:
    """Put these in the place of what a class, its bases, their functions and the module of each hold."""
    for each in kind.__mro__:
        if is_user_class(each):
            for name, held in list(vars(each).items()):
                title = f"{each.__name__}.{name}"
                if (instead := _instead(held, title)) is not held:
                    type.__setattr__(each, name, instead)
                elif not isinstance(held, type):
                    _look_into(held, title)
            module = sys.modules.get(each.__module__)
            look_at_module(module)


def _look_into(held: Any, name: str) -> None:
    """The same for a function, and what a class has for an attribute, such as a `cached_property` with a lock."""
    if isinstance(held, staticmethod | classmethod):
        held = held.__func__
    if isinstance(held, property):
        for each in (held.fget, held.fset, held.fdel):
            _look_into(each, name)
    elif isinstance(held, FunctionType):
        take_from_here(held)
        _look_into_function(held, name)
    elif type(held).__flags__ & HEAP_TYPE:
        look_into_object(held, name)


def look_into_object(held: Any, name: str) -> None:
    """The same for the attributes of an object."""
    for part, value in list(attributes(held)):
        if (instead := _instead(value, f"{name}.{part}")) is not value:
            object.__setattr__(held, part, instead)


def _look_into_function(function: FunctionType, name: str, known: Iterable[FunctionType] = ()) -> None:
    """The same for the default values of a function, and the variables that it closes over."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    names = positional[len(positional) - len(defaults) :]
    for part, each in (*zip(names, defaults, strict=True), *(function.__kwdefaults__ or {}).items()):
        if is_user_class(type(each)):
            look_into_object(each, f"{name}.{part}")
    replaced = tuple(_instead(each, f"{name}.{part}") for part, each in zip(names, defaults, strict=True))
    if any(one is not other for one, other in zip(replaced, defaults, strict=True)):
        function.__defaults__ = replaced
    for part, each in (function.__kwdefaults__ or {}).items():
        function.__kwdefaults__[part] = _instead(each, f"{name}.{part}")  # type: ignore[index]
    for part, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        for value in cell_contents(cell):
            if (instead := _instead(value, f"{name}.{part}")) is not value:
                cell.cell_contents = instead
            elif isinstance(value, FunctionType) and not any(value is each for each in known):
                _look_into_function(value, f"{name}.{part}", (*known, function))


@functools.cache
def look_at_module(module: object) -> None:
    """The same for a module of users, and its functions."""
    if isinstance(module, ModuleType):
        look_for_locks_of_module(module)
        look_through(module)
        for name, held in list(vars(module).items()):
            if isinstance(held, FunctionType):
                _look_into_function(held, name)
        vars(module).setdefault("type", Type)
        vars(module).setdefault("id", address_of)


def look_for_locks_of_module(module: ModuleType) -> None:
    """Put such locks in the place of those that are global variables of a module."""
    for name, held in list(vars(module).items()):
        if isinstance(held, LOCK | RLOCK) or type(held) is LOCAL:
            setattr(module, name, _instead(held, f"{module.__name__}.{name}"))


def look_through(module: ModuleType) -> None:
    """Put what comes in the place of classes and functions into the global variables of a module."""
    for name, value in list(vars(module).items()):
        if (instead := INSTEAD.get(id(value))) is not None:
            setattr(module, name, instead)
