"""A generated program run directly: all threads in one instance, on one heap, each operation answered from outside.

This is the program model of docs/program-model.md written a second time, from
that page and from design.md 3.1. Nothing is shared with the checker, so where
the two differ one of them is wrong.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet


class Unwritten:
    """The type of `UNWRITTEN`, what an update returns to leave memory alone."""


UNWRITTEN = Unwritten()


def same(left: object, right: object) -> bool:
    """Whether memory takes two values for one: type and value, at every depth."""
    return repr(left) == repr(right)


@dataclass(frozen=True, slots=True, eq=False)
class Ask:
    """What a thread wants to do next.

    place    the name of the location, mutex or thread that it concerns
    initial  what that location holds at first
    value    what a store writes; for "choose" the values to choose from
    update   for "rmw": what the location holds afterwards, evaluated by the thread itself
    answer   what the thread is given for the value that it read
    wait     how many steps the thread had taken when the `wait_until` began that this belongs to, -1 for none
    code     for "spawn": what the child runs
    """

    kind: str
    place: str = ""
    initial: object = None
    value: object = None
    update: Callable[[Any], object] | None = None
    answer: Callable[[Any], object] | None = None
    wait: int = -1
    code: Callable[[], object] | None = None

    @property
    def shown(self) -> str:
        """Kind, place and value, in words that two runs may be compared by."""
        return f"{self.kind} {self.place} {self.value!r}"


@dataclass(frozen=True, slots=True)
class End:
    """How a thread came to its end: it "returned" `value`, "failed", or is "blocked".

    error, message  the exception that left it
    lines           of user code that were active when that was raised, innermost first
    wait            of a blocked thread: as in `Ask`; -1 for an assumption
    """

    how: str
    value: object = None
    error: str = ""
    message: str = ""
    lines: tuple[int, ...] = ()
    wait: int = -1

    @property
    def shown(self) -> str:
        return f"{self.how} {self.value!r} {self.error} {self.message} {self.lines} {self.wait}"


class LiveThread:
    """One thread of a run: suspended at `request`, which is `End` when it is over.

    steps   operations that it has taken
    waits   since which step it evaluates the condition of a `wait_until`, -1 if it does not
    wrote   what its latest update wrote
    """

    def __init__(self, name: str, code: Callable[[], object] | None, steps: int = 0) -> None:
        self.name = name
        self.code = code
        self.steps = steps
        self.waits = -1
        self.wrote: object = UNWRITTEN
        self.counts: dict[str, int] = {}
        self.request: Ask | End = End("returned")
        self._given_up = False
        self._greenlet = greenlet(self._main)

    def advance(self, *answer: object) -> None:
        """Run to the next request, with the answer to the last one."""
        global _current
        outer, _current = _current, self
        self.wrote = UNWRITTEN
        self._greenlet.parent = getcurrent()
        try:
            self.request = self._greenlet.switch(*answer)
        finally:
            _current = outer

    def give_up(self) -> None:
        """Unwind the thread's code; `finally` and `except` in it get no further operation."""
        global _current
        self._given_up = True
        if self._greenlet:
            outer, _current = _current, self
            self._greenlet.parent = getcurrent()
            try:
                self._greenlet.throw(GreenletExit)
            finally:
                _current = outer

    def number(self, what: str) -> int:
        """0, 1, ... for each kind of thing that the thread makes."""
        self.counts[what] = self.counts.get(what, -1) + 1
        return self.counts[what]

    def perform(self, ask: Ask) -> Any:
        """What the thread's own code calls: take this operation, and give its result."""
        read = self._suspend(ask)
        self.steps += 1
        if ask.update is not None:
            self.wrote = ask.update(read)
        return read if ask.answer is None else ask.answer(read)

    def block(self) -> None:
        """Stop for good."""
        self._suspend(End("blocked", wait=self.waits))

    def _suspend(self, request: Ask | End) -> object:
        if self._given_up:  # `finally` and `except` of a run that nobody needs any more
            raise GreenletExit
        parent = getcurrent().parent
        assert parent is not None
        try:
            return parent.switch(request)
        except GreenletExit:
            self._given_up = True
            raise

    def _main(self) -> End:
        assert self.code is not None
        try:
            result = self.code()
            if inspect.isgenerator(result):
                result = self._drive(result)
            return End("returned", result)
        except BaseException as error:
            return End("failed", None, type(error).__name__, str(error), _lines(error.__traceback__))

    def _drive(self, generator: Any) -> object:
        """A thread written as a generator: each operation that it yields is taken, its errors are raised there."""
        proceed, given = generator.send, None
        while True:
            try:
                ask = proceed(given)
            except StopIteration as stop:
                return stop.value
            try:
                proceed, given = generator.send, self.perform(ask)
            except BaseException as error:
                proceed, given = generator.throw, error


