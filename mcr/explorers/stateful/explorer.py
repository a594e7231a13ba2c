"""Explicit global states as an explorer: what is worth an execution, and what was shown when none is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcr.executions.schedule import NamedSchedule, strike_out
from mcr.exploration.completion import RunToEnd
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, GoOn, News, Run, Work
from mcr.exploration.evidence import new_places
from mcr.exploration.verdict import Outlook, Stop
from mcr.explorers.stateful.estimate import states_left
from mcr.explorers.stateful.processes import Process
from mcr.explorers.stateful.shortest import shortest
from mcr.explorers.stateful.space import Space
from mcr.explorers.stateful.stuck import is_deadlock
from mcr.explorers.stateful.system import System
from replay.code.terminals import Ended, Failed, Terminal
from replay.errors import InternalError
from replay.frontend.threads import FINAL
from replay.machine.local_graphs import LocalGraphs
from replay.machine.machine import Choice, Machine, make_choice
from replay.machine.options import UnfoldingOptions
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.liveness import find_deadlock
from replay.traces.player import record
from replay.traces.trace import Failure
from replay.world.shown import shown

if TYPE_CHECKING:
    from mcr.explorers.stateful.progress import Lasso

MOST_FOR_SHORTEST = 20_000
"""Global states that are looked at to find a shortest schedule; the reduced ones are fewer. Where half as many of these
came before the failure, nobody begins to look: it would be in vain."""

FIRST_AUDIT = 64
"""Local states that are known when code is looked at for the first time, if there is no end before."""

STATE, STEP = 4, 1_500
"""What a solver propagates in the time that a global state takes, and the code of a thread up to its next operation."""

MANY = 1_000
"""Global states from which on the rest is explored in C (`native`): for fewer the loop in Python is as fast."""

ROUNDS = 4
"""How often threads that wait in a deadlock look whether they do, at most."""


class Stateful:
    """Explores all global states; executions are run only to show failures, outcomes and deadlocks."""

    def __init__(self, context: ExplorationContext) -> None:
        self._context = context
        self._system = self._new_system()
        self.unfolding = self._system.graphs
        context.outlook = self.outlook
        self.space = Space(self._system)
        self._shown: set[object] = set()
        self._cannot_show_deadlock = self._cannot_show_lasso = False
        self._audit_at = FIRST_AUDIT
        self._effort = 0
        self._audited: set[object] = set()

    def _new_system(self) -> System:
        """One that knows nothing yet."""
        context, options, merges = self._context, self._context.options, self._context.merges
        graphs = LocalGraphs(
            context.program,
            UnfoldingOptions(options.max_operations, merges=merges, compares=options.compares),
            context.limits.check,
            context.told_apart,
            shares=merges and options.reduce,
        )
        whole = bool(context.goals.runs)
        """Whether every step of every thread is looked at."""
        return System(
            graphs,
            context.model,
            options.buffer,
            takes_unseen=options.reduce and not whole,
            joins_notes=options.reduce and not whole and not options.certificate,
            symmetry=options.symmetry and not whole,
        )

    @cached_property
    def random_runs(self) -> list[float] | None:
        from mcr.explorers.stateful.estimate import profile  # late, as only what takes long is asked how far it is

        return profile(self._new_system())

    def outlook(self) -> Outlook:
        from mcr.explorers.stateful.estimate import guess  # late, as only what takes long is asked how far it is

        whole = guess(self.space.levels, self.random_runs)
        return Outlook("global states", "stateful", len(self.space.before), whole)

    def begin(self) -> Iterable[Work]:
        self._system.begin()
        return (GoOn(),)

    def expand(self, work: Work) -> Iterator[News]:
        self._hand_over()
        space = self.space
        self._context.limits.check_room(space.growth)
        yield from self._news(0)
        for before, after in space.explore():
            yield from self._news(before, after)
        if self._context.goals.deadlocks or self._context.goals.allowed:
            yield from self._deadlocks(space.last)
        space.last.clear()
        self._audit()
        if not space.frontier:
            for objective in self._context.goals.runs:
                yield from self._runs_without_end(objective)
        self._context.statistics.frontier = space.frontier
        self._tell_effort()

    def _hand_over(self) -> None:
        """Go on in C if there are many states, and the library was built."""
        space = self.space
        if not self._context.options.native or not space.may_be_handed_over or not self._are_many():
            return
        from mcr.explorers.stateful.native.library import library  # late, as most programs have few states

        found = library()
        if found is not None:
            from mcr.explorers.stateful.native.space import NativeSpace

            self.space = NativeSpace(found, space)

    def _are_many(self) -> bool:
        """Returns whether most steps are known: each unknown one costs more in C, which has to ask for it."""
        return len(self.space.before) >= max(MANY, self._system.entries)

    def _tell_effort(self) -> None:
        effort = self.space.looked_at * STATE + self._system.graphs.runs * STEP
        self._context.spend(effort - self._effort)
        self._effort = effort

    def whole_effort(self) -> float:
        """Returns an estimate of what all states cost: infinite if there is none."""
        left = states_left(self.space.levels)
        return self._effort * (1 + left / len(self.space.before))

    def remaining(self) -> Work | None:
        return GoOn() if self.space.frontier else None

    # -- what is worth an execution ------------------------------------------------

    @cached_property
    def _histories(self) -> Unfolding:
        """Makes an unfolding for the executions, apart from that of other explorers, which let threads be cut."""
        context = self._context
        options = UnfoldingOptions(compares=context.options.compares, stops=False)
        return Unfolding(context.program, options, context.limits.check, context.told_apart)

    def _news(self, state: int, after: int | None = None) -> Iterator[Run]:
        """Show what a step from a state has led to for the first time, or what is so at first."""
        news = [process for process in self._system.news if self._is_worth_showing(process)]
        self._system.news.clear()
        self._context.statistics.global_states = len(self.space.before)
        if news:
            way = self.space.way(state, after)
            run = self._played(way.choices)
            for process in news:
                self._check_shown(process, way.threads[process.thread.index], run.machine)
            for thread in range(len(run.machine.states)):
                self._drain(run, thread)
            yield replace(run, fewest=self._fewest)

    def _fewest(self, failed: State) -> list[Choice] | None:
        """A shortest schedule to a failure that was shown, if it is found without looking at many states."""
        if len(self.space.before) > MOST_FOR_SHORTEST // 2:
            return None  # the search would end without one
        options, graphs = self._context.options, self._system.graphs
        system = System(graphs, self._context.model, options.buffer, takes_unseen=False, symmetry=False)
        what = self._shown_by(self._histories.thread_name(failed.thread), failed.terminal)
        found = shortest(system, lambda each: self._shows(each) == what, MOST_FOR_SHORTEST)
        return None if found is None else self._played(found).choices

    def _is_worth_showing(self, process: Process) -> bool:
        """Returns whether a process is a failure, or an outcome, that no execution has shown."""
        what = self._shows(process)
        if what is None or what in self._shown:
            return False
        self._shown.add(what)
        return True

    def _shows(self, process: Process) -> object:
        """Which bug, or which outcome, a process shows; None if neither."""
        return self._shown_by(self._system.graphs.thread_name(process.thread.index), process.state.terminal)

    def _shown_by(self, thread: str, end: Terminal | None) -> object:
        match end:
            case Failed():
                return Failure.of(thread, end).identity
            case Ended(value) if self._context.goals.outcomes and thread == FINAL:
                return shown(value)
        return None

    def _check_shown(self, process: Process, thread: int, machine: Machine) -> None:
        """Raises an error that says why if a run does not end in what it was sought for: InternalError if none does."""
        name = self._system.graphs.thread_name(thread)
        info = machine.unfolding.thread(name)
        end = None if info is None else machine.states[info.index].terminal
        if self._shown_by(name, end) != self._shows(process):
            self._context.check_lasting(self.unfolding)
            machine.unfolding.audit(machine.histories())
            self._system.graphs.audit([(process.state, process.state.way())])
            raise InternalError(f"{self._context.title}: thread {name} comes to {end}, not to {process.state.terminal}")

    @staticmethod
    def _drain(run: Run, thread: int) -> None:
        """Let the stores of a thread reach memory that a bug does not need: they are still on their way."""
        while run.machine.buffers[thread]:
            choice = make_choice(thread, run.machine.committable(thread)[0])
            run.machine.apply(choice)
            run.choices.append(choice)

    def _deadlocks(self, states: Iterable[int]) -> Iterator[Run]:
        """Show the first deadlock: the threads that look round their loops do so once."""
        stuck = next((state for state in states if is_deadlock(self._system, state)), None)
        if stuck is None or "deadlock" in self._shown:
            return
        machine = Machine(self._histories, self._context.model)
        completion = RunToEnd(machine)
        for choice in self._played(self.space.way(stuck).choices).choices:
            completion.play(choice)
        run = Run(completion.run(most=ROUNDS * len(self._system.graphs.states)), machine)
        self._cannot_show_deadlock = find_deadlock(machine) is None
        if not self._cannot_show_deadlock:
            self._shown.add("deadlock")
            yield run

    def _runs_without_end(self, objective: str) -> Iterator[Run]:
        """Show one that an objective forbids.

        That the condition of a wait fails leaves no trace. Where it does only because others change what it looks at
        while it looks, nothing is there to be shown.
        """
        from mcr.explorers.stateful.progress import LassoSearch  # late, as few ask for runs that go on

        cannot_show = False
        for lasso in LassoSearch(self.space, self._context.limits.check).lassos(objective):
            run = self._lasso_played(lasso, objective)
            cannot_show = run is None
            if run is not None:
                yield run
                break
        self._cannot_show_lasso |= cannot_show

    def _lasso_played(self, lasso: Lasso, objective: str) -> Run | None:
        """The run that goes on for ever as a lasso says; None if that is not to be seen when it is played."""
        context = self._context
        options = UnfoldingOptions(cuts_spins=False, stops=False)
        unfolding = Unfolding(context.program, options, context.limits.check, context.told_apart)
        machine = Machine(unfolding, context.model)
        choices: list[Choice] = []
        begins = 0
        for part in lasso:
            begins = len(choices)
            NamedSchedule.of(self._system.graphs, part).play_on(machine, choices)
            for thread in range(len(machine.states)):
                strike_out(machine, thread, choices)
        repeats = begins if begins < len(choices) else None
        trace = record(unfolding, context.model, choices, objective=objective, repeats=repeats)
        if trace.failure is None or not trace.failure.is_lasso:
            return None
        return Run(choices, machine, shows=objective, repeats=repeats)

    def _played(self, choices: list[Choice]) -> Run:
        """A schedule of the graphs, as one of the unfolding that bugs are shown in."""
        context = self._context
        context.limits.check_executions(context.statistics.executions)
        return Run(*NamedSchedule.of(self._system.graphs, choices).play(self._histories, context.model))

    def _audit(self) -> None:
        """Look at the code of each thread, as far as it came, at the end and whenever local states are many more.

        That of a thread for which another one was run is looked at last, too: it has to do the same.
        """
        graphs = self._system.graphs
        if len(graphs.states) < self._audit_at and self.space.frontier:
            return
        self._audit_at = 4 * len(graphs.states)
        furthest = {state.thread: state for state in graphs.states}
        ends = {state.thread: state for state in graphs.leaves()}
        new = new_places(graphs.states, self._audited)
        samples = {state.number: state for state in (*new, *furthest.values(), *ends.values())}
        graphs.audit([(state, state.way()) for state in samples.values()])
        for info in graphs.threads:
            if info.like is not info:
                for state in (furthest[info.like.index], ends.get(info.like.index)):
                    graphs.confirm_alike(info, state.way() if state is not None else ())

    # -- the end -------------------------------------------------------------------------

    def claim(self) -> Claim:
        stop = None
        if self._system.outcomes.met_longest_buffer:
            bound = self._context.options.buffer
            stop = Stop(f"a thread may have more than {bound} stores in its buffers", "raise --buffer, or add a fence")
        if self._system.met_longest_loop and self._context.goals.deadlocks:
            stop = Stop(
                "a thread only looks, for longer than anybody follows", "let its loop come back to where it was"
            )
        if self._cannot_show_deadlock and self._context.goals.deadlocks:
            stop = Stop("threads wait for ever, one in a loop that is too long to be shown", "wait in a shorter loop")
        if self._cannot_show_lasso:
            stop = Stop("a run goes on for ever that cannot be shown", "let each wait_until look at one place")
        return Claim(
            "stateful",
            stop,
            deadlocks=True,
            figures=(("global states", len(self.space.before)),),
            certificate=self._certificate,
        )

    def _certificate(self) -> dict[str, Any] | None:
        """None if there are more states than a certificate may have."""
        from mcr.exploration.certificates import MOST_STATES
        from mcr.explorers.stateful.certificate import certificate  # late, as few ask for one

        if len(self.space.before) > MOST_STATES:
            return None
        context = self._context
        return certificate(self._system, self.space, context.options.buffer, context.goals.runs)
