"""Declarations of shared state and threads by a program function, and operations of threads beside loads and stores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast, overload

from replay.code.interpreted import register
from replay.code.lines import innermost_line
from replay.code.running_thread import current_run, inside_run, perform, refuse
from replay.code.terminals import ASSUMED
from replay.code.user_code import never_run, stop_here
from replay.code.watchdog import own_watch
from replay.errors import ModelError
from replay.frontend.description import NAME_IT, T, Thing
from replay.frontend.history import History
from replay.frontend.locks import Condition, Mutex
from replay.frontend.names import HOLE, Names, Target, check_fields, check_name, innermost_frame, name_here
from replay.frontend.shared import Array, Operations, Record, Variable, all_locations, cell, free
from replay.frontend.sync.declared import Synchronisation
from replay.frontend.threads import FINAL, Local, Thread, ThreadCall, start_location
from replay.interpreter.lookup import is_a
from replay.sentences import did_you_mean
from replay.world.operation import Freed, Guard, Kind, Location, Operation, Source, Unwritten
from replay.world.shown import shown
from replay.world.values import NoValue

if TYPE_CHECKING:
    from replay.code.variables import Global
    from replay.frontend.ownership.heap import Heap

FinalCode = TypeVar("FinalCode", bound=Callable[[], object])
Made = TypeVar("Made", bound=NoValue)
Result = TypeVar("Result")


_MOST_STEPS = 1_000

UNSET: Any = object()
"""Stands for an argument that was not given."""

M = TypeVar("M", bound=Thing)


class SharesOrdinaryError(ModelError):
    """A program shares an ordinary object, which nobody knew: it has to begin again, with what is needed for that."""

    def __init__(self) -> None:
        super().__init__("the program shares an ordinary object")


class Declarations(Synchronisation):
    """The `p` of a program: declares what is shared, and offers what threads may do.

    What is declared may have a name, as in `p.var("x", 0)`; without one, it is
    called what it is assigned to (`replay.frontend.names`). Threads and the
    final function are declared by the program function; the rest may be made
    by threads as well, at any time.
    """

    def __init__(self, like: Declarations | None = None, heap: Heap | None = None) -> None:
        """`like` is an earlier instance of the same program: what was found to be in order there is so here.

        `heap` is for the ordinary objects that it shares; None if nobody knows that it shares any.
        """
        self.heap = heap
        self.like = like
        self.threads: list[ThreadCall] = []
        """What thread "0" runs, thread "1", and so on."""
        self.final_code: Callable[[], object] | None = None
        self.has_own_memory = False
        """Whether anything is declared that is no ordinary object."""
        self.plain_cells: set[str] = set()
        """Names of the cells that are plain."""
        self._names = Names(checks=like is None)
        self._records = 0

    if not TYPE_CHECKING:  # else every attribute would exist for type checkers

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_"):  # those are what Python and its libraries try
                raise AttributeError(name)
            known = [known for known in dir(type(self)) if not known.startswith("_")]
            stop_here(ModelError(f"p has no {name!r}{did_you_mean(name, known)}", str(innermost_line() or "")))

    def is_asked_for(self, variable: Global) -> bool:
        """Returns True for a global variable that threads read only by the heap, which refuses what it cannot see."""
        return self.heap is not None and self.heap.is_asked_for(variable)

    @property
    def all_code(self) -> list[Callable[[], object]]:
        """The functions that the threads run, and the final function last."""
        return [*self.threads, *([self.final_code] if self.final_code is not None else [])]

    # -- declarations ------------------------------------------------------

    @overload
    def var(self, name: str, initial: None = None) -> Variable[Any]: ...
    @overload
    def var(self, name: str, initial: T) -> Variable[T]: ...
    @overload
    def var(self, *, initial: T) -> Variable[T]: ...
    @overload
    def var(self, initial: None = None, /) -> Variable[Any]: ...
    @overload
    def var(self, initial: T, /) -> Variable[T]: ...
    def var(self, name: Any = UNSET, initial: Any = UNSET) -> Any:
        """A shared variable: `p.var("x", 0)`, or `x = p.var(0)`; without an initial value it holds None.

        A text alone is a name; `p.var(initial="idle")` holds one. Raises
        ModelError for a name that is taken, where there is none, and for an
        initial value that memory cannot hold.
        """
        if initial is UNSET:
            name, initial = (name, None) if isinstance(name, str) else (UNSET, None if name is UNSET else name)
        return self._made(lambda name: cell(name, initial), None if name is UNSET else name)

    @overload
    def array(self, initial: Iterable[M], /) -> Sequence[M]: ...  # type: ignore[overload-overlap]
    @overload
    def array(self, initial: Iterable[T], /) -> Array[T]: ...
    @overload
    def array(self, name: str, initial: Iterable[M], /) -> Sequence[M]: ...  # type: ignore[overload-overlap]
    @overload
    def array(self, name: str, initial: Iterable[T], /) -> Array[T]: ...
    def array(self, *given: Any) -> Any:
        """Shared cells with these initial values: `p.array("a", [0, 0])`, or `a = p.array([0, 0])`.

        Mutexes and the like among the values are elements themselves. Raises
        ModelError like `var`.
        """
        name, initial = _named("array", given)
        values = tuple(initial)
        return self._made(lambda name: Array(name, values), name, len(values))

    def record(self, name: str = "", /, **fields: object) -> Record:
        """A new record with the given fields.

        `name` is for reports and need not be unique. What the fields hold at
        first is visible to all threads at once; a field given a mutex, an array
        or the like is that thing. Raises ModelError for an initial value that
        memory cannot hold.
        """
        check_fields(fields)
        self.has_own_memory = True
        title = name or _title(name_here(sys._getframe(1))) or "record"
        return Record(f"{title}#{self._next_record()}", fields)

    def _next_record(self) -> str:
        """Returns what tells a new record from all others of an execution."""
        if inside_run():
            return _next_number()
        self._records += 1
        return str(self._records - 1)

    def plain(self, *cells: Variable[Any] | Array[Any] | Record) -> None:
        """Declare variables, arrays or records to be plain: threads do not speak to each other by them.

        `mcr check --races` looks for accesses of plain cells that nothing orders. Raises ModelError inside a thread.
        """
        if inside_run():
            refuse("plain() declares; call it in the program function")
        for each in cells:
            if not isinstance(each, Variable | Array | Record):
                refuse(f"plain() takes variables, arrays and records, not {shown(each)}")
            parts = vars(each)["_parts"].values() if isinstance(each, Record) else [each]
            self.plain_cells.update(location.name for location in all_locations(parts))

    def mutex(self, name: str | None = None) -> Mutex:
        """A mutex, free at first. Raises ModelError for a name that is taken, and where there is none."""
        return self._made(Mutex, name)

    @overload
    def condition(self, mutex: Mutex | None = None, /) -> Condition: ...
    @overload
    def condition(self, name: str, mutex: Mutex | None = None, /) -> Condition: ...
    def condition(self, *given: Any) -> Condition:
        """A condition variable that belongs to a mutex, to one of its own if none is given. Raises like `mutex`."""
        name, mutex = _named("condition", given, Mutex(""))
        if not isinstance(mutex, Mutex):
            refuse(f"a condition variable belongs to a mutex, not to {shown(mutex)}")
        return self._made(lambda name: Condition(name, mutex), name)

    def share(self, what: T, name: str | None = None) -> T:
        """Let an object of an ordinary class be shared memory: `account = p.share(Account())`. Returns it.

        Its attributes are cells; lists, dicts, sets, deques and objects that it leads to are shared with it. It is
        called what it is assigned to, or `name`. Raises ModelError for what cannot be shared.
        """
        if self.heap is None:
            stop_here(SharesOrdinaryError())
        if inside_run():
            refuse("share() declares; in a thread, what is stored into shared objects becomes shared with them")
        if isinstance(what, type | ModuleType):
            return what  # what threads change of it is memory in any case
        target = Target(check_name(name)) if name is not None else name_here(innermost_frame())
        if not target.text:
            target = Target(type(what).__name__)
        with own_watch().at_rest():
            shared: T = self.heap.share(what, self._taken(name, target))
        return shared

    def local(self, name: str | None = None, /, **initial: object) -> Local:
        """Attributes that each thread sets and reads for itself, as of `threading.local()`; these are there at first.

        Raises ModelError for an initial value that memory could not hold:
        threads would share it.
        """
        return self._made(lambda name: Local(name, _checked(initial)), name)

    def _made(self, make: Callable[[str], Made], name: str | None, cells: int = 0) -> Made:
        """A new thing with a name of its own, `name` if it is one; without any where it will be given one."""
        self.has_own_memory = True
        target = Target(check_name(name)) if name is not None else name_here(sys._getframe(1))
        if target.placed:
            return make("")
        if inside_run():
            title = _title(target) or type(make("")).__name__.lower()
            return make(f"{title}#{_next_number()}")
        return make(self._taken(name, target, cells))

    def own_name(self, text: str) -> str:
        """A name of its own for what is called by this."""
        return self._names.derive(text)

    def _taken(self, name: str | None, target: Target, cells: int = 0) -> str:
        """A name of its own for what is declared: `name`, or one for what it is assigned to."""
        if name is not None:
            self._names.add(name, cells)
        elif target.text:
            name = self._names.derive(target.text, cells)
        else:
            refuse(f"what is declared here has no name: {NAME_IT}")
        return name

    @overload
    def thread(
        self, function: Callable[..., Generator[Any, Any, Result]], *args: object, name: str = "", daemon: bool = False
    ) -> Thread[Result]: ...
    @overload
    def thread(
        self, function: Callable[..., Result], *args: object, name: str = "", daemon: bool = False
    ) -> Thread[Result]: ...
    def thread(
        self, function: Callable[..., object], *args: object, name: str = "", daemon: bool = False
    ) -> Thread[Any]:
        """A thread that runs function(*args) from the beginning; `name` is for reports.

        A `daemon` may serve for ever: it is no bug that it does not end, or waits for what never comes.
        The function may be a generator that yields operations. Raises
        ModelError inside a thread (`spawn` is for that), and for what cannot
        be called.
        """
        if inside_run():
            refuse("thread() declares; inside a thread use spawn()")
        number = len(self.threads)
        known = self.like.threads[number : number + 1] if self.like else []
        self.threads.append(ThreadCall(function, args, name, known[0].source if known else None, daemon=daemon))
        return Thread(str(number))

    def final(self, function: FinalCode) -> FinalCode:
        """Decorator: run this function after all threads ended and all stores are in memory.

        It may load, join, assert, and return the *outcome*, a value like those
        in memory. Raises ModelError if there is a final function already.
        """
        if self.final_code is not None:
            refuse("the program declares two final functions")
        if self.like is None:
            ThreadCall(function, ())
        self.final_code = function
        return function

    # -- operations --------------------------------------------------------

    def free(self, what: Record | Thing) -> None:
        """Free a record, or a thing that a thread made: an update of each of its locations.

        Who uses it afterwards gets `UseAfterFree` raised, which is a bug, and
        so does who frees it again. Raises ModelError for what can never be
        freed.
        """
        free(what)

    def fence(self) -> None:
        """Full fence: wait until the thread's own stores are in memory (x86 mfence)."""
        perform(Kind.FENCE)

    def store_fence(self) -> None:
        """Stores before it reach memory before stores after it (SPARC stbar); costs nothing under SC and TSO."""
        perform(Kind.STORE_FENCE)

    def assume(self, condition: object) -> None:
        """Go on only if `condition` holds; else the thread stops for good, silently."""
        run = current_run()
        if code := never_run(condition):
            refuse(f"assume() was given {code}")
        if not condition:
            run.block(ASSUMED)

    def wait_until(self, condition: Callable[[], Result]) -> Result:
        """Wait until `condition()` holds, and return what it returned: a spin loop that blocks instead of looping.

        The condition may only load. An evaluation that fails leaves no trace;
        the one that succeeds happens load by load, as written. Raises
        ModelError for a condition that does more than load.
        """
        run = current_run()
        if run.completed:  # by a step of its own: rounds of a wait that fails are no calls
            perform(Kind.CHOOSE, choices=(None,), label="completed")
        return run.wait_until(condition)  # type: ignore[no-any-return]

    def completed(self) -> None:
        """The thread has completed a call, and goes on: for lock-freedom and wait-freedom (docs/semantics.md 6).

        Raises ModelError in the condition of a wait, as a wait that goes round completes nothing.
        """
        run = current_run()
        if run.wait_from >= 0:
            refuse("completed() inside the condition of a wait_until: call it before the wait, or after it")
        run.completed = True

    def choose(self, *values: Result) -> Result:
        """An input: any one of `values`, and every one is tried. Raises ModelError if there are none.

        A range that comes alone stands for its numbers, as in `integer`.
        """
        if len(values) == 1 and type(values[0]) is range:
            only: Any = values[0]
            if only.step == 1 and only:
                return self.integer(only.start, only.stop - 1)  # type: ignore[return-value]
            if len(only) > _MOST_STEPS:
                refuse(f"choose({only}): of a range with steps, at most {_MOST_STEPS} numbers are tried")
            values = tuple(cast(Any, only))
        if not values:
            refuse("choose() needs at least one value")
        chosen: Result = perform(Kind.CHOOSE, choices=values)
        return chosen

    def integer(self, low: int, high: int) -> int:
        """An input: any whole number from `low` to `high`, both included.

        Algorithms that try inputs one by one refuse more than a thousand; `bmc` takes any number of them. Raises
        ModelError if there is none.
        """
        for bound in (low, high):
            if type(bound) is not int:
                refuse(f"integer() goes from a whole number to a whole number, and {shown(bound)} is none")
        if low > high:
            refuse(f"integer({low}, {high}): there is no number between")
        chosen: int = perform(Kind.CHOOSE, choices=(range(low, high + 1),), spans=True)
        return chosen

    @overload
    def spawn(
        self, function: Callable[..., Generator[Any, Any, Result]], *args: object, daemon: bool = False
    ) -> Thread[Result]: ...
    @overload
    def spawn(self, function: Callable[..., Result], *args: object, daemon: bool = False) -> Thread[Result]: ...
    def spawn(self, function: Callable[..., object], *args: object, daemon: bool = False) -> Thread[Any]:
        """Start a new thread from inside a thread; drains the thread's own buffer, as a fence does.

        A `daemon` may serve for ever, as in `thread`. Raises ModelError in the
        final function, which runs after all threads.
        """
        run = current_run()
        if run.name == FINAL:
            refuse("the final function runs after all threads; it cannot spawn")
        if run.heap is not None:
            run.heap.freeze((function, args))
        child = f"{run.name}.{run.next_number('thread')}"
        code = ThreadCall(function, args, daemon=daemon)
        run.perform(
            Operation(Kind.SPAWN, start_location(child), target=child, code=code, label=code.title, source=code.source)
        )
        return Thread(child)


