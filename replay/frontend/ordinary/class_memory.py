"""What the classes hold in one instance of a program.

While the program function runs it is a copy of what they hold elsewhere, which
that function may change; then it is memory.
"""

from __future__ import annotations

import copy
import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import BuiltinFunctionType, ModuleType
from typing import Any

from replay.code.running_thread import refuse
from replay.frontend.ordinary.class_cells import ClassCell, cells_of
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.identity import Identity, Objects, spelled
from replay.frontend.ordinary.lasting import LOCAL, LOCK, RLOCK
from replay.frontend.ordinary.modules import ModuleCell, variables_of
from replay.frontend.ordinary.own import Local, Lock, RLock, begun_with
from replay.frontend.ordinary.publication import is_plain
from replay.frontend.ordinary.values import UNSET, Group, Member, Reference
from replay.world.shown import shown

Cell = ClassCell | ModuleCell


class ClassMemory:
    """Of one heap."""

    def __init__(self, heap: Objects, function: Callable[..., object]) -> None:
        self._heap = heap
        self._function = function
        self._held: dict[Cell, Any] = {}
        self._copied: dict[int, Any] = {}
        self._identities: dict[Any, Identity] = {}
        self._known: dict[str, list[Any]] = {}
        self._modules: list[ModuleType] = []
        self.other_names: dict[int, str] = {}
        """By the identity of a copy: what thread code calls that of which it is one."""

    def share_module(self, module: ModuleType) -> None:
        """The variables of a module are memory here."""
        self._modules.append(module)

    def shares(self, module: ModuleType) -> bool:
        return any(module is each for each in self._modules)

    def has_variable(self, namespace: Mapping[str, Any], name: str) -> bool:
        """Whether a global variable is memory here."""
        return any(vars(each) is namespace and name in self._cells_of(each) for each in self._modules)

    def know(self, kind: Any) -> None:
        """A class that the program names: it may have to be told from another one of that name."""
        found = self._known.setdefault(kind.__qualname__, [])
        if self._heap.declaring and kind not in found:
            found.append(kind)

    def _name(self, kind: Any) -> str:
        if isinstance(kind, ModuleType):
            title = kind.__name__.rpartition(".")[2]
            is_only = [each.__name__.rpartition(".")[2] for each in self._modules].count(title) == 1
            return title if is_only else kind.__name__
        is_only = self._known.get(kind.__qualname__, [kind]) in ([kind], [])
        return kind.__qualname__ if is_only else f"{kind.__module__}.{kind.__qualname__}"

    def _cells_of(self, kind: Any) -> dict[str, bool]:
        return (variables_of if isinstance(kind, ModuleType) else cells_of)(kind, self._function)

    def varies(self, cell: Cell) -> bool:
        """Whether some code assigns the attribute."""
        return self._cells_of(cell.kind).get(cell.name, False)

    def load(self, cell: Cell) -> Any:
        """What a class holds."""
        if cell.name not in self._cells_of(cell.kind) and (cell.original is UNSET or is_plain(cell.original)):
            return cell.original
        if self._heap.declaring:
            return self._own(cell)
        identity = self._identity(cell)
        held = identity.load(cell.name) if self.varies(cell) else identity.content[cell.name]
        return held if held is UNSET else self._heap.thaw(held)

    def store(self, cell: ClassCell, value: object) -> None:
        """Let a class hold something else."""
        if self._heap.declaring:
            self._held[cell] = value
            return
        identity = self._identity(cell)
        identity.store(cell.name, self._heap.freeze(value, cell.name))

    def remove(self, cell: Cell) -> None:
        """Let a class hold nothing."""
        if self._heap.declaring:
            before, self._held[cell] = self._own(cell), UNSET
        else:
            before = self._identity(cell).remove(cell.name)
        if before is UNSET:
            raise AttributeError(cell.name)

    def _own(self, cell: Cell) -> Any:
        """What it holds in this instance of the program before threads run."""
        if cell not in self._held:
            try:
                self._held[cell] = self.copied(cell.original)
            except Exception:
                refuse(f"{cell} is {shown(cell.original)}, of which there is one for all runs: make it in __init__")
        return self._held[cell]

    def copied(self, value: Any) -> Any:
        """What stands in this instance of the program for something that outlives its runs."""
        with _copying_of_library():
            made = copy.deepcopy(value, self._copied)
        for original, name in self._heap.other_names.items():
            if original in self._copied:
                self.other_names[id(self._copied[original])] = name
        return made

    def _identity(self, cell: Cell) -> Identity:
        """The class as an object whose attributes are cells; what this one held at first is known from now on."""
        identity = self._identities.get(cell.kind)
        if identity is None:
            member = Member(self._name(cell.kind), cell.kind)
            identity = self._identities[cell.kind] = Identity(self._heap, Reference(member, Group(declared=True)))
        content = identity.content
        if cell.name not in content:
            own = self._own(cell)
            name = f"{identity}.{cell.name if isinstance(cell, ModuleCell) else spelled(cell.kind, cell.name)}"
            path = f"{name}.{type(own).__name__}" if self.varies(cell) and base_of(type(own)) is not None else name
            content[cell.name] = own if own is UNSET else self._heap.freeze(own, cell.name, named=path)
        return identity


@contextmanager
def _copying_of_library() -> Iterator[None]:
    """Around `deepcopy`: it copies, of Python's own things, some that it does not know, or takes for constant."""
    table: dict[Any, Any] = vars(copy)["_deepcopy_dispatch"]
    before = {kind: table.get(kind) for kind in _COPIES}
    table.update(_COPIES)
    try:
        yield
    finally:
        table.update((kind, how) for kind, how in before.items() if how is not None)
        for kind in [kind for kind, how in before.items() if how is None]:
            del table[kind]


def _copied_method(method: Any, memory: Any) -> Any:
    """A method of an object of a class that is written in C: that of its copy."""
    owner = method.__self__
    if owner is None or isinstance(owner, type | ModuleType):
        return method
    return getattr(copy.deepcopy(owner, memory), method.__name__)


def _copied_reference(reference: Any, memory: Any) -> Any:
    return weakref.ref(copy.deepcopy(reference(), memory))


_COPIES: dict[Any, Callable[[Any, Any], Any]] = {
    LOCK: lambda *_: Lock(),
    RLOCK: lambda *_: RLock(),
    LOCAL: lambda *_: Local(),
    itertools.count: lambda counter, _: itertools.count(*begun_with(counter)),
    BuiltinFunctionType: _copied_method,
    weakref.ref: _copied_reference,
}
"""By class. A lock that is copied is free; a counter is one that Python itself copies up to 3.13 only."""
