"""`itertools.count` in shared memory: one location, and `next` one update."""

from __future__ import annotations

import ast
import itertools
from typing import Any

from replay.code.running_thread import current_run, line_of_request
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import Own
from replay.world.operation import Kind, Operation


def begun_with(counter: itertools.count[Any]) -> tuple[Any, ...]:
    """What `itertools.count` would have to be called with to give the numbers that this one has still to give.

    Python tells it by the text of a counter only. Raises ValueError for numbers that are no int or float.
    """
    numbers = repr(counter).partition("(")[2].removesuffix(")")
    try:
        return tuple(ast.literal_eval(f"({numbers},)"))
    except SyntaxError as error:
        raise ValueError(f"numbers of an unknown kind: {numbers}") from error


class Count(Own):
    """What gives one number after the other."""

    __slots__ = ("_at", "_step")
    _at: Any
    _step: Any

    def __init__(self, at: Any = 0, step: Any = 1) -> None:
        self.identity = None
        self._at, self._step = at, step

    def held(self) -> dict[str, Any]:
        return {"": self._at, "step": self._step}

    def become_shared(self, identity: Identity) -> None:
        self.identity = identity
        self._step = identity.content["step"]

    def __iter__(self) -> Count:
        return self

    def __next__(self) -> Any:
        assert self.identity is not None
        self.identity.check_running()
        step = self._step
        operation = Operation(
            Kind.UPDATE,
            self.identity.cell(""),
            update=lambda at: at + step,
            result=lambda at: at,
            label="next()",
            source=line_of_request(),
        )
        return current_run().perform(operation)

    def __repr__(self) -> str:
        return str(self.identity)
