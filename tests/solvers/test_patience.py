"""When a question goes to a fresh solver: how long is long depends on the questions before it."""

from __future__ import annotations

import pytest

import solvers.sat
from solvers.sat import SatSolver
from tests.solvers.pigeons import pigeons


@pytest.fixture
def afresh(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The questions that went to a fresh solver."""
    found: list[int] = []
    solve = SatSolver._solve_afresh

    def noting(self: SatSolver, assumptions: list[int]) -> list[int] | None:
        found.append(self.calls)
        return solve(self, assumptions)

    monkeypatch.setattr(SatSolver, "_solve_afresh", noting)
    return found


def test_a_hard_question_goes_to_a_fresh_solver(afresh: list[int]) -> None:
    solver = SatSolver("minisat22")
    assert not solver.propose(assuming=pigeons(solver, 7))
    assert afresh == [1]


def test_what_is_usual_is_not_hard(afresh: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same question stays where questions before it took ten times as long in all."""
    monkeypatch.setattr(solvers.sat, "_PATIENCE", 10**6)
    solver = SatSolver("minisat22")
    for holes in (7, 7, 7, 8):
        assert not solver.propose(assuming=pigeons(solver, holes))
    monkeypatch.setattr(solvers.sat, "_PATIENCE", 10)
    assert not solver.propose(assuming=pigeons(solver, 5))
    assert afresh == []
    monkeypatch.setattr(solvers.sat, "_USUAL", 10**9)
    assert not solver.propose(assuming=pigeons(solver, 5))
    assert afresh == [6]


@pytest.fixture
def looked() -> list[None]:
    """Grows each time that a solver asks whether to go on."""
    return []


def _ask_a_hard_question(looked: list[None]) -> int:
    """How often a solver looked around meanwhile."""
    solver = SatSolver("minisat22", lambda: looked.append(None))
    before = len(looked)
    assert not solver.propose(assuming=pigeons(solver, 7))
    return len(looked) - before


def test_solvers_look_around_more_often_as_formulas_grow(monkeypatch: pytest.MonkeyPatch, looked: list[None]) -> None:
    """By conflicts and clauses, never by the clock: the same search everywhere."""
    few = _ask_a_hard_question(looked)
    assert few == _ask_a_hard_question(looked)
    monkeypatch.setattr(SatSolver, "_work", 20_000)
    assert _ask_a_hard_question(looked) > 10 * few


def test_a_fresh_solver_looks_around_while_it_is_given_all(
    monkeypatch: pytest.MonkeyPatch, looked: list[None], afresh: list[int]
) -> None:
    few = _ask_a_hard_question(looked)
    monkeypatch.setattr(solvers.sat, "_LOADED", 10)
    assert _ask_a_hard_question(looked) > few + 10
    assert afresh == [1, 1]
