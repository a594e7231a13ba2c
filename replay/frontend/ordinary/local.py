"""`threading.local` in a model: attributes that each thread has for itself. They are no memory."""

from __future__ import annotations

from typing import Any

from greenlet import getcurrent

from replay.code.running_thread import RunningThread, refuse
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import Own


class Local(Own):
    """Attributes of each thread. One that a thread makes is its own as long as nobody else has it."""

    __slots__ = ("_attributes",)
    _attributes: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "identity", None)
        object.__setattr__(self, "_attributes", {})

    def held(self) -> dict[str, Any]:
        """Nothing that others would see."""
        return {}

    def become_shared(self, identity: Identity) -> None:
        object.__setattr__(self, "identity", identity)
        thread: RunningThread | None = getattr(getcurrent(), "thread", None)
        if thread is not None:
            for name, value in self._attributes.items():
                thread.locals[identity.reference.name, name] = value

    def __getattr__(self, name: str) -> Any:
        held = _attributes_of(self)
        place = name if self.identity is None else (self.identity.reference.name, name)
        if place not in held:
            raise AttributeError(f"'_thread._local' object has no attribute {name!r}")
        return held[place]

    def __setattr__(self, name: str, value: object) -> None:
        _attributes_of(self)[name if self.identity is None else (self.identity.reference.name, name)] = value

    def __delattr__(self, name: str) -> None:
        getattr(self, name)
        del _attributes_of(self)[name if self.identity is None else (self.identity.reference.name, name)]


def _attributes_of(local: Local) -> dict[Any, Any]:
    thread: RunningThread | None = getattr(getcurrent(), "thread", None)
    if local.identity is None:
        return local._attributes
    if thread is None:
        refuse(f"{local.identity} is what each thread has for itself: only threads may use it now")
    return thread.locals
