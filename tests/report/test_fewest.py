"""How few context switches and reordered stores a failure takes."""

from __future__ import annotations

import pytest

import mcr
from mcr.diagnosis import fewest as module
from mcr.diagnosis.fewest import Fewest, fewest
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from tests.desk import EXAMPLES, Desk

KNOWN = {
    ("litmus", "store_buffering", "tso"): (1, 1),
    ("litmus", "message_passing", "pso"): (1, 1),
    ("bank_account", "lost_update", "sc"): (2, 0),
}


@pytest.mark.parametrize(("case", "expected"), KNOWN.items(), ids=lambda each: "-".join(map(str, each)))
def test_known_figures(case: tuple[str, str, str], expected: tuple[int, int]) -> None:
    stem, name, model = case
    program = next(each for each in programs_in(EXAMPLES / f"{stem}.py") if each.name == name)
    (trace,) = mcr.check(program, model).failures
    assert trace.failure is not None
    found = fewest(program, MODELS[model], trace.failure.identity)
    assert (found.switches, found.reordered) == expected


def test_replay_tells(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.copy("litmus.py")
    desk.mcr("check", "litmus.py::message_passing", "--model", "pso")
    answer = desk.mcr("replay", ".mcr/message_passing-pso.json", "--fewest")
    assert "It takes 1 reordered store, and no fewer." in answer.out
    document = desk.mcr("replay", ".mcr/message_passing-pso.json", "--fewest", "--json").document
    assert document["fewest"]["reordered"] == 1
    monkeypatch.setattr(module, "EFFORT", 1)
    answer = desk.mcr("replay", ".mcr/message_passing-pso.json", "--fewest")
    assert "How few context switches it takes was not found out: the search for that takes too long." in answer.out
    assert Fewest(None, None).switches is None
