"""The `__dict__` of a shared object: a mapping by which code may look up and set attributes, each a load or a store."""

from __future__ import annotations

from typing import Any

from replay.code.running_thread import refuse
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.values import UNSET


class Attributes:
    """What `vars(thing)` is of a shared object. Which attributes there are nobody can ask: that is no location."""

    __slots__ = ("_identity", "_thing")

    def __init__(self, thing: object, identity: Identity) -> None:
        self._thing = thing
        self._identity = identity

    def _load(self, name: str) -> Any:
        identity = self._identity
        varies = identity.heap.varies(type(self._thing), name)
        held = identity.load(name) if varies else identity.content.get(name, UNSET)
        return held if held is UNSET else identity.heap.thaw(held)

    def get(self, name: str, default: Any = None) -> Any:
        held = self._load(name)
        return default if held is UNSET else held

    def __getitem__(self, name: str) -> Any:
        held = self._load(name)
        if held is UNSET:
            raise KeyError(name)
        return held

    def __contains__(self, name: str) -> bool:
        return self._load(name) is not UNSET

    def __setitem__(self, name: str, value: object) -> None:
        identity = self._identity
        if not identity.heap.varies(type(self._thing), name):
            self._refuse(f"sets {name!r}, which no code was seen to set")
        identity.store(name, identity.heap.freeze(value, name))

    def __delitem__(self, name: str) -> None:
        self[name]
        self._identity.store(name, UNSET)

    def pop(self, name: str, *default: Any) -> Any:
        held = self._load(name)
        if held is not UNSET:
            self._identity.store(name, UNSET)
            return held
        if not default:
            raise KeyError(name)
        return default[0]

    def __getattr__(self, name: str) -> Any:
        self._refuse(f"asks for its {name}")

    def __iter__(self) -> Any:
        self._refuse("goes through all attributes")

    def __len__(self) -> int:
        return int(self._refuse("counts all attributes"))

    def _refuse(self, what: str) -> Any:
        refuse(f"code that uses {self._identity}.__dict__ {what}: name the attributes, as in {self._identity}.x")