def _named(what: str, given: tuple[Any, ...], *default: object) -> tuple[str | None, Any]:
    """The name, None if there is none, and what else was given; that may have a default."""
    name, *rest = given if given and isinstance(given[0], str) else (None, *given)
    rest = rest or [*default]
    if len(rest) != 1:
        refuse(f"{what}() takes a name, which may be left out, and {_BESIDE[what]}")
    return name, rest[0]


_BESIDE = {"array": "the values of its cells", "condition": "a mutex"}


def _checked(initial: dict[str, object]) -> dict[str, object]:
    for name, value in initial.items():
        cell(name, value)
    return initial


def _title(target: Target) -> str:
    """How the name begins of something that has a number of its own."""
    return target.text.replace(f"[{HOLE}]", "")


def _next_number() -> str:
    """Returns what tells something that is made while threads run from all else that is, in one execution."""
    run = current_run()
    return f"{run.name}.{run.next_number('record')}"


register(name_here, check_fields, check_name, innermost_line, Record)

_OF_PROGRAM = (NoValue, Record, Operations, Declarations, History, Source, Location, Guard, Kind, Freed, Unwritten)


def belongs_to_program(value: object) -> bool:
    """Returns True for what a program declares, or what describes it: threads only refer to that."""
    return is_a(value, _OF_PROGRAM)
