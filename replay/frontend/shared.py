"""Shared state of a program: variables, arrays, records (locks are in `replay.frontend.locks` and `sync`).

These objects are descriptions, nothing more: a name and an initial value. Their methods ask whichever thread is running
to perform an operation, so a reference to a record may travel through memory from one run to another. What threads have
made may be freed: `p.free(node)`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, SupportsIndex, overload

from replay.code.interpreted import performs, register
from replay.code.running_thread import current_run, line_of_request, perform, refuse
from replay.errors import ModelError
from replay.frontend.description import Description, T, Thing, refuse_as_value
from replay.interpreter.natives import natively
from replay.on_terms.symbols import equals
from replay.world.operation import FREE, FREED, UNWRITTEN, Kind, Location, Operation, UseAfterFree, may_be_freed
from replay.world.shown import shown
from replay.world.values import NoValue, canonical_key


def _perform(operation: Operation) -> Any:
    return current_run().perform(operation)


class Variable(Description, Generic[T]):
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

    @property
    def _sort(self) -> type:
        return Variable

    def _key(self) -> Hashable:
        return self.location.name, canonical_key(self.location.initial)

    @property
    def name(self) -> str:
        """The name in reports."""
        return self.location.name

    @property
    def ref(self) -> Reference[T]:
        """A reference to the cell: a value that can be stored, with the methods of the cell that it refers to."""
        return Reference(self.location.name, self.location.initial)

    def load(self) -> T:
        """Read the cell: the thread's own newest store if it is still in its buffer, else memory."""
        return _perform(self.op.load())  # type: ignore[no-any-return]

    def store(self, value: T) -> None:
        """Write the cell; the store may wait in the thread's buffer."""
        _perform(self.op.store(value))

    def exchange(self, value: T) -> T:
        """Atomically write `value`; returns the old value. An rmw: it waits for the thread's store buffer."""
        return _perform(self.op.exchange(value))  # type: ignore[no-any-return]

    def fetch_add(self, amount: Any = 1) -> T:
        """Atomically add `amount`; returns the old value. An rmw: it waits for the thread's store buffer."""
        return _perform(self.op.fetch_add(amount))  # type: ignore[no-any-return]

    def compare_exchange(self, expected: T, new: T) -> bool:
        """Atomically write `new` if the cell holds `expected`; returns whether it did.

        An rmw even when it fails: it waits for the thread's store buffer.
        """
        return _perform(self.op.compare_exchange(expected, new))  # type: ignore[no-any-return]

    def compare_exchange_seen(self, expected: T, new: T) -> tuple[bool, T]:
        """As `compare_exchange`; returns a pair: whether it exchanged, and the value that it saw."""
        return _perform(self.op.compare_exchange_seen(expected, new))  # type: ignore[no-any-return]

    def update(self, function: Callable[[T], object], label: str = "") -> T:
        """Atomically replace the value v by function(v); returns the old value.

        `function` must be pure; it may return `mcr.UNWRITTEN` to leave the cell alone, and so does an exception,
        which is raised in the thread. `label` is what reports show.
        """
        return _perform(self.op.update(function, label))  # type: ignore[no-any-return]

    def __iadd__(self, amount: object) -> NoReturn:
        self.refuse("cannot be used in arithmetic", f"write {self}.fetch_add({shown(amount)}) to add atomically")

    def __isub__(self, amount: object) -> NoReturn:
        self.refuse("cannot be used in arithmetic", f"write {self}.fetch_add(-{shown(amount)}) to subtract atomically")

    def why_no_value(self) -> str:
        return f"{super().why_no_value()[:-1]}, {self}.ref for a reference to it)"

    def __repr__(self) -> str:
        return self.location.name


class Reference(Variable[T]):
    """A reference to a shared cell: `x.ref`. A value, equal to other references to that cell; used as the cell is."""

    __slots__ = ()
    is_value = True
    _is = "a reference to a shared cell"

    @property
    def ref(self) -> Reference[T]:
        """The reference itself, as of a cell."""
        return self

    def __repr__(self) -> str:
        return f"&{self.location.name}"


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
        return self._primitive("exchange", lambda _: value, value)

    def fetch_add(self, amount: Any = 1) -> Operation:
        return self._primitive("fetch_add", lambda old: old + amount, amount)

    def compare_exchange(self, expected: object, new: object) -> Operation:
        if isinstance(expected, NoValue) and not expected.is_value:
            refuse(expected.why_no_value())
        operation = self._primitive(
            "compare_exchange", lambda old: new if equals(old, expected) else UNWRITTEN, expected, new
        )
        operation.result = lambda old: equals(old, expected)
        return operation

    def compare_exchange_seen(self, expected: object, new: object) -> Operation:
        operation = self.compare_exchange(expected, new)
        operation.result = lambda old: (equals(old, expected), old)
        return operation

    def update(self, function: Callable[[Any], object], label: str = "") -> Operation:
        if not isinstance(label, str):
            refuse(f"the label of an update is a text for reports, not {shown(label)}")
        return self._update(function, label or f"update({getattr(function, '__name__', 'function')})")

    def _primitive(self, name: str, function: Callable[[Any], object], *operands: object) -> Operation:
        operation = self._update(function, f"{name}({', '.join(map(shown, operands))})")
        operation.primitive, operation.operands = name, operands
        return operation

    def _update(self, function: Callable[[Any], object], label: str) -> Operation:
        return Operation(Kind.UPDATE, self._location, update=function, label=label, source=line_of_request())


for _name, _builder in vars(Operations).items():
    if isinstance(_builder, FunctionType):
        natively(_builder)
        if _name in vars(Variable) and not _name.startswith("_"):
            performs(vars(Variable)[_name], _builder)