_current: LiveThread | None = None


def _running() -> LiveThread:
    assert _current is not None, "shared state is used outside of threads"
    return _current


def _lines(traceback: TracebackType | None) -> tuple[int, ...]:
    found = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            found.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return tuple(reversed(found))


class Operations:
    """The `op` of a variable."""

    def __init__(self, name: str, initial: object) -> None:
        self._name = name
        self._initial = initial

    def load(self) -> Ask:
        return Ask("load", self._name, self._initial)

    def store(self, value: object) -> Ask:
        return Ask("store", self._name, self._initial, value)

    def exchange(self, value: object) -> Ask:
        return self.update(lambda old: value)

    def fetch_add(self, amount: Any = 1) -> Ask:
        return self.update(lambda old: old + amount)

    def compare_exchange(self, expected: object, new: object) -> Ask:
        def succeeds(old: object) -> bool:
            return same(old, expected)

        return Ask(
            "rmw",
            self._name,
            self._initial,
            update=lambda old: new if succeeds(old) else UNWRITTEN,
            answer=succeeds,
        )

    def update(self, function: Callable[[Any], object], label: str = "") -> Ask:
        return Ask("rmw", self._name, self._initial, update=function)


class Variable:
    def __init__(self, name: str, initial: object = None) -> None:
        self.name = name
        self.op = Operations(name, initial)

    def load(self) -> Any:
        run = _running()
        ask = self.op.load()
        return run.perform(ask if run.waits < 0 else Ask("load", ask.place, ask.initial, wait=run.waits))

    def store(self, value: object) -> None:
        _running().perform(self.op.store(value))

    def exchange(self, value: object) -> Any:
        return _running().perform(self.op.exchange(value))

    def fetch_add(self, amount: Any = 1) -> Any:
        return _running().perform(self.op.fetch_add(amount))

    def compare_exchange(self, expected: object, new: object) -> Any:
        return _running().perform(self.op.compare_exchange(expected, new))

    def update(self, function: Callable[[Any], object], label: str = "") -> Any:
        return _running().perform(self.op.update(function, label))

    def __repr__(self) -> str:
        return self.name


class Array(Sequence[Variable]):
    def __init__(self, name: str, initial: Sequence[object]) -> None:
        self.name = name
        self._cells = [Variable(f"{name}[{index}]", value) for index, value in enumerate(initial)]

    def __getitem__(self, index: Any) -> Any:
        return self._cells[index]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._cells)

    def __repr__(self) -> str:
        return self.name


class Record:
    def __init__(self, name: str, fields: dict[str, object]) -> None:
        self._name = name
        self._cells = {field: Variable(f"{name}.{field}", value) for field, value in fields.items()}

    def __getattr__(self, field: str) -> Variable:
        cells: dict[str, Variable] = self.__dict__["_cells"]
        if field not in cells:
            raise AttributeError(f"record {self._name} has no field {field!r}")
        return cells[field]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return self._name


