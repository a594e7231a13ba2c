"""Every configuration of the machine as an explorer: for small programs, and for those who want to see it happen."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.observers import ClassTally
from replay.code.terminals import Failed
from replay.machine.machine import Choice, Machine


@dataclass(frozen=True, slots=True)
class _Configuration:
    """A configuration, and how it came about: the last choice, and the configuration before."""

    machine: Machine
    choice: Choice | None = None
    before: _Configuration | None = None
    depth_first: ClassVar[bool] = True

    def after(self, choice: Choice) -> _Configuration:
        """The one that a choice leads to."""
        machine = self.machine.copy()
        machine.apply(choice)
        return _Configuration(machine, choice, self)

    def choices(self) -> list[Choice]:
        """The schedule that leads here."""
        found: list[Choice] = []
        here: _Configuration | None = self
        while here is not None and here.choice is not None:
            found.append(here.choice)
            here = here.before
        return found[::-1]


class Exhaustive:
    """Visits every configuration once; an execution is run for each in which nothing is possible any more.

    One in which a thread has just failed, in a way that is not known, is shown at once.
    """

    def __init__(self, context: ExplorationContext) -> None:
        self._context = context
        self.unfolding = context.unfolding
        self._tally = ClassTally(context)
        self._seen: set[Hashable] = set()

    def begin(self) -> Iterable[Work]:
        return (self._first(),)

    def _first(self) -> _Configuration:
        return _Configuration(Machine(self.unfolding, self._context.model))

    def expand(self, work: Work) -> Iterator[News]:
        assert isinstance(work, _Configuration)
        choices = work.machine.choices()
        if not choices:
            yield self._last(work)
        for choice in choices:
            successor = work.after(choice)
            key = successor.machine.key()
            if key in self._seen:
                continue
            self._seen.add(key)
            moved = successor.machine.states[choice.thread]
            if isinstance(moved.terminal, Failed) and not self._context.bugs.knows(self.unfolding, moved):
                yield self._run(successor)
            yield successor

    def remaining(self) -> Work | None:
        return None

    def claim(self) -> Claim:
        figures = (("configurations", len(self._seen) + 1),)
        return Claim("exhaustive", deadlocks=True, classes=self._tally.counts(), figures=figures)

    def _last(self, work: _Configuration) -> Run:
        run = self._run(work)
        self._tally.count(run)
        return run

    def _run(self, work: _Configuration) -> Run:
        self._context.limits.check_executions(self._context.statistics.executions)
        return Run(work.choices(), work.machine)
