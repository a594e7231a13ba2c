"""What a program shares: variables, arrays, records (mutexes and condition variables are in `replay.frontend.locks`).

These objects are descriptions, nothing more: a name and an initial value.
Their methods ask whichever thread is running to perform an operation, so a
reference to a record may travel through memory from one run to another.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, SupportsIndex, overload

from replay.code.thread_run import current_run, line_of_request, refuse
from replay.frontend.description import Description
from replay.world.operation import UNWRITTEN, Kind, Location, Operation
from replay.world.shown import shown
from replay.world.values import canonical_key, same


def _perform(operation: Operation) -> Any:
    return current_run().perform(operation)


class Variable(Description):
    """One shared cell. Every method is one operation of the thread that calls it; ModelError outside of threads.

    Values must be hashable, and equal to themselves (no NaN); two are the same
    if type and value are.
    """

    __slots__ = ("location", "op")
    location: Location
    op: Operations
    """The same operations as values, for generator threads: `v = yield x.op.load()`."""

    _is = "a shared cell, not the value in it"
    _instead = "write {name}.load() for its value, {name}.store(v) to change it"

    def __init__(self, name: str, initial: object = None) -> None:
        location = Location(name, initial)
        object.__setattr__(self, "location", location)
        object.__setattr__(self, "op", Operations(location))

    def _key(self) -> object:
        return self.location.name

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.location.name

    def load(self) -> Any:
        """Read the cell: the thread's own newest store if it is still in its buffer, else memory."""
        return _perform(self.op.load())

    def store(self, value: object) -> None:
        """Write the cell; the store may wait in the thread's buffer."""
        _perform(self.op.store(value))

    def exchange(self, value: object) -> Any:
        """Atomically write `value`; returns the old value. An rmw: it waits for the thread's store buffer."""
        return _perform(self.op.exchange(value))

    def fetch_add(self, amount: Any = 1) -> Any:
        """Atomically add `amount`; returns the old value. An rmw: it waits for the thread's store buffer."""
        return _perform(self.op.fetch_add(amount))

    def compare_exchange(self, expected: object, new: object) -> bool:
        """Atomically write `new` if the cell holds `expected`; returns whether it did.

        An rmw even when it fails: it waits for the thread's store buffer.
        """
        return _perform(self.op.compare_exchange(expected, new))  # type: ignore[no-any-return]

    def update(self, function: Callable[[Any], object], label: str = "") -> Any:
        """Atomically replace the value v by function(v); returns the old value.

        `function` must be pure; it may return `mcr.UNWRITTEN` to leave the cell alone, and so does an exception,
        which is raised in the thread. `label` is what reports show.
        """
        return _perform(self.op.update(function, label))

    def __repr__(self) -> str:
        return self.location.name


class Operations:
    """Builds the operations on one location, each as the method of `Variable` with its name performs it."""

    __slots__ = ("_location",)

    def __init__(self, location: Location) -> None:
        self._location = location

    def load(self) -> Operation:
        return Operation(Kind.LOAD, self._location, source=line_of_request())

    def store(self, value: object) -> Operation:
        return Operation(Kind.STORE, self._location, value=value, source=line_of_request())

    def exchange(self, value: object) -> Operation:
        return self._update(lambda _: value, f"exchange({shown(value)})", value)

    def fetch_add(self, amount: Any = 1) -> Operation:
        return self._update(lambda old: old + amount, f"fetch_add({shown(amount)})")

    def compare_exchange(self, expected: object, new: object) -> Operation:
        operation = self._update(
            lambda old: new if same(old, expected) else UNWRITTEN,
            f"compare_exchange({shown(expected)}, {shown(new)})",
            new,
        )
        operation.result = lambda old: same(old, expected)
        return operation

    def update(self, function: Callable[[Any], object], label: str = "") -> Operation:
        return self._update(function, label or f"update({getattr(function, '__name__', 'function')})")

    def _update(self, function: Callable[[Any], object], label: str, *operands: object) -> Operation:
        source = line_of_request()
        return Operation(Kind.RMW, self._location, update=function, label=label, operands=operands, source=source)


class Array(Sequence[Variable], Description):
    """A fixed number of cells, named `name[0]`, `name[1]`, ...; a sequence of `Variable`s.

    An index is what it is in C: one below 0 is refused, one that is too large
    raises IndexError in the thread, which is a bug.
    """

    name: str
    _cells: list[Variable]
    _is = "an array of shared cells"
    _instead = "write {name}[i].load() for the value of a cell, {name}[i].store(v) to change it"

    def __init__(self, name: str, initial: Sequence[object]) -> None:
        cells = [Variable(f"{name}[{index}]", value) for index, value in enumerate(initial)]
        vars(self).update(name=name, _cells=cells)

    def _key(self) -> object:
        return self.name

    @overload
    def __getitem__(self, index: SupportsIndex) -> Variable: ...
    @overload
    def __getitem__(self, index: slice) -> list[Variable]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Variable | list[Variable]:
        if isinstance(index, slice):
            return self._cells[index]
        number = self._number(index)
        if number >= len(self._cells):
            raise IndexError(f"{self.name}[{number}] is out of range: {self.name} has {self._size()}")
        return self._cells[number]

    def _number(self, index: SupportsIndex) -> int:
        try:
            number = operator.index(index)
        except TypeError:
            refuse(f"{self.name}[{shown(index)}]: the index of an array is a whole number")
        if number < 0:
            last = f"the last one is {self.name}[len({self.name}) - 1]"
            refuse(f"{self.name}[{number}]: there is no cell below 0, {self.name} has {self._size()} ({last})")
        return number

    def _size(self) -> str:
        count = len(self._cells)
        return "1 cell" if count == 1 else f"{count} cells"

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._cells)

    def __repr__(self) -> str:
        return self.name


class Record:
    """A structure with named cells, for linked structures; `record.field` is a `Variable`.

    References are values: they can be stored and compared. Two references are
    equal iff they are the same record. What the fields hold at first is
    visible to everyone from the start, as memory that was cleared long ago.
    """

    def __init__(self, name: str, fields: dict[str, object]) -> None:
        cells = {field: Variable(f"{name}.{field}", value) for field, value in fields.items()}
        identity = (name, *((field, canonical_key(value)) for field, value in fields.items()))
        vars(self).update(_name=name, _cells=cells, _identity=identity)

    def __getattr__(self, field: str) -> Variable:
        try:
            return self.__dict__["_cells"][field]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"record {self.__dict__.get('_name')} has no field {field!r}") from None

    def __setattr__(self, field: str, value: object) -> NoReturn:
        refuse(f"{self!r} is a record: its fields are cells (write record.{field}.store(v))")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return str(self.__dict__["_name"])
