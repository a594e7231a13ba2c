"""What `mcr check --algorithm mcr` tells beside the verdict."""

import json

from examples import dining_philosophers, mcr_paper
from mcr.cli import main


def test_figures_in_the_terminal(capsys, tmp_path):
    target = f"{mcr_paper.__file__}::figure_6"
    assert main(["check", target, "--algorithm", "mcr", "--model", "sc", "--save", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "executions:     0 redundant,     0 that no seed led to; data races:     6" in told
    assert "seeds:          5 tried,     1 satisfiable,     0 skipped; solver " in told


def test_executions_that_no_seed_led_to_are_counted_apart(capsys, tmp_path):
    target = f"{dining_philosophers.__file__}::dining_philosophers"
    assert main(["check", target, "--algorithm", "mcr", "--model", "sc", "--save", str(tmp_path)]) == 0
    assert "0 redundant,     1 that no seed led to" in capsys.readouterr().out


def test_figures_in_the_document(capsys, tmp_path):
    target = f"{mcr_paper.__file__}::figure_6"
    assert main(["check", target, "--algorithm", "mcr", "--model", "sc", "--json", "--save", str(tmp_path)]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    expected = {
        "executions": 2,
        "redundant": 0,
        "overlooked": 0,
        "tried": 5,
        "satisfiable": 1,
        "skipped": 0,
        "races": 6,
    }
    assert result["statistics"].items() >= expected.items()
    assert result["times"].keys() >= {"solving", "replaying"}
