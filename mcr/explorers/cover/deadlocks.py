"""Whether threads can wait for what never comes: one more question, when everything else was explored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, TypedDict

from mcr.encoding.maximality import require_deadlock
from mcr.encoding.proposals import Executions
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.evidence import cut
from mcr.exploration.stage import Stage
from mcr.exploration.travel import Travelling, pack_schedule, read_as, unpack_schedule
from mcr.explorers.cover.classes import proposed
from replay.machine.machine import Choice


@dataclass(frozen=True, slots=True)
class _Deadlock:
    """Play these choices, and all who wait wait for ever."""

    choices: list[Choice]
    depth_first: ClassVar[bool] = False


class _Packed(TypedDict, total=False):
    stuck: object
    first: object


class ThenDeadlocks:
    """What another explorer does, and then the question whether an execution of the complete unfolding is stuck."""

    def __init__(self, stage: Stage, first: Travelling) -> None:
        self._stage = stage
        self._first = first
        self._asked = False

    def begin(self) -> Iterable[Work]:
        return self._first.begin()

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, _Deadlock):
            yield replace(self._stage.run(work.choices), deadlock=True)
        else:
            yield from self._first.expand(work)

    def remaining(self) -> Work | None:
        work = self._first.remaining()
        if work is not None or self._asked or cut(self._stage.unfolding) is not None:
            return work
        self._asked = True
        choices = self._stuck()
        return None if choices is None else _Deadlock(choices)

    def pack(self, work: Work) -> object:
        """By names, and by who has to do it."""
        if isinstance(work, _Deadlock):
            return _Packed(stuck=pack_schedule(self._stage, work.choices))
        return _Packed(first=self._first.pack(work))

    def unpack(self, packed: object) -> Work:
        read = read_as(packed, _Packed)
        if "stuck" in read:
            return _Deadlock(unpack_schedule(self._stage, read["stuck"]))
        return self._first.unpack(read.get("first"))

    def see(self, run: Run) -> None:
        if not run.deadlock:
            self._first.see(run)

    def claim(self) -> Claim:
        return self._first.claim()

    def _stuck(self) -> list[Choice] | None:
        """The schedule of an execution that is stuck; None if there is none."""
        stage = self._stage
        executions = Executions(stage.unfolding, stage.model, stage.new_solver())
        executions.grow()
        require_deadlock(executions.formula, executions.maximality)
        return proposed(stage, executions)
