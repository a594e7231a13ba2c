"""Operations: what a thread asks of memory.

Thread code produces operations one at a time and receives a value for each.
Everything above this file (machine, unfolding, encoder) sees operations only,
never the user's functions.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final, NamedTuple

from replay.world.memory_model import Access
from replay.world.shown import shown
from replay.world.values import same


class Freed:
    """The type of `FREED`."""

    def __repr__(self) -> str:
        return "freed"

    def __reduce__(self) -> str:
        return "FREED"  # there is one, also for who got it from another process


FREED: Final = Freed()
"""What a location holds for good that was freed: a thread that reads it gets `UseAfterFree` raised."""


class UseAfterFree(Exception):
    """A thread uses what was freed, or frees it again: a bug of the checked program."""


def may_be_freed(location: str) -> bool:
    """Returns whether a location of that name can be freed: what records and threads made has a number in its name."""
    return "#" in location


class Location(NamedTuple):
    """A shared variable, array cell, record field or lock: a name and what it holds at first."""

    name: str
    initial: object = None


def same_location(one: Location | None, two: Location | None) -> bool:
    """Returns whether two runs speak of one location."""
    if one is two or one is None or two is None:
        return one is two
    return one.name == two.name and (one.initial is two.initial or same(one.initial, two.initial))


class Kind(enum.Enum):
    """The kinds of operations: their names in reports and files, their access, and what is true of all of a kind.

    reads      its result comes from memory
    writes     it always writes: a store, or what acts as one
    schedules  it is no access to shared memory: a local state does not count it
    """

    LOAD = "load", Access.LOAD, "reads"
    STORE = "store", Access.STORE, "writes"
    UPDATE = "rmw", Access.BARRIER, "reads"
    FENCE = "fence", Access.BARRIER
    STORE_FENCE = "store fence", Access.STORE_BARRIER
    UNLOCK = "unlock", Access.BARRIER, "writes"
    SPAWN = "spawn", Access.BARRIER, "writes", "schedules"
    START = "start", Access.BARRIER, "reads", "schedules"
    JOIN = "join", Access.BARRIER, "reads", "schedules"
    FINAL = "final", Access.BARRIER, "schedules"
    CHOOSE = "choose", Access.LOCAL
    NOTE = "note", Access.LOCAL, "reads"

    _value_: str
    access: Access
    facts: tuple[str, ...]

    def __new__(cls, name: str, access: Access, *facts: str) -> Kind:
        kind = object.__new__(cls)
        kind._value_, kind.access, kind.facts = name, access, facts
        return kind

    __hash__ = object.__hash__  # an enumeration's own is Python code, called for every operation


LOCK = "lock"
"""Tag of the update that takes a mutex, as soon as it is free."""

WAKE = "wake"
"""Tag of the update that ends a wait on a condition variable, as soon as there is a notification."""

FREE = "free"
"""Tag of the update that frees a location."""

KINDS: dict[str, Kind] = {kind.value: kind for kind in Kind} | dict.fromkeys((LOCK, WAKE, FREE), Kind.UPDATE)
"""By what reports and files call an operation (`Operation.called`), its kind."""


READS, WRITES, SCHEDULING = (
    frozenset(kind for kind in Kind if fact in kind.facts) for fact in ("reads", "writes", "schedules")
)
"""Kinds whose result comes from memory; those that always write; those that are no accesses to shared memory."""

UPDATES = frozenset({Kind.UPDATE, Kind.NOTE})
"""Kinds that write what their function makes of what they read."""


class Unwritten:
    """The type of `UNWRITTEN`, what an update returns to leave memory as it is."""

    def __repr__(self) -> str:
        return "UNWRITTEN"


UNWRITTEN = Unwritten()


class Guard:
    """When an operation may run: once `test(value, *operands)` holds of what its location holds, or that was freed.

    It is data: two are equal iff their code and their operands are, so `test` is a function that uses nothing else.
    """

    __slots__ = ("operands", "test")

    def __init__(self, test: Callable[..., Any], *operands: object) -> None:
        assert isinstance(test, FunctionType), "a guard is a function, and no method: what it uses is an operand"
        assert not (test.__closure__ or test.__defaults__ or test.__kwdefaults__), "what a guard uses is an operand"
        self.test = test
        self.operands = operands

    def __call__(self, value: object) -> Any:
        return value is FREED or self.test(value, *self.operands)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guard) and self._code is other._code and same(self.operands, other.operands)

    def __hash__(self) -> int:
        return hash(self._code)

    @property
    def _code(self) -> CodeType:
        assert isinstance(self.test, FunctionType)
        return self.test.__code__


class Source(NamedTuple):
    """A line of the user's program."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class LibraryCall(NamedTuple):
    """A call of Python's own library: its text as readers see it, and where in its thread its first operation is."""

    text: str
    first: int


