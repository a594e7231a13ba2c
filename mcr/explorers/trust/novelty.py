"""Which of the execution graphs that a process visits may show something new to the process that it works for.

What is executed is decided where all parts are known. A graph is left out here if everything in it was in graphs that
are a whole batch older, or was executed before the work was shared: it cannot be new then, nor help to choose among
those that are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from mcr.executions.schedule import NamedSchedule
from mcr.exploration.stage import Stage
from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.schedule import schedule_of
from mcr.explorers.trust.survey import BATCH, Full
from replay.errors import CheckerError
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING
from replay.traces.trace import Failure


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a subtree has shown when so many full graphs of it had been visited.

    visited   how many, the one that shows it included
    is_full   whether it came with a full graph
    schedule  of a full graph, or of one that shows a failure; by names, as other processes have other numbers
    like      in place of a schedule, when another graph was visited that shows the same; 0 for none
    failed    the failure that the schedule shows, None if it is there for what else it shows
    error     the model is broken
    """

    visited: int
    is_full: bool
    schedule: NamedSchedule | None = None
    like: int = 0
    failed: Failure | None = None
    error: CheckerError | None = None


class NoveltyFilter:
    """Lets graphs pass that show local states, or steps of the final function, which are not old.

    It looks at the graphs of one subtree after the other, in the order in which one process would come to them.
    """

    def __init__(self, stage: Stage, trust: Trust, executed: set[int]) -> None:
        """`executed` are the local states that executions had shown before the work was shared."""
        self._stage = stage
        self._trust = trust
        self._final = stage.unfolding.final if stage.goals.decides_final else None
        self._endings: dict[Hashable, set[object]] = {}
        """What the final function does, by what is in memory and what the threads returned."""
        self._old: set[object] = {*executed}
        """Was shown a whole batch ago; the other two in the batch before this one, and in this one."""
        self._previous: set[object] = set()
        self._current: set[object] = set()
        self._alike: dict[object, int] = {}
        """By what they showed that was not old, when graphs were visited: in this batch, and in the one before."""
        self._alike_before: dict[object, int] = {}

    def begin(self) -> None:
        """Another subtree is visited."""
        self._trust.forget_failures()
        self._previous, self._current = set(), set()
        self._alike, self._alike_before = {}, {}

    def found(self, visited: int, full: Graph | None, *, whatever: bool) -> Iterator[Found]:
        """What came of one more step: failures, and a full graph, the `visited`th, if it led to one.

        `whatever` it shows: to look what is new lets the final function run, of which the caller may have to know
        nothing yet.
        """
        failures, self._trust.failures = self._trust.failures, []
        for graph, failed in failures:
            schedule = self._named(schedule_of(graph, self._stage.model))
            yield Found(visited, full is not None, schedule, failed=failed)
        if full is not None:
            for graph in self._trust.executions(full):
                shown = Full.of(graph, self._stage.model)
                if whatever:
                    yield Found(visited, True, self._named(shown.schedule()))
                else:
                    yield from self._new(visited, shown)
            if visited % BATCH == 0:
                self._turn()

    def _named(self, choices: list[Choice]) -> NamedSchedule:
        return NamedSchedule.of(self._stage.unfolding, choices)

    def _new(self, visited: int, full: Full) -> Iterator[Found]:
        """A full graph, if it shows what is not old."""
        new = frozenset((full.states | self._ending(full)) - self._old)
        if not new:
            return
        self._current |= new
        like = self._alike.get(new) or self._alike_before.get(new) or 0
        if not like:
            self._alike[new] = visited
        yield Found(visited, True, None if like else self._named(full.schedule()), like)

    def _turn(self) -> None:
        """A batch of graphs was visited."""
        self._old |= self._previous
        self._previous, self._current = self._current, set()
        self._alike, self._alike_before = {}, self._alike

    def _ending(self, full: Full) -> set[object]:
        """The steps of the final function after an execution, each by its state and what it reads."""
        if self._final is None:
            return set()
        unfolding = self._stage.unfolding
        key = full.left_behind(unfolding)
        found = self._endings.get(key)
        if found is None:
            machine = full.machine(unfolding, self._stage.model)
            found = self._endings[key] = self._final_steps(self._final.index, machine)
        return found

    def _final_steps(self, final: int, machine: Machine) -> set[object]:
        """The steps; and one that nothing else has where there is a choice, so that the execution tells."""
        found: set[object] = set()
        alone = (NOTHING, len(self._endings))
        while True:
            state = machine.states[final]
            if state.inputs:
                return {*found, alone}
            if machine.can_run(final):
                found.add((state.number, machine.visible(final)))
                try:
                    machine.run(final, NOTHING)
                except CheckerError:
                    return {*found, alone}
            elif machine.buffers[final]:
                machine.commit(final, machine.committable(final)[0])
            else:
                return found
