"""What the classes hold in one instance of a program.

While the program function runs it is a copy of what they hold elsewhere, which
that function may change; then it is memory.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

from replay.code.running_thread import refuse
from replay.frontend.ordinary.class_cells import ClassCell, cells_of
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.identity import Identity, Objects, spelled
from replay.frontend.ordinary.own import begun_with
from replay.frontend.ordinary.publication import is_plain
from replay.frontend.ordinary.values import UNSET, Group, Member, Reference
from replay.world.shown import shown


class ClassMemory:
    """Of one heap."""

    def __init__(self, heap: Objects, function: Callable[..., object]) -> None:
        self._heap = heap
        self._function = function
        self._held: dict[ClassCell, Any] = {}
        self._copied: dict[int, Any] = {}
        self._identities: dict[Any, Identity] = {}
        self._known: dict[str, list[Any]] = {}

    def know(self, kind: Any) -> None:
        """A class that the program names: it may have to be told from another one of that name."""
        found = self._known.setdefault(kind.__qualname__, [])
        if self._heap.declaring and kind not in found:
            found.append(kind)

    def _name(self, kind: Any) -> str:
        is_only = self._known.get(kind.__qualname__, [kind]) in ([kind], [])
        return kind.__qualname__ if is_only else f"{kind.__module__}.{kind.__qualname__}"

    def varies(self, cell: ClassCell) -> bool:
        """Whether some code assigns the attribute."""
        return cells_of(cell.kind, self._function).get(cell.name, False)

    def load(self, cell: ClassCell) -> Any:
        """What a class holds."""
        if cell.name not in cells_of(cell.kind, self._function) and (cell.original is UNSET or is_plain(cell.original)):
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

    def remove(self, cell: ClassCell) -> None:
        """Let a class hold nothing."""
        if self._heap.declaring:
            before, self._held[cell] = self._own(cell), UNSET
        else:
            before = self._identity(cell).remove(cell.name)
        if before is UNSET:
            raise AttributeError(cell.name)

    def _own(self, cell: ClassCell) -> Any:
        """What it holds in this instance of the program before threads run."""
        if cell not in self._held:
            try:
                self._held[cell] = self._copy(cell.original)
            except Exception:
                refuse(f"{cell} is {shown(cell.original)}, of which there is one for all runs: make it in __init__")
        return self._held[cell]

    def _copy(self, value: Any) -> Any:
        if isinstance(value, itertools.count):  # which Python itself copies up to 3.13 only
            return itertools.count(*begun_with(value))
        return copy.deepcopy(value, self._copied)

    def _identity(self, cell: ClassCell) -> Identity:
        """The class as an object whose attributes are cells; what this one held at first is known from now on."""
        identity = self._identities.get(cell.kind)
        if identity is None:
            member = Member(self._name(cell.kind), cell.kind)
            identity = self._identities[cell.kind] = Identity(self._heap, Reference(member, Group(declared=True)))
        content = identity.content
        if cell.name not in content:
            own = self._own(cell)
            name = f"{identity}.{spelled(cell.kind, cell.name)}"
            path = f"{name}.{type(own).__name__}" if self.varies(cell) and base_of(type(own)) is not None else name
            content[cell.name] = own if own is UNSET else self._heap.freeze(own, cell.name, named=path)
        return identity
