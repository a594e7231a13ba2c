"""Fences that a program is given without changing its text: what `mcr repair` tries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from replay.world.operation import Kind, Operation, Source

Line = tuple[str, int]
"""A file and a line of it."""

NOT_THERE = "no fence"
"""Label of the operation that marks where a fence could be and is not: a choice of one value, which does nothing."""


@dataclass(frozen=True)
class Fences:
    """Which fences threads execute beside or instead of those that are written.

    after    by line, the fence that follows every store which this line asks for
    instead  by line, what the fence of this line is replaced by; None leaves it out, and marks where it was
    """

    after: Mapping[Line, Kind] = field(default_factory=dict)
    instead: Mapping[Line, Kind | None] = field(default_factory=dict)

    def following(self, operation: Operation) -> Operation | None:
        """Returns the operation that a thread executes next because it executed this one; None for nothing."""
        if operation.kind is not Kind.STORE or operation.source is None:
            return None
        kind = self.after.get(line_of(operation.source))
        return None if kind is None else Operation(kind, source=operation.source)

    def replacing(self, operation: Operation) -> Operation:
        """Returns the operation that a thread executes where it asks for this one."""
        line = operation.source and line_of(operation.source)
        if operation.kind not in (Kind.FENCE, Kind.STORE_FENCE) or line is None or line not in self.instead:
            return operation
        kind = self.instead[line]
        if kind is None:
            return Operation(Kind.CHOOSE, choices=(None,), label=NOT_THERE, source=operation.source)
        return Operation(kind, source=operation.source)


NO_FENCES = Fences()
"""Those that are written, and no others."""


def line_of(source: Source) -> Line:
    return source.file, source.line
