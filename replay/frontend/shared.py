"""What a program shares: variables, arrays, records (mutexes and condition variables are in `replay.frontend.locks`).

These objects are descriptions, nothing more: a name and an initial value.
Their methods ask whichever thread is running to perform an operation, so a
reference to a record may travel through memory from one run to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from replay.code.thread_run import current_run, line_of_request
from replay.world.operation import UNWRITTEN, Kind, Location, Operation


def _perform(operation: Operation) -> Any:
    return current_run().perform(operation)


class Variable:
    """One shared cell. Every method is one operation of the thread that calls it; ModelError outside of threads.

    Values must be hashable, and equal to themselves (no NaN); two are the same
    if type and value are.
    """

    __slots__ = ("location", "op")

    def __init__(self, name: str, initial: object = None) -> None:
        self.location = Location(name, initial)
        self.op = Operations(self.location)
        """The same operations as values, for generator threads: `v = yield x.op.load()`."""

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
        return bool(_same(_perform(self.op.compare_exchange(expected, new)), expected))

    def update(self, function: Callable[[Any], object], label: str = "") -> Any:
        """Atomically replace the value v by function(v); returns the old value.

        `function` must be pure; it may return `mcr.UNWRITTEN` to leave the cell alone. `label` is what reports show.
        """
        return _perform(self.op.update(function, label))

    def __repr__(self) -> str:
        return self.location.name


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


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
        return self.update(lambda _: value, f"exchange({value!r})")

    def fetch_add(self, amount: Any = 1) -> Operation:
        return self.update(lambda old: old + amount, f"fetch_add({amount!r})")

    def compare_exchange(self, expected: object, new: object) -> Operation:
        return self.update(
            lambda old: new if _same(old, expected) else UNWRITTEN, f"compare_exchange({expected!r}, {new!r})"
        )

    def update(self, function: Callable[[Any], object], label: str = "") -> Operation:
        name = label or f"update({getattr(function, '__name__', 'function')})"
        return Operation(Kind.RMW, self._location, update=function, label=name, source=line_of_request())


class Array(Sequence[Variable]):
    """A fixed number of cells, named `name[0]`, `name[1]`, ...; a sequence of `Variable`s."""

    def __init__(self, name: str, initial: Sequence[object]) -> None:
        self.name = name
        self._cells = [Variable(f"{name}[{index}]", value) for index, value in enumerate(initial)]

    @overload
    def __getitem__(self, index: int) -> Variable: ...
    @overload
    def __getitem__(self, index: slice) -> list[Variable]: ...
    def __getitem__(self, index: int | slice) -> Variable | list[Variable]:
        return self._cells[index]

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
        self._name = name
        self._cells = {field: Variable(f"{name}.{field}", value) for field, value in fields.items()}
        self._identity = tuple(cell.location for cell in self._cells.values()) or (name,)

    def __getattr__(self, field: str) -> Variable:
        try:
            return self.__dict__["_cells"][field]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"record {self.__dict__.get('_name')} has no field {field!r}") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return self._name
