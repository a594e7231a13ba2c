"""RF-SMC by several processes: the calls of one process, in its order, whatever helpers know."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest

from examples import peterson, reference
from mcr.api import open_session
from mcr.exploration.crew import Piece
from mcr.exploration.options import Options
from mcr.explorers.rf_smc import helper, together
from mcr.explorers.rf_smc.together import CallsTogether
from replay.frontend.program import Program
from replay.world.memory_models import MODELS
from tests.jobs.campaign import one_of
from tests.jobs.together import differs, shared_at_once

PROGRAMS = {
    "exp_mem": reference.exp_mem(n=4),
    "lastzero": reference.lastzero(n=3),
    "ttas": reference.ttas(n=2, b=2, check=False),
    "peterson": peterson.peterson,
}


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with shared_at_once():
        yield


@pytest.mark.parametrize("objective", ["rf", "outcomes", "failures,deadlocks"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_tells_what_one_process_tells(name: str, objective: str) -> None:
    assert not differs(PROGRAMS[name], "tso", "rf-smc", objective, 2, keep_going=objective != "outcomes")


def _session(program: Program, jobs: int = 2) -> Any:
    return open_session(program, MODELS["tso"], objective="rf", algorithm="rf-smc", options=Options(jobs=jobs))


def test_calls_travel() -> None:
    session = _session(reference.exp_mem(n=4))
    session.explore()
    assert isinstance(session.explorer, CallsTogether)
    assert session.explorer.given


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Helpers leave out every third call that they should do."""
    announce = helper.Caller._announce

    def forget(self: helper.Caller, call: Any) -> int:
        self._numbers += 1
        return helper.KNOWN if call is not None and self._numbers % 3 == 0 else announce(self, call)

    monkeypatch.setattr(helper.Caller, "_announce", forget)


@pytest.mark.usefixtures("forgetful")
def test_what_helpers_left_out_is_done_here() -> None:
    session = _session(reference.exp_mem(n=4))
    session.explore()
    assert session.explorer.made_here


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("seed", range(1, 11))
def test_then_it_tells_the_same(seed: int) -> None:
    assert not one_of(seed, [("rf-smc", "rf"), ("rf-smc", "outcomes")])


@pytest.mark.parametrize("seed", range(1, 11))
def test_where_most_is_in_vain_it_goes_on_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    over = []

    def is_in_vain(self: CallsTogether) -> bool:
        over.append(self._taken > 2)
        return over[-1]

    monkeypatch.setattr(CallsTogether, "_is_in_vain", is_in_vain)
    assert not one_of(seed, [("rf-smc", "rf"), ("rf-smc", "outcomes")])
    assert over.count(True) <= 1


def test_what_is_in_vain_is_noticed() -> None:
    """Two mutations of the first slot: the first was scheduled meanwhile, the second leads to one that was."""
    key, other = (("0", 1, "", -1, -1),), (("1", 1, "", -1, -1),)
    told = [
        helper.Done(0, offers=[helper.Offer(0, key, 1), helper.Offer(0, other, 2)]),
        helper.Done(2, opened=[[]], offers=[helper.Offer(0, key, 3), helper.Offer(1, key, 4)]),
        *(helper.Done(number) for number in (4, 3, 1)),
    ]
    piece: Piece[helper.Done] = Piece(0, told=deque(told))
    assert together._in_vain(together._Afar(piece, 0, [{key}, {key}])) == 2
