"""Locks, threads and clocks that Python has in C: the model's take their place where code is interpreted."""

from __future__ import annotations

import _abc  # type: ignore[import-not-found]
import _thread
import functools
import itertools
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from types import FunctionType
from typing import Any

from replay.code.library_calls import note_call
from replay.code.lines import is_of_library
from replay.code.ordinary import CHANCE
from replay.code.running_thread import current_run, inside_run, refuse
from replay.frontend.declarations import Declarations
from replay.frontend.ordinary import all_threads, chance, clock, seeded, threads
from replay.frontend.ordinary.changes import identity_of_container, is_shared_container
from replay.frontend.ordinary.identity import Identity, spelled
from replay.frontend.ordinary.kinds import identity_of, is_shared
from replay.frontend.ordinary.own import Lock, RLock, SharedCount, SharedCycle, SimpleQueue
from replay.frontend.ordinary.plain import is_plain
from replay.frontend.ownership import aliases, host, process, weak
from replay.frontend.ownership.called_back import run_natively
from replay.frontend.ownership.copies import whole
from replay.frontend.ownership.heap import Heap
from replay.frontend.ownership.homes import Homes
from replay.interpreter.calls import call, intrinsic_of_objects
from replay.interpreter.copied import is_of_module
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.library.iterator_tools import Cycle
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import call_natively, natively


