"""What is left of a full graph for who executes it: neither who reads from whom nor what is before what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mcr.executions.execution import Place
from replay.machine.state import LocationId, State
from replay.world.values import ValueId


@dataclass(frozen=True, eq=False, slots=True)
class Sketch:
    """A full graph.

    order   the local states before its events, each after those that are before it
    ends    by thread its last local state
    memory  what was written last, by location
    chosen  the inputs that it chooses
    """

    order: list[State]
    ends: list[State]
    memory: dict[LocationId, ValueId]
    chosen: dict[Place, ValueId]


class Sketched(NamedTuple):
    """A sketch by the numbers of who tells of it (`steps.Translation`)."""

    order: list[int]
    ends: list[int]
    memory: dict[LocationId, ValueId]
    chosen: dict[Place, ValueId]
