"""The contract of solvers/interface.py, for every backend that is installed.

A new backend passes this suite once its name is in the registry. "Possible" is
checked by an independent validator, "impossible" by trying everything.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers import OrderSolver, available_solvers, make_solver
from tests.amount import amount
from tests.solvers.order_problem import OrderProblem, Told

REPEATABLE = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=amount(10, 60),
    suppress_health_check=[HealthCheck.too_slow],
)
Step = Callable[[Told], None]


@pytest.fixture(params=available_solvers())
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def solver(name: str) -> OrderSolver:
    return make_solver(name)


# -- statements ------------------------------------------------------------


def test_requirements_are_met_and_negation_is_minus(solver: OrderSolver) -> None:
    a, b = solver.statement(), solver.statement()
    solver.require((a, b))
    solver.require((-a,))
    assert solver.propose()
    assert solver.holds(b)
    assert solver.holds(-a)
    assert not solver.holds(a)
    assert not solver.holds(-b)


def test_statements_are_distinct(solver: OrderSolver) -> None:
    assert len({solver.statement() for _ in range(9)} | {solver.order(solver.event(), solver.event())}) == 10


def test_a_statement_that_nothing_mentions_has_one_truth(solver: OrderSolver) -> None:
    statements = [solver.statement() for _ in range(3)]
    assert solver.propose()
    assert all(solver.holds(statement) != solver.holds(-statement) for statement in statements)


def test_nothing_required_is_possible_and_nothing_to_choose_from_is_not(solver: OrderSolver) -> None:
    assert solver.propose()
    assert solver.sort(()) == []
    solver.require(())
    assert not solver.propose()


def test_impossible_stays_impossible(solver: OrderSolver) -> None:
    a = solver.statement()
    solver.require((a,))
    solver.require((-a,))
    assert not solver.propose()
    solver.require((solver.statement(),))
    assert not solver.propose()


# -- open disjunctions -----------------------------------------------------


def test_what_is_assumed_holds_in_one_call_only(solver: OrderSolver) -> None:
    first, second = solver.statement(), solver.statement()
    solver.require((first, second))
    assert solver.propose(assuming=(-first,))
    assert not solver.holds(first)
    assert solver.holds(second)
    assert not solver.propose(assuming=(-first, -second))
    assert solver.propose(assuming=(first, -second))
    assert solver.holds(first)
    assert solver.propose()


def test_an_open_disjunction_counts_only_what_it_has(solver: OrderSolver) -> None:
    a, b, c = (solver.statement() for _ in range(3))
    disjunction = solver.open_disjunction((a,))
    solver.require((-a,))
    assert not solver.propose()
    solver.extend(disjunction, (b, c))
    solver.require((-b,))
    assert solver.propose()
    assert solver.holds(c)


def test_an_empty_open_disjunction_is_impossible_until_extended(solver: OrderSolver) -> None:
    disjunction = solver.open_disjunction(())
    assert not solver.propose()
    solver.extend(disjunction, ())
    assert not solver.propose()
    a = solver.statement()
    solver.extend(disjunction, (a,))
    assert solver.propose()
    assert solver.holds(a)


def test_many_open_disjunctions_extended_one_at_a_time(solver: OrderSolver) -> None:
    """As in an exploration: each extension comes between two questions."""
    disjunctions = [solver.open_disjunction(()) for _ in range(60)]
    added = []
    for disjunction in disjunctions:
        assert not solver.propose()
        added.append(solver.statement())
        solver.extend(disjunction, (added[-1],))
    assert solver.propose()
    assert all(solver.holds(statement) for statement in added)
    solver.require((-added[30],))
    assert not solver.propose()
    solver.extend(disjunctions[30], (added[0],))
    assert solver.propose()


# -- orders ----------------------------------------------------------------


def test_both_directions_of_an_order_are_one_statement(solver: OrderSolver) -> None:
    first, second = solver.event(), solver.event()
    before = solver.order(first, second)
    assert solver.order(first, second) == before
    assert solver.order(second, first) == -before


@pytest.mark.parametrize("forward", [True, False])
def test_sort_follows_an_order_and_its_negation(solver: OrderSolver, forward: bool) -> None:
    first, second = solver.event(), solver.event()
    before = solver.order(first, second)
    solver.require((before if forward else -before,))
    assert solver.propose()
    assert solver.sort((first, second)) == ([first, second] if forward else [second, first])


def test_a_cycle_of_orders_is_impossible(solver: OrderSolver) -> None:
    told = Told(solver, OrderProblem(events=4, facts=0))
    for pair in ((0, 1), (1, 2), (2, 3)):
        told.require(((pair, True),))
    assert told.ask() is not None
    told.require((((0, 3), False),))
    assert told.ask() is None


def test_a_fixed_order_overrules_its_statement(solver: OrderSolver) -> None:
    told = Told(solver, OrderProblem(events=2, facts=0))
    told.precede(0, 1)
    before = told.statement(((0, 1), True))
    assert told.ask() == ([0, 1], {})
    assert solver.holds(before)


def test_an_event_cannot_precede_itself(solver: OrderSolver) -> None:
    told = Told(solver, OrderProblem(events=1, facts=0))
    told.precede(0, 0)
    assert told.ask() is None


def test_sort_of_some_events_returns_just_these(solver: OrderSolver) -> None:
    events = [solver.event() for _ in range(5)]
    for earlier, later in pairwise(events):
        solver.precedes(later, earlier)
    assert solver.propose()
    assert solver.sort(events[:2]) == [events[1], events[0]]


@pytest.mark.parametrize("wanted", [True, False])
def test_a_fixed_order_binds_only_while_its_guard_holds(solver: OrderSolver, wanted: bool) -> None:
    """Event 0 is fixed before 1, twice, and required after it, so both guards must be false."""
    told = Told(solver, OrderProblem(events=2, facts=3))
    told.precede(0, 1, (0, wanted))
    told.precede(0, 1, (1, wanted))
    told.require((((1, 0), True),))
    told.require(((2, wanted),))
    assert told.ask() == ([1, 0], {0: not wanted, 1: not wanted, 2: wanted})
    told.require(((0, wanted), (1, wanted)))
    assert told.ask() is None


def test_a_fixed_order_whose_guard_is_false_does_not_hide_the_statement(solver: OrderSolver) -> None:
    told = Told(solver, OrderProblem(events=3, facts=1))
    told.precede(0, 1, (0, True))
    told.require(((0, False),))
    told.require((((0, 1), True),))
    told.require((((1, 2), True),))
    assert told.ask() == ([0, 1, 2], {0: False})
    told.require((((2, 0), True),))
    assert told.ask() is None


def test_a_guard_may_be_a_negation(solver: OrderSolver) -> None:
    told = Told(solver, OrderProblem(events=2, facts=1))
    told.precede(0, 1, (0, False))
    told.require((((1, 0), True),))
    assert told.ask() == ([1, 0], {0: True})


# -- random problems -------------------------------------------------------


def steps(events: int, facts: int) -> st.SearchStrategy[list[Step]]:
    """Requirements of every kind in a random sequence."""
    event = st.integers(0, events - 1)
    pair = st.tuples(event, event).filter(lambda pair: pair[0] != pair[1])
    claim = st.tuples(st.integers(0, facts - 1) | pair, st.booleans())
    clause = st.lists(claim, min_size=1, max_size=3).map(tuple)
    guard = st.none() | st.tuples(st.integers(0, facts - 1), st.booleans())
    return st.lists(
        st.one_of(
            clause.map(lambda c: lambda told: told.require(c)),
            st.tuples(pair, guard).map(lambda pg: lambda told: told.precede(*pg[0], pg[1])),
            clause.map(lambda c: lambda told: told.open(c)),
            st.tuples(st.integers(0, 3), clause).map(lambda ec: lambda told: told.extend(*ec)),
        ),
        max_size=24,
    )


def test_small_problems_agree_with_trying_everything(name: str) -> None:
    @REPEATABLE
    @given(steps(4, 3))
    def check(steps: list[Step]) -> None:
        problem = OrderProblem(events=4, facts=3)
        told = Told(make_solver(name), problem)
        for step in steps:
            step(told)
            found = told.ask()
            if found is None:
                assert not problem.possible()
            else:
                assert problem.broken(*found) == []

    check()


@REPEATABLE
@given(steps(9, 6), st.integers(1, 4))
def test_larger_problems_agree_between_backends(steps: list[Step], batch: int) -> None:
    tellings = [Told(make_solver(name), OrderProblem(events=9, facts=6)) for name in available_solvers()]
    for start in range(0, len(steps), batch):
        answers = set()
        for told in tellings:
            for step in steps[start : start + batch]:
                step(told)
            found = told.ask()
            answers.add(found is not None)
            assert found is None or told.problem.broken(*found) == []
        assert len(answers) == 1


def test_the_same_questions_get_the_same_answers(name: str) -> None:
    @REPEATABLE
    @given(steps(5, 4))
    def check(steps: list[Step]) -> None:
        answers = []
        for _ in range(2):
            told = Told(make_solver(name), OrderProblem(events=5, facts=4))
            answers.append([])
            for step in steps:
                step(told)
                answers[-1].append(told.ask())
        assert answers[0] == answers[1]

    check()
