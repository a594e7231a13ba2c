"""Random schedules for programs that are too large for a proof, with what can be said of what they miss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from mcr.exploration.context import STEP, ExplorationContext
from mcr.exploration.contract import Claim, GoOn, News, Run, Work
from mcr.exploration.verdict import Stop
from mcr.explorers.sample.samplers import sampler_named
from mcr.explorers.sample.sampling import SampledRun
from replay.machine.machine import Machine
from replay.machine.unfolding import Unfolding
from replay.sentences import counted

_REMEDY = "sample more runs, or check a smaller program without --sample for a proof"


OPERATIONS = 5_000
"""After so many a thread is cut, unless users say otherwise: enough for a thousand rounds of a test under stress."""


class Sample:
    """Runs so many schedules; the same ones each time.

    unfolding  where they are run
    """

    def __init__(self, context: ExplorationContext, schedules: int, unfolding: Unfolding) -> None:
        self._context = context
        self._schedules = schedules
        self.unfolding = unfolding
        self._sampler = sampler_named(context.options.sampler)
        self._runs = 0
        self._has_inputs = False

    def begin(self) -> Iterable[Work]:
        return ()

    def remaining(self) -> Work | None:
        return None if self._runs >= self._schedules else GoOn()

    def expand(self, work: Work) -> Iterator[News]:
        context, random = self._context, Random(self._runs)
        context.limits.check_executions(context.statistics.executions)
        machine = Machine(self.unfolding, context.model)
        run = SampledRun(machine, self._sampler.chooser(self._runs, random), random)
        choices = run.run()
        context.spend(STEP * run.steps)
        self._runs += 1
        self._has_inputs |= run.has_inputs
        self._sampler.learn(run)
        yield Run(choices, machine)

    def claim(self) -> Claim:
        name = self._context.options.sampler
        sampled = f"{counted(self._runs, 'schedule')} sampled at random (--sampler {name})"
        inputs = ", if the inputs that were drawn are those that matter" if self._has_inputs else ""
        bound = self._sampler.guarantee() + inputs
        stop = None if self._context.bugs else Stop(sampled, f"{bound}; {_REMEDY}")
        return Claim("sample", stop=stop, covers_final=False, bound=f"of {sampled}: {bound}")
