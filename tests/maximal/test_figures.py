"""The executions that the paper counts ([huang-2016] 2.4, 4.6, table 1)."""

import pytest

from examples import mcr_paper
from mcr.exploration.verdict import Verdict
from replay.world.memory_models import MODELS
from tests.maximal.exploring import Exploration


def explored(program, model, **options):
    exploration = Exploration(program, MODELS[model], shorten=False, **options)
    return exploration.explore(), exploration.statistics


@pytest.mark.parametrize(("model", "published", "reduced"), [("sc", 3, 3), ("tso", 5, 4), ("pso", 5, 4)])
def test_figure_3(model, published, reduced):
    """One of five executions is redundant as published; it is not run here."""
    _, with_permutable = explored(mcr_paper.figure_3a, model, keep_going=True, variant="permutable")
    _, without = explored(mcr_paper.figure_3a, model, keep_going=True)
    assert (with_permutable.executions, without.executions) == (published, reduced)
    assert with_permutable.redundant == published - reduced
    assert without.redundant == 0


@pytest.mark.parametrize(("model", "most"), [("sc", (2, 43)), ("tso", (2, 43)), ("pso", (10, 89))])
def test_figure_6(model, most):
    first, second = (explored(mcr_paper.figure_6(n=n, check=False), model)[1].executions for n in (1, 2))
    assert first == most[0]
    assert second <= most[1]


def test_figure_6_needs_few_executions_of_three_rounds():
    assert explored(mcr_paper.figure_6(n=3, check=False), "sc")[1].executions <= 296


def test_the_bug_of_figure_6():
    assert explored(mcr_paper.figure_6, "sc")[0].verdict is Verdict.VERIFIED
    assert explored(mcr_paper.figure_6, "tso")[0].verdict is Verdict.VERIFIED
    assert explored(mcr_paper.figure_6, "pso")[0].verdict is Verdict.BUG


def test_what_is_counted():
    exploration = Exploration(mcr_paper.figure_3a, MODELS["tso"], shorten=False, keep_going=True)
    exploration.explore()
    assert exploration.figure("data races") == 2
    assert (exploration.figure("seeds tried"), exploration.figure("seeds satisfiable")) == (3, 3)
    assert exploration.statistics.classes == 4


def test_an_account_has_races_and_an_airline_has_none():
    for program, racy in (
        (mcr_paper.account(pairs=1, check=False), True),
        (mcr_paper.string_buffer(check=False), False),
    ):
        exploration = Exploration(program, MODELS["sc"])
        exploration.explore()
        assert (exploration.figure("data races") > 0) is racy


def test_limits_make_a_result_incomplete():
    result, _ = explored(mcr_paper.figure_6(n=2, check=False), "pso", max_executions=5)
    assert result.verdict is Verdict.INCOMPLETE
    assert "5 executions" in result.stop.reason
