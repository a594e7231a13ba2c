"""The refusal of native code that the interpreter does not know: which it is, and what to write instead."""

from __future__ import annotations

import _io
import os
import sys
import weakref
from typing import Any, NoReturn

from replay.code.foreign import advice_on, advice_on_call
from replay.code.lines import is_of_library, line_outside_library_of
from replay.code.outside import FILES, LOCKS, SLEEP, advice_on_event, refusal_of, silent
from replay.code.user_code import stop_here
from replay.errors import ModelError
from replay.interpreter import exceptions
from replay.interpreter.calls import intrinsic, refuse_native
from replay.interpreter.execution import Execution
from replay.interpreter.frame import Frame
from replay.world.shown import module_title

_OPENS = frozenset(map(id, (open, os.open, _io.open_code, _io.FileIO, _io.text_encoding)))
"""By identity, what is called where a file is opened: `text_encoding` by Python's own code, before it opens one."""

_PUBLIC = {"posix": "os", "nt": "os", "_socket": "socket", "_sqlite3": "sqlite3", "_io": "io"}
"""By module of C the module that shows its functions."""


def refusal(unknown: exceptions.UnknownCallable, execution: Execution) -> ModelError:
    """The error for a call that an execution stands at."""
    called, caller = unknown.called, _called_of_library(execution)
    name = _name(called)
    own = FILES if id(called) in _OPENS else silent(called) or advice_on_event(name) or advice_on(called)
    by_caller = advice_on_event(caller) or advice_on_call(caller)
    if own and not (own in (LOCKS, SLEEP) and by_caller):  # locks and clocks of the library are its own affair
        sentence = refusal_of("open" if id(called) in _OPENS else name, own)
    elif by_caller:
        sentence = refusal_of(caller, by_caller)
    else:
        sentence = exceptions.refusal_of(name, caller)
    return ModelError(sentence, str(line_outside_library_of(execution) or ""))


def _name(called: Any) -> str:
    """The name by which code knows a native callable."""
    if called is input:
        return "builtins.input"
    home, _, name = exceptions.name_of(called).rpartition(".")
    return f"{_PUBLIC.get(home, home)}.{name}" if home else name


def _called_of_library(execution: Execution) -> str:
    """The function of Python's library which other code has called; "" if that code itself stands there."""
    called = ""
    for frame in execution.visible():
        if not is_of_library(frame.code):
            break
        called = module_title(f"{frame.function.__module__}.{frame.code.co_qualname}")
    return called


@intrinsic(weakref.finalize.__init__)
def _finalize(frame: Frame, _: list[Any], __: dict[str, Any]) -> NoReturn:
    """It is called by Python when an object goes, and once more when the process ends."""
    refuse_native(frame, weakref.finalize.__init__)


@intrinsic(sys.audit)
def _audit(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
    """Python's library tells of what it is about to do."""
    advice = advice_on_event(arguments[0])
    if advice:
        stop_here(ModelError(refusal_of(arguments[0], advice), str(line_outside_library_of(frame.execution) or "")))
    frame.stack.append(None)
