"""A thread as its own code meets it: what it asks for, and what it is given."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol

from replay.code.broken import why_broken
from replay.code.fences import NO_FENCES, Fences
from replay.code.global_lock import GlobalLock
from replay.code.library_calls import note_call
from replay.code.lines import definition, innermost_line, is_library_file, line_outside_library, user_frames
from replay.code.ordinary import OF_OURS, internal_class
from replay.code.outside import watch_the_outside
from replay.code.terminals import Blocked, Ended, Failed, Request, Undecided
from replay.code.user_code import never_run, refuse_outside, stop_here
from replay.code.watchdog import own_watch
from replay.errors import BeyondTerms, ModelError
from replay.interpreter.copied import instance
from replay.interpreter.copier import Copier, copies, stays
from replay.interpreter.execution import running_execution, running_owner
from replay.interpreter.lookup import ATOMS, is_a
from replay.world.operation import FREE, FREED, UNWRITTEN, Kind, Location, Operation, Source, UseAfterFree, may_be_freed
from replay.world.shown import shown_error
from replay.world.terms import Symbol, Term
from replay.world.values import Case, canonical_key

NOT_READY = "guard"
"""Why a thread that runs on terms stops after an operation: for such numbers it would not have been performed."""


def current_run() -> RunningThread:
    """The thread whose code is running now; raises ModelError outside of a run."""
    thread: RunningThread | None = running_owner()
    if thread is None:
        refuse_outside("shared state")
    return thread


def thread_here() -> RunningThread | None:
    """The thread whose code is running now; None where none is, as in the program function."""
    return running_owner()  # type: ignore[no-any-return]


def heap_here() -> Any:
    """The ordinary objects of the program whose code is running now; None where no code of one that shares any is."""
    execution = running_execution()
    return None if execution is None else execution.objects


def inside_run() -> bool:
    """Returns whether a thread of a model is running, and not the program function."""
    thread = thread_here()
    return thread is not None and not thread.declares


def thread_that_runs() -> str:
    """The name of the thread whose code is running; "" where none is."""
    thread = thread_here()
    return "" if thread is None else thread.owner


_silence = [""]
"""Why nothing may be performed now, if so. No thread is left while that is so, but by being refused, which ends it."""


class Silenced:
    """Around code of the user that must not perform anything: it is refused with this sentence if it does.

    A class, as the interpreter runs it: a generator would come with frames of `contextlib`, which are code of others.
    """

    __slots__ = ("_why",)

    def __init__(self, why: str) -> None:
        self._why = why

    def __enter__(self) -> None:
        _silence[0] = self._why

    def __exit__(self, *_: object) -> None:
        _silence[0] = ""


def end_silence() -> None:
    """Code that must not perform anything was given up."""
    _silence[0] = ""


def check_silence() -> None:
    """Refuse an operation where nothing may be performed."""
    if _silence[0]:
        why, _silence[0] = _silence[0], ""
        refuse(why)


def perform(kind: Kind, location: Location | None = None, **rest: Any) -> Any:
    """Let the running thread perform an operation that the line which is running asks for; returns its result.

    Raises ModelError outside of a run.
    """
    check_silence()
    return current_run().perform(Operation(kind, location, source=line_of_request(), **rest))


def caller() -> Source | None:
    """The innermost line of user code on the stack; where a thread runs none, the line that declared it.

    Where a thread shares ordinary objects, Python's own code is passed over.
    """
    thread = thread_here()
    if thread is None:
        return innermost_line()
    return (innermost_line(2) if thread.heap is None else line_outside_library()) or thread.declared


def line_of_request() -> Source | None:
    """The line of user code that asks for an operation; None where a thread repeats what it did, and nobody looks."""
    thread = thread_here()
    return None if thread is not None and thread.known and thread.fences is NO_FENCES else caller()


def refuse(message: str) -> NoReturn:
    """The line that is running makes no sense: ModelError, which no `except` of user code can catch."""
    stop_here(ModelError(message, str(caller() or "")))


def beyond_terms(what: str, term: Term | None = None) -> NoReturn:
    """Something may tell a symbol from the number: the run is given up, and whoever drives it settles the term."""
    message = f"{what} may tell a value that is not known yet from a number"
    stop_here(BeyondTerms(message, str(caller() or ""), () if term is None else (term,)))


def is_symbol(value: object) -> bool:
    """Returns whether a value is a symbol; interpreted code is shown the number that it stands for."""
    return is_a(value, Symbol)


def is_whole(value: object) -> bool:
    """Returns whether a value is a whole number, and no symbol for one."""
    return type(value) is int


_BLIND = frozenset({Kind.STORE, Kind.UNLOCK})
"""Kinds that do not see what they overwrite."""

BEFORE_STORE = "before a store, look at"
"""What a load is called that finds out whether a store may be made."""

CALLED_BACK = (
    "native code has called this line back, and it uses shared memory: mcr cannot stop inside of native code; write "
    "what calls it in Python"
)
"""Why a thread must not ask for anything."""

GIVEN_UP = (
    "an object is given up here, and its __del__ uses shared memory: mcr cannot stop inside of it; call a method "
    "instead, or use a `with` block"
)
"""The same where Python calls the line when the last reference to an object goes."""


def _why_called_back() -> str:
    """Why the function of the user that native code has called must not ask for anything."""
    is_end = any(frame.f_code.co_name == "__del__" for frame in user_frames(sys._getframe(1)))
    return GIVEN_UP if is_end else CALLED_BACK


class SymbolGuard(Protocol):
    """The guard of a thread that runs on terms (`replay.on_terms.frames`)."""

    def begin(self, execution: Any) -> None:
        """Let the interpreter run the thread on terms."""

    def passed(self, value: Any) -> Any:
        """Returns what code is given for a value that an operation has read."""

    def tells(self, value: Any) -> bool:
        """Returns whether code is given something else for a value that an operation has read."""

    def told(self, error: BaseException) -> Callable[[BaseException], Any] | None:
        """Returns what raises an exception again when it is known what it holds; None if that is known."""

    def check_value(self, value: object) -> None:
        """Thread code stores or returns a value."""


GUARD: list[SymbolGuard | None] = [None]
"""With what threads run that begin now: None if on values."""


Answered = tuple[Operation, object]
"""What a thread asked for, and the result that it got."""


class HeapForThreads(Protocol):
    """The ordinary objects that a program shares, as its threads need to know them."""

    has_main: bool

    def freeze(self, value: Any) -> Any:
        """Returns the value that memory holds for a thread's value."""

    def thaw(self, frozen: Any) -> Any:
        """Returns the thread's value for a value that memory holds."""

    def returned(self, value: Any, thread: str) -> Any:
        """Returns the result of a thread of this name."""

    def name_of(self, thing: Any) -> str:
        """Returns the name of a shared object; "" for one that is not shared."""

    def overrun(self) -> None:
        """A thread that is interpreted jumps back and calls for long."""


