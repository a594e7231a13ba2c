"""Explicit global states as an explorer: what is worth an execution, and what was shown when none is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from mcr.executions.names import NamedSchedule
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import Stop
from mcr.explorers.stateful.shortest import shortest
from mcr.explorers.stateful.space import Space
from mcr.explorers.stateful.stuck import is_deadlock
from mcr.explorers.stateful.system import Process, System
from replay.code.terminals import Ended, Failed
from replay.machine.local_graphs import LocalGraphs
from replay.machine.machine import Choice
from replay.machine.state import State
from replay.traces.trace import Failure
from replay.world.shown import shown

MOST_FOR_SHORTEST = 20_000
"""Global states that are looked at to find a shortest schedule; the reduced ones are fewer."""


class _Slice:
    """Work: the successors of some more states."""

    depth_first: ClassVar[bool] = False


class Stateful:
    """Explores all global states; executions are run only to show failures, outcomes and deadlocks."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        bound, check = stage.options.max_operations, stage.limits.check
        graphs = LocalGraphs(stage.program, bound, check, merges=stage.merges, audits=stage.audits)
        stage.seen = graphs
        self._system = System(graphs, stage.model, stage.options.buffer, takes_unseen=stage.options.reduce)
        self.space = Space(self._system)
        self._shown: set[object] = set()
        self._audited = 0

    def begin(self) -> Iterable[Work]:
        self._system.begin()
        return (_Slice(),)

    def expand(self, work: Work) -> Iterator[News]:
        space = self.space
        yield from self._news(space.way(0))
        for before, after in space.explore():
            yield from self._news([*space.way(before), *space.step(before, after)])
        if self._stage.goals.deadlocks:
            yield from self._deadlocks(space.last)
        space.last.clear()
        self._audit()
        statistics = self._stage.statistics
        statistics.global_states, statistics.frontier = len(space.before), space.frontier

    def remaining(self) -> Work | None:
        return _Slice() if self.space.frontier else None

    # -- what is worth an execution ------------------------------------------------

    def _news(self, choices: list[Choice]) -> Iterator[Run]:
        """Show what a step has led to for the first time."""
        news = [process for process in self._system.news if self._is_worth_showing(process)]
        self._system.news.clear()
        if news:
            run = self._played(choices)
            yield Run(run.choices, run.machine, fewest=lambda: self._fewest(news[0]))

    def _fewest(self, failed: Process) -> list[Choice] | None:
        """A shortest schedule to a failure, if it is found without looking at many states."""
        if not isinstance(failed.state.terminal, Failed):
            return None
        options, graphs = self._stage.options, self._system.graphs
        system = System(graphs, self._stage.model, options.buffer, takes_unseen=False)
        thread, what = failed.thread.index, self._identity(failed)
        found = shortest(
            system, lambda each: each.thread.index == thread and self._identity(each) == what, MOST_FOR_SHORTEST
        )
        return None if found is None else self._played(found).choices

    def _identity(self, process: Process) -> object:
        """Which bug it is that a process shows; None if it has not failed."""
        end = process.state.terminal
        if not isinstance(end, Failed):
            return None
        return Failure.of(self._system.graphs.thread_name(process.thread.index), end).identity

    def _is_worth_showing(self, process: Process) -> bool:
        """Whether a process is a failure, or an outcome, that no execution has shown."""
        what: object = None
        match process.state.terminal:
            case Failed():
                what = self._identity(process)
            case Ended(value) if self._stage.goals.outcomes and self._is_final(process.state):
                what = shown(value)
        if what is None or what in self._shown:
            return False
        self._shown.add(what)
        return True

    def _is_final(self, state: State) -> bool:
        return self._system.graphs.threads[state.thread].is_final

    def _deadlocks(self, states: Iterable[int]) -> Iterator[Run]:
        """Show the first deadlock: the threads that look round their loops do so once."""
        stuck = next((state for state in states if is_deadlock(self._system, state)), None)
        if stuck is not None and "deadlock" not in self._shown:
            self._shown.add("deadlock")
            yield self._stage.run(self._played(self.space.way(stuck)).choices)

    def _played(self, choices: list[Choice]) -> Run:
        """A schedule of the graphs, as one of the unfolding that bugs are shown in."""
        stage = self._stage
        stage.limits.check_executions(stage.statistics.executions)
        stage.unfolding.bound = max(stage.unfolding.bound, len(choices) + 1)
        return Run(*NamedSchedule.of(self._system.graphs, choices).play(stage.unfolding, stage.model))

    def _audit(self) -> None:
        """Look at the code of each thread, as far as it came, whenever twice as many local states are known."""
        graphs = self._system.graphs
        if len(graphs.states) >= 2 * self._audited:
            self._audited = len(graphs.states)
            furthest = {state.thread: state for state in graphs.states}
            graphs.audit([(state, state.way()) for state in furthest.values()])

    # -- the end -------------------------------------------------------------------------

    def claim(self) -> Claim:
        stop = None
        if self._system.met_longest_buffer:
            bound = self._stage.options.buffer
            stop = Stop(f"a thread may have more than {bound} stores in its buffers", "raise --buffer, or add a fence")
        return Claim("stateful", stop, deadlocks=True, figures=(("global states", len(self.space.before)),))
