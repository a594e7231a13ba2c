"""The specification: results of calls one after the other, from the class itself, used by one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from mcr.linearizability.subject import Clients, Subject
from replay.code.terminals import Cut, Failed
from replay.errors import CheckerError
from replay.frontend.history import CALLS
from replay.machine.local_graphs import LocalGraphs
from replay.machine.machine import Machine
from replay.machine.options import DEFAULT_BOUND, UnfoldingOptions
from replay.machine.state import LocationId, State
from replay.world.memory_models.sc import SC
from replay.world.operation import Kind

NOT_MADE = ""
"""Stands for the result of a call that was not made."""

Asked = TypeVar("Asked")

Point = frozenset[tuple[int, int]]
"""What a sequence of calls leaves behind: what memory holds, and (as location -1) where the thread is."""


class Touched(NamedTuple):
    """The locations that a call reads, and those that it writes or may write."""

    read: frozenset[LocationId]
    written: frozenset[LocationId]

    def apart(self, other: Touched) -> bool:
        """Returns whether neither call writes what the other one touches."""
        return not self.written & (other.read | other.written) and not other.written & self.read


_BARRIERS = frozenset({Kind.FENCE, Kind.STORE_FENCE})

_WRITING = frozenset({Kind.STORE, Kind.UPDATE, Kind.UNLOCK})


class _Recorder:
    """Remembers what the last call returned."""

    first: object = ""

    def called(self, seen: object, thread: int, operation: int) -> object:
        return ""

    def returned(self, seen: object, thread: int, operation: int, result: str) -> object:
        return result


class Specification:
    """Results of operations on an object that only one thread uses.

    first  what there is before any call
    """

    def __init__(self, subject: Subject, check: Callable[[], None] = lambda: None) -> None:
        """`subject` is what the specification makes, with the same operations; `check` raises when time is up."""
        self._subject = subject
        self.check = check
        self._program = subject.any_sequence(_Recorder()).apart()
        self._program.known(self._begin)

    def _begin(self) -> None:
        self._changing = frozenset(self._program.changing)
        self._graphs = LocalGraphs(self._program, UnfoldingOptions(merges=True), self.check, shares=True)
        self._machines: dict[Point, Machine] = {}
        self._known: dict[tuple[Point, int], tuple[str, Point] | None] = {}
        self._touched: dict[tuple[Point, int], Touched | None] = {}
        machine = Machine(self._graphs, SC)
        self._run(machine, [])
        self.first = self._point(machine)

    def asked(self, ask: Callable[[], Asked]) -> Asked:
        """Returns what comes of asking for calls. If something found out does not stand, forgets all and asks again.

        It stands if no call changes what was taken for constant.
        """

        def known() -> Asked:
            if self._changing != self._program.changing:
                self._begin()
            return ask()

        return self._program.known(known)

    def call(self, point: Point, operation: int) -> tuple[str, Point] | None:
        """Returns the result of an operation after a sequence of calls, and what it leaves behind; None if it waits
        for ever.

        Raises CheckerError if that is not determined, or does not end.
        """
        if (point, operation) not in self._known:
            machine = self._machines[point].copy()
            machine.apply(machine.choices()[operation])
            asked: list[State] = []
            goes_on = self._run(machine, asked)
            self._known[point, operation] = (self._result(machine), self._point(machine)) if goes_on else None
            self._touched[point, operation] = self._touched_by(asked) if goes_on else None
        return self._known[point, operation]

    def touched(self, point: Point, operation: int) -> Touched | None:
        """Returns what an operation touches after a sequence of calls; None if that is not known.

        It is if the call ends, and does nothing but read and write memory; and as long as nothing that was called has
        asked which thread runs, or made anything that has the name of its thread: another thread does the same then.
        """
        self.call(point, operation)
        told_apart = any(map(self._graphs.may_know_itself, self._graphs.threads))
        return None if told_apart else self._touched[point, operation]

    def leaves_all(self, operation: int) -> bool:
        """Returns whether a fresh object is known to be as fresh after an operation, for whichever thread."""
        called = self.call(self.first, operation)
        if called is None or any(map(self._graphs.may_know_itself, self._graphs.threads)):
            return False
        return all(number == self._graphs.initial[loc] for loc, number in called[1] if loc >= 0)

    def _touched_by(self, asked: Sequence[State]) -> Touched | None:
        ends = {info.end for info in self._graphs.threads}
        read, written = set[LocationId](), set[LocationId]()
        for state in asked:
            assert state.operation is not None
            kind = state.operation.kind
            if kind is Kind.LOAD and state.loc not in ends:
                read.add(state.loc)
            elif kind in _WRITING:
                written.add(state.loc)
            elif kind not in _BARRIERS and state.operation.where != CALLS:
                return None
        return Touched(frozenset(read), frozenset(written))

    def _run(self, machine: Machine, asked: list[State]) -> bool:
        """Run on to the next call; returns whether there is one. `asked` gets what the thread asks for."""
        name, passed = self._subject.name, set[Point]()
        while choices := machine.choices():
            operation, here = machine.states[0].operation, _place(machine)
            if operation is not None and operation.choices == self._subject.choices:
                return True
            if len(choices) > 1:
                raise CheckerError(f"{name} chooses: what it returns to one thread is not determined")
            if here in passed:
                return False
            if len(passed) == DEFAULT_BOUND:
                raise CheckerError(f"{name}: its calls, made by one thread, take more than {DEFAULT_BOUND} operations")
            passed.add(here)
            asked.append(machine.states[0])
            machine.apply(choices[0])
        end = machine.states[0].terminal
        if isinstance(end, Cut) and not end.spins:
            raise CheckerError(f"{name}: its calls, made by one thread, take more than {end.limit} operations")
        if isinstance(end, Failed):
            raise CheckerError(f"{name}: a call, made by one thread, ends the thread: {end.error}")
        return False

    def _result(self, machine: Machine) -> str:
        told = next(number for number, each in enumerate(self._graphs.locations) if each.name == CALLS)
        return str(self._graphs.values[machine.memory.pop(told)])

    def _point(self, machine: Machine) -> Point:
        point = _place(machine)
        self._machines.setdefault(point, machine)
        return point


def _place(machine: Machine) -> Point:
    return frozenset((*machine.memory.items(), (-1, machine.states[0].number)))


class NextCall(NamedTuple):
    """A call that may come next in an order: what it returns, and the node then."""

    result: str
    after: int


Steps = dict[tuple[int, int], NextCall]
"""By thread and operation; without calls that would wait."""


class Orders:
    """The orders of clients' calls, one after the other, as a graph: what may still be called, and with what results.

    A node stands for all beginnings of orders that have made as many calls of each thread, and after which the same
    calls return the same: nothing else of an object matters to who only uses it.
    """

    def __init__(self, specification: Specification, clients: Clients) -> None:
        self.threads = len(clients.all)
        self.specification = specification
        self._clients = clients.all
        self.first = specification.asked(self._first)

    def _first(self) -> int:
        self._steps: list[Steps] = []
        self._results: set[tuple[int, str]] = set()
        self._numbers: dict[object, int] = {}
        self._nodes: dict[tuple[tuple[int, ...], Point], int] = {}
        return self._node((0,) * self.threads, self.specification.first)

    def steps(self, node: int) -> Steps:
        """Returns the calls that may come next."""
        return self._steps[node]

    def of_anybody(self) -> Orders:
        """The orders of as many calls, each of any operation that some thread may call."""
        calls = [call for thread in self._clients for call in thread]
        any_operation = tuple(sorted({operation for call in calls for operation in call}))
        return Orders(self.specification, Clients(((any_operation,) * len(calls),)))

    def results(self) -> set[tuple[int, str]]:
        """Returns what operations return somewhere in an order; NOT_MADE for those that would wait somewhere."""
        return self._results

    def _node(self, made: tuple[int, ...], point: Point) -> int:
        if (made, point) not in self._nodes:
            self.specification.check()
            steps: Steps = {}
            for thread, calls in enumerate(self._clients):
                after = tuple(count + (each == thread) for each, count in enumerate(made))
                for operation in calls[made[thread]] if made[thread] < len(calls) else ():
                    called = self.specification.call(point, operation)
                    self._results.add((operation, called[0] if called is not None else NOT_MADE))
                    if called is not None:
                        steps[thread, operation] = NextCall(called[0], self._node(after, called[1]))
            number = self._numbers.setdefault((made, tuple(steps.items())), len(self._steps))
            if number == len(self._steps):
                self._steps.append(steps)
            self._nodes[made, point] = number
        return self._nodes[made, point]
