"""One execution of each class, while the unfolding becomes known.

Every proposal is a maximal execution of a class that was not seen, or reads
something new, which is such a class too; so no execution is wasted, and to
find any unseen class is easier than to find a new local state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcr.encoding.proposals import Executions
from mcr.executions.causal_past import observe
from mcr.exploration.class_tally import ClassTally
from mcr.exploration.contract import Claim, News, Work
from mcr.exploration.stage import Stage
from mcr.explorers.cover.seeds import Seed
from replay.errors import InternalError
from replay.machine.machine import Choice


class EnumerateClasses:
    """Runs one execution of each class of the equivalence that is the objective."""

    def __init__(self, stage: Stage, tally: ClassTally) -> None:
        self._stage = stage
        self._tally = tally
        self._executions: Executions | None = None
        self._latest: list[Choice] | None = None
        """The schedule of the latest execution, as long as its class may still be proposed."""

    def begin(self) -> Iterable[Work]:
        return (Seed([]),)

    def expand(self, work: Work) -> Iterator[News]:
        assert isinstance(work, Seed)
        run = self._stage.run(work.choices)
        if not self._tally.count(run):
            raise InternalError(f"{self._stage.title}: a class was proposed twice")
        self._latest = run.choices
        yield run

    def remaining(self) -> Work | None:
        stage, finest = self._stage, self._tally.counter.finest
        if self._executions is None:
            self._executions = Executions(stage.unfolding, stage.model, stage.new_solver(), one_source=finest.sources)
        self._executions.grow()
        if self._latest is not None:
            self._executions.exclude(observe(stage.unfolding, stage.model, self._latest), finest)
            self._latest = None
        choices = proposed(stage, self._executions)
        return None if choices is None else Seed(choices)

    def claim(self) -> Claim:
        return Claim("cover", covers_final=self._stage.goals.decides_final, classes=self._tally.counts())


def proposed(stage: Stage, executions: Executions) -> list[Choice] | None:
    """The schedule of a maximal execution that is not excluded; None if there is none."""
    while True:
        with stage.asking():
            candidate = executions.propose()
        if candidate is None:
            return None
        choices = executions.schedule(candidate)
        if choices is not None:
            return choices
        stage.statistics.cycles += 1
