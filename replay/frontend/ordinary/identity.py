"""The identity of a shared object, the place where it is kept, and its cells."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NoReturn, Protocol

from replay.code.running_thread import heap_here, perform, refuse
from replay.frontend.ordinary.contents import LentContent, MovingContent
from replay.frontend.ordinary.values import UNSET, Built, Member, Reference
from replay.interpreter.lookup import identity
from replay.world.anatomy import is_written_in_python
from replay.world.operation import UNWRITTEN, Guard, Kind, Location

KEY = "\0shared"
"""The name under which the dictionary of an object, or a shared dictionary, has its identity."""


def owned_identity(thing: object) -> Identity | None:
    """The identity of an object that is shared where thread code is interpreted (`replay.frontend.ownership`)."""
    heap = heap_here()
    return None if heap is None else heap.shared.get(identity(thing))


class HeapForObjects(Protocol):
    """The shared objects of one instance of a program, as each of them needs to know them (`ownership.heap.Heap`).

    declaring  whether the program function is running
    names      of those that the program function shares
    lasting_references  to objects that last longer than the runs, by their identity
    host_names  these, which are kept as others must not get their identity, and their names
    """

    declaring: bool
    names: set[str]
    lasting_references: dict[int, Reference]
    host_names: dict[int, tuple[Any, str]]

    def freeze(self, value: Any, part: str = "", *, named: str = "") -> Any: ...
    def thaw(self, frozen: Any) -> Any: ...
    def varies_in(self, member: Member, part: str) -> bool: ...
    def is_constant(self, known: Identity, part: str) -> bool: ...
    def check_change(self, known: Identity, part: str) -> None: ...
    def varying(self, kind: type) -> set[str]: ...
    def enter(self, thing: Any, reference: Reference) -> None: ...
    def is_object(self, value: Any) -> bool: ...
    def parts_of(self, value: Any, frozen: Callable[[Any, str], Any]) -> dict[str, Any]: ...
    def remember(self, frozen: Built, thing: Any) -> None: ...
    def built_of(self, value: Any) -> Built | None: ...
    def next_name(self, kind: Any) -> str: ...
    def convert(self, generator: Any) -> None: ...
    def stand_in_of(self, thing: object) -> Any: ...
    def variable_of_host(self, cell: Any, name: str) -> Any: ...


class Identity:
    """Which shared object a Python object of one instance of the program stands for.

    heap       the shared objects of the instance
    reference  what memory holds for it
    """

    __slots__ = ("_cells", "heap", "plans", "reference")

    def __init__(self, heap: HeapForObjects, reference: Reference) -> None:
        self.heap = heap
        self.reference = reference
        self.plans: dict[str, int] = {}
        self._cells: dict[str, Location] = {}

    @property
    def content(self) -> dict[str, Any]:
        """Returns what its parts held when it became shared."""
        return self.reference.member.content

    def cell(self, part: str, initial: object = UNSET) -> Location:
        """The location of an attribute, or of all that a container holds (`part` is "" then)."""
        found = self._cells.get(part)
        if found is None:
            name = f"{self.reference.name}.{spelled(self.reference.member.kind, part)}" if part else self.reference.name
            found = self._cells[part] = Location(name, self.content.get(part, initial))
        return found

    def has_cell(self, part: str) -> bool:
        """Returns whether some operation was performed on a part."""
        return part in self._cells

    def has(self, cell: Location) -> bool:
        """Returns whether a location is one of its cells."""
        return cell in self._cells.values()

    def begin_with(self, memory: dict[str, Any]) -> None:
        """Let cells hold at first what memory has by the names of their locations."""
        self.content.update((part, memory[cell.name]) for part, cell in self._cells.items() if cell.name in memory)
        self._cells.clear()

    def load(self, part: str, *, locks: bool = True) -> Any:
        """Returns what a cell holds; in the program function what it holds at first.

        `locks`: it takes the lock of a list, and so waits until no elements are moved any more. Without the lock it
        returns one of the contents that the list may show meanwhile.
        """
        if self.heap.is_constant(self, part):
            return self.content.get(part, UNSET)
        held = perform(Kind.LOAD, self.cell(part))
        while type(held) is MovingContent:
            if not locks:
                return perform(Kind.CHOOSE, choices=tuple(held[:-1]), label="of elements that are moved")
            held = self.wait_until_still(part)
        return held[-1] if type(held) is LentContent else held

    def wait_until_still(self, part: str) -> Any:
        """Wait until no thread moves elements of a list; returns what it holds then."""
        return perform(Kind.UPDATE, self.cell(part), update=_unchanged, ready=_IS_STILL, label="waits for the list")

    def store(self, part: str, value: object) -> None:
        """Let a cell hold a value."""
        self.heap.check_change(self, part)
        perform(Kind.STORE, self.cell(part), value=value)

    def remove(self, part: str) -> Any:
        """Let a cell hold nothing, if it holds something; what it held. One step, as it is in Python."""
        self.heap.check_change(self, part)
        return perform(Kind.UPDATE, self.cell(part), update=_removed, label="deleted")

    def set_default(self, part: str, value: object) -> Any:
        """Let a cell hold a value if it holds nothing; what it holds then. One step, as it is in Python."""
        self.heap.check_change(self, part)

        def update(held: object) -> object:
            return value if held is UNSET else UNWRITTEN

        def result(held: object) -> object:
            return value if held is UNSET else held

        return perform(Kind.UPDATE, self.cell(part), update=update, result=result, label="set if it is not there")

    def __repr__(self) -> str:
        return self.reference.name

    def looked_into(self, *_: Any) -> NoReturn:
        """Refuse what only C code can do: to take what a shared container is made of for what it holds."""
        refuse(
            f"{self} is shared, and a function written in C has looked into it past its methods: give it a copy, "
            f"such as {self}.copy()"
        )

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __call__ = __iter__ = __len__ = looked_into
    __add__ = __radd__ = __getitem__ = __contains__ = __index__ = __int__ = __float__ = looked_into
    __hash__ = object.__hash__


def spelled(kind: type, attribute: str) -> str:
    """An attribute as the class writes it: without what Python puts before two underscores."""
    prefix = f"_{kind.__name__.lstrip('_')}__"
    return attribute[len(prefix) - 2 :] if attribute.startswith(prefix) else attribute


_IS_STILL = Guard(lambda held: type(held) is not MovingContent)


def _unchanged(_: object) -> object:
    return UNWRITTEN


def _removed(held: object) -> object:
    return UNWRITTEN if held is UNSET else UNSET


def is_bare(kind: type) -> bool:
    """Returns True if objects of a class hold nothing, or nothing of their own: only their identity counts."""
    room = kind.__basicsize__ - object.__basicsize__
    # from 3.12 on dictionaries and weak references stand before an object, and take no room in it
    holds_nothing = not (room or kind.__itemsize__ or kind.__dictoffset__ or kind.__weakrefoffset__)
    return kind in (object, ContextVar) or (holds_nothing and is_written_in_python(kind))
