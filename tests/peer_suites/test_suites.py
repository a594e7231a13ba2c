"""At least forty programs of other tools' suites: their verdicts, their counts under SC, and how long they are."""

from __future__ import annotations

import inspect

import pytest

import mcr
from mcr.exploration.verdict import Verdict
from replay.world.memory_models import MODELS
from tests.peer_suites.programs import CASES, Case

IDS = [f"{case.suite}-{case.name}" for case in CASES]


def test_there_are_forty() -> None:
    assert len(CASES) >= 40
    assert len(set(IDS)) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_executions_under_sc(case: Case) -> None:
    """Complete executions by po, rf and co; those that an assumption or a lock blocks are none in either count."""
    result = mcr.check(case.program, objective="traces")
    if isinstance(case.expected, str):
        assert result.failures[0].failure is not None
        assert result.failures[0].failure.error == case.expected
    else:
        assert result.verdict is Verdict.VERIFIED
        assert case.expected in (None, result.statistics.classes)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_verdict_under_each_model(case: Case) -> None:
    verdict = Verdict.BUG if isinstance(case.expected, str) else Verdict.VERIFIED
    assert {model: mcr.check(case.program, model).verdict for model in MODELS} == dict.fromkeys(MODELS, verdict)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_none_is_longer_than_in_c(case: Case) -> None:
    lines = inspect.getsource(case.program.function).splitlines()
    assert sum(bool(line.strip()) for line in lines if not line.startswith("@of")) <= case.lines
