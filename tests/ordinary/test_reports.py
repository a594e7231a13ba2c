"""What is told of ordinary classes: by the names that the code has; and files that are played again."""

from __future__ import annotations

import importlib
import sys

import pytest

import mcr
from replay.errors import ScheduleError
from tests.amount import one_of
from tests.ordinary.classes import Account, Chain, Stores

CLASS = """
class Counter:
    def __init__(self):
        self.count = 0

    def up(self):
        self.count += 1
"""

PROGRAM = """
import mcr
from {module} import Counter


@mcr.program
def counted(p):
    counter = p.share(Counter())
    p.thread(counter.up)
    p.thread(counter.up)

    @p.final
    def all_count():
        assert counter.count == 2
"""


def written(folder, name, text):
    """A module of a new file."""
    (folder / f"{name}.py").write_text(text)
    sys.modules.pop(name, None)
    importlib.invalidate_caches()
    return importlib.import_module(name)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_failure_is_played_again(folder):
    written(folder, "counter_1", CLASS)
    counted = written(folder, "counted_1", PROGRAM.format(module="counter_1")).counted
    trace = mcr.check(counted, "sc").failures[0]
    assert mcr.replay(counted, trace).failure == trace.failure
    assert [event.line.file for event in trace.events if event.thread == "0" and event.line] == [
        str(folder / "counter_1.py")
    ] * 2


def test_a_class_that_has_changed_is_told(folder):
    written(folder, "counter_2", CLASS)
    before = written(folder, "counted_2", PROGRAM.format(module="counter_2")).counted.fingerprint()
    written(folder, "counter_2", CLASS.replace("+= 1", "+= 2"))
    after = written(folder, "counted_2", PROGRAM.format(module="counter_2")).counted
    assert after.fingerprint() != before
    written(folder, "counter_2", CLASS + "# a comment\n")
    assert written(folder, "counted_2", PROGRAM.format(module="counter_2")).counted.fingerprint() == before


def test_a_schedule_that_does_not_fit_any_more(folder):
    written(folder, "counter_3", CLASS)
    counted = written(folder, "counted_3", PROGRAM.format(module="counter_3")).counted
    trace = mcr.check(counted, "sc").failures[0]
    written(folder, "counter_3", CLASS.replace("count += 1", "count = 1"))
    changed = written(folder, "counted_3", PROGRAM.format(module="counter_3")).counted
    with pytest.raises(ScheduleError):
        mcr.replay(changed, trace)


@mcr.program
def overdrawn(p):
    account = p.share(Account(10))
    p.thread(account.withdraw, 10)
    p.thread(account.withdraw, 10)
    p.final(lambda: check(account.balance >= 0))


@mcr.program
def kept(p):
    chain = p.share(Chain())
    p.thread(chain.push_locked, 1)
    p.thread(chain.push_locked, 2)
    p.final(lambda: check(sorted(chain.values()) == [1, 2]))


@mcr.program
def put_twice(p):
    stores = p.share(Stores())
    p.thread(stores.note, "b")
    p.thread(stores.note, "b")
    p.final(lambda: check(len(stores.table["b"]) == 2))


def check(condition):
    assert condition


ALGORITHMS = ["cover", "trust", "trust-rf", "mcr", "rf-smc", "rvf-smc", "bmc", "exhaustive"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_algorithms_agree(algorithm):
    expected = ((overdrawn, "bug"), (kept, "verified"), (put_twice, "bug"))
    for program, verdict in one_of(expected, algorithm):
        assert mcr.check(program, "sc", algorithm=algorithm).verdict.value == verdict


def test_names_of_what_is_held_and_made():
    operations = {event.operation for event in mcr.check(overdrawn, "sc").failures[0].events}
    assert {"lock account.lock", "unlock account.lock", "load account.balance"} <= operations
    operations = {event.operation for event in mcr.check(put_twice, "sc").failures[0].events}
    assert {"load stores.table", "stores.table['b'] = list#0.0", "list#0.0.append(1)"} <= operations
