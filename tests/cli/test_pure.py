"""Functions for which a user vouches: they run natively, and every report says so."""

from __future__ import annotations

import pytest

from replay.interpreter import natives
from tests.desk import Desk

PROGRAM = """
import ctypes

import mcr


def number(value):
    return ctypes.c_int(value).value


@mcr.program
def numbers(p):
    x = p.var("x", 0)

    def thread():
        x.store(number(3))
        assert x.load() == 3

    p.thread(thread)
"""

ASSUMED = "number computes its result from its arguments alone, and changes nothing but them (mcr.pure)"


@pytest.fixture(autouse=True)
def nothing_is_vouched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(natives, "_VOUCHED", {})


def test_native_code_that_nobody_vouches_for_is_refused(desk: Desk) -> None:
    desk.write("numbers.py", PROGRAM)
    answer = desk.mcr("check", "numbers.py")
    assert answer.status == 2
    assert answer.err.startswith("error: numbers.py:7: ctypes.c_int cannot be checked: it is native code which mcr")
    assert "or vouch for it with @mcr.pure" in answer.err


def test_a_vouched_function_is_among_what_is_assumed(desk: Desk) -> None:
    desk.write("numbers.py", PROGRAM.replace("def number", "@mcr.pure\ndef number"))
    answer = desk.mcr("check", "numbers.py", "--model", "sc")
    assert answer.status == 0
    assert f"assumed: {ASSUMED}" in " ".join(answer.out.split())
    document = desk.mcr("check", "numbers.py", "--model", "sc", "--json").document
    assert document["results"][0]["assumed"] == [ASSUMED]


def test_a_function_that_is_not_called_is_not(desk: Desk) -> None:
    desk.write("numbers.py", PROGRAM.replace("def number", "@mcr.pure\ndef number").replace("number(3)", "3"))
    assert "assumed" not in desk.mcr("check", "numbers.py").out


def test_a_project_vouches_by_name(desk: Desk) -> None:
    desk.write("numbers.py", PROGRAM)
    desk.write("pyproject.toml", '[tool.mcr]\npure = ["ctypes.c_int"]\n')
    answer = desk.mcr("check", "numbers.py", "--model", "sc")
    assert answer.status == 0
    assert "assumed: ctypes.c_int computes its result" in answer.out


@pytest.mark.parametrize(
    ("pure", "complaint"),
    [
        ('"math.cos"', "'math.cos' is not a list of functions"),
        ('["math.cosine"]', "'math.cosine' is no function that can be imported"),
        ('["no_such.thing"]', "'no_such.thing': no module of that name can be imported"),
        ('["math"]', "'math': no module of that name can be imported"),
    ],
)
def test_what_cannot_be_vouched_for(desk: Desk, pure: str, complaint: str) -> None:
    desk.write("numbers.py", PROGRAM)
    desk.write("pyproject.toml", f"[tool.mcr]\npure = {pure}\n")
    answer = desk.mcr("check", "numbers.py")
    assert answer.status == 2
    assert f"pyproject.toml: [tool.mcr] pure: {complaint}" in answer.err


def test_pure_takes_functions(desk: Desk) -> None:
    desk.write("numbers.py", PROGRAM + "\nmcr.pure(3)\n")
    assert "mcr.pure takes a function, not 3" in desk.mcr("check", "numbers.py").err
