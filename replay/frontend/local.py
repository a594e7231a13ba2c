"""State that each thread has for itself, as Python's `threading.local`: no memory, so no operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replay.code.running_thread import current_run
from replay.world.values import NoValue


class Local(NoValue):
    """Attributes that each thread sets and reads for itself: `mine = p.local(node=None)`, then `mine.node = ...`."""

    __slots__ = ("initial_attributes", "name")
    initial_attributes: dict[str, object]
    name: str

    def __init__(self, name: str, initial: Mapping[str, object]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "initial_attributes", dict(initial))

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # what Python and its libraries try
            raise AttributeError(attribute)
        run = current_run()
        held = run.locals.get((self.name, attribute), self.initial_attributes.get(attribute, run))
        if held is run:
            raise AttributeError(f"thread {run.name} has no {self.name}.{attribute}")
        return held

    def __setattr__(self, attribute: str, value: object) -> None:
        current_run().locals[self.name, attribute] = value

    def why_no_value(self) -> str:
        return f"{self.name} is what each thread has for itself, and no value: store an attribute of it"

    def __repr__(self) -> str:
        return self.name