class Array(Sequence[Variable[T]], Thing):
    """A fixed number of cells, named `name[0]`, `name[1]`, ...: a sequence of `Variable`s, or of mutexes and the like.

    An index is what it is in C: in a thread, one that is out of range, above or
    below, raises IndexError, which is a bug.
    """

    _name: str
    _initial: tuple[object, ...]
    _parts: list[Any]
    _is = "an array of shared cells"
    _instead = "write {name}[i].load() for the value of a cell, {name}[i].store(v) to change it"

    def __init__(self, name: str, initial: Sequence[object]) -> None:
        parts = [part(f"{name}[{index}]" if name else "", value) for index, value in enumerate(initial)]
        vars(self).update(_name=name, _initial=tuple(initial), _parts=parts)

    def _key(self) -> Hashable:
        return self.name, tuple(map(part_key, self._parts))

    @property
    def name(self) -> str:
        """The name in reports."""
        return self._name

    def placed(self, name: str) -> Array[T]:
        return Array(name, self._initial)

    def locations(self) -> Iterator[Location]:
        return all_locations(self._parts)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Variable[T]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Variable[T]]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Variable[T] | list[Variable[T]]:
        if isinstance(index, slice):
            return self._parts[index]
        number = self._number(index)
        if not 0 <= number < len(self._parts):
            raise IndexError(f"{self.name}[{number}] is out of range: {self.name} has {self._size()}")
        return self._parts[number]  # type: ignore[no-any-return]

    def _number(self, index: SupportsIndex) -> int:
        try:
            return operator.index(index)
        except TypeError:
            refuse(f"{self.name}[{shown(index)}]: the index of an array is a whole number")

    def _size(self) -> str:
        count = len(self._parts)
        return "1 cell" if count == 1 else f"{count} cells"

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[Variable[T]]:
        return iter(self._parts)


class Record:
    """A structure with named cells, for linked structures; `record.field` is a `Variable`.

    A field that was given a mutex, an array or the like is that thing.
    References are values: they can be stored and compared. Two references are
    equal iff they are the same record. What the fields hold at first is
    visible to everyone from the start, as memory that was cleared long ago.
    """

    def __init__(self, name: str, fields: Mapping[str, object]) -> None:
        parts = {field: part(f"{name}.{field}", value) for field, value in fields.items()}
        identity = (name, *((field, part_key(value)) for field, value in parts.items()))
        vars(self).update(_name=name, _parts=parts, _identity=identity)

    if TYPE_CHECKING:

        def __getattr__(self, field: str) -> Any: ...

    else:

        def __getattr__(self, field):
            try:
                return self.__dict__["_parts"][field]
            except KeyError:
                raise AttributeError(f"record {self.__dict__.get('_name')} has no field {field!r}") from None

    def __setattr__(self, field: str, value: object) -> NoReturn:
        refuse(f"{self!r} is a record: its fields are cells (write record.{field}.store(v))")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Description):
            return NotImplemented  # a cell refuses to be compared
        return isinstance(other, Record) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._name)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return str(self.__dict__["_name"])


def _refuse_record(record: Record, what: str) -> NoReturn:
    refuse(f"{record!r} is a record: it {what} (write record.field.load() for the value of a field)")


refuse_as_value(Record, _refuse_record, "bool")


# -- what records and arrays consist of -----------------------------------------------


def part(name: str, given: object) -> Description:
    """The field or element that was given this: what is no value has a place here, what is one gets a cell.

    Raises ModelError for a cell that has a name: its value may have been meant.
    """
    if isinstance(given, Thing):
        return given if given.name or not name else given.placed(name)
    if isinstance(given, Variable) and not given.name:
        return Variable(name, given.location.initial)
    return cell(name, given)


def cell(name: str, initial: object) -> Variable[Any]:
    """A cell. Raises ModelError for an initial value that memory cannot hold."""
    try:
        canonical_key(initial)
    except ModelError as error:
        refuse(f"{name}: {error.message}" if name else error.message)
    return Variable(name, initial)


def part_key(value: Description) -> Hashable:
    """Returns what tells a field or element from others of its name."""
    return type(value).__name__, value._key()


def record_locations(record: Record) -> Iterator[Location]:
    return all_locations(record.__dict__["_parts"].values())


def all_locations(parts: Iterable[Description]) -> Iterator[Location]:
    """The locations of fields or elements, and of those inside of them."""
    for each in parts:
        if isinstance(each, Variable):
            yield each.location
        elif isinstance(each, Thing):
            yield from each.locations()


def free(what: object) -> None:
    """Free what a record, or a thing that a thread made, consists of, one location after the other."""
    run = current_run()
    if not run.checks_stores:
        refuse(
            "no call of p.free was found in thread code: write `p.free(...)` where thread code can be seen to reach it"
        )
    locations = list(_own_locations(what))
    if not locations:
        refuse(f"{shown(what)} cannot be freed: only records and what threads make can")
    for location in locations:
        perform(Kind.UPDATE, location, update=functools.partial(_freed, location.name), tag=FREE)


def _own_locations(what: object) -> Iterator[Location]:
    """Yields the locations of a record or a thing, without those of others that it was given."""
    if not isinstance(what, Record | Thing):
        return
    name = repr(what)
    for location in what.locations() if isinstance(what, Thing) else record_locations(what):
        is_own = location.name == name or location.name.startswith((f"{name}.", f"{name}["))
        if is_own and may_be_freed(location.name):
            yield location


def _freed(name: str, held: object) -> object:
    if held is FREED:
        raise UseAfterFree(f"{name} is freed twice")
    return FREED


register(Array.__getitem__, Array._number, Array._size, Array.__len__, Record.__getattr__, Record.__eq__)
register(Record.__hash__, Record.__bool__, Record.__repr__, equals, part, part_key)
