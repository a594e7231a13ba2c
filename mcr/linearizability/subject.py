"""What is asked about: a class, the calls that clients make of it, and clients as programs."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from replay.errors import CheckerError
from replay.frontend.history import History, Observer, told
from replay.frontend.program import Program, program

ThreadOfCalls = tuple[int, ...]
"""The calls of a thread, as numbers of operations, in program order."""

Client = tuple[ThreadOfCalls, ...]
"""The calls of each thread."""

Clients = tuple[tuple[tuple[int, ...], ...], ...]
"""Many clients: of each thread, for each of its calls, the operations of which it is one."""


@dataclass(frozen=True)
class Operation:
    """A call of a method with arguments."""

    method: str
    arguments: tuple[object, ...] = ()

    @classmethod
    def of(cls, given: str | Sequence[object] | Operation) -> Operation:
        """An operation as users give it: "pop", or ("push", 1). Raises CheckerError for anything else."""
        match given:
            case Operation():
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
    """

    def __init__(self, make: Callable[..., Any], operations: Iterable[str | Sequence[object] | Operation]) -> None:
        """Raises CheckerError for what cannot be called, methods that it does not have, and no operations."""
        if not callable(make):
            raise CheckerError(f"a class, or a function that makes an object, is needed, not {make!r}")
        self.make = make
        self.operations = tuple(map(Operation.of, operations))
        self.name = getattr(make, "__name__", type(make).__name__)
        self.takes_p = _first_parameter(make) == "p"
        if not self.operations:
            raise CheckerError(f"{self.name}: which operations? Give some, such as operations=[('put', 1), 'get']")
        for operation in self.operations:
            if isinstance(make, type) and not callable(getattr(make, operation.method, None)):
                raise CheckerError(f"{self.name} has no method {operation.method!r}")
            for argument in operation.arguments:
                told(argument)

    @property
    def variable(self) -> str:
        """What clients call the object."""
        word = "".join(letter for letter in self.name if letter.isalnum() or letter == "_").lower()
        return word if word.isidentifier() and word not in ("p", "history", "call", "mcr") else "thing"

    @property
    def texts(self) -> tuple[str, ...]:
        """The operations as readers see them."""
        return tuple(f"{self.variable}.{each}" for each in self.operations)

    def source(self, client: Client) -> str:
        """The text of a client as a program, for readers; `make` makes the object, and `history` is told of calls."""
        lines = ["def client(p):", f"    {self.variable} = {self._made}"]
        for thread, calls in enumerate(client):
            lines += ["", f"    def thread_{thread}():"]
            for each in calls:
                lines += [f"        with history.call({thread}, {each}) as call:", f"            {self._call(each)}"]
        lines += ["", *(f"    p.thread(thread_{thread})" for thread in range(len(client)))]
        return "\n".join(lines) + "\n"

    def program(self, clients: Clients, observer: Observer) -> Program:
        """Clients as a program, whose threads choose what they call: it fails if the observer finds something wrong.
        Waiting for ever is no failure."""
        history = History(observer, self.texts)
        return program(deadlocks=False)(self._functions["client"])(history=history, threads=clients)

    def any_sequence(self, observer: Observer) -> Program:
        """One thread that makes one call after the other, each of them any operation (of `choices`)."""
        history = History(observer, self.texts)
        return program(deadlocks=False)(self._functions["sequence"])(history=history)

    @property
    def choices(self) -> tuple[object, ...]:
        """What the thread of `any_sequence` chooses from, an operation each."""
        return tuple(("operation", number) for number in range(len(self.operations)))

    @cached_property
    def _functions(self) -> dict[str, Any]:
        """One function for all clients, so that what is found out about its code is found out once."""
        calls = [
            line
            for number in range(len(self.operations))
            for line in (
                f"                {'elif' if number else 'if'} operation == {number}:",
                f"                    {self._call(number)}",
            )
        ]
        text = "\n".join([
            "def client(p, history, threads):",
            f"    {self.variable} = {self._made}",
            "    def thread(number, calls):",
            "        for operations in calls:",
            "            operation = p.choose(*operations)",
            "            with history.call(number, operation) as call:",
            *calls,
            "    for number, calls in enumerate(threads):",
            "        p.thread(thread, number, calls)",
            "",
            "def sequence(p, history):",
            f"    {self.variable} = {self._made}",
            "    def thread():",
            "        while True:",
            "            _, operation = p.choose(*choices)",
            "            with history.call(0, operation) as call:",
            *calls,
            "    p.thread(thread)",
            "",
        ])  # fmt: skip
        file = f"<clients of {self.name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        names: dict[str, Any] = {"make": self.make, "choices": self.choices}
        exec(compile(text, file, "exec"), names)
        return names

    @property
    def _made(self) -> str:
        return "make(p)" if self.takes_p else "p.share(make())"

    def _call(self, operation: int) -> str:
        return f"call.returns({self.variable}.{self.operations[operation]})"


def _first_parameter(make: Callable[..., Any]) -> str:
    try:
        return next(iter(inspect.signature(make).parameters), "")
    except (TypeError, ValueError):
        return ""
