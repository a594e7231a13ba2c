"""The memory model that docs/extending.md adds agrees with brute force, as the ones that are built in do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from replay.world.memory_models import MODELS
from tests.amount import amount
from tests.desk import ROOT
from tests.differential.search import Portion, search
from tests.docs.pages import blocks
from tests.models import registered
from tests.random_programs import PROFILES

PROGRAMS = amount(2, 60)
"""Per profile, for local states; half as many for anything else."""


@pytest.fixture
def _only_ibm370() -> Iterator[None]:
    """Run the page's file in this process, where it finds no other model."""
    page = ROOT / "docs" / "extending.md"
    text = next(block.text for block in blocks(page) if block.file == "ibm370.py")
    with registered():
        exec(compile(text, str(page), "exec"), {"__name__": "ibm370"})
        yield


@pytest.mark.usefixtures("_only_ibm370")
@pytest.mark.parametrize("objectives", [("states",), ("outcomes", "failures"), ("deadlocks",)], ids="-".join)
@pytest.mark.parametrize("profile", PROFILES)
def test_engine_and_machine_agree(profile: str, objectives: tuple[str, ...]) -> None:
    findings = search(Portion(profile, PROGRAMS if objectives == ("states",) else PROGRAMS // 2, 20261121, objectives))
    assert not findings.disagreement, findings.disagreement
    assert findings.decided > 0


def test_nothing_of_it_stays() -> None:
    assert list(MODELS) == ["sc", "tso", "pso"]
