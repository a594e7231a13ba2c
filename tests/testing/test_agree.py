"""`mcr.testing.agree`: an explorer that is wrong is found, one that is right is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcr.exploration.contract import Claim, Run
from mcr.explorers.exhaustive.explorer import Exhaustive
from mcr.explorers.registry import ALGORITHMS
from mcr.testing import agree
from mcr.testing.small_programs import source
from replay.errors import CheckerError
from replay.machine.state import NOTHING
from tests.amount import amount


class Eager(Exhaustive):
    """Lets stores reach memory at once."""

    def expand(self, work: Any) -> Iterator[Any]:
        found = list(super().expand(work))
        commits = [news for news in found if not isinstance(news, Run) and news.choice.commit != NOTHING]
        yield from commits or found


class Forgetful(Exhaustive):
    """Forgets the last choice of each configuration."""

    def expand(self, work: Any) -> Iterator[Any]:
        yield from list(super().expand(work))[:-1] or super().expand(work)


class Honest(Eager):
    """Says that it leaves out something."""

    def claim(self) -> Claim:
        from mcr.exploration.verdict import Stop

        return replace(super().claim(), stop=Stop("stores do not wait", "use another one"))


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Any:
    def enter(name: str, made: type) -> str:
        algorithm = replace(ALGORITHMS["exhaustive"], name=name, make=lambda context, variant: made(context))
        monkeypatch.setitem(ALGORITHMS, name, algorithm)
        return name

    return enter


@pytest.mark.parametrize("name", ["trust", "rf-smc", "mcr", "stateful", "cover"])
def test_those_that_are_right_agree(name: str) -> None:
    """One of each objective and model for each program."""
    algorithm = ALGORITHMS[name]
    objectives = [each for each in ("failures", "outcomes", "rf", "values") if each in algorithm.objectives]
    count = amount(3, 200)
    assert agree(name, objectives=objectives, programs=count) == count * len(objectives) * 3


@pytest.mark.parametrize("made", [Eager, Forgetful])
def test_those_that_are_wrong_do_not(
    register: Any, made: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError) as raised:
        agree(register("wrong", made), objectives=["outcomes", "values"], models=["tso"])
    message = str(raised.value)
    assert message.startswith("wrong under TSO, ")
    assert "exhaustive has" in message
    assert (tmp_path / ".mcr/disagreement.py").read_text() in message
    assert "--algorithm wrong`" in message


def test_one_that_says_that_it_is_incomplete_may_miss_something(register: Any) -> None:
    assert agree(register("honest", Honest), objectives=["outcomes"], models=["tso"], programs=6) == 6


def test_the_same_programs_for_a_seed() -> None:
    assert source(7, 5) == source(7, 5) != source(8, 5)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(CheckerError, match="unknown algorithm 'none'"):
        agree("none")
    with pytest.raises(CheckerError, match="exhaustive has no objective that can be compared"):
        agree("exhaustive", objectives=["progress"])
