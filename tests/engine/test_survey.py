"""Execution graphs: which are worth an execution, and what they find beside a cover."""

from __future__ import annotations

import pytest

import mcr
from examples import reference
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from replay.errors import CheckerError
from replay.world.memory_models import MODELS

each_model = pytest.mark.parametrize("model", MODELS)


ALGORITHMS = ("auto", "cover", "trust")


def check(
    program: mcr.Program, model: str, objective: str = "states", algorithm: str = "auto", **options: object
) -> mcr.Result:
    whole = Options(keep_going=True, shorten=False, **options)
    return mcr.check(program, model, objective=objective, algorithm=algorithm, options=whole)


@pytest.mark.parametrize(
    ("program", "graphs", "fewest"),
    [
        (reference.fastmutex(n=2, check=False), 32, 6),
        (reference.bakery(n=2, check=False), 22, 7),
        (reference.peterson(check=False), 10, 3),
        (reference.sb(n=4, check=False), 15, 2),
    ],
    ids=lambda value: getattr(value, "title", None),
)
def test_few_graphs_are_worth_an_execution(program: mcr.Program, graphs: int, fewest: int) -> None:
    """These are the fewest possible, by the minimum hitting sets of results/equivalences.md."""
    statistics = check(program, "sc", algorithm="trust", merge=False).statistics
    assert (statistics.graphs, statistics.executions, statistics.proposals) == (graphs, fewest, 0)


@each_model
@pytest.mark.parametrize("objective", ["values", "rf", "traces", "outcomes", "deadlocks", "traces,outcomes,deadlocks"])
def test_every_algorithm_finds_the_same(objective: str, model: str) -> None:
    program = reference.ttas(n=2, b=2)
    found = [check(program, model, objective, algorithm=algorithm) for algorithm in ALGORITHMS]
    assert len({(result.classes, result.outcomes, result.verdict, result.complete) for result in found}) == 1
    assert len({frozenset(bug.failure and bug.failure.identity for bug in result.failures) for result in found}) == 1


@each_model
def test_traces_are_graphs(model: str) -> None:
    """One execution for each, none in vain, and no question to the solver."""
    statistics = check(reference.exp_mem(n=5), model, "traces").statistics
    assert statistics.graphs == statistics.executions == statistics.classes == 240
    assert statistics.redundant == statistics.proposals == 0


def test_full_graphs_that_are_no_executions_are_visited_too() -> None:
    """Four threads take one lock: 24 orders, and whoever finds it taken blocks in further graphs."""
    statistics = check(locking, "sc", "traces").statistics
    assert (statistics.graphs, statistics.executions, statistics.classes) == (148, 24, 24)


@mcr.program
def locking(p: mcr.Declarations) -> None:
    mutex = p.mutex("m")

    def thread() -> None:
        with mutex:
            pass

    for _ in range(4):
        p.thread(thread)


def test_coarser_classes_by_graphs_are_executed_once_each() -> None:
    """Four writes of one value in any order: 24 traces, one class of values."""
    statistics = check(writers(n=4), "sc", "values", algorithm="trust").statistics
    assert (statistics.graphs, statistics.executions, statistics.redundant, statistics.classes) == (24, 1, 0, 1)


@mcr.program
def writers(p: mcr.Declarations, n: int = 2) -> None:
    x = p.var("x", 0)
    for _ in range(n):
        p.thread(x.store, 1)


def test_a_choice_of_the_final_function_is_seen() -> None:
    result = check(choosing, "sc", "outcomes", algorithm="trust")
    assert result.outcomes == ("(0, 'a')", "(0, 'b')", "(1, 'a')", "(1, 'b')")
    assert result.complete


@mcr.program
def choosing(p: mcr.Declarations) -> None:
    x = p.var("x", 0)
    p.thread(x.store, 0)
    p.thread(x.store, 1)

    @p.final
    def look() -> object:
        x.fetch_add(0)
        return x.load(), p.choose("a", "b")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_first_bug_ends_it(algorithm: str) -> None:
    result = mcr.check(reference.bakery(n=3), "tso", algorithm=algorithm, options=Options(shorten=False))
    assert result.verdict is Verdict.BUG
    assert len(result.failures) == 1
    assert not result.complete


@pytest.mark.parametrize("limit", [{"max_executions": 150}, {"timeout": 0.001}])
def test_limits_hold_while_graphs_are_visited(limit: dict[str, float]) -> None:
    result = check(reference.lastzero(n=10), "sc", algorithm="trust", merge=False, **limit)
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert result.statistics.executions <= 150


def test_unknown_algorithms() -> None:
    with pytest.raises(CheckerError, match="unknown algorithm 'guess'; there are auto, cover, trust, trust-rf, mcr"):
        check(writers, "sc", algorithm="guess")
    with pytest.raises(CheckerError, match="unknown variant 'paper' of algorithm cover; it has none"):
        check(writers, "sc", algorithm="cover:paper")
    with pytest.raises(CheckerError, match="unknown variant 'p' of algorithm mcr; there are paper, permutable"):
        check(writers, "sc", algorithm="mcr:p")
