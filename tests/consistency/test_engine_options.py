"""`Options.paranoid` and `Options.census`: what the explorers do with every execution when asked to."""

import pytest

import mcr
from examples import reference
from mcr.cli import main
from mcr.consistency import check as consistency


@pytest.mark.parametrize("objective", ["states", "values", "rf", "traces", "outcomes", "deadlocks"])
def test_paranoia_sees_every_execution(objective, monkeypatch):
    seen = []
    monkeypatch.setattr(consistency, "check_trace", seen.append)
    result = mcr.check(
        reference.peterson(check=False),
        "tso",
        objective=objective,
        algorithm="cover",
        options=mcr.Options(paranoid=True),
    )
    assert len(seen) >= result.statistics.executions
    assert len(seen) > 1


def test_paranoia_finds_nothing():
    for model in ("sc", "tso", "pso"):
        assert mcr.check(reference.bakery(check=False), model, options=mcr.Options(paranoid=True)).complete


def test_census_counts_classes():
    options = mcr.Options(census=True)
    census = dict(mcr.check(reference.sb(check=False), "tso", objective="traces", options=options).census)
    assert census["traces"] == census["rf"] == census["values"] == 4


def test_census_of_the_published_algorithm():
    result = mcr.check(reference.sb(check=False), "sc", algorithm="mcr", options=mcr.Options(census=True))
    assert dict(result.census)["values"] == 3


def test_census_on_the_command_line(capsys):
    main(["check", "examples/reference.py::sb", "--set", "check=False", "--model", "sc", "--census"])
    assert "met in 3 executions: traces 3" in capsys.readouterr().out
