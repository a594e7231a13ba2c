"""What an exploration looks for: local states, outcomes, classes of executions, deadlocks (docs/algorithms.md).

*states* and *outcomes* cover the unfolding. Classes are enumerated while it
becomes known: every proposal is a maximal execution of a class that was not
seen, or reads something new, which is such a class too; so no execution is
wasted, and to find any unseen class is easier than to find a new state. Where
execution graphs are visited instead (`mcr.explorers.survey`), those of a class that was
seen are passed over; each is a class of *traces* of its own. A deadlock is one
more maximal execution, sought in the complete unfolding.

Several objectives share one exploration where their executions serve each
other: "traces" counts the classes of rf and values as well, and determines
what the final function sees, so it also decides "states" and "outcomes";
"deadlocks" costs one more question to the solver whatever came before.

What maximal means where classes are counted: a wait_until that fails blocks
its thread like an assumption (the execution counts as blocked), also where a
later try would succeed; an execution in which it succeeds is a class of its
own. The final function belongs to no class. It runs at the end of every
execution, and what it fails is a bug; but where memory decides what it sees,
one execution per class of values or rf proves nothing about it, nor do the
executions of "deadlocks": `Result.complete` is then false.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from mcr.encoding.maximality import require_deadlock
from mcr.encoding.proposals import Executions
from mcr.encoding.seed import Candidate
from mcr.executions.causal_past import observe
from mcr.executions.class_counter import ClassCounter
from mcr.executions.equivalence import EQUIVALENCES, TRACES, Equivalence
from mcr.executions.execution import Execution
from mcr.exploration.engine import Engine, OnFailure, Progress
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
from mcr.explorers.survey import ClassSurvey, Survey
from replay.code.thread_run import Ended
from replay.errors import CheckerError, InternalError
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.traces.player import record
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind
from replay.world.shown import shown

STATES, OUTCOMES, DEADLOCKS = "states", "outcomes", "deadlocks"

OBJECTIVES = (STATES, OUTCOMES, *(equivalence.name for equivalence in reversed(EQUIVALENCES)), DEADLOCKS)


@dataclass(frozen=True)
class Goals:
    """The objectives of one exploration.

    equivalence  the finest of those whose classes are asked for, None if none are
    outcomes     every value of the final function, each with a witness
    deadlocks    whether threads may wait for what never comes
    final        whether everything that the final function may see is to be covered
    """

    text: str
    equivalence: Equivalence | None = None
    outcomes: bool = False
    deadlocks: bool = False
    final: bool = False

    @classmethod
    def parse(cls, text: str) -> Goals:
        """Read "rf" or "values,rf,deadlocks". Raises CheckerError for unknown objectives and those that do not fit."""
        names = [name.strip() for name in text.split(",")]
        for name in names:
            if name not in OBJECTIVES:
                raise CheckerError(f"unknown objective {name!r}; there are {', '.join(OBJECTIVES)}")
        equivalence = next((each for each in EQUIVALENCES if each.name in names), None)
        final = [name for name in (STATES, OUTCOMES) if name in names]
        if final and equivalence not in (None, TRACES):
            raise CheckerError(
                f"{final[0]} and {equivalence.name} do not go together: one execution per class of {equivalence.name} "
                f"does not show everything that the final function may see; ask for them one after the other, or for "
                f"{final[0]} and traces"
            )
        return cls(",".join(names), equivalence, OUTCOMES in names, DEADLOCKS in names, bool(final))


class ObjectiveEngine(Engine):
    """One exploration for one objective, or for several that fit."""

    def __init__(
        self,
        goals: Goals,
        program: Program,
        model: MemoryModel,
        options: Options,
        on_progress: Progress | None = None,
        on_failure: OnFailure | None = None,
    ) -> None:
        self._goals = goals
        self._counter = ClassCounter(goals.equivalence) if goals.equivalence else None
        self._latest: Execution | None = None
        self._proposable: list[bytes] = []  # schedules of classes that were seen, and of which the solver was not told
        self.objective = goals.text
        self.retry_waits = goals.equivalence is None
        self.covers_final = goals.final and goals.equivalence is None
        self._invents_final = goals.outcomes and program.instance().final_code is None
        shown = program.returning_results() if goals.outcomes else program
        super().__init__(shown, model, options, on_progress, on_failure)

    def explore(self) -> Result:
        result = super().explore()
        classes = self._counter.counts() if self._counter else ()
        return replace(result, classes=classes, complete=result.complete and self._decides_final())

    def _cover(self) -> None:
        if self._counter is None:
            super()._cover()
        else:
            self._enumerate(self._counter)
        if self._goals.deadlocks and self._may_go_on():
            self._find_deadlock()

    def _may_go_on(self) -> bool:
        """Whether the unfolding is complete, and further bugs are of interest."""
        return not self._is_done() and self._cut() is None

    def _decides_final(self) -> bool:
        """Whether a final function that did not fail never will."""
        final = self.unfolding.final
        if final is None or self.covers_final or self._goals.equivalence is TRACES:
            return True
        states = (state for state in self.unfolding.states if state.thread == final.index)
        loads = any(state.operation is not None and state.operation.kind is Kind.LOAD for state in states)
        return self._goals.equivalence is not None and not loads

    # -- executions ----------------------------------------------------------

    def _observe(self, machine: Machine, choices: list[Choice]) -> None:
        if self._counter is not None:
            self._count(self._counter, observe(self.unfolding, self.model, choices))
            if self._latest is not None:
                self._proposable.append(_packed(choices))
        if self._goals.outcomes:
            self._note_outcome(machine, choices)

    def _count(self, counter: ClassCounter, execution: Execution) -> None:
        self._latest = execution if counter.add(execution) else None
        if self._latest is None:
            self.statistics.redundant += 1
            return
        if execution.is_complete:
            self.statistics.classes += 1
        else:
            self.statistics.blocked_classes += 1

    def _note_outcome(self, machine: Machine, choices: list[Choice]) -> None:
        assert self.unfolding.final is not None
        final = self.unfolding.final.index
        terminal = machine.states[final].terminal
        if isinstance(terminal, Ended) and shown(terminal.value) not in self.witnesses:
            if self._invents_final:  # a replay of the user's program knows nothing of it
                choices = [choice for choice in choices if choice.thread != final]
            self.witnesses[shown(terminal.value)] = record(self.unfolding, self.model, choices)
            self.statistics.classes += self._counter is None

    # -- graphs --------------------------------------------------------------

    def _executions_before_survey(self) -> int:
        every_graph_is_a_class = self._goals.equivalence is TRACES
        return 1 if every_graph_is_a_class else super()._executions_before_survey()

    def _new_survey(self) -> Survey:
        if self._counter is None:
            return super()._new_survey()
        return ClassSurvey(self.unfolding, self.model, self._play_failure, self._counter)

    # -- maximal executions ---------------------------------------------------

    def _enumerate(self, counter: ClassCounter) -> None:
        """Play one execution of each class; what they show makes more of them known."""
        if self._survey():
            return
        executions: Executions | None = None
        choices: list[Choice] | None = []
        while choices is not None:
            self._complete(self._play(choices), choices)
            if self._latest is None:
                raise InternalError(f"{self.program.title} under {self.model.name}: a class was proposed twice")
            if self._is_done() or self._survey():
                return
            executions = executions or Executions(
                self.unfolding, self.model, self._new_solver(), one_source=counter.finest.sources
            )
            executions.grow()
            for packed in self._proposable:
                executions.exclude(observe(self.unfolding, self.model, _unpacked(packed)), counter.finest)
            self._proposable.clear()
            choices = self._propose(executions)

    def _find_deadlock(self) -> None:
        executions = Executions(self.unfolding, self.model, self._new_solver())
        executions.grow()
        require_deadlock(executions.formula, executions.maximality)
        choices = self._propose(executions)
        if choices is None:
            return
        self.statistics.blocked += not self._play(choices).all_ended()
        self.statistics.executions += 1
        trace = record(self.unfolding, self.model, choices, deadlocks=True)
        if trace.failure is None:
            raise InternalError(f"{self.program.title} under {self.model.name}: a proposed deadlock is none")
        self._bugs.add(DEADLOCKS, trace)

    def _propose(self, executions: Executions) -> list[Choice] | None:
        """The schedule of a maximal execution that is not excluded; None if there is none."""
        while (candidate := self._ask(executions)) is not None:
            choices = executions.schedule(candidate)
            if choices is not None:
                return choices
            self.statistics.cycles += 1
        return None

    def _ask(self, executions: Executions) -> Candidate | None:
        with self._solving():
            return executions.propose()


def _packed(choices: Iterable[Choice]) -> bytes:
    """A schedule, small: a survey keeps one for each class until it is known whether the solver goes on from there."""
    return array("i", chain.from_iterable(choices)).tobytes()


def _unpacked(packed: bytes) -> list[Choice]:
    numbers = iter(array("i", packed))
    return [Choice(*choice) for choice in zip(numbers, numbers, numbers, strict=True)]


def engine_for(objective: str | Iterable[str]) -> Callable[..., Engine]:
    """The engine of an objective, or of several ("values,rf"); takes the arguments of `Engine`.

    Raises CheckerError for unknown objectives, and for those that do not go together.
    """
    text = objective if isinstance(objective, str) else ",".join(objective)
    return partial(ObjectiveEngine, Goals.parse(text))
