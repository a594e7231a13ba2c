"""`mcr --help` is complete, and quick since nothing heavy is imported for it."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import mcr
from mcr.cli.commands import COMMANDS
from mcr.explorers.registry import ALGORITHMS
from tests.desk import ROOT, Desk

HEAVY = ("pysat", "z3", "tqdm", "mcr.exploration.session")


def test_names_every_command_and_exit_status(desk: Desk) -> None:
    answer = desk.mcr("--help")
    assert answer.status == 0
    for text in ("check", "replay", "examples:", "0  verified", "1  a bug", "2  wrong use", "3  incomplete"):
        assert text in answer.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(desk: Desk, name: str) -> None:
    answer = desk.mcr(name, "--help")
    assert answer.status == 0
    assert "examples:" in answer.out


@pytest.mark.parametrize("statement", ["from mcr.cli import main; main(['--help'])", "import mcr"])
def test_imports_nothing_heavy(statement: str) -> None:
    code = f"{statement}; import sys; print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ("chekc", "x.py"),
        ("check",),
        ("check", "x.py", "--model", "arm"),
        ("check", "x.py", "--timeout", "0"),
        ("check", "x.py", "--timeout", "soon"),
        ("check", "x.py", "--max-executions", "-1"),
        ("check", "x.py", "--max-operations", "1.5"),
        ("check", "x.py", "--set", "n"),
        ("check", "x.py", "--set", "n=three"),
        ("check", "x.py", "--color", "blue"),
        ("replay",),
    ],
)
def test_wrong_use(desk: Desk, arguments: tuple[str, ...]) -> None:
    answer = desk.mcr(*arguments)
    assert answer.status == 2
    complaint, help_, *more = answer.err.splitlines()
    assert complaint.startswith("error: ")
    assert help_.startswith("`mcr") and help_.endswith("--help` says what there is")
    assert not more and not answer.out


def test_no_command_is_answered_by_the_list_of_commands(desk: Desk) -> None:
    answer = desk.mcr()
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == desk.mcr("--help").out


def test_names_are_public_and_found_late() -> None:
    import mcr

    assert {name for name in mcr.__all__ if not hasattr(mcr, name)} == set()
    assert set(mcr.__all__) <= set(dir(mcr))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = mcr.nothing  # type: ignore[attr-defined]


def test_every_algorithm_is_named_where_people_look(desk: Desk) -> None:
    shown = "".join(desk.mcr("check", "--help").out.split()).replace("or", ",")
    for name in ALGORITHMS:
        assert f",{name}," in shown or f":{name}(default)" in shown or f",{name};" in shown, name
        assert f'"{name}"' in str(mcr.check.__doc__)


@pytest.mark.parametrize(
    ("model", "models"),
    [("TSO", ["tso"]), ("sc,tso", ["sc", "tso"]), ("PSO, sc", ["sc", "pso"]), ("All", ["sc", "tso", "pso"])],
)
def test_models_however_they_are_written(desk: Desk, model: str, models: list[str]) -> None:
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::message_passing_fenced", "--model", model, "--json")
    assert [result["model"] for result in answer.document["results"]] == models


def test_a_model_that_there_is_not(desk: Desk) -> None:
    answer = desk.mcr("check", "x.py", "--model", "sc,arm")
    assert answer.status == 2
    assert "argument --model: unknown memory model 'arm'; there are sc, tso, pso, or all" in answer.err
    assert "one memory model is enough here" in desk.mcr("verify", "x.json", "--model", "sc,tso").err


def test_which_version_it_is(desk: Desk) -> None:
    answer = desk.mcr("--version")
    assert answer.status == 0
    assert answer.out.split() == ["mcr", version("mcr-checker")]
