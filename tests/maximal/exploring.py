"""Explorations by maximal causality, with all that tests look at."""

from __future__ import annotations

from typing import Any

from mcr.exploration.context import ExplorationContext
from mcr.exploration.goals import Goals
from mcr.exploration.options import Options
from mcr.exploration.session import Session
from mcr.exploration.verdict import Result
from mcr.explorers.maximal_causality.explorer import MaximalCausality
from replay.frontend.program import Program
from replay.world.memory_model import MemoryModel


class Exploration:
    """One that has not begun: a program, a model, the variant of the algorithm, and what `Options` have."""

    def __init__(self, program: Program, model: MemoryModel, variant: str = "", **options: Any) -> None:
        self.context = ExplorationContext(program, model, Goals.parse("states"), Options(**options))
        self.explorer = MaximalCausality(self.context, variant)
        self.statistics = self.context.statistics
        self.unfolding = self.context.unfolding

    def explore(self) -> Result:
        return Session(self.context, lambda _: self.explorer).explore()

    @property
    def classes(self) -> set[bytes]:
        return set(self.explorer.classes)

    def figure(self, name: str) -> int:
        """What the algorithm counts, by the name that reports give it."""
        return dict(self.explorer.claim().figures)[name]


def explored(program: Program, model: MemoryModel, **options: Any) -> Exploration:
    """One that has ended, whatever failed on the way."""
    exploration = Exploration(program, model, keep_going=True, shorten=False, **options)
    exploration.explore()
    return exploration
