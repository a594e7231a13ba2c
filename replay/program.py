"""The program model: what a user writes (`@mcr.program`), and fresh instances of it.

A program is a function that declares shared state and threads on a
`Declarations` object, by convention called `p`. It is called anew for every
run, so closures of one run never meet those of another.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any, TypeVar

from replay.errors import ModelError
from replay.operation import Kind, Location, Operation
from replay.shared import Array, Condition, Mutex, Record, Variable
from replay.thread_run import caller, current_run, inside_run, user_stack
from replay.values import canonical_key
from replay.watchdog import WATCHDOG, LocalLoopError

FinalCode = TypeVar("FinalCode", bound=Callable[[], object])

FINAL = "final"
"""The name of the thread that runs the final function."""


def start_location(thread: str) -> Location:
    """What a spawn writes and the first step of its child reads."""
    return Location(f"start of thread {thread}")


def end_location(thread: str) -> Location:
    """Where a thread that ended leaves the pair ("returned", value); None before that."""
    return Location(f"end of thread {thread}")


class Thread:
    """A handle on a thread, for joining it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def join(self) -> Any:
        """Wait until the thread ended and its stores are in memory; returns what it returned."""
        returned = current_run().perform(
            Operation(
                Kind.JOIN,
                end_location(self.name),
                ready=lambda value: value is not None,
                target=self.name,
                source=caller(),
            )
        )
        return returned[1]

    def __repr__(self) -> str:
        return f"thread {self.name}"


class Call:
    """What a thread runs: function(*args). `source` is the line that declared or spawned it."""

    __slots__ = ("args", "function", "source")

    def __init__(self, function: Callable[..., object], args: tuple[object, ...]) -> None:
        self.source = caller()
        if not callable(function):
            raise ModelError(f"a thread needs a function to run, not {function!r}", str(self.source or ""))
        self.function = function
        self.args = args

    def __call__(self) -> object:
        return self.function(*self.args)

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{name}({', '.join(_ADDRESS.sub(_bare_name, repr(arg)) for arg in self.args)})"


_ADDRESS = re.compile(r"<(function |bound method )?([\w.<>]+?)( object| of [^<>]*(?:<[^<>]*>)?)? at 0x[0-9a-fA-F]+>")


def _bare_name(match: re.Match[str]) -> str:
    """Objects without a repr of their own show an address, different in every run; their type says enough."""
    return match[2].rpartition(".")[2]


