"""`mcr replay --cpython` and `--script`: what they say, what they write, and what they refuse."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.recording import SOURCE
from tests.desk import Desk

BANK = """
import threading


class Account:
    def __init__(self, balance=0):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        if self.balance >= amount:
            with self.lock:
                self.balance -= amount
"""

CHECK = """
\"\"\"Programs.\"\"\"

import json
import mcr
from bank import Account

AMOUNT = 10


@mcr.program
def withdrawals(p, again=1):
    account = p.share(Account(AMOUNT))
    p.thread(account.withdraw, AMOUNT)
    p.thread(account.withdraw, AMOUNT * again)

    @p.final
    def nobody_overdraws():
        assert account.balance >= 0, "overdrawn"


@mcr.program
def sorts(p):
    items = p.share([3, 1, 2])
    p.thread(lambda: items.sort())
    p.thread(lambda: items[2])


def unrelated():
    return json
"""

TRACE = ".mcr/withdrawals-sc.json"


@pytest.fixture
def bank(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """What the programs import is forgotten afterwards: other tests have modules of that name, too."""
    monkeypatch.delitem(sys.modules, "bank", raising=False)
    desk.write("bank.py", BANK)
    desk.write("check_bank.py", CHECK)
    assert desk.mcr("check", "check_bank.py::withdrawals").status == 1
    yield desk
    sys.modules.pop("bank", None)


def run_without_mcr(script: Path) -> subprocess.CompletedProcess[str]:
    """Run a script with a Python that finds nothing that is installed."""
    return subprocess.run(
        [sys.executable, "-S", "-E", str(script)], capture_output=True, text=True, check=False, cwd="/"
    )


def test_it_is_confirmed(bank: Desk) -> None:
    answer = bank.mcr("replay", TRACE, "--cpython")
    assert answer.status == 1
    version = sys.version.split()[0]
    assert answer.out.endswith(
        f"The failure occurs again.\nConfirmed by CPython {version}: AssertionError: overdrawn.\n"
    )


def test_as_a_document(bank: Desk) -> None:
    document = bank.mcr("replay", TRACE, "--cpython", "--script", "repro.py", "--json").document
    assert document["cpython"]["status"] == document["status"] == 1
    assert document["cpython"]["said"].startswith("Confirmed by CPython 3.")
    assert document["script"] == "repro.py"


def test_a_script_has_the_program_in_it(bank: Desk) -> None:
    answer = bank.mcr("replay", TRACE, "--script", "repro.py")
    assert (answer.status, answer.out.splitlines()[-1]) == (1, "The script is in repro.py: python repro.py")
    text = (bank.folder / "repro.py").read_text()
    assert "def withdrawals(p, again=1):" in text
    assert "AMOUNT = 10" in text
    assert not any(word in text for word in ("import mcr", "@mcr", "unrelated", "json"))
    assert len(text.splitlines()) < 200
    ended = run_without_mcr(bank.folder / "repro.py")
    assert (ended.returncode, ended.stdout.splitlines()[-1].partition(": ")[2]) == (1, "AssertionError: overdrawn")


def test_a_script_that_imports_the_program(bank: Desk) -> None:
    bank.write("check_other.py", CHECK.replace("AMOUNT = 10", "AMOUNT = 10 if mcr.program else 0"))
    bank.write("elsewhere/x", "")
    assert bank.mcr("check", "check_other.py::withdrawals", "--set", "again=1").status == 1
    answer = bank.mcr("replay", ".mcr/withdrawals-again=1-sc.json", "--script", "elsewhere/repro.py")
    assert answer.status == 1, answer.err
    text = (bank.folder / "elsewhere/repro.py").read_text()
    assert "from check_other import withdrawals" in text
    assert "withdrawals(p, again=1)" in text
    assert len(text.splitlines()) < 200
    ended = run_without_mcr(bank.folder / "elsewhere/repro.py")
    assert (ended.returncode, ended.stdout.splitlines()[-1].partition(": ")[2]) == (1, "AssertionError: overdrawn")


def test_a_switch_inside_of_an_instruction(bank: Desk) -> None:
    assert bank.mcr("check", "check_bank.py::sorts").status == 1
    answer = bank.mcr("replay", ".mcr/sorts-sc.json", "--cpython", "--script", "repro.py")
    assert answer.status == 3
    assert "CPython cannot follow: the schedule switches threads inside of" in answer.out
    assert not (bank.folder / "repro.py").exists()


@pytest.mark.parametrize("option", ["--html x.html", "--graph x.svg", "--pdb", "--fewest", "--times 2"])
@pytest.mark.parametrize("asked", ["--cpython", "--script repro.py"])
def test_refused_together(bank: Desk, asked: str, option: str) -> None:
    answer = bank.mcr("replay", TRACE, *asked.split(), *option.split())
    assert answer.status == 2
    assert f"{asked.split()[0]} plays the trace on threads of CPython, and {option.split()[0]} on mcr's" in answer.err


def test_other_models_are_refused(desk: Desk) -> None:
    desk.write("store_buffering.py", SOURCE)
    for model, said in (("tso", "CPython reorders no stores"), ("sc", "declares memory of a model")):
        desk.mcr("check", "store_buffering.py::store_buffering", "--model", model, "--save", "traces")
        for trace in (desk.folder / "traces").glob(f"*-{model}.json"):
            answer = desk.mcr("replay", str(trace), "--cpython")
            assert (answer.status, said in answer.err) == (2, True)


def test_what_cannot_be_written(bank: Desk) -> None:
    answer = bank.mcr("replay", TRACE, "--script", "bank.py/repro.py")
    assert answer.status == 2
    assert "bank.py/repro.py: the script cannot be written" in answer.err
