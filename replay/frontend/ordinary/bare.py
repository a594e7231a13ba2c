"""Objects that are nothing but themselves, `object()`, as shared memory: they have no room for an identity."""

from __future__ import annotations

from replay.frontend.ordinary.values import Reference

_references: dict[int, Reference] = {}
"""By the identity of objects, which some heap keeps alive."""


class BareObjects:
    """Those of one heap."""

    def __init__(self) -> None:
        self._kept: dict[int, object] = {}

    def enter(self, thing: object, reference: Reference) -> None:
        """An object becomes the shared one that a reference names."""
        self._kept[id(thing)] = thing
        _references[id(thing)] = reference

    def __del__(self) -> None:
        for each in self._kept:
            _references.pop(each, None)


def reference_of_bare(thing: object) -> Reference | None:
    """The reference to an object if it is a bare one that is shared."""
    return _references.get(id(thing)) if type(thing) is object else None