_NOT_COPIED = frozenset({"fences", "heap", "guard", "_watch", "wrote"})
"""Attributes which a copy of a thread shares with the original."""


stays(Source, Kind)


@copies(Operation)
def _operation(copier: Copier, operation: Operation) -> Any:
    """The operation itself, if it holds nothing that may be the thread's own."""
    calls = operation.update is not None or operation.result is not None or operation.code is not None
    holds = operation.ready is not None or operation.operands or operation.choices
    return instance(copier, operation) if calls or holds or type(operation.value) not in ATOMS else operation


class RunningThread:
    """A thread as its own code meets it.

    `name` identifies the thread; children and records are numbered per run,
    so that the same history always gives the same names. Nothing else tells
    threads apart that run the same code on the same things: `is_told_apart`
    says whether somebody has asked for it. `owner` is what a mutex holds while
    this thread has it, of which code sees only that somebody has. `performed` counts
    its operations; a thread that something else had to start begins at 1.
    `wrote` is what the update that it performed last made of what it read.
    `known` is what it did in an earlier run and is to do again, the next step
    last: such steps need nobody's decision, so it does not stop at them.
    `checks_stores` says whether memory may be freed, so that stores have to be checked.
    `locals` are the attributes that it set of what each thread has for itself.
    `fences` are executed beside those that are written.
    `decisions` is what terms were decided to be since its last operation; `undecided` is the term that it asks for,
    and `retries` says whether the instruction that needs to know it runs again.
    `declares` says whether it is the program function, which may change what is shared before threads run.
    `is_updating` says whether the function of an update is running.
    `completed` says whether it has completed a call since its last operation.
    `heap` has the ordinary objects that the program shares; None if it shares none.
    `global_lock` says where others may run, where CPython's global lock is part of the model.
    `guard` is what its code runs with where it runs on terms; None where it runs on values.
    """

    def __init__(self, name: str, code: Callable[[], object], performed: int, fences: Fences = NO_FENCES) -> None:
        self._name = self.owner = name
        self.is_told_apart = False
        self.fences = fences
        self.performed = performed
        self.wrote: object = UNWRITTEN
        self.held: list[str] = []
        self.declared: Source | None = getattr(code, "source", None) or definition(code)
        self.code = code
        self.known: list[Answered] = []
        self.repeated: object = None
        self.asked: Operation | None = None
        self.counts: dict[str, int] = {}
        self.locals: dict[tuple[str, str], object] = {}
        self.wait_from = -1
        self.checks_stores = self.completed = False
        self.decisions: dict[Term, object] = {}
        self.undecided: Term | None = None
        self.retries = False
        self.heap: HeapForThreads | None = None
        self.global_lock: GlobalLock | None = None
        self.is_updating = self.declares = False
        self.guard: SymbolGuard | None = GUARD[0]
        self._watch = own_watch()
        watch_the_outside()

    def copied(self, copier: Copier) -> RunningThread:
        """A copy of a thread that stands still at an operation."""
        copy: RunningThread = copier.made(self, object.__new__(RunningThread))
        held = vars(copy)
        for name, value in vars(self).items():
            is_same = type(value) in ATOMS or name in _NOT_COPIED
            held[name] = value if is_same else copier.copy(value)
        return copy

    @property
    def name(self) -> str:
        """The name of the thread: whatever the code does from now on may depend on it."""
        self.is_told_apart = True
        return self._name

    def next_number(self, what: str) -> int:
        """0, 1, 2, ... for each kind of thing that this thread creates."""
        number = self.counts.get(what, 0)
        self.counts[what] = number + 1
        return number

    def perform(self, operation: Operation) -> Any:
        """Suspend the thread at `operation`; returns the operation's result, or raises what its update raised."""
        if self.wait_from >= 0 or self.is_updating:
            self._check_inside(operation)
        if self.fences is NO_FENCES:
            return self._perform(operation)
        value = self._perform(self.fences.replacing(operation))
        following = self.fences.following(operation)
        if following is not None:
            self._perform(following)
        return value

    @property
    def is_plain(self) -> bool:
        """True if nothing comes before or after an operation but what `prepare` and `_finish` do."""
        return self.fences is NO_FENCES and not self.checks_stores

    def prepare(self, operation: Operation) -> bool:
        """Get ready to stop at an operation; returns True if the thread repeats it, and `repeated` has the result."""
        if self.wait_from >= 0 or self.is_updating:
            self._check_inside(operation)
        self._note(operation)
        if not self.known:
            operation.source = operation.source or caller()
            return False
        known, self.repeated = self.known[-1]
        if known.same_request(operation):
            self.known.pop()
            self._watch.advance()
            return True
        operation.source = caller()
        return False

    def given(self, operation: Operation, result: object) -> object:
        """Returns the result of an operation without an update, for the driver's answer.

        Raises UseAfterFree.
        """
        value = self._answered(result)
        self.performed += 1
        if value is FREED and operation.tag != FREE:
            self.wrote = UNWRITTEN
            raise UseAfterFree(f"{operation.where} is used after it was freed")
        return value

    def _perform(self, operation: Operation) -> Any:
        if self.checks_stores and operation.kind in _BLIND and may_be_freed(operation.where):
            # only a load can tell that what is about to be overwritten was freed
            self._perform(Operation(Kind.LOAD, operation.location, label=BEFORE_STORE, source=operation.source))
        self._note(operation)
        value = self._suspend(operation)
        self.performed += 1
        if value is FREED and operation.tag != FREE:
            self.wrote = UNWRITTEN
            raise UseAfterFree(f"{operation.where} is used after it was freed")
        return self._finish(operation, value)

    def _note(self, operation: Operation) -> None:
        """Note what code is about to perform, and whether others may have run since what it performed before."""
        if self.heap is not None:
            note_call(self._name, self.performed, self.heap.name_of, has_main=self.heap.has_main)
        if self.global_lock is not None:
            operation.at_once = self.global_lock.is_kept(operation)
        if self.completed:
            operation.completes, self.completed = True, False

    def _finish(self, operation: Operation, value: object) -> object:
        """Computes the update of an operation that has read a value, and returns its result for the thread."""
        if operation.ready is not None and is_symbol(value) and not operation.ready(value):
            self.wrote = UNWRITTEN  # and not what the update before it wrote
            self.block(NOT_READY)
        if operation.update is not None:
            self._update(operation.update, value)
        return value if operation.result is None else operation.result(value)

    def decide(self, term: Term) -> object:
        """Returns what a term is on the path that is being run, where its code has to know."""
        if term not in self.decisions:
            if running_execution() is not None:
                beyond_terms("native code", term)
            self.decisions[term] = self._ask(Undecided(term, caller()))
        return self.decisions[term]

    def _check_inside(self, operation: Operation) -> None:
        """Refuse what the condition of a wait, or an update, must not do."""
        if self.is_updating:
            refuse(f"an update must not use shared memory, but this one asked for: {operation.describe()}")
        if operation.kind is not Kind.LOAD:
            refuse(f"wait_until may only load, but its condition asked for: {operation.describe()}")
        operation.wait_from = self.wait_from

    def _update(self, update: Callable[[object], object], old: object) -> None:
        """Compute what an update writes: nothing if it raises an exception, which is the thread's to catch."""
        self.wrote = UNWRITTEN
        self.is_updating = True
        try:
            self.wrote = update(old)
        finally:
            self.is_updating = False
        if code := never_run(self.wrote):
            refuse(f"an update returned {code}")
        number: Any = old
        if is_symbol(old) and is_whole(self.wrote) and number == self.wrote:
            self.wrote = UNWRITTEN  # a loop that writes what is there only looks, as where code runs on values

    def wait_until(self, condition: Callable[[], Any]) -> Any:
        """Block unless a condition, which may only load, holds; returns what it returned."""
        if self.wait_from >= 0:
            refuse("wait_until inside the condition of a wait_until")
        self.wait_from = self.performed
        try:
            value = condition()
            if code := never_run(value):
                refuse(f"the condition of a wait_until returned {code}")
            holds = bool(value)
        except BaseException:  # it ends the wait, too
            self.wait_from = -1
            raise
        if not holds:
            self.block("wait", self.wait_from)
        self.wait_from = -1
        return value

    def block(self, reason: str, wait_from: int = -1) -> None:
        """Stop here for good. Not an exception: `with` and `finally` of user code must not run."""
        self._suspend(Blocked(reason, wait_from, caller()))

    def _suspend(self, request: Request) -> object:
        """Stop until the driver gives the request its result; returns that."""
        if self.guard is not None:
            self.guard.check_value(self.wrote)
            self.guard.check_value(request.value if isinstance(request, Operation) else None)
        if self.known:
            operation, result = self.known[-1]
            if isinstance(request, Operation):
                if operation.same_request(request):
                    self.known.pop()
                    self._watch.advance()
                    return self._given(result)
                request.source = caller()
        elif isinstance(request, Operation) and request.source is None:  # made while the thread repeated what it did
            request.source = caller()
        return self._given(self._ask(request))

    def _given(self, result: object) -> object:
        """Returns what the code is given."""
        value = self._answered(result)
        return value if self.guard is None else self.guard.passed(value)

    def _answered(self, result: object) -> object:
        """Returns the driver's answer; where code runs on terms, it decides as the case says until it asks again."""
        self.decisions = {}
        if isinstance(result, Case):
            self.decisions = dict(result.decisions)
            result = result.value
        return result

    def _ask(self, request: Request | Undecided) -> object:
        """Stop, and hand the request to the driver: the interpreter does so (`replay.code.interpreted`).

        Where CPython runs this, native code has called it, and nothing can stop.
        """
        refuse(_why_called_back())

    def ended(self, result: object) -> Ended:
        """The thread's end, with what it returned. Raises ModelError for what a join could not return."""
        self._check_result(result)
        return Ended(result)

    def failed(
        self,
        error: BaseException,
        stack: tuple[Source, ...],
        known: list[str],
        kinds: Iterable[type],
    ) -> Failed:
        """An exception left the code; if it never began, because of the arguments, the model is broken.

        `stack` are the lines of user code through which it went, innermost first, and `known` the names that the line
        could have named which raised it, and `kinds` the classes of what it had.
        """
        if not stack and isinstance(error, TypeError):
            raise ModelError(f"thread {self._name} cannot be started: {shown_error(error)}", str(self.declared or ""))
        if self.guard is None and (name := internal_class(error, kinds)):
            where = stack[0] if stack else self.declared
            raise ModelError(f"{type(error).__name__}: {shown_error(error)}. {OF_OURS.format(name)}", str(where or ""))
        if why := self._why_broken(error, known):
            place = next(
                (line for line in stack if not is_library_file(line.file)), stack[0] if stack else self.declared
            )
            raise ModelError(why, str(place or ""))
        return Failed(type(error).__name__, shown_error(error), stack or ((self.declared,) if self.declared else ()))

    def _why_broken(self, error: BaseException, known: list[str]) -> str:
        """The sentence about an exception that is no failure of the program, "" of one that may be."""
        if self.heap is None:
            return why_broken(error, known, has_asked=self.performed > 0)
        if self.performed or not isinstance(error, TypeError) or not _WANTS_A_CONTAINER.search(str(error)):
            return ""
        return (
            f"TypeError: {shown_error(error)}; a function written in C may want a container itself, and no shared one: "
            "give it a copy, as .copy() makes, or a dict of the attributes"
        )

    def _check_result(self, result: object) -> None:
        """Refuse what a join could not return."""
        code = never_run(result)
        wrong = f" {code}" if code else ""
        try:
            if not wrong:
                canonical_key(result)
        except ModelError as error:
            wrong = f": {error.message}"
        if wrong:
            raise ModelError(f"thread {self._name} returned{wrong}", str(self.declared or ""))


_WANTS_A_CONTAINER = re.compile(r"must be an? (dict|list|set|deque)|JSON serializable")
"""How C code says that it was given something else than a container, which a shared one is to it."""
