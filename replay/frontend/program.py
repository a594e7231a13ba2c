"""The program model: what a user writes (`@mcr.program`), and fresh instances of it.

A program is a function that declares shared state and threads on a
`Declarations` object, by convention called `p`. It is called anew for every
run, so closures of one run never meet those of another.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import io
import sys
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, NoReturn, TypeVar, cast, overload

from replay.code.facts import facts
from replay.code.fences import NO_FENCES, Fences
from replay.code.lines import user_stack
from replay.code.reachable import reachable
from replay.code.running_thread import caller
from replay.code.user_code import UserCode, same_recursion_limit
from replay.errors import CheckerError, InternalError, ModelError, TakenForConstant
from replay.frontend.declarations import Declarations, SharesOrdinaryError
from replay.frontend.threads import Thread
from replay.interpreter.opcodes import why_unknown
from replay.interpreter.origins import note_program
from replay.world.memory_models import MODELS
from replay.world.memory_models.sc import SC
from replay.world.remembering import while_there
from replay.world.shown import shown, shown_error

T = TypeVar("T")


@while_there
def _names_share(function: Callable[..., object]) -> bool:
    """Returns whether a program, or what it calls, may share ordinary objects."""
    if "share" in facts(function.__code__).looked_up:
        return True
    found = (thing for _, thing in reachable([("", function)]).values())
    return any(isinstance(thing, FunctionType) and "share" in facts(thing.__code__).looked_up for thing in found)


class Program:
    """A checkable program. Calling it with keyword arguments sets its parameters.

    `bakery(n=3)` is the program whose function receives n=3 after `p`; the
    call raises ModelError for a parameter that the function does not have.

    function   what was decorated
    arguments  values of parameters, by name
    name       the function's
    file, line where the function is
    fences     which its threads execute beside those that are written
    deadlocks  whether it is a bug if it ends while threads wait for what never comes
    changing   what threads were seen to change where code shares ordinary objects, which is memory for that reason
    global_lock  whether threads run one at a time, as in CPython with its global lock (`replay.code.global_lock`)
    """

    def __init__(
        self, function: Callable[..., object], arguments: dict[str, object] | None = None, *, deadlocks: bool = True
    ) -> None:
        note_program(function)
        self.function = function
        self.arguments = arguments or {}
        self.name = self.__name__ = function.__name__  # the latter for other decorators, such as pytest's marks
        self.__doc__ = function.__doc__
        self.file = inspect.getsourcefile(function) or "<unknown>"
        self.line = function.__code__.co_firstlineno
        self.fences = NO_FENCES
        self.deadlocks = deadlocks
        self.global_lock = False
        self._returns_results = False
        self._fingerprint = ""
        self.changing: set[str] = set()
        self._found: dict[tuple[str, int], Any] | None = None

    def __call__(self, **arguments: object) -> Program:
        known = [parameter.name for parameter in self.parameters]
        for name in arguments:
            if name not in known:
                has = f"it has {', '.join(known)}" if known else "it has none"
                raise ModelError(f"program {self.name} has no parameter {name!r}; {has}", self.place)
        return self._twin({**self.arguments, **arguments})

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The parameters that may be set: those after `p`."""
        return [*inspect.signature(self.function).parameters.values()][1:]

    @property
    def values(self) -> dict[str, object]:
        """Values of parameters, as the function takes them."""
        return self.arguments

    def lacking(self) -> list[str]:
        """Names of parameters that have no value."""
        return [
            parameter.name
            for parameter in self.parameters
            if parameter.default is parameter.empty
            and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            and parameter.name not in self.arguments
        ]

    @property
    def shares(self) -> bool:
        """Returns whether it may share ordinary objects."""
        return _names_share(self.function)

    def set_up(self, p: Declarations, arguments: dict[str, Any]) -> None:
        """Let the function declare on `p`; `arguments` are the values of its parameters, as the run has them."""
        self.function(p, **arguments)

    def _twin(self, arguments: dict[str, object]) -> Program:
        twin = copy.copy(self)
        twin.arguments = arguments
        twin._fingerprint = ""
        return twin

    def fenced(self, fences: Fences) -> Program:
        """Returns the program with these fences instead of any that it was given before."""
        twin = self._twin(self.arguments)
        twin.fences = fences
        return twin

    def under_global_lock(self) -> Program:
        """Returns the program as CPython runs it that has a global lock. Raises CheckerError where that says
        nothing."""
        if self.models() != (SC.name,):
            raise CheckerError(
                f"--python gil is about ordinary classes, and program {self.name} has memory of its own, or shares no "
                "object: leave it out"
            )
        twin = self._twin(self.arguments)
        twin.global_lock = True
        return twin

    @property
    def title(self) -> str:
        """The name with its arguments: "bakery(n=3)"."""
        if not self.arguments:
            return self.name
        return f"{self.name}({', '.join(f'{name}={shown(value)}' for name, value in self.arguments.items())})"

    has_main = False
    """Whether it declares one thread, which is the main thread, and starts all others."""

    @property
    def place(self) -> str:
        """Its "file:line"."""
        return f"{self.file}:{self.line}"

    def returning_results(self) -> Program:
        """Returns the program; if it has no final function, with one that returns what the declared threads return."""
        twin = self._twin(self.arguments)
        twin._returns_results = True
        return twin

    def instance(self, like: Declarations | None = None) -> Declarations:
        """A fresh instance; raises ModelError if the declarations are broken, CheckerError under `python -O`
        and where nobody knows how Python runs code.

        `like` is an earlier one, in which what is declared was looked at, to save the time for that.
        """
        if sys.flags.optimize:
            raise CheckerError(
                "Python was started with -O or PYTHONOPTIMIZE, which removes every assert statement: a program that "
                "fails by one would be verified; start it without"
            )
        if why := why_unknown():
            raise CheckerError(why)
        shares = self.shares if like is None else like.heap is not None
        p = None
        while p is None:
            try:
                p = self._declared(like, shares=shares)
            except SharesOrdinaryError:
                shares = True
        if not p.threads:
            raise ModelError(f"program {self.name} declares no threads", self.place)
        if self._returns_results and p.final_code is None:
            p.final(functools.partial(_joined, [Thread(str(number)) for number in range(len(p.threads))]))
        return p

    def apart(self, changing: Iterable[str] | None = None) -> Program:
        """Returns the program for one exploration, which finds out alone what threads change.

        So what an exploration does rests on none before it, in whichever process. It begins with what is known here,
        or with what the reader of a file is told.
        """
        twin = copy.copy(self)
        twin.changing = {*self.changing} if changing is None else {*changing}
        return twin

    def known(self, run: Callable[[], T]) -> T:
        """Returns the result of `run`, called anew whenever a thread changes something that was taken for constant.

        All that runs threads of a program is called so, on a program that is `apart`.
        """
        self._found = {}
        try:
            while True:
                try:
                    return run()
                except TakenForConstant as error:
                    found = set(error.message.split("\n"))
                    if found <= self.changing:
                        raise InternalError(f"{error.message} is memory, and was taken for constant") from error
                    self.changing |= found
        finally:
            self._found = None

    def found_out(self, what: str, find: Callable[[], T]) -> T:
        """Returns what `find` tells of the program's code, which is the same when all begins anew (`known`).

        After an import, and outside of `known`, it is asked again.
        """
        key = what, len(sys.modules)
        if self._found is None:
            return find()
        if key not in self._found:
            self._found[key] = find()
        return cast(T, self._found[key])

    def models(self) -> tuple[str, ...]:
        """The memory models to check it under if nobody says, strongest first.

        SC where all memory that it declares is that of ordinary objects, since CPython has no other; else every model.
        A program that is broken has every model: whoever explores it says what is wrong.
        """
        if not self.shares:
            return tuple(MODELS)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return tuple(MODELS) if self.instance().has_own_memory else (SC.name,)
        except ModelError:
            return tuple(MODELS)

    def _declared(self, like: Declarations | None, *, shares: bool) -> Declarations:
        """Runs the program function, and returns what it declares; `shares` says that it may share ordinary objects."""
        if not shares:
            p = Declarations(like)
            self._run_on(p)
            return p
        from replay.frontend.ownership.declaring import declared  # late, as most programs share no ordinary objects

        return declared(self, like, self._broken)

    def _run_on(self, p: Declarations) -> None:
        """Let the program function declare."""
        code = UserCode(lambda: self.function(p, **self.arguments), self._broken)
        code.declares = p.like is None
        with same_recursion_limit():
            code.go()

    def _broken(self, error: BaseException) -> NoReturn:
        """The program function raised something: raises ModelError, which names the line."""
        lines = user_stack(error.__traceback__)
        where = str(lines[0]) if lines else self.place
        lacking = self.lacking()
        if lacking and not lines:
            raise ModelError(f"program {self.name} needs a value for {', '.join(lacking)} (--set, or a default)", where)
        raise ModelError(f"program {self.name} cannot be set up: {type(error).__name__}: {shown_error(error)}", where)

    def fingerprint(self) -> str:
        """A digest of the program's text and of what it rests on (`replay.frontend.foundations`), blind to comments and
        layout; says whether a file of ours is stale.
        """
        if not self._fingerprint:
            from replay.frontend.foundations import digest, foundations, text_digest  # late, as programs are made first

            module = inspect.getmodule(self.function)
            in_file = module is not None and getattr(module, "__file__", None)  # else it was typed
            own = text_digest(module if module is not None and in_file else self.function)
            self._fingerprint = digest(f"{own}{foundations(self).fingerprint()}".encode())
        return self._fingerprint

    def __repr__(self) -> str:
        return f"<program {self.title}>"


def _joined(threads: Sequence[Thread]) -> tuple[object, ...]:
    """Joins threads. The results are in a list, where they can be seen, not inside of `tuple()`."""
    results: list[object] = []
    for thread in threads:
        results.append(thread.join())
    return tuple(results)


@overload
def program(function: Callable[..., object], /) -> Program: ...
@overload
def program(*, deadlocks: bool = True) -> Callable[[Callable[..., object]], Program]: ...
def program(
    function: Callable[..., object] | None = None, /, *, deadlocks: bool = True
) -> Program | Callable[[Callable[..., object]], Program]:
    """Decorator: make a program of a function that declares shared state and threads on its first argument.

    `@mcr.program(deadlocks=False)` says that it is no bug if it ends while threads wait for what never comes.
    Raises ModelError for anything but a function.
    """

    def decorate(function: Callable[..., object]) -> Program:
        if not inspect.isfunction(function):
            raise ModelError(f"a program is made of a function, not of {shown(function)}", str(caller() or ""))
        return Program(function, deadlocks=deadlocks)

    return decorate if function is None else decorate(function)
