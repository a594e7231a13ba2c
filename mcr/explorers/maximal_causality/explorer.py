"""The loop of maximal causality reduction ([huang-2016] figure 2).

    run the program once
    while there is a seed:
        enforce it, and run everything to its end
        ask of the new trace which loads could have read other values

Each seed makes some load read a value that it did not read before. When no
trace has anything more to offer, a formula of all traces is asked whether
every values class was seen (`closing.Closing`); if it proposes an execution of
another one, that is run and asked in its turn. So *verified* does not rest on
the seeds alone. With the paper's encoding the formula only judges.

Seeds are run first come, first served (2.2). Each preserves its parent's
prefix, order and all, and keeps of the rest only what it needs. Two seeds that
are permutations of each other lead to the same class (4.6); `closing.Closing`
knows the classes that were seen, so that redundancy is removed unless a
variant asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from mcr.executions.equivalence import VALUES, MaximalExecution
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.verdict import ClassCount, Stop
from mcr.explorers.maximal_causality.closing import Closing
from mcr.explorers.maximal_causality.phi import COMPLETE, PAPER, ProgramOrder
from mcr.explorers.maximal_causality.query import Solving
from mcr.explorers.maximal_causality.races import RaceFinder
from mcr.explorers.maximal_causality.recording import Goal, Observation, Observed, Recording, Seed, enforce, promised_by
from replay.errors import InternalError
from replay.machine.machine import Machine
from replay.machine.state import NOTHING, State
from replay.world.operation import LOCK, Kind


@dataclass(frozen=True)
class ReadQuestion:
    """A question: can a trace be changed so that a load reads another value, with the frozen prefix kept?"""

    trace: Observation
    frozen: tuple[Observed, ...]
    goal: Goal
    depth_first: ClassVar[bool] = False


class MaximalCausality:
    """The published algorithm as an explorer.

    `expand` raises InternalError if a replay does not do what the solver promised.

    classes     the classes seen, the final function a thread as any other, and whether all ended in their executions
    overlooked  executions that no seed led to: the closing formula proposed them
    skipped     questions and seeds that could only have led to known classes
    """

    def __init__(self, context: ExplorationContext, variant: str = "") -> None:
        """
        variant  "paper" for the published treatment of store buffers; "permutable" runs permutable seeds as published,
                 although they lead to known classes (4.6)
        """
        self._context = context
        self.unfolding = context.unfolding
        self._encoding = PAPER if variant == PAPER else COMPLETE
        self._keeps_permutable = variant == "permutable"
        model = context.model
        order = ProgramOrder(model, self._encoding)
        self.solving = Solving(order, context.options.solver, context.limits.check, context.statistics)
        self.races = RaceFinder()
        self.classes: dict[bytes, bool] = {}
        self._counted: dict[bytes, bool] = {}
        """The same without the final function, as classes are counted everywhere."""
        # The formula knows store forwarding; a paper's execution is not to be continued by means of it.
        is_complete = self._encoding == COMPLETE or not model.forwards
        self._closing = Closing(context, steers=is_complete)
        self._promises: set[frozenset[Goal]] = set()
        """Of the seeds that were run, where permutable ones are."""
        self.overlooked = 0
        self.skipped = 0
        self._is_left_over = False

    def begin(self) -> Iterable[Work]:
        return (Seed(),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, ReadQuestion):
            seed = self.answer(work)
            if seed is not None:
                yield seed
            return
        assert isinstance(work, Seed)
        execution = self._execute(work)
        yield Run(execution.choices, execution.machine)
        self.races.look_at(execution.observation())
        yield from self._questions(work, execution)

    def _questions(self, seed: Seed, execution: Recording) -> Iterator[ReadQuestion]:
        """Every load that the seed does not freeze, and every other value."""
        trace = execution.observation()
        frozen = tuple(trace.event_at(event.before) for event in seed.events)
        for goal in _goals(seed, trace, execution.machine):
            yield ReadQuestion(trace, frozen, goal)

    def answer(self, question: ReadQuestion) -> Seed | None:
        """The seed to run; None if there is none, or only such as lead to known classes."""
        promise = (*promised_by(question.frozen), question.goal)
        if not self._keeps_permutable and not self._closing.may_be_new(promise):
            self.skipped += 1
            return None
        seed = self.solving.seed(question.trace, question.goal, question.frozen)
        if seed is None:
            return None
        chosen = self._unrepeated(seed) if self._keeps_permutable else self._closing.continued(seed)
        self.skipped += chosen is None
        return chosen

    def _unrepeated(self, seed: Seed) -> Seed | None:
        """None if an earlier seed made the same promise."""
        promise = frozenset(seed.promised)
        if promise in self._promises:
            return None
        self._promises.add(promise)
        return seed

    def remaining(self) -> Work | None:
        """A seed to a values class that no question led to; None if there is none.

        With the paper's encoding such classes are not run, so that the paper's executions are what is counted.
        """
        choices = self._closing.propose()
        if choices is None:
            return None
        if self._encoding == PAPER:
            self._is_left_over = True
            return None
        self.overlooked += 1
        return Seed(choices=tuple(choices))

    def claim(self) -> Claim:
        stop = None
        if self._is_left_over:
            stop = Stop("the seeds of the paper's encoding do not lead to every execution", "use --algorithm mcr")
        return Claim("mcr", stop, classes=self._counts(), figures=self._figures())

    def _counts(self) -> tuple[ClassCount, ...]:
        if self._context.goals.equivalence is None:
            return ()
        complete = sum(self._counted.values())
        return (ClassCount("values", complete, len(self._counted) - complete),)

    def _figures(self) -> tuple[tuple[str, int], ...]:
        """[huang-2016] tables 3 and 5."""
        return (
            ("redundant executions", self._context.statistics.redundant),
            ("executions proposed by the closing formula only", self.overlooked),
            ("data races", len(self.races.found)),
            ("seeds tried", self.solving.asked),
            ("seeds satisfiable", self.solving.satisfiable),
            ("seeds skipped", self.skipped),
        )

    def _execute(self, seed: Seed) -> Recording:
        """Enforce a seed, and run everything to its end."""
        context = self._context
        context.limits.check_executions(context.statistics.executions)
        with context.timed("replaying"):
            execution = Recording(context.unfolding, context.model)
            broken = enforce(seed, execution)
            if broken:
                raise InternalError(f"{context.title}: {broken}")
            execution.run()
        self._classify(execution.machine)
        return execution

    def _classify(self, machine: Machine) -> None:
        """Count the class of an execution that came to its end."""
        key = class_of(machine)
        if key in self.classes:
            self._context.statistics.redundant += 1
            return
        self.classes[key] = machine.all_ended()
        final = self.unfolding.final
        self._closing.exclude(_execution(state for state in machine.states if state is not (final and final.root)))
        execution = _execution(state for state in machine.states if state.thread != (final.index if final else NOTHING))
        self._counted[VALUES.key(execution)] = execution.is_complete
        self._context.statistics.classes = len(self._counted)


def class_of(machine: Machine) -> bytes:
    """The values class of an execution that came to its end."""
    return VALUES.key(_execution(machine.states))


def _execution(ends: Iterable[State]) -> MaximalExecution:
    """As far as classes of values tell executions apart: where their threads end."""
    return MaximalExecution(tuple(ends), {}, {})


def _goals(seed: Seed, trace: Observation, machine: Machine) -> Iterator[Goal]:
    """Loads that a seed does not freeze, and those that wait for what will not come, with every other value."""
    promised = {state for state, _ in seed.promised}
    values = trace.reads()
    loads = (state for state in values if state not in promised and not is_determined(state))
    stuck = (s for s in machine.states if s.reads and s.operation is not None and s.operation.kind is not Kind.START)
    for state in (*loads, *stuck):
        known = (values[state],) if state in values else ()
        for value in trace.other_values(state, known):
            yield state, value


def is_determined(state: State) -> bool:
    """Returns whether the state's operation can read one value only, if it executes at all."""
    assert state.operation is not None
    return state.operation.called in _DETERMINED


_DETERMINED = frozenset({Kind.START.value, Kind.JOIN.value, LOCK})
