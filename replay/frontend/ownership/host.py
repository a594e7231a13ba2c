"""Locks and counters that were made before the program: each run has others, which stand for them where they are used.

They are known by themselves, wherever code has found them, and never really taken.
"""

from __future__ import annotations

import itertools
import logging
import sys
import weakref
from functools import cached_property
from types import BuiltinFunctionType, MethodWrapperType
from typing import Any, NoReturn

from replay.code.printing import taking_locks
from replay.code.running_thread import refuse
from replay.frontend.ordinary.constants import title_of
from replay.frontend.ordinary.own import Lock, RLock, SharedCount
from replay.frontend.ordinary.plain import is_plain
from replay.frontend.ordinary.publication import LOCK, RLOCK
from replay.interpreter.calls import call, intrinsic, intrinsic_of_objects
from replay.interpreter.execution import SWITCH, raise_again
from replay.interpreter.frame import Frame
from replay.interpreter.lookup import METHODS_OF_C
from replay.interpreter.versions import CACHED_PROPERTY_LOCKS
from replay.world.shown import module_title

_names: dict[int, tuple[object, str]] = {}
"""By the identity of locks and counters, which are kept alive."""


def name_of_host(thing: Any) -> str:
    """Returns the name by which a module or class has a lock or counter. Refuses one that nobody knows by a name."""
    if id(thing) not in _names:
        title = title_of(thing) or title_of(thing, _is_part_of)
        if not title:
            refuse(
                f"a {type(thing).__name__} is used that was made before the program function was called, and that no "
                "module and no class has by a name: make it in the program function"
            )
        _names[id(thing)] = thing, module_title(title)
    return _names[id(thing)][1]


def _is_part_of(held: Any, thing: object) -> bool:
    """Returns whether something is a method of a thing, or a property that has it."""
    return held.__self__ is thing if type(held) in _BOUND else type(held) is cached_property and _lock_of(held) is thing


def _lock_of(held: Any) -> Any:
    return getattr(held, "lock", None)  # up to 3.11


_BOUND = (MethodWrapperType, BuiltinFunctionType)


def install() -> None:
    """Let their methods be those of what stands for them, and let what takes locks of its own be as it is."""
    for kind, of_model in ((LOCK, Lock), (RLOCK, RLock), (itertools.count, SharedCount)):
        for name, native in vars(kind).items():
            if type(native) in METHODS_OF_C and (name in _CALLED or not name.startswith("__")):
                _stand_in(native, name, of_model)
    if CACHED_PROPERTY_LOCKS:
        for name in ("__init__", "__get__"):
            as_it_is(vars(cached_property)[name])


_CALLED = ("__enter__", "__exit__", "__iter__", "__next__", "__repr__")


def _stand_in(native: Any, name: str, of_model: Any) -> None:
    method = getattr(of_model, name, None)
    if method is None:
        return

    @intrinsic_of_objects(native)
    def call_on_stand_in(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        heap: Any = frame.execution.objects
        thing, *others = arguments
        if _guards_nothing(thing):
            frame.stack.append(None)
            return None
        return call(frame, method, [heap.stand_in(thing), *others], keywords)


def as_it_is(function: Any) -> None:
    """Let a function of Python that has a model be itself where code shares objects."""

    @intrinsic_of_objects(function)
    def call_it(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        return call_as_it_is(frame, function, arguments, keywords)


def _guards_nothing(lock: Any) -> bool:
    """Returns whether a lock guards nothing of a model: what executors keep for the end of the process."""
    futures: Any = sys.modules.get("concurrent.futures.thread")
    return futures is not None and lock is futures._global_shutdown_lock


@intrinsic_of_objects(weakref.WeakKeyDictionary.__setitem__)
def _set_weakly(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """Keeps what executors keep for the end of the process for threads of the process only."""
    futures: Any = sys.modules.get("concurrent.futures.thread")
    if futures is None or arguments[0] is not futures._threads_queues:
        return call_as_it_is(frame, weakref.WeakKeyDictionary.__setitem__, arguments, keywords)
    frame.stack.append(None)
    return None


@intrinsic_of_objects(logging.Logger.critical)
def _critical(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """A worker of an executor has no log: what ended it is a failure of its thread."""
    futures: Any = sys.modules.get("concurrent.futures.thread")
    error = frame.handled.innermost()
    if futures is None or arguments[0] is not futures._base.LOGGER or error is None:
        return call_as_it_is(frame, logging.Logger.critical, arguments, keywords)
    raise_again(error)


def _of_logging(function: Any) -> None:
    """Let a function of logging run as it is on what the program has made, and natively on loggers of the host."""

    @intrinsic(function)
    def log(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        if frame.execution.objects is not None:
            if function is logging.Logger.isEnabledFor:
                return call(frame, _is_enabled, arguments, keywords)  # it is not remembered: that would outlive the run
            if arguments and isinstance(arguments[0], logging.Filterer) and not is_plain(arguments[0]):
                return call_as_it_is(frame, function, arguments, keywords)
        frame.stack.append(function(*arguments, **keywords))
        return None


for _function in taking_locks(logging):
    _of_logging(_function)


def _is_enabled(logger: Any, level: int) -> bool:
    return not logger.disabled and logger.manager.disable < level and level >= logger.getEffectiveLevel()


def refuse_call(function: Any, why: str) -> None:
    """Refuse a function where code shares objects."""

    @intrinsic_of_objects(function)
    def refused(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> NoReturn:
        refuse(why)


def _forgotten(function: Any) -> None:
    """Let a function that keeps what it is given for the whole process do nothing where code shares objects."""

    @intrinsic_of_objects(function)
    def forget(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
        frame.stack.append(None)


for _name in ("_addHandlerRef", "_removeHandlerRef", "_register_at_fork_reinit_lock"):
    if hasattr(logging, _name):
        _forgotten(getattr(logging, _name))


def call_as_it_is(frame: Frame, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> int:
    """Interpret a function of Python that has an intrinsic as if it had none."""
    execution = frame.execution
    execution.enter(function, function.__code__, execution.compiled(function.__code__), arguments, keywords)
    return SWITCH
