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
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel


class Exploration:
    """One that has not begun: a program, a model, the variant of the algorithm, and what `Options` have."""

    def __init__(self, program: Program, model: MemoryModel, variant: str = "", **options: Any) -> None:
        self.context = ExplorationContext(program, model, Goals.parse("states"), Options(**options))
        self.explorer = MaximalCausality(self.context, variant)
        self.statistics = self.context.statistics
        self._variant = variant
        self._has_begun = False

    @property
    def unfolding(self) -> Unfolding:
        """What it explores, or explored last: it may have begun anew."""
        return self.context.unfolding

    def explore(self) -> Result:
        return Session(self.context, self._made).explore()

    def _made(self, context: ExplorationContext) -> MaximalCausality:
        if self._has_begun:
            self.explorer = MaximalCausality(context, self._variant)
        self._has_begun = True
        return self.explorer

    @property
    def classes(self) -> set[bytes]:
        return set(self.explorer.classes)

    def figure(self, name: str) -> int:
        """What the algorithm counts, by the name that reports give it."""
        return dict(self.explorer.claim().figures)[name]


def explored(program: Program, model: MemoryModel, **options: Any) -> Exploration:
    """One that has ended, whatever failed on the way."""
    own = program.apart()

    def run() -> Exploration:
        exploration = Exploration(own, model, keep_going=True, shorten=False, **options)
        exploration.explore()
        return exploration

    return own.known(run)