@dataclass(slots=True, eq=False)
class Operation:
    """One request of a thread. Nobody changes it once it is known; but what is frozen takes five times as long to make.

    value     what a STORE or UNLOCK writes
    update    for an UPDATE: old value -> new value, or UNWRITTEN; it runs in the
              thread that asks, and writes nothing if it raises an exception; for a
              NOTE: the same, without exceptions, of a pure function
    result    what the thread gets: value read -> result; None for the value itself
    ready     its guard: what memory has to hold for it to run
    tag       for an UPDATE that has a name of its own: LOCK, WAKE or FREE
    gives_back for an UPDATE: it releases a lock which another thread may have, or takes one that another is to release
    choices   for CHOOSE: the values to choose from
    spans     for CHOOSE: the choice is a range, of whose numbers one is taken
    target    for SPAWN and JOIN: the name of the other thread
    code      for SPAWN: what the child runs
    label     how reports show it, e.g. "fetch_add(1)"
    primitive for an UPDATE that machines have an instruction for: "exchange", "fetch_add" or "compare_exchange"
    operands  for an UPDATE: objects that the program gave to it, those of the primitive in their order; for a NOTE:
              the numbers of the thread and of what it calls
    wait_from for a load inside wait_until: how many operations its thread had
              executed when that wait began, else -1
    completes whether its thread has completed a call since its last operation
    at_once   whether no other thread has to run between the last operation of its thread and this one: where CPython's
              global lock is kept, and at the end of a call of which an observer is told
    """

    kind: Kind
    location: Location | None = None
    value: object = None
    update: Callable[[object], object] | None = None
    result: Callable[[Any], object] | None = None
    ready: Guard | None = None
    choices: tuple[object, ...] = ()
    spans: bool = False
    target: str = ""
    code: Callable[[], object] | None = None
    tag: str = ""
    gives_back: bool = False
    label: str = ""
    primitive: str = ""
    operands: tuple[object, ...] = ()
    wait_from: int = -1
    completes: bool = False
    at_once: bool = False
    source: Source | None = None

    @property
    def access(self) -> Access:
        """The access that it is to a memory model."""
        return self.kind.access

    @property
    def called(self) -> str:
        """The name of such an operation in reports and files, one of `KINDS`."""
        return self.tag or self.kind.value

    @property
    def begins_call(self) -> bool:
        """True if an observer is told that a call begins."""
        return self.kind is Kind.NOTE and self.ready is None and not self.at_once

    @property
    def where(self) -> str:
        """The name of its location, "" if it has none."""
        return self.location.name if self.location else ""

    def describe(self) -> str:
        """The operation as a reader of reports sees it, without its result."""
        name = self.where
        match self.kind:
            case Kind.LOAD:
                return f"{self.label or 'load'} {name}"
            case Kind.STORE:
                return f"{name} = {shown(self.value)}"
            case Kind.NOTE:
                return self.label
            case Kind.UPDATE if self.label:
                return f"{name}{'' if self.label.startswith('[') else '.'}{self.label}"
            case Kind.CHOOSE if self.spans:
                numbers = self.choices[0]
                assert isinstance(numbers, range)
                return f"choose from {numbers[0]} to {numbers[-1]}"
            case Kind.CHOOSE if self.label:
                return self.label
            case Kind.CHOOSE:
                return f"choose from {', '.join(map(shown, self.choices))}"
            case Kind.SPAWN | Kind.JOIN:
                return f"{self.kind.value} thread {self.target}"
            case Kind.FENCE | Kind.STORE_FENCE | Kind.START | Kind.FINAL:
                return str(self.kind.value)
            case _:
                return f"{self.called} {name}"

    def same_request(self, other: Operation) -> bool:
        """Returns whether two runs of the same code on the same history may differ in this way.

        What updates do is compared by label only: a lambda is a new object in every run.
        """
        return (
            self.kind is other.kind
            and self.tag == other.tag
            and self.ready == other.ready
            and same_location(self.location, other.location)
            and self.label == other.label
            and (self.choices is other.choices or same(self.choices, other.choices))
            and self.target == other.target
            and (self.value is other.value or same(self.value, other.value))
        )
