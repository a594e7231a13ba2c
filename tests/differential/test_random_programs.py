"""Random programs: the engine finds exactly what the oracle finds.

About a hundred, each under one of three models, the same in every run. For more:

    python -m tests.differential.campaign --programs 50000 --jobs 2
"""

from __future__ import annotations

import pytest

import mcr.explorers.auto
import mcr.explorers.stateful.space
from mcr.explorers.registry import AUTO
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.differential.search import Portion, search
from tests.random_programs import PROFILES, RandomProgram
from tests.support import BY_SOLVER, OBJECTIVES, compare_each

PROGRAMS = amount(3, 400)
"""Per profile: for local states, failures and outcomes of final functions, merged and not."""

OTHERS = amount(4, 200)
"""For everything else, under one of the models for all programs of a profile."""

SEED = 20250101

RARE = dict.fromkeys(("references", "freeing", "synchronisation"), amount(4, 5))
"""Profiles of what few programs use, and how many programs of them are looked at here; the campaign does the rest."""

ORDINARY = [profile for profile in PROFILES if profile not in RARE]


@pytest.mark.parametrize("profile", ORDINARY)
def test_states_agree(profile: str) -> None:
    _search(Portion(profile, PROGRAMS, SEED, by_turns=True))


@pytest.mark.parametrize("profile", ORDINARY)
def test_graphs_alone_agree(profile: str) -> None:
    models = one_of(tuple(MODELS), profile)
    asked = ("states", "failures", "outcomes", "deadlocks")
    _search(Portion(profile, OTHERS, SEED, asked, algorithm="trust", models=models))


@pytest.mark.parametrize("profile", ORDINARY)
def test_turns_agree(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sides of the default take turns from the beginning: what one has shown is not lost on the others."""
    for name in ("FIRST", "SOON", "LATER", "TURN"):
        monkeypatch.setattr(mcr.explorers.auto, name, 1)
    monkeypatch.setattr(mcr.explorers.stateful.space, "SLICE", 10)
    models = one_of(tuple(MODELS), f"{profile} in the middle")
    _search(Portion(profile, OTHERS, SEED, ("states", "failures", "values"), algorithm=AUTO, models=models))


@pytest.mark.parametrize("profile", ORDINARY)
def test_objectives_agree(profile: str) -> None:
    asked = tuple(name for name in OBJECTIVES if name != "states")
    _search(Portion(profile, OTHERS, SEED, asked, models=one_of(tuple(MODELS), f"{profile} for others")))


@pytest.mark.parametrize("profile", RARE)
@pytest.mark.parametrize("algorithm", [BY_SOLVER, AUTO])
def test_rare_operations_agree(profile: str, algorithm: str) -> None:
    asked, models = ("states", "outcomes", "deadlocks"), one_of(tuple(MODELS), f"{profile} {algorithm}")
    _search(Portion(profile, RARE[profile], SEED, asked, algorithm=algorithm, models=models))


def _search(portion: Portion) -> None:
    findings = search(portion)
    assert not findings.disagreement, findings.disagreement
    compared = findings.decided + findings.too_large
    assert findings.decided >= 0.75 * compared > 0, "too many programs are too large for the oracle"


REGRESSIONS = {
    "choice at the end before the final function": RandomProgram(
        threads=(
            (("store", "x", 1),),
            (("store", "x", 1),),
            (("store", "x", 2), ("choose", 0, 1)),
        ),
        final=("x", 0),
    ),
    "failures before the first operation": RandomProgram(threads=((("assert", 1),), (("assert", 0),))),
    "final function that grows while classes are enumerated": RandomProgram(
        threads=(
            (("store", "x", 1), ("store", "x", 1), ("wait", ("x", 1), ("y", 2))),
            (("wait", ("x", 1)),),
            (("store", "y", 2),),
        ),
        final=("x", 0),
    ),
    "two sleepers, one notification": RandomProgram(threads=((("sleep",),), (("notify",), ("sleep",)))),
    "notification that nobody waits for": RandomProgram(
        threads=(
            (("spawn", (("store", "x", 0),)), ("notify",), ("store", "x", 1), ("wait_for", "x", 2)),
            (("store", "x", 1), ("store", "x", 1), ("wait", ("x", 1)), ("sleep",)),
        )
    ),
}
"""Programs on which engine and oracle once disagreed."""


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("program", REGRESSIONS.values(), ids=REGRESSIONS)
def test_regressions(program: RandomProgram, model: MemoryModel) -> None:
    algorithms = one_of(("auto", "cover", "trust"), f"{program} {model.name}")
    found = compare_each(program.build(), model, OBJECTIVES, algorithms, max_machine_states=20_000)
    assert found.decided
    assert not found.differences, found.differences
