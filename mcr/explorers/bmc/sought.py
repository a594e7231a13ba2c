"""Goals that an execution can show: failures, the ends of threads, outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcr.encoding.seed import Candidate
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Run
from mcr.explorers.bmc.formula import TermFormula
from mcr.explorers.bmc.growth import as_part
from replay.code.terminals import Cut, Ended, Failed
from replay.machine.state import State
from replay.on_terms.symbols import Truth
from replay.world.values import canonical_key
from solvers.interface import Disjunction, Statement


class Sought:
    """Turns what was not shown yet into goals of a formula, and what was shown into none.

    Ends of threads are sought since a report says which threads of a verified program never come to theirs.
    """

    def __init__(self, context: ExplorationContext) -> None:
        self._context = context
        self._formula: TermFormula | None = None
        self._looked_at = 0
        self._ended: set[str] = set()
        """Threads whose end was seen."""
        self._ends: dict[str, tuple[Statement, Disjunction]] = {}
        self._outcomes: dict[object, object] = {}
        self._new_outcome: dict[int, tuple[State, Statement, int]] = {}
        self._past: set[int] = set()
        """States that were shown, and those in which threads are cut, once one was."""
        self._excluded: set[int] = set()
        """Those of them that the formula excludes already."""
        self._is_cut = False

    def begin_anew(self) -> None:
        """There is a new unfolding: states have other numbers."""
        self._formula = None
        self._past = set()

    def begin(self, formula: TermFormula) -> None:
        """Start over with a new formula."""
        self._formula = formula
        self._looked_at = 0
        self._ends = {}
        self._new_outcome = {}
        self._excluded = set()

    def see(self, run: Run) -> None:
        """An execution was run."""
        unfolding = self._context.unfolding
        for state in run.machine.states:
            info = unfolding.threads[state.thread]
            if isinstance(state.terminal, Ended):
                self._ended.add(info.name)
                if info.is_final and self._context.goals.outcomes:
                    self._outcomes.setdefault(canonical_key(state.terminal.value), state.terminal.value)
            self._is_cut |= isinstance(state.terminal, Cut)

    def grow(self) -> None:
        """Tell the formula what to look for, and what not to look for any more."""
        formula = self._formula
        assert formula is not None
        for state in formula.unfolding.states[self._looked_at :]:
            if isinstance(state.terminal, Ended):
                self._add_end(formula, state)
        self._looked_at = len(formula.unfolding.states)
        if self._is_cut:
            self._past |= {state.number for state in formula.unfolding.leaves() if isinstance(state.terminal, Cut)}
        for number in sorted(self._past - self._excluded):
            formula.solver.require((-formula.executed[number],))
        self._excluded |= self._past
        for name in sorted(self._ended & self._ends.keys()):
            formula.solver.require((-self._ends.pop(name)[0],))
        self._exclude_outcomes(formula)

    def _add_end(self, formula: TermFormula, state: State) -> None:
        info, executed = formula.unfolding.threads[state.thread], formula.executed[state.number]
        if (info.is_declared or info.is_final) and info.name not in self._ended:
            if info.name not in self._ends:
                goal = formula.solver.statement()
                self._ends[info.name] = goal, formula.solver.open_disjunction((-goal,))
                formula.seek(goal)
            formula.solver.extend(self._ends[info.name][1], (executed,))
        if info.is_final and self._context.goals.outcomes:
            goal = formula.solver.statement()
            formula.solver.require((-goal, executed))
            formula.seek(goal)
            self._new_outcome[state.number] = state, goal, 0

    def _exclude_outcomes(self, formula: TermFormula) -> None:
        outcomes = list(self._outcomes.values())
        for number, (state, goal, known) in self._new_outcome.items():
            assert isinstance(state.terminal, Ended)
            for outcome in outcomes[known:]:
                parts = list(_agreement(formula, state.terminal.value, outcome))
                formula.solver.require((-goal, *(-part for part in parts)))
            self._new_outcome[number] = state, goal, len(outcomes)

    def reached(self, candidate: Candidate) -> list[State]:
        """A state that an assignment shows and that was not shown yet: a failure first; none if it shows none."""
        formula = self._formula
        assert formula is not None
        ends = [path[-1] for path in candidate.paths]
        failed = [end for end in ends if isinstance(end.terminal, Failed)]
        cut = [end for end in ends if isinstance(end.terminal, Cut)]
        if failed or cut:
            return (failed or cut)[:1]
        holds = formula.solver.holds
        for end in ends:
            if not isinstance(end.terminal, Ended):
                continue
            name = formula.unfolding.thread_name(end.thread)
            wanted = self._ends.get(name)
            new = self._new_outcome.get(end.number)
            if (wanted is not None and holds(wanted[0])) or (new is not None and holds(new[1])):
                return [end]
        return []

    def show(self, states: Iterable[State]) -> None:
        """These were shown: a failure is not sought any more."""
        for state in states:
            if isinstance(state.terminal, Failed):
                self._past.add(state.number)


def _agreement(formula: TermFormula, value: object, outcome: object) -> Iterator[Statement]:
    """Statements that hold together if a value, with terms in it, is this outcome."""
    circuits = formula.circuits
    if isinstance(value, tuple) and isinstance(outcome, tuple) and len(value) == len(outcome):
        for mine, other in zip(value, outcome, strict=True):
            yield from _agreement(formula, mine, other)
        return
    part = as_part(value)
    if type(value) is Truth and type(outcome) is bool:
        yield circuits.truth(value.term) * (1 if outcome else -1)
    elif part is not None and type(outcome) is int:
        yield circuits.equal(part, outcome)
    else:
        yield circuits.gates.constant(canonical_key(value) == canonical_key(outcome))
