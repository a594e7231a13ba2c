"""Words for the operations of a run that its reader knows: calls of Python's own library in place of the operations
that they are made of, and the variables of a test that hold what its threads share."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any

from replay.code.lines import is_of_library
from replay.code.ordinary import MAIN_THREAD
from replay.code.variable_paths import NameOf, VariablePaths
from replay.interpreter.execution import running_execution
from replay.interpreter.views import locals_of, shown_frames
from replay.world.operation import LibraryCall
from replay.world.shown import shown


@dataclass
class Recorded:
    """The words that were noted in a run.

    calls      by the name of a thread, and the place of an operation in it
    variables  those of the function that is the main thread
    """

    calls: dict[tuple[str, int], LibraryCall] = field(default_factory=dict)
    variables: VariablePaths = field(default_factory=VariablePaths)


_SIMPLE = (int, str, bool, float, bytes, type(None))

_recording: list[Recorded] = []
"""What is being filled now, last."""


@contextmanager
def recording() -> Iterator[Recorded]:
    """While this lasts, operations of threads that share ordinary objects are noted in what it gives."""
    found = Recorded()
    _recording.append(found)
    try:
        yield found
    finally:
        _recording.pop()


def note_call(thread: str, place: int, name_of: NameOf, *, has_main: bool) -> None:
    """Note the call that an operation is part of which a thread is about to perform, if the run is recorded."""
    if not _recording:
        return
    execution = running_execution()
    assert execution is not None
    if has_main and thread == MAIN_THREAD:
        _note_variables([*shown_frames(execution)], name_of)
    frame = _call(shown_frames(execution))
    if frame is None:
        return
    if not hasattr(frame.frame, "call"):
        frame.frame.call = LibraryCall(_text(frame, locals_of(frame.frame), name_of), place)
    _recording[-1].calls[thread, place] = frame.frame.call


def _note_variables(frames: Sequence[Any], name_of: NameOf) -> None:
    """Look at the variables of the test, and of functions which it has called, up to the first method."""
    for frame in reversed(frames):
        is_method = frame.f_code.co_varnames[:1] == ("self",)
        if is_of_library(frame.f_code) or (is_method and frame is not frames[-1]):
            return
        _recording[-1].variables.note(frame.frame, name_of)


def _call(frames: Iterable[Any]) -> Any:
    """The function of the library that runs, called by code of the user or by that of a thread of the library itself.

    None if what has no caller in the library asks for the operation.
    """
    called: list[Any] = []
    for frame in frames:
        if not is_of_library(frame.f_code):
            return called[-1] if called else None
        called.append(frame)
    return called[-2] if len(called) > 1 else None


def _text(frame: Any, held: Any, name_of: NameOf) -> str:
    """The call as code would write it; arguments that are defaults are left out. `held` are its variables."""
    code = frame.f_code
    parameters = code.co_varnames[: code.co_argcount]
    arguments = {name: held[name] for name in parameters if name in held}
    rest = code.co_argcount + code.co_kwonlyargcount
    more = held.get(code.co_varnames[rest], ()) if code.co_flags & inspect.CO_VARARGS else ()
    receiver, function = "", frame.f_globals.get(code.co_name)
    if parameters[:1] == ("self",) and "self" in arguments:
        thing = arguments.pop("self")
        receiver = name_of(thing) or type(thing).__name__
        function = inspect.getattr_static(type(thing), code.co_name, None)
    texts = [_value(value, name_of) for value in (*_given(arguments, function, bool(more)), *more)]
    if receiver and code.co_name in _OF_WITH:
        return f"{_OF_WITH[code.co_name]} {receiver}"
    return f"{receiver}{'.' if receiver else ''}{code.co_name}({', '.join(texts)})"


_OF_WITH = {"__enter__": "with", "__exit__": "end of with"}


def _given(arguments: Mapping[str, Any], function: object, all_of_them: bool) -> list[Any]:
    """The arguments of a call without those at the end that are the defaults of the function."""
    values = list(arguments.values())
    defaults = list((function.__defaults__ or ()) if type(function) is FunctionType else ())
    while not all_of_them and values and defaults and values[-1] is defaults.pop():
        values.pop()
    return values


def _value(value: Any, name_of: NameOf) -> str:
    """A value; nothing of the user's is asked for its text."""
    kind = type(value)
    if kind in _SIMPLE:
        return shown(value)
    if kind is type or kind is FunctionType:
        return str(value.__name__)
    if kind is MethodType and type(value.__func__) is FunctionType:
        return f"{_value(value.__self__, name_of)}.{value.__func__.__name__}"
    return name_of(value) or "..."
