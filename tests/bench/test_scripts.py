"""Every script in results/ starts: what it imports is there, and results/README.md says how to run it."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from tests.desk import ROOT

SCRIPTS = sorted(file.stem for file in (ROOT / "results").glob("*.py") if file.stem != "__init__")


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_can_be_imported(name: str) -> None:
    import_module(f"results.{name}")


def test_the_readme_names_scripts_that_there_are() -> None:
    named = re.findall(r"python results/(\w+)\.py", (ROOT / "results" / "README.md").read_text())
    assert set(named) <= set(SCRIPTS)
