"""Contents of a shared object, and of all to which it leads, as a text: `mcr levels` compares them in the end."""

from __future__ import annotations

from typing import Any

from replay.frontend.ordinary.contents import Content, SetContent
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.kinds import identity_of
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.values import UNSET, Built, Reference
from replay.world.shown import shown


def held_by(thing: Any) -> str:
    """The contents of a shared object as a text. Two objects that hold the same have the same text.

    Objects are numbered in the order in which they are met, so their names do not matter. Locks, and what Python makes
    of C, are told by their classes. A thread that asks reads each location that the object leads to.
    """
    identity = identity_of(thing)
    return _Text(identity).of(identity.reference)


class _Text:
    def __init__(self, identity: Identity) -> None:
        self._heap = identity.heap
        self._numbers: dict[Reference, int] = {}

    def of(self, frozen: Any) -> str:
        """The text of what memory holds."""
        if isinstance(frozen, Reference):
            return self._of_object(frozen)
        if isinstance(frozen, Built):
            return f"{frozen.how}({', '.join(map(self.of, frozen.parts))})"
        if isinstance(frozen, tuple | frozenset):
            parts = list(map(self.of, frozen))
            unordered = isinstance(frozen, frozenset | SetContent)
            name = "" if isinstance(frozen, Content) or type(frozen) is tuple else type(frozen).__name__
            return f"{name}({', '.join(sorted(parts) if unordered else parts)})"
        return shown(frozen)

    def _of_object(self, reference: Reference) -> str:
        known = self._numbers.get(reference)
        if known is not None:
            return f"object {known}"
        number = self._numbers[reference] = len(self._numbers)
        kind = reference.member.kind
        if issubclass(kind, ShareableBuiltin):
            return str(kind.__name__)
        identity = identity_of(self._heap.thaw(reference))
        names = sorted({*identity.content, *self._heap.varying(kind)})
        loaded = {name: self._loaded(identity, kind, name) for name in names}
        parts = (f"{name}={self.of(held)}" for name, held in loaded.items() if held is not UNSET)
        return f"{kind.__name__} {number}({', '.join(parts)})"

    def _loaded(self, identity: Identity, kind: Any, name: str) -> Any:
        is_memory = name == "" or name in self._heap.varying(kind)
        return identity.load(name) if is_memory else identity.content.get(name, UNSET)
