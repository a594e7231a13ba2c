"""`mcr compare --algorithms`: what algorithms take for a program, side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcr.diagnosis.trials import _here
from mcr.explorers.registry import names
from tests.desk import EXAMPLES, Desk

PETERSON = f"{EXAMPLES / 'peterson.py'}::peterson"


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process for each: for tests of what is told of them, not of what they took."""
    monkeypatch.setattr("mcr.diagnosis.trials._elsewhere", _here)


def test_a_row_for_each_model_and_algorithm(desk: Desk) -> None:
    """The classes of rf are known; who runs each once has as many executions, none of them redundant."""
    answer = desk.mcr("compare", PETERSON, "--algorithms", "cover, trust,rf-smc", "--objective", "rf", "--json")
    assert answer.status == 0
    document = json.loads(answer.out)
    assert document["schema"] == "mcr-algorithms/1"
    found = {(each["model"], each["algorithm"]): each for each in document["trials"]}
    assert list(found) == [(model, name) for model in ("sc", "tso", "pso") for name in ("cover", "trust", "rf-smc")]
    for (model, _), trial in found.items():
        assert (trial["executions"], trial["blocked"]) == ({"sc": 9, "tso": 18, "pso": 22}[model], 5)
        assert trial["redundant"] == 0
        assert trial["verdict"] == ("verified" if model == "sc" else "bug")
        assert trial["seconds"] > 0
        assert trial["longest"] > 10
        assert trial["waiting"] >= (trial["algorithm"] != "cover")
        assert 5 < trial["megabytes"] < 2000  # it began as a copy of this process


@pytest.mark.usefixtures("in_this_process")
def test_those_that_ask_what_is_consistent_tell_how_often(desk: Desk) -> None:
    """[agarwal-2021] figure 12: how much of the time goes there."""
    arguments = ("compare", PETERSON, "--algorithms", "trust,trust-rf,rf-smc,rvf-smc", "--model", "sc")
    trials = {each["algorithm"]: each for each in desk.mcr(*arguments, "--json").document["trials"]}
    assert trials["trust"]["checks"] is None
    for name in ("trust-rf", "rf-smc", "rvf-smc"):
        trial = trials[name]
        assert trial["realizable"] <= trial["checks"]
        assert 0 < trial["checking"] < trial["seconds"]
    assert "│ checks │ in them │" in desk.mcr(*arguments).out
    assert "checks" not in desk.mcr("compare", PETERSON, "--algorithms", "trust", "--model", "sc").out


@pytest.mark.usefixtures("in_this_process")
def test_every_algorithm_that_looks_for_it(desk: Desk) -> None:
    answer = desk.mcr("compare", PETERSON, "--algorithms", "--objective", "values", "--model", "sc")
    assert answer.status == 0
    rows = [line.split("│")[2].strip() for line in answer.out.splitlines() if "verified" in line]
    (note,) = (line for line in answer.out.splitlines() if line.startswith("Not asked"))
    assert {*rows, *note.rstrip(".").partition(": ")[2].split(", ")} == {name for name in names() if ":" not in name}
    assert "mcr" in rows


@pytest.mark.usefixtures("in_this_process")
def test_algorithms_are_asked_only_under_their_models(desk: Desk) -> None:
    document = desk.mcr("compare", PETERSON, "--algorithms", "rvf-smc", "--json").document
    assert [(each["model"], each["algorithm"]) for each in document["trials"]] == [("sc", "rvf-smc")]
    assert document["not_asked"] == ["rvf-smc under TSO", "rvf-smc under PSO"]
    answer = desk.mcr("compare", PETERSON, "--algorithms", "rvf-smc", "--model", "tso")
    assert (answer.status, answer.err) == (2, "error: none of rvf-smc looks for states under tso\n")


@pytest.mark.usefixtures("in_this_process")
def test_what_a_limit_cuts_is_incomplete(desk: Desk) -> None:
    answer = desk.mcr(
        "compare", PETERSON, "--algorithms", "trust,exhaustive", "--model", "pso", "--max-executions", "2"
    )
    assert answer.status == 3
    assert "peterson under PSO by trust: the limit of 2 executions was reached" in answer.out
    assert answer.out.count("incomplete") == 2


@pytest.mark.usefixtures("in_this_process")
def test_settings_reach_the_program(desk: Desk) -> None:
    arguments = ("--algorithms", "cover", "--model", "sc", "--set", "n=2", "--json")
    (trial,) = desk.mcr("compare", f"{EXAMPLES / 'reference.py'}::bakery", *arguments).document["trials"]
    assert trial["arguments"] == {"n": 2}


@pytest.mark.usefixtures("in_this_process")
def test_the_plot(desk: Desk) -> None:
    pytest.importorskip("matplotlib")
    desk.mcr("compare", PETERSON, "--algorithms", "cover,trust", "--plot", "plot.svg")
    text = Path(desk.folder, "plot.svg").read_text(encoding="utf-8")
    assert "peterson: executions" in text
    assert "peterson: seconds" in text
    assert "trust" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--algorithms", "covers"), "unknown algorithm 'covers'"),
        (("--algorithms", "mcr,exhaustive", "--objective", "traces"), "none of mcr, exhaustive looks for traces"),
        (("--algorithms", "--objective", "colours"), "colours"),
        (("--algorithms", "--algorithm", "cover"), "--algorithm and --algorithms exclude each other"),
        (("--objective", "rf"), "--objective is for --algorithms"),
        (("--plot", "a.svg"), "--plot is for --algorithms"),
        (("--algorithms", "--plot", "a.txt"), "--plot writes .svg or .png files"),
    ],
)
def test_what_makes_no_sense_is_refused(desk: Desk, arguments: tuple[str, ...], sentence: str) -> None:
    answer = desk.mcr("compare", PETERSON, *arguments)
    assert answer.status == 2
    assert sentence in answer.err
    assert not answer.out
