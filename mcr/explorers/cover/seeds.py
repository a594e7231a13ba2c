"""Seeds as work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from replay.machine.machine import Choice


@dataclass(frozen=True, slots=True)
class Seed:
    """Play these choices, and run every thread to its end.

    insists  that it shows something new: it was made from all that is known here
    """

    choices: list[Choice]
    insists: bool = True
    depth_first: ClassVar[bool] = False
