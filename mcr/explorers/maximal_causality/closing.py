"""The closed formula of all traces, which is asked for maximal executions of unseen values classes.

It serves twice.

* Permutable seeds ([huang-2016] 4.6): a seed whose promise only known classes
  keep is not run; where others keep it too, it is continued towards one of them.
* The last word: [huang-2016] 2.3 concludes that no class is missed from asking
  every load of every trace for every other value. But seeds change one trace
  at a time, and what is new may need two changes that no single trace allows
  one after the other (`tests/maximal/test_closing.py` has examples). So in the
  end the formula is asked for an execution that no seed led to; with "there is
  none", all classes were seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mcr.encoding.maximality import MaximalExecutions
from mcr.encoding.seed import Candidate
from mcr.executions.equivalence import VALUES, MaximalExecution
from mcr.executions.schedule import rehearse, remaining
from mcr.exploration.context import ExplorationContext
from mcr.explorers.maximal_causality.recording import Goal, Seed
from replay.machine.machine import Choice
from replay.machine.state import State
from replay.world.operation import Kind


class Closing:
    """The classes that were seen, and the formula that proposes others. The formula is made when it is first asked."""

    def __init__(self, context: ExplorationContext, *, steers: bool) -> None:
        """Without `steers`, seeds are continued in program order, whatever that leads to."""
        self._steers = steers
        self._context = context
        self._executions: MaximalExecutions | None = None
        self._seen: list[MaximalExecution] = []

    def exclude(self, execution: MaximalExecution) -> None:
        """Take note of the class of an execution that came to its end; it was not excluded before."""
        self._seen.append(execution)

    def may_be_new(self, promise: Iterable[Goal]) -> bool:
        """Returns whether an execution of an unseen class reads these values at these local states."""
        return _reads_something_new(promise) or self.propose(promise) is not None

    def continued(self, seed: Seed) -> Seed | None:
        """The seed, and after it whatever leads to an unseen class; None if no such class keeps its promise.

        Where its order of events does not lead there, it takes another one that keeps the promise.
        """
        if _reads_something_new(seed.promised):
            return seed
        choices = self.propose(seed.promised)
        if choices is None:
            return None
        return replace(seed, choices=tuple(self._continuation(seed.choices, choices))) if self._steers else seed

    def _continuation(self, seed: Sequence[Choice], proposed: Sequence[Choice]) -> Sequence[Choice]:
        """The choices of a seed continued to where a proposed schedule leads, or to anything else that is new."""
        unfolding, model = self._context.unfolding, self._context.model
        whole = [*seed, *remaining(proposed, seed)]
        found = rehearse(unfolding, model, whole)
        if found.new is not None:
            return whole[: found.played + 1]
        target = rehearse(unfolding, model, proposed)
        if found == (target.states, len(whole), None):
            return whole
        if not _is_update(target.new):
            return proposed
        # Nobody knows what an update will write that reads something new; so it must be the last step.
        later = [*proposed[: target.played], *proposed[target.played + 1 :], proposed[target.played]]
        found = rehearse(unfolding, model, later)
        return later if found.new is not None and found.played == len(later) - 1 else seed

    def propose(self, promise: Iterable[Goal] = ()) -> list[Choice] | None:
        """The schedule of an execution of an unseen class that keeps a promise; None if there is none.

        If it would read something new, the schedule ends there. The promise is of values that are known at
        their local states.
        """
        executions = self._grown()
        through = _last(state.edges[value].after for state, value in promise)
        choices = None
        while choices is None and (candidate := self._ask(executions, through)) is not None:
            choices = executions.schedule(candidate, through)
            self._context.statistics.cycles += choices is None
        return choices

    def _ask(self, executions: MaximalExecutions, through: list[State]) -> Candidate | None:
        self._context.statistics.proposals += 1
        with self._context.timed("solving"):
            return executions.propose(through)

    def _grown(self) -> MaximalExecutions:
        """The formula with all that was seen."""
        context = self._context
        with context.timed("encoding"):
            if self._executions is None:
                self._executions = MaximalExecutions(context.unfolding, context.model, context.new_solver(), final=True)
            self._executions.grow()
            for execution in self._seen:
                self._executions.exclude(execution, VALUES)
            self._seen.clear()
        return self._executions


def _last(states: Iterable[State]) -> list[State]:
    """The deepest of some states of each thread: it implies the others."""
    found: dict[int, State] = {}
    for state in states:
        known = found.get(state.thread)
        if known is None or known.depth < state.depth:
            found[state.thread] = state
    return list(found.values())


def _reads_something_new(promise: Iterable[Goal]) -> bool:
    return any(value not in state.edges for state, value in promise)


def _is_update(state: State | None) -> bool:
    return state is not None and state.operation is not None and state.operation.kind is Kind.UPDATE
