"""Every script in results/ starts: what it imports is there, and results/README.md says how to run it."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from results.__main__ import commands
from tests.desk import ROOT

SCRIPTS = sorted(file.stem for file in (ROOT / "results").glob("*.py") if not file.stem.startswith("__"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_can_be_imported(name: str) -> None:
    import_module(f"results.{name}")


def test_one_command_runs_them_all() -> None:
    found = commands()
    scripts = {command.split()[0].removesuffix(".py") for command in found if command.startswith("results/")}
    assert {"results/consistency", "results/litmus_speed", "results/fences"} <= scripts
    assert any(command == "-m mcr bench results/bench/suites/reference.py --out results" for command in found)
    assert not any("[" in command for command in found)


def test_the_readme_names_scripts_that_there_are() -> None:
    named = re.findall(r"python results/(\w+)\.py", (ROOT / "results" / "README.md").read_text())
    assert set(named) <= set(SCRIPTS)
