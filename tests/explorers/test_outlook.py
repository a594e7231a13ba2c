"""Estimates of what is left (results/estimates.md has more): how good, how told, and that asking changes nothing."""

from __future__ import annotations

from dataclasses import fields
from itertools import accumulate

import pytest

import mcr
import mcr.exploration.session
from examples import reference
from mcr.api import open_session
from mcr.exploration.session import Session
from mcr.exploration.verdict import Guess, Outlook
from mcr.explorers.stateful.estimate import guess
from mcr.explorers.stateful.explorer import Stateful
from mcr.report.remarks import how_far
from replay.world.memory_models import memory_model
from results.bench import everyday


def explored(program: mcr.Program, model: str, algorithm: str) -> Session:
    session = open_session(program, memory_model(model), algorithm=algorithm, on_progress=lambda statistics: None)
    session.explore()
    return session


def exploring_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let estimates be made from the beginning, whenever they may be."""
    monkeypatch.setattr(mcr.exploration.session, "OUTLOOK_AT", 0.0)
    monkeypatch.setattr(mcr.exploration.session, "OUTLOOK_EVERY", 0.0)


@pytest.mark.parametrize(
    ("program", "model", "algorithm"),
    [
        (reference.readers(n=8), "pso", "trust"),
        (reference.lastzero(n=8), "sc", "trust"),
        (reference.example(n=2, check=False), "tso", "trust-rf"),
        (everyday.counter(n=3), "tso", "trust"),
    ],
    ids=str,
)
def test_graphs_are_known_before_any_was_visited_within_a_factor_of_two(
    program: mcr.Program, model: str, algorithm: str
) -> None:
    outlook = explored(program, model, algorithm).context.outlook()
    assert outlook is not None
    assert outlook.what == "execution graphs"
    assert outlook.whole is not None
    assert 0.5 <= outlook.whole.about / outlook.seen <= 2
    assert outlook.whole.least <= outlook.whole.about <= outlook.whole.most


@pytest.mark.parametrize(
    "program", [everyday.counter(n=12, rounds=3), everyday.mutex_counter(n=8), reference.bakery(n=3)], ids=str
)
def test_global_states_are_known_a_tenth_of_the_way_within_a_factor_of_two(program: mcr.Program) -> None:
    explorer = explored(program, "sc", "stateful").explorer
    assert isinstance(explorer, Stateful)
    levels, whole = explorer.space.levels, len(explorer.space.before)
    depth = next(at for at, seen in enumerate(accumulate(levels)) if seen >= whole / 10)
    told = guess(levels[: depth + 1], explorer.random_runs)
    assert told is not None
    assert 0.5 <= told.about / whole <= 2


def test_nothing_is_told_of_runs_without_end() -> None:
    @mcr.program
    def ticking(p):
        x = p.var("x", 0)

        def tick():
            while True:
                x.store((x.load() + 1) % 3)

        p.thread(tick)
        p.thread(tick, daemon=True)

    session = explored(ticking, "sc", "stateful")
    assert session.context.outlook() == Outlook(
        "global states", "stateful", session.context.statistics.global_states, None
    )


def test_a_cover_tells_its_goals() -> None:
    outlook = explored(reference.bakery(n=2, check=False), "tso", "cover").context.outlook()
    assert outlook is not None
    assert outlook.what == "local states"
    assert outlook.whole is None
    assert outlook.goals is not None
    assert 0 < outlook.goals < outlook.seen


@pytest.mark.parametrize("algorithm", ["trust", "stateful", "auto", "cover"])
def test_who_asks_changes_nothing(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = reference.bakery(n=2, check=False)
    alone = explored(program, "tso", algorithm).context.statistics
    exploring_often(monkeypatch)
    asked = explored(program, "tso", algorithm).context.statistics
    counts = [field.name for field in fields(alone) if field.type == "int"]
    assert len(counts) > 10
    assert [getattr(alone, name) for name in counts] == [getattr(asked, name) for name in counts]


@pytest.mark.parametrize(("near", "is_estimated"), [(0.0, True), (1.1, False)], ids=["near a limit", "far from it"])
def test_without_a_display_an_estimate_is_made_only_for_the_report_of_a_limit(
    near: float, is_estimated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    exploring_often(monkeypatch)
    monkeypatch.setattr(mcr.exploration.session, "NEARLY", near)
    for shown in ({}, {"on_progress": lambda statistics: None, "looks_ahead": False}):
        result = mcr.check(reference.bakery(n=2, check=False), "tso", algorithm="stateful", **shown)
        assert (result.statistics.outlook is not None) == is_estimated


def test_how_it_is_told() -> None:
    whole = Guess(123_456, 99_999, 200_001)
    assert how_far(Outlook("global states", "stateful", 12_345, whole)) == (
        "stateful: 12,345 of about 120,000 global states (100,000 to 200,000)"
    )
    assert how_far(Outlook("global states", "stateful", 150_000, whole)) == (
        "stateful: 150,000 of about 150,000 global states (150,000 to 200,000)"
    )
    assert (
        how_far(Outlook("execution graphs", "trust", 7, None))
        == "trust: 7 execution graphs, no estimate of what is left"
    )
    assert how_far(Outlook("local states", "cover", 1_234, None, 56)) == (
        "cover: 1,234 local states, 56 goals left (more may appear; no estimate)"
    )
    assert how_far(None) == "no estimate of what is left"
