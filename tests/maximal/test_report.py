"""The report of `mcr check --algorithm mcr` beside the verdict."""

import json

import pytest

import mcr
from examples import dining_philosophers, mcr_paper
from mcr.cli import main


def test_figures_in_the_terminal(capsys, tmp_path):
    target = f"{mcr_paper.__file__}::figure_6"
    assert main(["check", target, "--algorithm", "mcr", "--model", "sc", "--verbose", "--save", str(tmp_path)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "mcr: 0 redundant executions, 0 executions proposed by the closing formula only, 6 data races, 5 seeds tried, "
        "1 seeds satisfiable, 0 seeds skipped" in told
    )


def test_executions_that_no_seed_led_to_are_counted_apart(capsys, tmp_path):
    target = f"{dining_philosophers.__file__}::dining_philosophers"
    common = ["--algorithm", "mcr", "--model", "sc", "--verbose", "--save", str(tmp_path)]
    assert main(["check", target, *common, "--allow-deadlock"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "1 executions proposed by the closing formula only" in told


def test_figures_in_the_document(capsys, tmp_path):
    target = f"{mcr_paper.__file__}::figure_6"
    assert main(["check", target, "--algorithm", "mcr", "--model", "sc", "--json", "--save", str(tmp_path)]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["algorithm"] == "mcr"
    assert result["statistics"].items() >= {"executions": 2, "redundant": 0}.items()
    assert result["figures"] == {
        "redundant executions": 0,
        "executions proposed by the closing formula only": 0,
        "data races": 6,
        "seeds tried": 5,
        "seeds satisfiable": 1,
        "seeds skipped": 0,
    }
    assert result["times"].keys() >= {"solving", "replaying"}


@mcr.program
def read_in_the_end(p: mcr.Declarations) -> None:
    """The order of the stores is what the final function reads, and no thread does."""
    x, y, m = p.var("x", 0), p.var("y", 0), p.mutex("m")

    def first() -> None:
        y.store(2)
        x.store(1)
        y.load()

    def second() -> None:
        x.store(1)
        x.store(1)
        with m:
            y.store(1)

    p.thread(first)
    p.thread(second)
    p.final(lambda: (x.load(), y.load()))


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_what_the_final_function_reads_is_no_class(model: str) -> None:
    for algorithm in ("mcr", "mcr:paper", "auto"):
        result = mcr.check(read_in_the_end, model, objective="values", algorithm=algorithm)
        assert result.classes[0].complete == 2, algorithm