class Declarations:
    """The `p` of a program: declares what is shared, and offers what threads may do.

    Declaring (`var`, `array`, `mutex`, `condition`, `thread`, `final`) is for
    the program function itself; `record` may be called by anybody; the rest
    is for thread code.
    """

    def __init__(self) -> None:
        self.threads: list[tuple[str, str, Callable[[], object]]] = []
        self.final_code: Callable[[], object] | None = None
        self._names: set[str] = set()
        self._records = 0

    # -- declarations ------------------------------------------------------

    def var(self, name: str, initial: object = None) -> Variable:
        """A shared variable; `initial` must be hashable. Raises ModelError for a name that is taken."""
        self._declare(name, initial)
        return Variable(name, initial)

    def array(self, name: str, initial: Sequence[object]) -> Array:
        """Shared cells `name[0]`, `name[1]`, ... with these initial values. Raises ModelError like `var`."""
        self._declare(name, *initial)
        return Array(name, initial)

    def record(self, name: str = "record", /, **fields: object) -> Record:
        """A new record with the given fields, which any thread may make at any time.

        `name` is for reports and need not be unique. What the fields hold at
        first is visible to all threads at once. Raises ModelError for an
        initial value that memory cannot hold.
        """
        _check_values(name, fields.values())
        if inside_run():
            run = current_run()
            return Record(f"{name}#{run.name}.{run.next_number('record')}", fields)
        self._records += 1
        return Record(f"{name}#{self._records - 1}", fields)

    def mutex(self, name: str) -> Mutex:
        """A mutex, free at first. Raises ModelError for a name that is taken."""
        self._declare(name)
        return Mutex(name)

    def condition(self, name: str, mutex: Mutex) -> Condition:
        """A condition variable that belongs to `mutex`. Raises ModelError for a name that is taken."""
        self._declare(name)
        return Condition(name, mutex)

    def thread(self, function: Callable[..., object], *args: object, name: str = "") -> Thread:
        """A thread that runs function(*args) from the beginning; `name` is for reports.

        The function may be a generator that yields operations. Raises
        ModelError inside a thread (`spawn` is for that), and for what cannot
        be called.
        """
        if inside_run():
            raise ModelError("thread() declares; inside a thread use spawn()", str(caller() or ""))
        number = str(len(self.threads))
        code = Call(function, args)
        self.threads.append((number, name or str(code), code))
        return Thread(number)

    def final(self, function: FinalCode) -> FinalCode:
        """Decorator: run this function after all threads ended and all stores are in memory.

        It may load, join, assert, and return the *outcome*, a value like those
        in memory. Raises ModelError if there is a final function already.
        """
        if self.final_code is not None:
            raise ModelError("the program declares two final functions", str(caller() or ""))
        Call(function, ())
        self.final_code = function
        return function

    def _declare(self, name: str, *values: object) -> None:
        if inside_run():
            raise ModelError(f"{name!r} is declared inside a thread; only records may be", str(caller() or ""))
        if name in self._names:
            raise ModelError(f"two shared things are called {name!r}", str(caller() or ""))
        self._names.add(name)
        _check_values(name, values)

    # -- operations --------------------------------------------------------

    def fence(self) -> None:
        """Full fence: wait until the thread's own stores are in memory (x86 mfence)."""
        current_run().perform(Operation(Kind.FENCE, source=caller()))

    def store_fence(self) -> None:
        """Stores before it reach memory before stores after it (SPARC stbar); costs nothing under SC and TSO."""
        current_run().perform(Operation(Kind.STORE_FENCE, source=caller()))

    def assume(self, condition: object) -> None:
        """Go on only if `condition` holds; else the thread stops for good, silently."""
        if not condition:
            current_run().block("assume")

    def wait_until(self, condition: Callable[[], Any]) -> Any:
        """Wait until `condition()` holds, and return what it returned: a spin loop that blocks instead of looping.

        The condition may only load. An evaluation that fails leaves no trace;
        the one that succeeds happens load by load, as written. Raises
        ModelError for a condition that does more than load.
        """
        run = current_run()
        if run.wait_from >= 0:
            raise ModelError("wait_until inside the condition of a wait_until", str(caller() or ""))
        run.wait_from = run.performed
        value = condition()
        if not value:
            run.block("wait")
        run.wait_from = -1
        return value

    def choose(self, *values: object) -> Any:
        """An input: any one of `values`, and every one is tried. Raises ModelError if there are none."""
        if not values:
            raise ModelError("choose() needs at least one value", str(caller() or ""))
        return current_run().perform(Operation(Kind.CHOOSE, choices=values, source=caller()))

    def spawn(self, function: Callable[..., object], *args: object) -> Thread:
        """Start a new thread from inside a thread; drains the thread's own buffer, as a fence does.

        Raises ModelError in the final function, which runs after all threads.
        """
        run = current_run()
        if run.name == FINAL:
            raise ModelError("the final function runs after all threads; it cannot spawn", str(caller() or ""))
        child = f"{run.name}.{run.next_number('thread')}"
        code = Call(function, args)
        run.perform(
            Operation(
                Kind.SPAWN,
                start_location(child),
                target=child,
                code=code,
                label=str(code),
                source=code.source,
            )
        )
        return Thread(child)


