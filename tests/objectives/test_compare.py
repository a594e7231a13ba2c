"""`mcr compare`: figures per model, what is possible where, and honest gaps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import mcr
from examples import litmus, lost_wakeup, reference
from mcr.cli import main
from mcr.cli.progress import Progress
from mcr.diagnosis.compare import compare, compared, groups, surveyed
from mcr.diagnosis.possibility import Possibility
from mcr.exploration.verdict import Statistics, Stop
from replay.world.memory_models import MODELS

OPTIONS = mcr.Options(shorten=False)
ROOT = Path(__file__).parents[2]


def headings(program: mcr.Program) -> dict[str, list[str]]:
    return {
        heading: [each.text for each in members] for heading, members in groups(compare(program, OPTIONS).behaviours)
    }


def test_outcomes_of_store_buffering() -> None:
    assert headings(reference.sb(n=2, check=False)) == {
        "Possible under TSO and PSO": ["(0, 0)"],
        "Possible everywhere": ["(0, 1)", "(1, 0)", "(1, 1)"],
    }


def test_failure_under_pso_only() -> None:
    found = headings(litmus.message_passing)
    assert [text.split(" (")[0] for text in found["Possible under PSO only"]] == ["AssertionError: the threads read"]


def test_deadlocks_are_failures() -> None:
    found = headings(lost_wakeup.lost_wakeup)["Possible under TSO and PSO"]
    assert found[0].startswith("Deadlock: thread 0 waits for its condition on alarm")


def test_figures() -> None:
    sc, tso, _ = compare(reference.sb(n=2, check=False), OPTIONS).figures
    assert (sc.outcomes, sc.values, sc.rf, sc.local_states) == (3, (3, 0), (3, 0), 8)
    assert (tso.outcomes, tso.values, tso.rf, tso.local_states) == (4, (4, 0), (4, 0), 8)
    assert sc.stops == ()


def test_limits_never_make_wrong_numbers() -> None:
    figures = compare(reference.readers(n=10), mcr.Options(max_executions=100)).figures
    assert [(each.local_states, each.outcomes, each.values, each.rf) for each in figures] == [
        (32, None, None, None)
    ] * 3
    assert figures[0].stops == (
        "outcomes: the limit of 100 executions was reached",
        "classes: the limit of 100 executions was reached",
    )


def test_what_was_cut_is_open() -> None:
    comparison = compare(reference.sb(n=2), mcr.Options(max_executions=3))
    found = {each.text: each.models for each in comparison.behaviours if each.kind == "failure"}
    for models in found.values():
        assert models["sc"].possible is not True
        assert models["pso"].possible


def test_one_that_a_whole_exploration_saw_is_open_under_a_stronger_model_that_was_cut() -> None:
    """What TSO allows says nothing of SC, whose exploration came to a limit before it showed the same or was whole."""
    program = reference.sb(n=2, check=False)
    surveys = [surveyed(program, model, OPTIONS) for model in MODELS]
    cut = replace(surveys[0].outcomes, stop=Stop("a limit was reached", "raise it"), witnesses=())
    found = {
        each.text: each.models
        for each in compared(program, [replace(surveys[0], outcomes=cut), *surveys[1:]]).behaviours
    }
    assert found["(0, 1)"] == {
        "sc": Possibility(None, "a limit was reached"), "tso": Possibility(True), "pso": Possibility(True)
    }  # fmt: skip


# -- the command -----------------------------------------------------------------


def test_every_behaviour_can_be_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = f"{ROOT / 'examples' / 'litmus.py'}::store_buffering"
    assert main(["compare", target, "--save", str(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    behaviours = document["comparisons"][0]["behaviours"]
    assert {each["kind"] for each in behaviours} == {"failure", "outcome"}
    for each in behaviours:
        assert main(["replay", each["trace"]]) == (each["kind"] == "failure")


def test_witness_of_a_program_without_final_function(tmp_path: Path) -> None:
    target = f"{ROOT / 'examples' / 'reference.py'}::sb"
    assert main(["compare", target, "--set", "check=False", "--save", str(tmp_path)]) == 0
    files = sorted(tmp_path.glob("*.json"))
    assert [file.name for file in files] == [
        "sb-check=False-sc-outcome-1.json",
        "sb-check=False-sc-outcome-2.json",
        "sb-check=False-sc-outcome-3.json",
        "sb-check=False-tso-outcome-1.json",
    ]
    assert [main(["replay", str(file)]) for file in files] == [0] * 4


def test_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = f"{ROOT / 'examples' / 'litmus.py'}::message_passing"
    assert main(["compare", target, "--save", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "message_passing: possible under PSO only\n  failure AssertionError" in shown
    assert f"mcr replay {tmp_path}" in shown


def test_failures_are_told_as_mcr_check_tells_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An assertion without a message speaks for itself, and files are named from the current folder."""
    monkeypatch.chdir(tmp_path)
    text = "import mcr\n\n@mcr.program\ndef wrong(p):\n    x = p.var('x', 0)\n"
    text += "    def thread():\n        assert x.load()\n    p.thread(thread)\n"
    (tmp_path / "wrong.py").write_text(text)
    assert main(["compare", "wrong.py"]) == 0
    assert "  failure assert x.load() (wrong.py:7)\n" in capsys.readouterr().out
    assert main(["compare", "wrong.py", "--json"]) == 0
    behaviours = json.loads(capsys.readouterr().out)["comparisons"][0]["behaviours"]
    assert [each["text"] for each in behaviours] == ["assert x.load() (wrong.py:7)"]


def test_cut_cells_and_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = f"{ROOT / 'examples' / 'reference.py'}::readers"
    assert main(["compare", target, "--max-executions", "3", "--save", str(tmp_path)]) == 3
    shown = capsys.readouterr().out
    assert "incomplete" in shown
    assert "readers under SC, classes: the limit of 3 executions was reached" in shown


@pytest.mark.parametrize("document", [[], ["--json"]])
def test_one_interruption_ends_it(
    document: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if Ctrl-C was pressed in the second program's first exploration."""
    updates: list[str] = []

    def press(_: Progress, title: str, __: Statistics) -> None:
        updates.append(title)
        if "iriw" in title:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "update", press)
    monkeypatch.setattr("mcr.cli.commands.compare.is_shown", lambda: True)  # or nobody is told of progress
    targets = [f"{ROOT / 'examples' / 'litmus.py'}::{name}" for name in ("store_buffering", "iriw", "message_passing")]
    assert main(["compare", *targets, *document, "--jobs", "1", "--save", str(tmp_path)]) == 3
    shown = capsys.readouterr()
    assert shown.err == "interrupted\n"
    if document:
        assert [each["program"]["name"] for each in json.loads(shown.out)["comparisons"]] == ["store_buffering"]
    assert "store_buffering" in shown.out
    assert "iriw" not in shown.out
    assert updates.index("iriw under SC") == len(updates) - 1


def test_check_tells_outcomes_and_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = f"{ROOT / 'examples' / 'reference.py'}::sb"
    common = [target, "--set", "check=False", "--model", "tso", "--save", str(tmp_path)]
    assert main(["check", *common, "--objective", "outcomes"]) == 0
    assert "4 outcomes\n      (0, 0)    mcr replay " in capsys.readouterr().out
    assert main(["check", *common, "--objective", "rf,deadlocks"]) == 0
    shown = capsys.readouterr().out
    assert "4 classes of rf (the source of each read)" in shown
    assert "no deadlock" in shown
