"""Every trace of the engine is consistent, by its reads, its relations and its schedule; witnesses replay."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcr.consistency.check import Consistent, check_trace, verify_trace
from replay.traces.following import replay
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.consistency.executions import executed
from tests.random_programs import PROFILES, programs

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path):
    for program in programs_in(path)[:: amount(2, 1)]:
        for model in one_of(tuple(MODELS.values()), program.title):
            for number, trace in enumerate(executed(program, model, limit=3)):
                check_trace(trace)
                if number == 0:
                    _check_replay(program, model, trace)


@pytest.mark.parametrize("profile", PROFILES)
@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=amount(3, 10),
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_random_programs(profile, data):
    program = data.draw(programs(profile)).build()
    for model in one_of(tuple(MODELS.values()), program.fingerprint()):
        for number, trace in enumerate(executed(program, model, limit=8)):
            check_trace(trace)
            if number < 3:
                _check_replay(program, model, trace)


def _check_replay(program, model, trace):
    """The machine plays the witness, and reads and writes what the trace says."""
    verdict = verify_trace(trace)
    assert isinstance(verdict, Consistent)
    replay(program, model, verdict.witness)
