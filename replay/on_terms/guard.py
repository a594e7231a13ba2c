"""A guard of thread code that runs on terms: it stops where anybody could tell a symbol from the number.

Each instruction of all code that is not ours is looked at before it happens (`replay.on_terms.instructions`), with its
operands, and so is what code in Python hands to code in C. Where a symbol gets to what is not known to treat it as the
number, the run is given up (BeyondTerms); whoever drives it settles what that term is before the thread is given it. So
what is left was computed as Python computes it on numbers.

From Python 3.12 on, `sys.monitoring` tells of each instruction (PEP 669): `sys.settrace` is told of a function's
instructions only from its second run on, in Python 3.13.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NoReturn

from greenlet import getcurrent

from replay.code.lines import is_installed, is_user_code, line_outside_library, user_frames
from replay.code.raw_memory import stack_entries, why_unreadable
from replay.code.running_thread import caller
from replay.code.switch import INTERPRETS, INTERPRETS_ORDINARY
from replay.code.user_code import Observer, Unwound, UserCode, stop_here
from replay.errors import BeyondTerms, CheckerError
from replay.on_terms.calls import Call
from replay.on_terms.frames import ON_FRAMES
from replay.on_terms.instructions import (
    CONVERSIONS,
    FEEDING,
    OPERATORS,
    GuardedInstruction,
    Told,
    check_call,
    looked_at,
)
from replay.on_terms.kinds import TooLarge, symbol_in
from replay.on_terms.symbols import EVERYTHING, functions_on_terms, settled, settling
from replay.world.terms import Symbol, Table, Term, known_terms


@contextmanager
def on_terms(table: Table, terms: Container[Term], *, guarded: bool = True, ordinary: bool = False) -> Iterator[None]:
    """In the block, thread code runs on the terms of a table; it is told what some of them are before it gets them.

    It need not be `guarded` where nothing that it does is believed. Where threads share `ordinary` objects, CPython
    runs it; and so it does where it runs code on values, and all terms are told. Raises CheckerError where Python does
    not show what code does.
    """
    on_frames = INTERPRETS_ORDINARY[0] if ordinary else INTERPRETS[0] or terms is not EVERYTHING
    if on_frames:
        before, UserCode.guard = UserCode.guard, ON_FRAMES
        try:
            with known_terms(table), settling(terms):
                yield
        finally:
            UserCode.guard = before
        return
    guard = _GUARD if guarded and terms is not EVERYTHING else _SETTLING
    if guard is _GUARD and (why := why_unreadable()):
        raise CheckerError(f"code cannot run on terms: {why}")
    before, UserCode.guard = UserCode.guard, guard
    try:
        with known_terms(table), functions_on_terms(), settling(terms), _watching(guard):
            yield
    finally:
        UserCode.guard = before


class Settling(Observer):
    """Lets code know terms before it gets them, and looks at nothing."""

    def passed(self, value: Any) -> Any:
        if isinstance(value, Symbol):
            return settled(value)
        return tuple(map(self.passed, value)) if type(value) is tuple else value


class Guard(Settling):
    """Looks at code as it runs."""

    def __init__(self) -> None:
        self._fed: dict[int, bool] = {}
        if sys.version_info < (3, 12):
            self.trace = self._begun

    def end(self, frame: FrameType | None, tracing: object) -> None:
        """Stop where code ran that nobody saw."""
        if self.trace is not None and not (
            tracing == self.trace and all(type(each.f_trace) is _Look for each in user_frames(frame))
        ):
            raise BeyondTerms("code that nobody saw")

    def check_value(self, value: object) -> None:
        """Stop where thread code stores or returns what holds a symbol otherwise than in tuples."""
        if isinstance(value, Symbol) or value is None or type(value) in (int, str, bool):
            return
        if type(value) is tuple:
            for each in value:
                self.check_value(each)
            return
        try:
            found = symbol_in(value)
        except TooLarge:
            found = value
        if found is not None:
            self._stop_here(f"a value of type {type(value).__name__}", found)

    def check_call(self, function: object, *given: object) -> None:
        """Stop where code of ours would give a symbol to what may tell it."""
        call = Call(function, given)
        try:
            if call.is_of_python or check_call(call) or call.entry() is not None:
                return
        except (Told, TooLarge) as told:
            self._stop_here(call.name, getattr(told, "symbol", None))
        self._stop_here(call.name, None)

    def _stop_here(self, what: str, symbol: Any) -> NoReturn:
        stop_here(_beyond(what, symbol, str(caller() or "")))

    # -- what the interpreter calls --------------------------------------------------

    def _begun(self, frame: FrameType, event: str, argument: object) -> Any:
        """What Python 3.11 calls when a function begins (`sys.settrace`)."""
        if not is_user_code(frame.f_code.co_filename) or _serves_others(frame):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return _Look(self, self.places(frame))

    def look(self, frame: FrameType) -> None:
        """Look at the instruction that comes next."""
        place = self.places(frame).get(frame.f_lasti)
        if place is not None:
            self.look_at(frame, place)

    def places(self, frame: FrameType) -> Mapping[int, GuardedInstruction]:
        """By the offset of an instruction, how it is looked at, for those that are."""
        try:
            return looked_at(frame.f_code).places
        except Exception:
            self._leave(self._in_doubt(frame))

    def look_at(self, frame: FrameType, place: GuardedInstruction) -> None:
        """Look at the operands of the instruction that comes next."""
        try:
            operands = stack_entries(frame, place.first, place.last)
            self._fed[id(frame)] = bool(place.check(operands, place.instruction))
        except Told as told:
            self._leave(_beyond(told.what, told.symbol, str(line_outside_library(frame))))
        except Exception:  # too large, in doubt, or a mistake of ours, which the code that is looked at must not catch
            self._leave(self._in_doubt(frame))

    def _in_doubt(self, frame: FrameType) -> BeyondTerms:
        return _beyond("code that cannot be looked into", None, str(line_outside_library(frame)))

    def look_at_result(self, frame: FrameType, result: object) -> None:
        """Look at what a function in Python returns or yields to an instruction, or to code in C."""
        self._fed.pop(id(frame), None)
        receiver = frame.f_back
        if result is None or receiver is None or not is_user_code(receiver.f_code.co_filename):
            return
        name = looked_at(receiver.f_code).name_at(receiver.f_lasti)
        if name in FEEDING:
            follows = self._fed.get(id(receiver), False)
        else:
            follows = name in OPERATORS and not frame.f_code.co_flags & inspect.CO_GENERATOR
        if follows and frame.f_code.co_name not in CONVERSIONS:
            return
        try:
            found = symbol_in(result)
        except TooLarge:
            found = None
        if found is not None:
            what = f"what called {frame.f_code.co_qualname}()"
            self._leave(_beyond(what, found, str(line_outside_library(receiver))))

    def _leave(self, error: Exception) -> NoReturn:
        """Let the code that is running go no further."""
        running = getcurrent()
        if isinstance(running, UserCode):
            running.leave(error)
        raise Unwound


class _Look:
    """What Python 3.11 calls for each instruction of a frame; it knows the code, as to ask a frame takes longer."""

    __slots__ = ("_guard", "_places")

    def __init__(self, guard: Guard, places: Mapping[int, GuardedInstruction]) -> None:
        self._guard = guard
        self._places = places

    def __call__(self, frame: FrameType, event: str, argument: object) -> _Look:
        if event == "opcode":
            place = self._places.get(frame.f_lasti)
            if place is not None:
                self._guard.look_at(frame, place)
        elif event == "return":
            self._guard.look_at_result(frame, argument)
        return self


_SETTLING, _GUARD = Settling(), Guard()
"""Frames that are suspended know it."""


_NAME = "mcr on terms"

_looked_at: dict[int, CodeType] = {}
"""Code whose instructions are told, by identity, while somebody wants to know."""


@contextmanager
def _watching(guard: Settling) -> Iterator[None]:
    """In the block, Python tells a guard of each instruction of a thread, and of what its functions return.

    From 3.12 on it does so by `sys.monitoring`.
    """
    if sys.version_info < (3, 12) or not isinstance(guard, Guard):
        yield
        return
    monitoring: Any = sys.monitoring
    events = monitoring.events
    tool = next((number for number in (3, 4, 1, 2) if monitoring.get_tool(number) is None), None)
    if tool is None:
        raise CheckerError("code cannot run on terms: others have taken all that Python has to look at code")
    local = events.INSTRUCTION | events.PY_RETURN | events.PY_YIELD

    def begun(code: CodeType, _: int) -> object:
        if not is_user_code(code.co_filename):
            return monitoring.DISABLE
        if id(code) not in _looked_at and _is_of_thread(sys._getframe(1)):
            _looked_at[id(code)] = code
            monitoring.set_local_events(tool, code, local)
        return None

    def instruction(code: CodeType, _: int) -> None:
        frame = sys._getframe(1)
        if _is_of_thread(frame):
            guard.look(frame)

    def result(code: CodeType, _: int, value: object) -> None:
        frame = sys._getframe(1)
        if _is_of_thread(frame):
            guard.look_at_result(frame, value)

    monitoring.use_tool_id(tool, _NAME)
    for event in (events.PY_START, events.PY_RESUME, events.PY_THROW):
        monitoring.register_callback(tool, event, begun)
    monitoring.register_callback(tool, events.INSTRUCTION, instruction)
    for event in (events.PY_RETURN, events.PY_YIELD):
        monitoring.register_callback(tool, event, result)
    monitoring.set_events(tool, events.PY_START | events.PY_RESUME)
    for code in _looked_at.values():
        monitoring.set_local_events(tool, code, local)
    try:
        yield
    finally:
        for code in _looked_at.values():
            monitoring.set_local_events(tool, code, 0)
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


def _is_of_thread(frame: FrameType) -> bool:
    """Whether a thread runs, and a frame does something for it."""
    running = getcurrent()
    runs = isinstance(running, UserCode) and running.thread is not None and not running.abandoned
    return runs and not _serves_others(frame)


def _serves_others(frame: FrameType) -> bool:
    """Whether a frame does nothing for the thread: an object of a library is given up, and what follows from that.

    Or code of ours calls a method that Python has made, of a data class say, or asks what something is.
    """
    file = frame.f_code.co_filename
    if is_installed(file) and any(each.f_code.co_name == "__del__" for each in user_frames(frame)):
        return True
    if file != "<string>" and frame.f_globals is not vars(inspect):
        return False
    called_by = frame.f_back
    return called_by is not None and not is_user_code(called_by.f_code.co_filename)


def _beyond(what: str, symbol: Any, where: str) -> BeyondTerms:
    terms = (symbol.term,) if isinstance(symbol, Symbol) else ()
    return BeyondTerms(f"{what} may tell a value that is not known yet from a number", where, terms)
