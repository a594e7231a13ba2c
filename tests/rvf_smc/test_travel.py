"""Calls that travel cannot signal; what is damaged on the way is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

import mcr
from mcr.api import open_session
from mcr.exploration.contract import Run, Work
from mcr.explorers.rvf_smc.calls import Call, Loop
from mcr.explorers.rvf_smc.explorer import RVFSMC
from replay.errors import CheckerError
from replay.world.memory_models import MODELS
from tests.explorers.test_travel import PROGRAMS
from tests.rvf_smc.test_figure_6 import figure_6


def _explorer(program: mcr.Program) -> RVFSMC:
    explorer = open_session(program, MODELS["sc"], algorithm="rvf-smc").explorer
    assert isinstance(explorer, RVFSMC)
    return explorer


def _processed(explorer: RVFSMC) -> tuple[Loop, Call]:
    """(A) of the figure when its first read was processed, and (B)."""
    (first,) = explorer.begin()
    (a,) = explorer.expand(first)  # type: ignore[arg-type]
    rest, b = explorer.expand(a)  # type: ignore[arg-type]
    assert isinstance(rest, Loop)
    assert isinstance(b, Call)
    return rest, b


def test_who_waits_for_a_call_that_is_done_elsewhere_goes_on() -> None:
    explorer = _explorer(figure_6)
    rest, b = _processed(explorer)
    assert rest.signal is not None
    assert not rest.signal.is_sent
    explorer.pack(b)
    assert rest.signal.is_sent


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_that_travels_runs_what_stays(name: str) -> None:
    """Each piece of work in an explorer of its own: as many executions, in more calls."""
    explorer = _explorer(PROGRAMS[name])
    waiting, executions = [_sent(explorer, work) for work in explorer.begin()], 0
    while waiting:
        other = _explorer(PROGRAMS[name])
        for news in other.expand(other.unpack(waiting.pop())):
            if isinstance(news, Run):
                executions += 1
            else:
                waiting.append(_sent(other, news))
    options = mcr.Options(keep_going=True, shorten=False)
    assert executions == mcr.check(PROGRAMS[name], "sc", algorithm="rvf-smc", options=options).statistics.executions


def _sent(explorer: RVFSMC, work: Work) -> Any:
    return json.loads(json.dumps(explorer.pack(work)))


@pytest.mark.parametrize(
    "damage",
    [
        {"good": []},
        {"good": [[["1", 0], [["0", 1]]]]},
        {"good": [[["1", 0], [None, ["2", 7]]]]},
        {"good": [[["7", 0], [None]]]},
        {"mutate": [["0", 0]]},
        {"sigma": [["0"], ["0"], ["0"]]},
    ],
    ids=str,
)
def test_damaged_calls_are_refused(damage: dict[str, Any]) -> None:
    explorer = _explorer(figure_6)
    packed = _sent(explorer, _processed(explorer)[1])
    explorer.unpack(packed)
    with pytest.raises(CheckerError):
        explorer.unpack({**packed, **damage})
