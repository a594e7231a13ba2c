"""Work and news travel by name: two explorers, whose numbers differ, share one exploration and find the whole."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import pytest

from examples import reference
from mcr.api import open_session
from mcr.exploration.contract import Run, Work
from mcr.exploration.goals import FAILURES, STATES
from mcr.exploration.session import Session
from mcr.exploration.travel import Travelling, pack_run, unpack_run
from mcr.explorers.exhaustive.behaviours import LocalState, failure_set, local_state_set
from mcr.explorers.registry import ALGORITHMS, AUTO
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.machine.machine import Machine
from replay.world.memory_models import MODELS
from tests import support
from tests.explorers.test_contract import FAMILIES
from tests.maximal.random_programs import random_program

PROGRAMS = {
    "dekker": reference.dekker(),
    "exp_mem": reference.exp_mem(n=3),
    "casrot": reference.casrot(n=3),
    **{family: random_program(3, kinds, length=2) for family, kinds in FAMILIES.items()},
}


def _session(program: Program, model: str, objective: str, algorithm: str) -> Session:
    options = support.telling_histories_apart(algorithm)
    if objective not in (STATES, FAILURES):
        options = replace(options, merge=True)
    return open_session(program, MODELS[model], objective=objective, algorithm=algorithm, options=options)


def _sent(packed: object) -> Any:
    return json.loads(json.dumps(packed))


class Two:
    """Two explorers; whatever the one has to do, the other one does, and tells what it ran."""

    def __init__(self, program: Program, model: str, objective: str, algorithm: str) -> None:
        self.sides = [_session(program, model, objective, algorithm) for _ in range(2)]
        self._renumber(self.sides[1])
        self._waiting: deque[tuple[int, Work]] = deque()
        self.travelled = 0

    def _renumber(self, side: Session) -> None:
        """Let an unfolding meet things in an order of its own: the last thread runs first, and then the others."""
        machine = Machine(side.stage.unfolding, side.stage.model)
        while choices := machine.choices():
            machine.apply(choices[-1])

    def explore(self) -> None:
        self._put(0, self._explorer(0).begin())
        while self._waiting or self._remaining():
            owner, work = self._waiting.popleft()
            packed = _sent(self._explorer(owner).pack(work))
            other = 1 - owner
            self.travelled += 1
            for news in self._explorer(other).expand(self._explorer(other).unpack(packed)):
                if isinstance(news, Run):
                    told = _sent(pack_run(self.sides[other].stage, news))
                    self._explorer(owner).see(unpack_run(self.sides[owner].stage, told))
                else:
                    self._put(other, (news,))

    def _explorer(self, number: int) -> Travelling:
        return cast("Travelling", self.sides[number].explorer)

    def _put(self, owner: int, work: Iterable[Work]) -> None:
        for piece in work:
            if piece.depth_first:
                self._waiting.appendleft((owner, piece))
            else:
                self._waiting.append((owner, piece))

    def _remaining(self) -> bool:
        for owner in range(2):
            work = self._explorer(owner).remaining()
            if work is not None:
                self._put(owner, (work,))
                return True
        return False

    def states(self) -> list[frozenset[LocalState]]:
        return [local_state_set(side.stage.unfolding) for side in self.sides]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("algorithm", "model"), [(name, model) for name in ALGORITHMS if name != AUTO for model in ALGORITHMS[name].models]
)
def test_two_find_what_one_finds(algorithm: str, name: str, model: str) -> None:
    """Local states, with what fails; and, where they are counted, classes. On terms, only what fails."""
    program = PROGRAMS[name]
    objective = FAILURES if ALGORITHMS[algorithm].on_terms else STATES
    alone = _session(program, model, objective, algorithm)
    alone.explore()
    two = Two(program, model, objective, algorithm)
    two.explore()
    assert two.travelled
    unfolding = alone.stage.unfolding
    if objective == STATES:
        assert two.states() == [local_state_set(unfolding)] * 2
    assert failure_set(two.sides[0].stage.unfolding) == failure_set(unfolding)


@pytest.mark.parametrize("objective", ["values", "rf", "traces"])
@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != AUTO])
def test_two_count_the_classes_of_one(algorithm: str, objective: str) -> None:
    if objective not in ALGORITHMS[algorithm].objectives:
        return
    for name in ("exp_mem", "casrot", "waits"):
        alone = _session(PROGRAMS[name], "pso", objective, algorithm).explore()
        two = Two(PROGRAMS[name], "pso", objective, algorithm)
        two.explore()
        for side in two.sides:
            assert side.explorer.claim().classes == alone.classes


def test_the_deadlock_travels() -> None:
    two = Two(PROGRAMS["waits"], "tso", "states,deadlocks", "cover")
    two.explore()
    assert two.travelled


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != AUTO])
def test_work_of_another_program_is_refused(algorithm: str) -> None:
    """Whatever of it does not fit; and whatever is no work at all."""
    model = ALGORITHMS[algorithm].models[-1]
    sender = cast("Travelling", _session(reference.bakery(n=2), model, FAILURES, algorithm).explorer)
    receiver = cast("Travelling", _session(reference.sb(n=2), model, FAILURES, algorithm).explorer)
    waiting, packed = deque(sender.begin()), []
    while len(packed) < 20 and (work := waiting.popleft() if waiting else sender.remaining()) is not None:
        packed.append(_sent(sender.pack(work)))
        waiting.extend(news for news in sender.expand(work) if not isinstance(news, Run))
    assert any(_is_refused(receiver, each) for each in packed)
    for damaged in ({"graph": {}}, {"seed": 1}, {"question": {"trace": [[]]}}, [[]], [1], 7, None, "graph"):
        assert _is_refused(receiver, damaged)


def _is_refused(receiver: Travelling, packed: object) -> bool:
    try:
        receiver.unpack(packed)
    except CheckerError:
        return True
    return False
