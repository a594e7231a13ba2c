"""The subject of a question: a class, the calls that clients make of it, and clients as programs."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from keyword import iskeyword
from typing import Any, NamedTuple

from replay.errors import CheckerError
from replay.frontend.history import History, Observer, told
from replay.frontend.ordinary.held import held_by
from replay.frontend.program import Program, program
from replay.interpreter.natives import natively
from replay.sentences import did_you_mean

Calls = tuple[tuple[int, ...], ...]
"""The calls of a thread: for each, the numbers of the operations of which it is one."""


class Clients(NamedTuple):
    """Many clients, or one of which each call is one operation.

    threads  the calls of its threads
    before   those that one thread makes before the others begin
    after    those that it makes when they have ended
    quiet    operations: the last thread calls at least one other
    """

    threads: tuple[Calls, ...]
    before: Calls = ()
    after: Calls = ()
    quiet: tuple[int, ...] = ()

    @property
    def all(self) -> tuple[Calls, ...]:
        """The calls of all threads; the last one is that which is alone before and after the others, if it is."""
        alone = (*self.before, *self.after)
        return (*self.threads, alone) if alone else self.threads


natively(vars(Clients)["all"].fget)

Invariant = Callable[[Any], object]
"""Says of an object whether it is as it should be."""


@dataclass(frozen=True)
class SubjectCall:
    """A call of a method with arguments."""

    method: str
    arguments: tuple[object, ...] = ()

    @classmethod
    def of(cls, given: str | Sequence[object] | SubjectCall) -> SubjectCall:
        """An operation as users give it: "pop", or ("push", 1). Raises CheckerError for anything else."""
        match given:
            case SubjectCall():
                return given
            case str():
                return cls(given)
            case tuple() | list() if given and isinstance(given[0], str):
                return cls(given[0], tuple(given[1:]))
        raise CheckerError(f'an operation is "method", or ("method", argument, ...), not {given!r}')

    def __str__(self) -> str:
        return f"{self.method}({', '.join(map(repr, self.arguments))})"


class Subject:
    """A class, or a function that makes an object, and operations on what it makes.

    name     what reports call it
    takes_p  whether it declares its shared state on the `p` of a program, which it takes as its first parameter;
             else its objects are ordinary ones, which programs share
    look     the number of one more operation, which says what the object holds; None if that cannot be asked
    """

    def __init__(self, make: Callable[..., Any], operations: Iterable[str | Sequence[object] | SubjectCall]) -> None:
        """Raises CheckerError for what cannot be called, methods that it does not have, and no operations."""
        if not callable(make):
            raise CheckerError(f"a class, or a function that makes an object, is needed, not {make!r}")
        if isinstance(operations, str):
            raise CheckerError(f"operations is a list, such as [{operations!r}], not {operations!r}")
        self.make = make
        self.operations = tuple(map(SubjectCall.of, operations))
        self.name = getattr(make, "__name__", type(make).__name__)
        self.takes_p = _first_parameter(make) == "p"
        self.look = None if self.takes_p else len(self.operations)
        if not self.operations:
            raise CheckerError(f"{self.name}: which operations? Give some, such as operations=[('put', 1), 'get']")
        for operation in self.operations:
            if isinstance(make, type) and not callable(getattr(make, operation.method, None)):
                meant = did_you_mean(operation.method, [name for name in dir(make) if not name.startswith("_")])
                raise CheckerError(f"{self.name} has no method {operation.method!r}{meant}")
            for argument in operation.arguments:
                told(argument)

    @property
    def place(self) -> str:
        """Returns "file:line" of the class or function, or its name if that is not known."""
        try:
            return f"{inspect.getsourcefile(self.make)}:{inspect.getsourcelines(self.make)[1]}"
        except (TypeError, OSError):
            return self.name

    @property
    def variable(self) -> str:
        """Returns the name of the object in clients."""
        word = "".join(letter for letter in self.name if letter.isalnum() or letter == "_").lower()
        fits = word.isidentifier() and not iskeyword(word) and word not in ("p", "history", "call", "mcr")
        return word if fits else "thing"

    @property
    def texts(self) -> tuple[str, ...]:
        """The operations as readers see them."""
        return (*(f"{self.variable}.{each}" for each in self.operations), f"what {self.variable} holds")

    def source(self, client: Clients) -> str:
        """The text of a client as a program, for readers; `make` makes the object, `history` is told of calls, and
        `invariant`, if that is not None, has to hold in the end."""
        names = [f"thread_{thread}" for thread in range(len(client.threads))]
        alone = len(client.all) > len(names)
        lines = ["def client(p):", f"    {self.variable} = {self._made}"]
        for thread, calls in enumerate(client.threads):
            lines += ["", f"    def {names[thread]}():", *["        history.wait(1)"] * alone]
            lines += [*self._calls(thread, calls), *["        p.fence()", "        history.pass_on()"] * alone]
        if alone:
            lines += ["", "    def main():", *self._calls(len(names), client.before), "        p.fence()"]
            lines += ["        history.pass_on()", f"        history.wait({1 + len(names)})"]
            lines += self._calls(len(names), client.after)
            names.append("main")
        return "\n".join([*lines, "", *(f"    p.thread({name})" for name in names), *self._invariant(), ""])

    def _calls(self, thread: int, calls: Calls) -> Iterator[str]:
        for (operation,) in calls:
            yield f"        with history.call({thread}, {operation}) as call:"
            yield f"            {self._call(operation)}"

    def _invariant(self) -> list[str]:
        return [
            "    if invariant is not None:",
            "",
            "        @p.final",
            "        def in_the_end():",
            f"            assert invariant({self.variable}), 'the invariant does not hold'",
        ]

    def program(
        self,
        clients: Clients,
        observer: Observer,
        invariant: Invariant | None = None,
        *,
        distinct: bool = False,
        locked: bool = False,
    ) -> Program:
        """Clients as a program, whose threads choose what they call: it fails if the observer finds something wrong,
        or the invariant does not hold in the end.

        `distinct`: each thread has an object of its own; `locked`: a lock around each call.
        """
        return program(self._functions["locked" if locked else "client"])(
            history=History(observer, self.texts), clients=clients, invariant=invariant, distinct=distinct
        )

    def any_sequence(self, observer: Observer) -> Program:
        """One thread that makes one call after the other, each of them any operation (of `choices`)."""
        history = History(observer, self.texts)
        return program(deadlocks=False)(self._functions["sequence"])(history=history)

    @property
    def choices(self) -> tuple[object, ...]:
        """Returns the choices for the thread of `any_sequence`, an operation each."""
        return tuple(("operation", number) for number in self._numbers)

    @property
    def _numbers(self) -> range:
        return range(len(self.operations) + (self.look is not None))

    @cached_property
    def _functions(self) -> dict[str, Any]:
        """One function for all clients, so that what is found out about its code is found out once."""
        text = "\n".join([
            *self._client("client", []),
            *self._client("locked", ["                with lock:"]),
            "def sequence(p, history):",
            f"    {self.variable} = {self._made}",
            "    def thread():",
            "        while True:",
            "            _, operation = p.choose(*choices)",
            "            with history.call(0, operation) as call:",
            *self._dispatch(""),
            "    p.thread(thread)",
            "",
        ])  # fmt: skip
        file = f"<clients of {self.name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        names: dict[str, Any] = {"make": self.make, "choices": self.choices, "held_by": held_by}
        exec(compile(text, file, "exec"), names)
        return names

    def _client(self, name: str, lock: list[str]) -> Iterator[str]:
        yield from (
            f"def {name}(p, history, clients, invariant, distinct):",
            f"    {self.variable} = {self._made}",
            *["    lock = p.mutex('lock')" for _ in lock],
            f"    def thread(number, calls, {self.variable}, quiet=()):",
            "        left = len(calls)",
            "        for operations in calls:",
            "            left -= 1",
            "            if quiet and not left:",
            "                operations = tuple(each for each in operations if each not in quiet)",
            "            operation = p.choose(*operations)",
            "            if operation not in quiet:",
            "                quiet = ()",
            "            with history.call(number, operation) as call:",
            *lock,
            *self._dispatch("    " * len(lock)),
            "    def other(number, calls):",
            "        history.wait(1)",
            f"        thread(number, calls, {self.variable})",
            "        p.fence()",
            "        history.pass_on()",
            "    def main(number):",
            f"        thread(number, clients.before, {self.variable})",
            "        p.fence()",
            "        history.pass_on()",
            "        history.wait(1 + number)",
            f"        thread(number, clients.after, {self.variable})",
            "    for number, calls in enumerate(clients.threads):",
            "        if len(clients.all) > len(clients.threads):",
            "            p.thread(other, number, calls)",
            "        else:",
            "            if distinct:",
            f"                {self.variable} = {self._made}",
            "            quiet = clients.quiet if number == len(clients.threads) - 1 else ()",
            f"            p.thread(thread, number, calls, {self.variable}, quiet)",
            "    if len(clients.all) > len(clients.threads):",
            "        p.thread(main, len(clients.threads))",
            *self._invariant(),
        )

    def _dispatch(self, indented: str) -> Iterator[str]:
        for number in self._numbers:
            yield f"{indented}                {'elif' if number else 'if'} operation == {number}:"
            yield f"{indented}                    {self._call(number)}"

    @property
    def _made(self) -> str:
        return "make(p)" if self.takes_p else "p.share(make())"

    def _call(self, operation: int) -> str:
        if operation == self.look:
            return f"call.returns(held_by({self.variable}))"
        return f"call.returns({self.variable}.{self.operations[operation]})"


def _first_parameter(make: Callable[..., Any]) -> str:
    try:
        return next(iter(inspect.signature(make).parameters), "")
    except (TypeError, ValueError):
        return ""