class Mutex:
    """Its location holds the name of the thread that has it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._holder: LiveThread | None = None

    def lock(self) -> None:
        run = _running()
        run.perform(Ask("lock", self.name, update=lambda _: run.name))
        self._holder = run

    def try_lock(self) -> bool:
        run = _running()

        def is_free(owner: object) -> bool:
            return owner is None

        take = Ask("rmw", self.name, update=lambda owner: run.name if is_free(owner) else UNWRITTEN, answer=is_free)
        taken: bool = run.perform(take)
        if taken:
            self._holder = run
        return taken

    def unlock(self) -> None:
        if self._holder is not _running():
            raise RuntimeError(f"mutex {self.name} is not held by this thread")
        self._holder = None
        _running().perform(Ask("unlock", self.name))

    def __enter__(self) -> Mutex:
        self.lock()
        return self

    def __exit__(self, *error: object) -> None:
        self.unlock()


class Thread:
    def __init__(self, name: str) -> None:
        self.name = name

    def join(self) -> Any:
        return _running().perform(Ask("join", self.name))

    def __repr__(self) -> str:
        return f"thread {self.name}"


class Declarations:
    """The `p` of a program."""

    def __init__(self) -> None:
        self.codes: list[Callable[[], object]] = []
        self.final_code: Callable[[], object] | None = None
        self._records = -1

    def var(self, name: str, initial: object = None) -> Variable:
        return Variable(name, initial)

    def array(self, name: str, initial: Sequence[object]) -> Array:
        return Array(name, initial)

    def mutex(self, name: str) -> Mutex:
        return Mutex(name)

    def record(self, name: str = "record", /, **fields: object) -> Record:
        if _current is not None:
            return Record(f"{name}#{_current.name}.{_current.number('record')}", fields)
        self._records += 1
        return Record(f"{name}#{self._records}", fields)

    def thread(self, function: Callable[..., object], *args: object, name: str = "") -> Thread:
        self.codes.append(lambda: function(*args))
        return Thread(str(len(self.codes) - 1))

    def final(self, function: Any) -> Any:
        self.final_code = function
        return function

    def fence(self) -> None:
        _running().perform(Ask("fence"))

    def store_fence(self) -> None:
        _running().perform(Ask("store fence"))

    def assume(self, condition: object) -> None:
        if not condition:
            _running().block()

    def wait_until(self, condition: Callable[[], Any]) -> Any:
        run = _running()
        run.waits = run.steps
        try:
            value = condition()
            if not value:
                run.block()
        finally:
            run.waits = -1
        return value

    def choose(self, *values: object) -> Any:
        return _running().perform(Ask("choose", value=values))

    def spawn(self, function: Callable[..., object], *args: object) -> Thread:
        run = _running()
        child = f"{run.name}.{run.number('thread')}"
        run.perform(Ask("spawn", child, code=lambda: function(*args)))
        return Thread(child)


class Live:
    """One run of a program: its threads as they stand after the steps that were taken."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        declared = Declarations()
        function(declared)
        self.threads = {str(number): LiveThread(str(number), code) for number, code in enumerate(declared.codes)}
        for thread in self.threads.values():
            thread.advance()
        if declared.final_code is not None:
            self.threads[FINAL] = _not_begun(FINAL, declared.final_code, Ask(FINAL))

    def take(self, name: str, read: object) -> LiveThread:
        """Let a thread take its next operation, for which it reads (or chooses) this value."""
        thread = self.threads[name]
        ask = thread.request
        assert isinstance(ask, Ask)
        if ask.kind == "spawn":
            assert ask.code is not None
            self.threads[ask.place] = _not_begun(ask.place, ask.code, Ask("start", ask.place))
        thread.advance(*([] if ask.kind in ("start", FINAL) else [read]))
        return thread

    def close(self) -> None:
        """Give up what is suspended: frames of greenlets are nothing that garbage collection would find."""
        for thread in self.threads.values():
            thread.give_up()


FINAL = "final"


def _not_begun(name: str, code: Callable[[], object], first: Ask) -> LiveThread:
    thread = LiveThread(name, code, 1)
    thread.request = first
    return thread


FILE = "<generated program>"
"""The file name under which generated code is compiled."""


def load(source: str) -> Callable[[Any], object]:
    """The program function of a source text, with the `mcr` that is made here in place of the checker's."""
    namespace: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": _import}, "__name__": "generated"}
    sys.modules["generated"] = module = ModuleType("generated")
    module.__dict__.update(namespace)
    exec(compile(source, FILE, "exec"), module.__dict__)
    function: Callable[[Any], object] = module.__dict__["generated"]
    return function


def _import(name: str, *rest: Any) -> ModuleType:
    return _STAND_IN if name == "mcr" else builtins.__import__(name, *rest)


_STAND_IN = ModuleType("mcr")
_STAND_IN.__dict__.update(program=lambda function: function, UNWRITTEN=UNWRITTEN, Record=Record)