@intrinsic_of_objects(_abc._abc_register)
def _register(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """An abstract class of a module outlives the run."""
    if is_of_module(arguments[0]):
        refuse(
            f"{arguments[0].__name__}.register is called by a thread, and there is one {arguments[0].__name__} for all "
            "runs: register classes where they are made"
        )
    frame.stack.append(_abc._abc_register(*arguments, **keywords))


def _instead(native: Any, of_model: Callable[..., Any], when: Callable[[Any, Any], bool] | None = None) -> None:
    """Let code that shares objects call what is of the model; `when` it is given such arguments and keywords."""

    @intrinsic_of_objects(native)
    def call_of_model(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        if when is None or when(arguments, keywords):
            return call(frame, of_model, arguments, keywords)
        frame.stack.append(native(*arguments, **keywords))
        return None


@intrinsic_of_objects(time.monotonic)
def _monotonic(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """Inside of Python's own library it is no look at the clock, which costs operations."""
    deadline = _deadline_of(next(frame.execution.visible()))
    if deadline is None:
        return call(frame, clock.now, arguments, keywords)
    frame.stack.append(deadline)
    return None


def _deadline_of(frame: Frame) -> float | None:
    """The deadline of a wait of Python's own library that came to nothing, 0 if it did not; None for other callers.

    A function that waits notes its deadline first, and looks again after each wait.
    """
    names = frame.decoded.names
    name = next((each for each in ("endtime", "end_time") if each in names), "")
    if not name or not is_of_library(frame.code):
        return None
    deadline = frame.slots[names.index(name)]
    is_over = current_run().locals.get(clock.EXPIRED) if inside_run() else False
    return float(deadline) if is_over and deadline is not NULL and deadline is not None else 0.0


def _cycle(iterable: Any, /) -> Any:
    """Interpreted: a cycle of what never changes can be shared. Another one goes through what changes meanwhile."""
    return SharedCycle(iterable) if type(iterable) in (str, bytes, tuple, range) else Cycle(iterable)


_OF_ALL_THREADS = (
    *("settrace", "setprofile", "settrace_all_threads", "setprofile_all_threads", "gettrace", "getprofile"),
)


_OF_PROCESS = (
    "thread code uses threading.{}, which a model cannot have: pass in what it is to say, as a model has its own "
    "threads, and the process has others"
)
"""Why functions are refused that look at all threads of the process, or change what they do."""

_PROCESSES = (
    "thread code uses multiprocessing, which a model cannot have: pass in a function of the model that stands for what "
    "the process does, or use threads"
)
"""Why functions are refused that make processes, or what they share."""


def _of_processes() -> Iterator[Any]:
    process, context = (sys.modules.get(f"multiprocessing.{name}") for name in ("process", "context"))
    if process is not None and context is not None:
        yield vars(vars(process)["BaseProcess"])["__init__"]
        yield from (each for name, each in vars(vars(context)["BaseContext"]).items() if name[0].isupper())


def _refuse_environment(function: Any) -> None:
    """Refuse a method that changes `os.environ` if code of the user asks; Python's own library may."""

    @intrinsic_of_objects(function)
    def asked(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        asking = (each.code for each in frame.execution.visible())
        if not is_of_library(next(code for code in asking if code.co_filename not in _OF_ENVIRONMENT)):
            refuse("thread code changes os.environ, which all runs of the program have: pass in the value")
        return host.call_as_it_is(frame, function, arguments, keywords)


_OF_ENVIRONMENT = (os.__file__, vars(Mapping)["get"].__code__.co_filename)


_ENCODER: Any = vars(json.encoder)["c_make_encoder"]


def _decimal_of(parts: Any, context: Any = None) -> Any:
    """Interpreted: a number may be given as a tuple with a list of digits."""
    return call_natively(Decimal, whole(parts), context)


def _encoded(encoder: Any, value: Any, level: int) -> Any:
    """Interpreted: the encoder goes into whatever it finds, at any depth."""
    return call_natively(encoder, whole(value), level)


@intrinsic_of_objects(chance.BELOW)
def _below(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    """Of the generator which all runs have it is a choice."""
    if arguments[0] is CHANCE:
        return call(frame, chance.drawn_below, arguments, keywords)
    return host.call_as_it_is(frame, chance.BELOW, arguments, keywords)


@intrinsic_of_objects(seeded.NEW)
def _new_generator(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    made = seeded.NEW(*arguments, **keywords)
    if seeded.has_no_seed(arguments):
        seeded.forget_seed(made)
    frame.stack.append(made)


def _draws(native: Any) -> None:
    """Let a method of a generator that is shared be an operation; refuse it for the one which all runs have."""

    @intrinsic_of_objects(native)
    def draw(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        generator = arguments[0]
        if generator is CHANCE:
            chance.refuse_draw(native.__name__)
        if is_shared(generator):
            return call(frame, seeded.drawn, [native, *arguments], keywords)
        if native is seeded.METHODS["seed"] and seeded.has_no_seed(arguments):
            seeded.forget_seed(generator)
            frame.stack.append(None)
            return None
        if native not in seeded.SETTING:
            seeded.check_seed(seeded.GETSTATE(generator), native.__name__)
        frame.stack.append(run_natively(native, arguments, keywords))
        return None


def _tells_time(native: Any, count: int, of_model: Callable[..., Any]) -> None:
    """Let a function tell the time of the model if it is given so many arguments; else it converts what it is given."""

    @intrinsic_of_objects(native)
    def tell(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        if native in _OF_LOGS and frame.globals.get("__name__") == "logging":
            frame.stack.append(_OF_LOGS[native])
            return None
        if len(arguments) == count:
            return call(frame, of_model, arguments, keywords)
        frame.stack.append(run_natively(native, arguments, keywords))
        return None


_OF_LOGS: dict[Any, Any] = {time.time: clock.FIRST, time.time_ns: int(clock.FIRST) * 10**9}
"""What clocks tell records of logs: to make one is no look at the clock, which would cost operations."""


def _tells_date(native: Any) -> None:
    """Registers a class method of dates that tells the time."""

    @intrinsic_of_objects(native)
    def tell(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        return call(
            frame, clock.date_of, arguments, {"zone" if name == "tz" else name: each for name, each in keywords.items()}
        )


_OF_C: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((threading.Lock, _thread.allocate_lock), Lock),
    **dict.fromkeys((threading.RLock, _thread.RLock), RLock),
    queue.SimpleQueue: SimpleQueue,
    itertools.count: SharedCount,
    itertools.cycle: _cycle,
    time.sleep: clock.sleep,
}
"""Functions and classes of C, and what of the model is called in their place."""


@functools.cache
def install() -> None:
    """Put everything in place: once, for the whole process."""
    host.install()
    weak.install()
    aliases.install()
    for asked, answer in {**process.INSTEAD, **all_threads.INSTEAD, **threads.INSTEAD, **_OF_C}.items():
        _instead(asked, answer)
    host.as_it_is(json.dumps)  # it is Python code, which runs natively where nothing is shared
    _instead(_ENCODER.__call__, _encoded, lambda arguments, keywords: len(arguments) == 3 and not keywords)
    _instead(Decimal, _decimal_of, lambda arguments, _: bool(arguments) and is_a(arguments[0], tuple | list))
    for told, (count, of_model) in clock.CLOCKS.items():
        _tells_time(told, count, of_model)
    for kind, names in clock.CLASS_METHODS.items():
        for name in names:
            _tells_date(vars(kind)[name])
    for name in _OF_ALL_THREADS:
        if type(vars(threading).get(name)) is FunctionType:
            host.refuse_call(vars(threading)[name], _OF_PROCESS.format(name))
    for made in _of_processes():
        host.refuse_call(made, _PROCESSES)
    for drawing in (*seeded.METHODS.values(), seeded.GETSTATE):
        _draws(drawing)
    for name in ("__setitem__", "__delitem__", "setdefault", "__ior__"):
        _refuse_environment(vars(type(os.environ))[name])
    for each in (
        *(vars(Heap)[name] for name in ("freeze", "thaw", "name_of", "share", "number_of", "is_constant")),
        *(vars(Heap)[name] for name in ("check_change", "share_what_was_made", "begin")),
        *(vars(Homes)[name] for name in ("cell", "changed", "first", "set_up", "all_names")),
        *(vars(Identity)[name] for name in ("cell", "__repr__")),
        *(vars(Declarations)[name] for name in ("share", "thread", "own_name")),
        clock.is_looked_at,
        is_plain,
        spelled,
        identity_of,
        is_shared,
        identity_of_container,
        is_shared_container,
        note_call,
    ):
        natively(each)