def _check_values(name: str, values: Iterable[object]) -> None:
    """Refuse initial values that memory cannot hold."""
    for value in values:
        try:
            canonical_key(value)
        except ModelError as error:
            raise ModelError(f"{name}: {error.message}", str(caller() or "")) from None


@functools.cache
def _fingerprint(code: ModuleType | Callable[..., object]) -> str:
    """Cached, since every recorded trace bears one: an exploration may record thousands."""
    return hashlib.sha256(ast.dump(ast.parse(inspect.getsource(code))).encode()).hexdigest()[:16]


class Program:
    """A checkable program. Calling it with keyword arguments sets its parameters.

    `bakery(n=3)` is the program whose function receives n=3 after `p`; the
    call raises ModelError for a parameter that the function does not have.

    function   what was decorated
    arguments  values of parameters, by name
    name       the function's
    file, line where the function is
    """

    def __init__(self, function: Callable[..., object], arguments: dict[str, object] | None = None) -> None:
        self.function = function
        self.arguments = arguments or {}
        self.name = self.__name__ = function.__name__  # the latter for other decorators, such as pytest's marks
        self.__doc__ = function.__doc__
        self.file = inspect.getsourcefile(function) or "<unknown>"
        self.line = function.__code__.co_firstlineno
        self._returns_results = False

    def __call__(self, **arguments: object) -> Program:
        known = list(inspect.signature(self.function).parameters)[1:]
        for name in arguments:
            if name not in known:
                has = f"it has {', '.join(known)}" if known else "it has none"
                raise ModelError(f"program {self.name} has no parameter {name!r}; {has}", f"{self.file}:{self.line}")
        return Program(self.function, {**self.arguments, **arguments})

    @property
    def title(self) -> str:
        """The name with its arguments: "bakery(n=3)"."""
        if not self.arguments:
            return self.name
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"

    def returning_results(self) -> Program:
        """The same program; if it has no final function, one that returns what the declared threads return."""
        twin = Program(self.function, self.arguments)
        twin._returns_results = True
        return twin

    def instance(self) -> Declarations:
        """A fresh instance; raises ModelError if the declarations are broken."""
        p = Declarations()
        WATCHDOG.enter()
        try:
            self.function(p, **self.arguments)
        except ModelError:
            raise
        except (Exception, SystemExit, LocalLoopError) as error:
            raise self._broken(error) from error
        finally:
            WATCHDOG.leave()
        if not p.threads:
            raise ModelError(f"program {self.name} declares no threads", f"{self.file}:{self.line}")
        if self._returns_results and p.final_code is None:
            threads = [Thread(name) for name, _, _ in p.threads]
            p.final(lambda: tuple(thread.join() for thread in threads))
        return p

    def _broken(self, error: BaseException) -> ModelError:
        """The program function raised something, at the line that the error names."""
        lines = user_stack(error.__traceback__)
        where = str(lines[0]) if lines else f"{self.file}:{self.line}"
        lacking = [
            name
            for name, parameter in list(inspect.signature(self.function).parameters.items())[1:]
            if parameter.default is parameter.empty and name not in self.arguments
        ]
        if lacking and not lines:
            return ModelError(
                f"program {self.name} needs a value for {', '.join(lacking)} (--set, or a default)", where
            )
        what = str(error) if isinstance(error, LocalLoopError) else f"{type(error).__name__}: {error}"
        return ModelError(f"program {self.name} cannot be set up: {what}", where)

    def fingerprint(self) -> str:
        """A digest of the program's text, blind to comments and layout; says whether a file of ours is stale."""
        return _fingerprint(inspect.getmodule(self.function) or self.function)

    def __repr__(self) -> str:
        return f"<program {self.title}>"


def program(function: Callable[..., object]) -> Program:
    """Decorator: make a program of a function that declares shared state and threads on its first argument.

    Raises ModelError for anything but a function.
    """
    if not inspect.isfunction(function):
        raise ModelError(f"a program is made of a function, not of {function!r}", str(caller() or ""))
    return Program(function)
