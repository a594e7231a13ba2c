"""What a call of RF-SMC is given; its reads that may still be mutated, with the schedules found for their prefixes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from mcr.executions.execution import Place
from replay.machine.machine import Choice

Name = tuple[str, int, str, int, int]
"""An event by thread and depth, with those of its source ("" and -1 for none), and which input it chooses (or -1)."""

Key = tuple[Name, ...]
"""Names (tau', RF') among the schedules of one prefix: what comes after the prefix."""


@dataclass(frozen=True, eq=False, slots=True)
class Slot:
    """An unmarked read, and schedules(pre(r)).

    For a read, and for an input to choose, the prefix is what comes before it, whatever it is made to read. For an
    update that had to wait for its turn (`is_turn`), what may be mutated is who comes next after a write: `occupant`
    did here, and the one whose turn it was when the slot was opened is not part of the prefix.

    base       how many events the prefix has
    occupant   the read; for a turn, who has it
    is_turn    whether others may take the place of the occupant
    schedules  what was scheduled for the prefix; one set for all calls that share the prefix
    """

    base: int
    occupant: Place
    is_turn: bool = False
    schedules: set[Key] = field(default_factory=set)

    def given(self, occupant: Place) -> Slot:
        """The same with somebody else's turn."""
        return replace(self, occupant=occupant)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """RF-SMC(tau, RF, sigma, mrk).

    tau    the thread events, by name
    sigma  a schedule that executes them, and shows RF
    slots  the reads of tau that are not marked, in the order of their prefixes
    fresh  the events of tau that were mutated to make it
    """

    tau: tuple[Place, ...] = ()
    sigma: tuple[Choice, ...] = ()
    slots: tuple[Slot, ...] = ()
    fresh: frozenset[Place] = frozenset()
    depth_first: ClassVar[bool] = True
