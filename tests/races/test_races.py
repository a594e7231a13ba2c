"""The objective "races": what brute force finds, and what follows from there being none."""

from __future__ import annotations

import pytest

import mcr
from replay.world.memory_models import MODELS
from tests import random_search
from tests.amount import amount
from tests.desk import Desk
from tests.races.agreement import disagreement
from tests.races.brute_force import enumerate_races
from tests.random_programs import PROFILES, RandomProgram

PROGRAMS = amount(3, 60)


@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs_agree_with_brute_force(profile: str) -> None:
    random_search.assert_agree(profile, PROGRAMS, 19, lambda program, model: disagreement(program, model, 200, "cover"))


@mcr.program
def too_late_to_write(p: mcr.Declarations) -> None:
    """Beside the load the update finds 1 and writes nothing: only the store races with it."""
    x = p.var("x", 0)
    p.thread(x.compare_exchange, 0, 1)

    def other() -> None:
        x.store(1)
        x.load()

    p.thread(other)


@pytest.mark.parametrize("model", MODELS)
def test_an_update_that_would_not_write_races_with_no_load(model: str) -> None:
    assert disagreement(too_late_to_write, MODELS[model], 10_000) == ""


MAIL = """
import mcr


@mcr.program
def mail(p):
    letter, flag = p.var("letter", None), p.var("flag", False)
    p.plain(letter)

    def sender():
        letter.store("hello")
        flag.store(True)

    def receiver():
        if flag.load():
            letter.load()

    p.thread(sender)
    p.thread(receiver)
"""


def test_each_race_has_two_schedules(desk: Desk) -> None:
    desk.write("mail.py", MAIL)
    answer = desk.mcr("check", "mail.py", "--races")
    assert answer.status == 1
    assert answer.out.count("mail fails under PSO: DataRace") == 2
    assert answer.out.count("Possible under PSO, impossible under SC and TSO.") == 2
    assert "race-free: synchronisation orders all accesses of plain cells" in answer.out
    for file in ("mail-pso.json", "mail-pso-2.json"):
        again = desk.mcr("replay", f".mcr/{file}")
        assert again.status == 1
        assert "The failure occurs again." in again.out


@mcr.program
def locked(p: mcr.Declarations) -> None:
    lock, x = p.mutex("lock"), p.var("x", 0)

    def thread() -> None:
        with lock:
            x.store(x.load() + 1)

    p.thread(thread)
    p.thread(thread)


def test_no_race_under_sc_means_robust(desk: Desk) -> None:
    """The theorem, where all loads and stores are of plain cells."""
    assert enumerate_races(locked, MODELS["sc"], 10_000) == set()
    for model in MODELS:
        assert mcr.check(locked, model, objective="races,robustness").verdict is mcr.Verdict.VERIFIED


@pytest.mark.parametrize("profile", ["locks", "threads"])
def test_the_theorem_holds_on_random_programs(profile: str) -> None:
    free = 0

    def judge(program: RandomProgram) -> None:
        nonlocal free
        if mcr.check(program.build(), "sc", objective="races").verdict is mcr.Verdict.VERIFIED:
            free += 1
            for model in ("tso", "pso"):
                result = mcr.check(program.build(), model, objective="robustness")
                assert result.verdict is mcr.Verdict.VERIFIED

    assert not random_search.search(profile, 10, 7, judge)
    assert free


def test_plain_takes_cells_and_is_declared(desk: Desk) -> None:
    desk.write("wrong.py", MAIL.replace("p.plain(letter)", "p.plain(p.mutex('m'))"))
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 2
    assert "wrong.py:7: plain() takes variables, arrays and records" in answer.err
