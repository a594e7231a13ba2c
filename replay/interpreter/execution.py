"""The execution of one thread: a list of frames, and the loop that runs the innermost one."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import Context
from copy import copy
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NoReturn

from replay.assumed import Assumed
from replay.interpreter.decode import Decoded, decode
from replay.interpreter.exceptions import (
    CONTEXT,
    TRACEBACK,
    HostStop,
    Line,
    OutOfMemory,
    Raised,
    contexts,
    extend_context,
)
from replay.interpreter.frame import NULL, Frame, Handled, bound
from replay.interpreter.identities import Identities
from replay.interpreter.lookup import identity
from replay.interpreter.natives import code_of, natively
from replay.interpreter.set_orders import SetOrders

if TYPE_CHECKING:
    from replay.interpreter.ownership import Objects

SWITCH: Final = 1
"""An instruction returns this if another frame is the innermost one now."""

STOP: Final = 2
"""An instruction returns this if the execution stops: a base frame has returned, or the thread asks for something."""

PATIENCE: Final = 10_000
"""Backward jumps and calls between two looks at the clock."""

Instruction = Callable[[Frame], "int | None"]


class Execution:
    """The frames of one thread, outermost first.

    result    what the base frame returned, or the request at which the execution stopped
    depth     how many runs of the loop are active, one inside a native call of the other
    dropped   generators that wait, and that nothing refers to any more: each is closed after the running instruction
    begun     how many calls of code of users have begun, or have gone on as generators
    patience  backward jumps and calls until `on_overrun` is called, which may raise HostStop
    identities  what `id` returns
    orders    those of sets of shared objects
    assumed   what is taken for granted of what the code has done
    context   context variables that the thread has set, the one of `decimal` among them
    """

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.handled = Handled()
        self.result: Any = None
        self.depth = 0
        self.dropped: list[Any] = []
        self.begun = 0
        self.patience = PATIENCE
        self.on_overrun: Callable[[], object] = _go_on
        self.kinds: set[type] = set()
        """Of what the code had at hand which raised the latest TypeError."""
        self.known_names: list[str] = []
        """What the line could have named that raised the latest NameError, nearest first."""
        self.stop: HostStop | None = None
        """What ended it from outside, though native code that had called Python code back may have swallowed it."""
        self.owner: Any = None
        """The thread of a model whose code this is; None for other code."""
        self.identities = Identities()
        self.orders = SetOrders()
        self.assumed = Assumed()
        self.context = Context()
        self.compiled: Callable[[CodeType], Decoded] = compiled
        self.guard: Any = None
        """Looks at what native callables are given, where code runs on symbols."""
        self.objects: Objects | None = None
        """What several threads share; None where nothing but declared cells is shared."""
        self.on_global: Callable[[Frame, str], object] = _go_on
        """Is told of a global variable that code is about to change."""
        self.looked_into: dict[int, tuple[Any, str]] = {}
        """Objects by identity of which the code has asked for what is no content of theirs, and what that is."""
        self._passed: dict[int, tuple[BaseException, list[Line]]] = {}

    # -- calls --------------------------------------------------------------------

    def call(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Run a call to its end, on top of the frames that are there; returns its result or raises its exception."""
        self.begin(function, list(arguments), keywords)
        return self.run()

    def begin(self, function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> None:
        """Put the call on top: `run` runs it, and stops at its end."""
        frame = self.push(_enter, [function, tuple(arguments), keywords], {})
        frame.is_base = True

    def push(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Frame:
        """Begin a call of a Python function: a new innermost frame. Raises TypeError for arguments that do not fit."""
        code = function.__code__
        return self.enter(function, code, self.compiled(code), arguments, keywords)

    def enter(
        self, function: Any, code: CodeType, decoded: Decoded, arguments: list[Any], keywords: dict[str, Any]
    ) -> Frame:
        """As `push`, for a caller that has the function's code: every audit hook is told of a request for it, so it
        is made once."""
        frames = self.frames
        if len(frames) >= sys.getrecursionlimit():
            raise RecursionError("maximum recursion depth exceeded")
        self.patience -= 1
        if self.patience <= 0:
            self.overrun()
        slots = bound(function, code, arguments, keywords, len(decoded.names))
        if not decoded.hidden:
            self.begun += 1
            if self.objects is not None and (function.__defaults__ or function.__kwdefaults__ or function.__closure__):
                self.objects.admit(function, slots)
        frame = Frame(self, function, decoded, slots, frames[-1].handled if frames else self.handled)
        frames.append(frame)
        return frame

    tracing: Any = None
    """The `Tracing` that debuggers and measures of coverage are told by; None for nobody."""
    shown: dict[int, Any] | None = None
    """Frames that a trace function has seen, by their identity, as it sees them."""

    close: Any = None
    """The interpreted function that closes a dropped generator."""

    def overrun(self) -> None:
        """Look whether the code is to be stopped. Raises HostStop if so."""
        self.patience = PATIENCE
        self.on_overrun()

    # -- the loop -----------------------------------------------------------------

    def run(self, error: BaseException | None = None) -> Any:
        """Run until the innermost base frame returns, or the thread asks for something; returns `result`.

        `error` is an exception to raise first, where the innermost frame stands. Raises the exception that leaves the
        base frame.
        """
        outer, _running.execution = _running.execution, self
        self.depth += 1
        of_host = sys.exception()
        frames = self.frames
        try:
            if error is not None:
                self._unwind(error, True)
            while True:
                adds_line = True
                try:
                    return self.steps() if self.tracing is None else self.tracing.steps(self)
                except Raised as carrier:
                    error, adds_line = carrier.error, carrier.adds_line
                except HostStop as stop:
                    self.stop = stop
                    raise
                except BaseException as found:
                    if type(found) is MemoryError:
                        self.stop = OutOfMemory()
                        raise self.stop from None
                    error = found
                    if self.objects is not None:
                        self.objects.check_native(error)
                    _forget_host(error, of_host)
                    extend_context(error, frames[-1].handled.innermost())
                self._unwind(error, adds_line)
                error = None
        finally:
            self.depth -= 1
            _running.execution = outer

    def steps(self) -> Any:
        """Run instructions until the innermost base frame returns, or the thread asks for something."""
        frames, dropped = self.frames, self.dropped
        frame = frames[-1]
        functions = frame.decoded.functions
        while True:
            position = frame.position
            frame.position = position + 1
            switches = functions[position](frame)
            if switches is not None:
                if switches is STOP:
                    return self.result
                frame = frames[-1]
                functions = frame.decoded.functions
            if dropped:
                self.push(self.close, [dropped.pop()], {})
                frame = frames[-1]
                functions = frame.decoded.functions

    def outside(self) -> Frame:
        """The innermost frame whose code is not of the interpreter itself."""
        return next(frame for frame in reversed(self.frames) if not frame.decoded.is_own)

    def visible(self) -> Iterator[Frame]:
        """The frames that tracebacks show, innermost first."""
        return (frame for frame in reversed(self.frames) if not frame.decoded.hidden)

    def _unwind(self, error: BaseException, adds_line: bool) -> None:
        """Go on where the innermost handler of an exception is; raises the exception if the base frame has none."""
        lines = self._lines_of(error)
        if not lines and type(error) is NameError:
            self.known_names = _names_known_to(self.frames[-1])
        if not lines and type(error) is TypeError:
            self.kinds = _kinds_known_to(self.frames)
        if TRACEBACK.__get__(error) is not None:
            for each in contexts(error):
                _take_host_lines(self._lines_of(each), each)
        frames = self.frames
        while True:
            frame = frames[-1]
            at = frame.position - 1
            if adds_line and not frame.decoded.hidden:
                code = frame.decoded.code
                lines.insert(0, (code.co_filename, code.co_qualname, frame.decoded.lines[at]))
                if self.tracing is not None:
                    self.tracing.raised(frame, error)
            adds_line = True
            handler = frame.decoded.handlers[at] if at >= 0 else None
            if handler is not None:
                del frame.stack[handler.depth :]
                if handler.pushes_position:
                    frame.stack.append(None)  # nobody looks at it: lines are kept with the exception
                frame.stack.append(error)
                frame.position = handler.target
                return
            if self.tracing is not None and not frame.decoded.hidden:
                self.tracing.left(frame)
            frames.pop()
            if frame.generator is not None:
                error = frame.generator.failed(error)
                lines = self._lines_of(error)
            if frame.is_base:
                TRACEBACK.__set__(error, None)
                raise error

    # -- lines of tracebacks ------------------------------------------------------

    def lines(self, error: BaseException) -> list[tuple[str, int]]:
        """Names and lines of code through which an exception went, outermost first, as in CPython's traceback."""
        return [(name.rpartition(".")[2], line) for _, name, line in self.passed(error)]

    def passed(self, error: BaseException) -> list[Line]:
        """Returns the lines that an exception has passed, with names of files."""
        found = self._passed.get(identity(error))
        return [] if found is None else found[1]

    def note_look(self, thing: Any, what: str) -> None:
        """The code asks a thing for something that is not compared, as it is no content: other threads may have it
        otherwise."""
        self.looked_into[identity(thing)] = (thing, what)

    def _lines_of(self, error: BaseException) -> list[Line]:
        found = self._passed.get(identity(error))
        if found is None:
            found = self._passed[identity(error)] = (error, [])
        return found[1]

    def take_lines(self, other: Execution, copies: dict[int, Any]) -> None:
        """Take over what is known of the lines of exceptions, of which this execution has copies."""
        for key, (_, lines) in other._passed.items():
            mine = copies.get(key)
            if mine is not None:
                self._passed[identity(mine)] = (mine, list(lines))

    def add_line(self, error: BaseException, line: Line) -> None:
        """An exception has gone through one more line, further out than those known."""
        self._lines_of(error).insert(0, line)

    def set_lines(self, error: BaseException, lines: list[Line]) -> None:
        """Say through which lines an exception went."""
        self._lines_of(error)[:] = lines


def leave(frame: Frame, value: Any) -> int:
    """The innermost frame returns a value: the frame below gets it. Returns SWITCH or STOP."""
    execution: Execution = frame.execution
    execution.frames.pop()
    if frame.is_base:
        execution.result = value
        return STOP
    execution.frames[-1].stack.append(value)
    return SWITCH


class _Running(threading.local):
    """The execution that runs in this thread of Python; a native call may have been made by its innermost frame."""

    execution: Execution | None = None


_running = _Running()


def running() -> Execution:
    """The execution that is running. Called from native code only."""
    execution = _running.execution
    assert execution is not None
    return execution


def running_owner() -> Any:
    """The thread of a model whose code is running; None where none is."""
    execution = _running.execution
    return None if execution is None else execution.owner


def running_execution() -> Execution | None:
    """The execution that is running, whose innermost frame has made a native call; None if there is none."""
    return _running.execution


@natively
def is_shared_here(thing: object) -> bool:
    """Returns True if an object is shared by the code that runs. For native functions that this code calls."""
    execution = _running.execution
    objects = None if execution is None else execution.objects
    return objects is not None and identity(thing) in objects.shared


def runs(execution: Execution) -> bool:
    """Returns True if this is the execution that is running."""
    return _running.execution is execution


def resume_outer(outer: Execution | None) -> None:
    """Make sure that an execution is no longer the running one, wherever an interrupt has ended it."""
    _running.execution = outer


def _go_on(*_: object) -> None:
    """Does nothing: code may run for as long as it likes."""


def _forget_host(error: BaseException, of_host: BaseException | None) -> None:
    """Cut off the exception which the host handled while the execution ran."""
    if of_host is not None:
        current: BaseException | None = error
        for _ in range(100):
            if current is None:
                return
            if CONTEXT.__get__(current) is of_host:
                CONTEXT.__set__(current, None)
            current = CONTEXT.__get__(current)


def _kinds_known_to(frames: list[Frame]) -> set[type]:
    """The classes of what the innermost code of users has in variables, and in containers that these hold."""
    frame = next((each for each in reversed(frames) if not each.decoded.hidden), None)
    held = [] if frame is None else [value for value in frame.slots if value is not NULL]
    inside = (each for value in held if type(value) in (tuple, list, set, frozenset) for each in value)
    return {type(value) for value in (*held, *inside)}


def _names_known_to(frame: Frame) -> list[str]:
    local = (name for name, value in zip(frame.decoded.names, frame.slots, strict=True) if value is not NULL)
    return [*local, *(frame.names or ()), *frame.globals, *frame.builtins]


def _take_host_lines(lines: list[Line], error: BaseException) -> None:
    """Take over lines of Python code that ran inside a native call, and drop the host's traceback."""
    lines[:0] = host_lines(error)
    TRACEBACK.__set__(error, None)


def host_lines(error: BaseException) -> list[Line]:
    """The lines of Python code in the host's traceback of an exception."""
    found: list[Line] = []
    current: Any = TRACEBACK.__get__(error)
    while current is not None:
        code = current.tb_frame.f_code
        if not is_hidden(code):
            found.append((code.co_filename, code.co_qualname, current.tb_lineno))
        current = current.tb_next
    return found


# -- code -----------------------------------------------------------------------------


def _enter(function: Any, arguments: Any, keywords: Any) -> Any:
    """The outermost frame of an execution."""
    return function(*arguments, **keywords)


_by_identity: dict[int, Decoded] = {}
_MOST_CODES = 2_500
"""Code objects whose instructions are remembered; then all are forgotten: programs make some at run time."""

HIDDEN: list[str] = [os.path.dirname(__file__)]
"""What names of files begin with whose frames are not part of tracebacks."""

MAKERS: dict[str, Callable[[Any, Decoded], Instruction]] = {}
"""By the name of an instruction: what makes its function, of the argument and the code."""


_INSTRUCTIONS = "replay.interpreter.instructions"
"""The package which fills `MAKERS`; it needs this module."""


def compiled(code: CodeType) -> Decoded:
    """The instructions of a code object, and the functions that run them; made once."""
    found = _by_identity.get(identity(code))
    if found is None:
        if not MAKERS:
            importlib.import_module(_INSTRUCTIONS)
        found = copy(decode(code_of(code)))
        found.original = code
        found.hidden = is_hidden(found.code)
        found.is_ours = found.hidden and not found.code.co_filename.startswith("<")
        found.is_own = code.co_filename.startswith(HIDDEN[0])
        found.functions = [MAKERS[name](argument, found) for name, argument in found.steps]
        if len(_by_identity) >= _MOST_CODES:
            _by_identity.clear()
        _by_identity[identity(code)] = found  # it keeps the original, and so its identity
    return found


def forget_listed(code: CodeType) -> None:
    """Ask anew whether functions with that code are interpreted as they stand."""
    if (found := _by_identity.get(identity(code))) is not None:
        found.may_be_listed = None


def is_hidden(code: CodeType) -> bool:
    """Returns True for code that tracebacks leave out."""
    return code.co_filename.startswith(tuple(HIDDEN))


def simple(function: Instruction) -> Instruction:
    """Register an instruction without an argument."""
    MAKERS[function.__name__] = lambda _argument, _decoded: function
    return function


def with_argument(maker: Callable[[Any, Decoded], Instruction]) -> Callable[[Any, Decoded], Instruction]:
    """Register what makes an instruction of its argument."""
    MAKERS[maker.__name__] = maker
    return maker


def raise_again(error: BaseException) -> NoReturn:
    """Raise an exception as it is: no line is added where it is raised, and no context."""
    raise Raised(error, adds_line=False)
