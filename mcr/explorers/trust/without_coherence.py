"""Exploring by execution graphs without coherence: one for all orders of writes that no read can tell apart."""

from __future__ import annotations

from mcr.exploration.class_tally import ClassTally
from mcr.exploration.stage import Stage
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.reads_from import TrustReadsFrom


class ExploreReadsFrom(ExploreGraphs):
    """Visits the graphs of a program that differ in who reads from whom, and what that may leave in memory."""

    name = "trust-rf"

    def __init__(self, stage: Stage, tally: ClassTally | None = None, *, as_printed: bool = False) -> None:
        """`as_printed` is that of `TrustReadsFrom`."""
        self._as_printed = as_printed
        super().__init__(stage, tally)

    def _new_trust(self) -> Trust:
        """Where the final function matters, so does the last write of each location."""
        stage = self._stage
        has_final = stage.unfolding.final is not None and stage.goals.decides_final
        trust = TrustReadsFrom(
            stage.unfolding,
            stage.model,
            all_endings=has_final,
            as_printed=self._as_printed,
            deadlocks=stage.goals.deadlocks or stage.goals.allowed,
        )
        self._search = trust.search
        return trust

    def _note_checks(self) -> None:
        search, statistics = self._search, self._stage.statistics
        statistics.checks, statistics.realizable = search.questions, search.realizable
        statistics.surveying -= search.seconds - statistics.checking
        statistics.checking = search.seconds

    def _figures(self) -> tuple[tuple[str, int], ...]:
        return (
            ("checks decided by writes-before", self._search.by_wb),
            ("graphs of a class seen before", self.survey.repeated),
        )
