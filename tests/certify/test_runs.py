"""Certificates of runs without end: honest ones, and those of explorers that make mistakes."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import mcr
from mcr.explorers.stateful.progress import Demand, LassoSearch
from replay.traces.trace import NOT_FREE
from tests.amount import one_of
from tests.certify import runs
from tests.certify.damage import OF_RUNS, certificate, why_rejected
from tests.desk import Desk
from tests.progress.test_freedom import KNOWN


@cache
def _violated() -> list[tuple[mcr.Program, str]]:
    return [
        (program, objective)
        for program, objective, model in runs.asked()
        if model == "tso" and mcr.check(program, model, objective=objective).verdict is mcr.Verdict.BUG
    ]


def test_what_is_verified_is_confirmed() -> None:
    for program, objective, model in runs.asked():
        if model not in one_of(runs.MODELS, f"{program.name} {objective}"):
            continue
        said = certificate(program, model, objective=objective)
        assert said is None or not why_rejected(said, program), (program.name, objective)
        holds = mcr.check(program, model, objective=objective).verdict is mcr.Verdict.VERIFIED
        assert (said is not None) == holds


Right = Callable[..., Any]

MISTAKES: dict[str, tuple[type, str, Callable[[Right], Right]]] = {
    "no run without end is seen": (LassoSearch, "lassos", lambda right: lambda self, objective: iter(())),
    "no component is looked at": (LassoSearch, "_components", lambda right: lambda self: iter(())),
    "each step completes a call": (Demand, "takes", lambda right: lambda self, action: action.choice.commit >= 0),
    "schedulers are fair to threads": (Demand, "wants", lambda right: lambda self, mover: True),
    "each thread is owed a step that it does not take": (
        LassoSearch, "_fairness", lambda right: lambda self, states: ({(99, None)}, *right(self, states)[1:])
    ),
    "all only look": (LassoSearch, "_fairness", lambda right: lambda self, states: (*right(self, states)[:2], True)),
    "nobody moves": (LassoSearch, "_must", lambda right: lambda self, moved: set()),
    "all are daemons": (LassoSearch, "_concerns", lambda right: lambda self, state: False),
    "nobody waits": (LassoSearch, "_waits", lambda right: lambda self, state: False),
    "one thread is asked about": (
        LassoSearch, "_demands", lambda right: lambda self, objective: [Demand(False, 0, True)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_of_the_explorer_are_rejected(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    violated, (owner, name, make) = _violated(), MISTAKES[mistake]
    monkeypatch.setattr(owner, name, make(getattr(owner, name)))
    found = [(said, each) for each, objective in violated if (said := certificate(each, "tso", objective=objective))]
    assert found
    for said, program in found:
        assert why_rejected(said, program), (program.name, said["rankings"][0][0])


@pytest.mark.parametrize("damage", OF_RUNS, ids=lambda damage: damage.__name__)
def test_damaged_certificates_are_rejected(damage: Callable[..., None]) -> None:
    draw = random.Random(0)
    for objective in ("progress", *NOT_FREE):
        program = next(each for each in KNOWN if each.name == ("serves" if objective == "progress" else "treiber_once"))
        said = certificate(program, "tso", objective=objective)
        assert said is not None
        damage(said, draw)
        # a thread that meets no other store does the same under all models
        assert why_rejected(said, program) or damage.__name__ == "another_model"


TEXT = """
    import mcr

    @mcr.program
    def door(p):
        opened = p.var("opened", False)

        def waits():
            while not opened.load():
                pass

        p.thread(waits)
        p.thread(opened.store, True)
"""


def test_the_command_line(desk: Desk) -> None:
    file = desk.write("door.py", TEXT)
    told = desk.mcr("check", file, "--model", "tso", "--objective", "progress", "--certificate", "proofs").out
    assert "certificate: proofs/door-tso.certificate" in told
    out = desk.mcr("certify", "proofs/door-tso.certificate", "--cpython").out
    assert (
        "nothing fails, and no threads wait for ever; progress: every fair run comes to its end, daemons apart" in out
    )
    assert "CPython does the same at each step" in out
