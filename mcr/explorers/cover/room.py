"""Which explorer of this room serves an objective."""

from __future__ import annotations

from mcr.exploration.class_tally import ClassTally
from mcr.exploration.contract import Explorer
from mcr.exploration.stage import Stage
from mcr.explorers.cover.classes import EnumerateClasses
from mcr.explorers.cover.states import CoverStates


def covering(stage: Stage, tally: ClassTally | None = None) -> Explorer:
    """The explorer that covers local states or, where `tally` counts them, classes."""
    return CoverStates(stage) if tally is None else EnumerateClasses(stage, tally)
