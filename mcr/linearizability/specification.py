"""What calls return if they are made one after the other: the class itself, used by one thread, says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from mcr.linearizability.subject import Client, Subject
from replay.code.terminals import Cut, Failed, Terminal
from replay.errors import CheckerError
from replay.frontend.history import CALLS
from replay.machine.machine import Machine
from replay.machine.unfolding import Unfolding
from replay.world.memory_models.sc import SC

Results = tuple[str, ...]


class _Recorder:
    """Remembers what calls returned."""

    first: object = ()

    def called(self, seen: object, call: int) -> object:
        return seen

    def returned(self, seen: object, call: int, result: str) -> object:
        return (*cast(Results, seen), result)


class Specification:
    """What sequences of operations return on a fresh object."""

    def __init__(self, subject: Subject) -> None:
        """`subject` is what the specification makes, with the same operations."""
        self._subject = subject
        self._unfolding = Unfolding(subject.any_sequence(_Recorder()))
        self._known: dict[tuple[int, ...], Results] = {(): ()}

    def result(self, operations: tuple[int, ...]) -> str | None:
        """What the last of these operations returns; None if it waits for ever, or one before it does.

        Raises CheckerError if that is not determined, or does not end.
        """
        if operations not in self._known:
            results = self._run(operations)
            for length in range(1, len(operations) + 1):
                self._known[operations[:length]] = results[:length]
        results = self._known[operations]
        return results[-1] if len(results) == len(operations) else None

    def _run(self, operations: tuple[int, ...]) -> Results:
        machine, wanted, made = Machine(self._unfolding, SC), self._subject.choices, 0
        while choices := machine.choices():
            operation = machine.states[0].operation
            if operation is not None and operation.choices == wanted:
                if made == len(operations):
                    break
                choice = choices[operations[made]]
                made += 1
            elif len(choices) > 1:
                raise CheckerError(f"{self._subject.name} chooses: what it returns to one thread is not determined")
            else:
                (choice,) = choices
            machine.apply(choice)
        self._check_waits(machine.states[0].terminal)
        number = next(number for number, each in enumerate(self._unfolding.locations) if each.name == CALLS)
        return cast(Results, self._unfolding.values[machine.memory.get(number, self._unfolding.initial[number])])

    def _check_waits(self, end: Terminal | None) -> None:
        """Refuse what came to an end that is no waiting: who is cut after many operations, or leaves the thread."""
        name = self._subject.name
        if isinstance(end, Cut) and not end.spins:
            raise CheckerError(f"{name}: its calls, made by one thread, take more than {end.limit} operations")
        if isinstance(end, Failed):
            raise CheckerError(f"{name}: a call, made by one thread, ends the thread: {end.error}")


class Orders:
    """The orders of a client's calls, one after the other, as a graph: what may still be called, and with what results.

    A node stands for all beginnings of orders that have made the same calls, and after which the same calls return the
    same: nothing else of an object matters to who only uses it. Node 0 is the beginning of all.
    """

    def __init__(self, specification: Specification, client: Client) -> None:
        self.threads = len(client)
        self.calls = [(thread, place) for thread, calls in enumerate(client) for place in range(len(calls))]
        self._steps: list[dict[int, tuple[str, int]]] = []
        self._specification = specification
        self._client = client
        self._known: dict[object, int] = {}
        self.first = self._node((0,) * len(client), ())

    def steps(self, node: int) -> dict[int, tuple[str, int]]:
        """By thread, what its next call would return, and where that leads; without those that would wait."""
        return self._steps[node]

    def _node(self, made: tuple[int, ...], operations: tuple[int, ...]) -> int:
        steps = {}
        for thread, result, one_more in self._next(made, operations):
            after = tuple(count + (each == thread) for each, count in enumerate(made))
            steps[thread] = result, self._node(after, one_more)
        key = made, tuple(steps.items())
        number = self._known.setdefault(key, len(self._steps))
        if number == len(self._steps):
            self._steps.append(steps)
        return number

    def _next(self, made: tuple[int, ...], operations: tuple[int, ...]) -> Iterator[tuple[int, str, tuple[int, ...]]]:
        for thread, calls in enumerate(self._client):
            if made[thread] < len(calls):
                one_more = (*operations, calls[made[thread]])
                result = self._specification.result(one_more)
                if result is not None:
                    yield thread, result, one_more
