"""Attributes that modules and functions have by code or by their class, not by what they hold."""

from __future__ import annotations

import importlib
import sys

import pytest

import mcr
from mcr import Verdict
from replay.frontend.ownership import heap
from replay.interpreter import execution

PACKAGE = """
made = []
count = 0

def __getattr__(name):
    global count
    made.append(name)
    if name != "late":
        raise AttributeError(name)
    count += 1
    return count
"""

PROGRAMS = """
import threading

import lazy_package
import lazy_package.inner


def together(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def two_ask():
    found = []
    together(*[lambda: found.append(lazy_package.late)] * 2)
    assert sorted(found) == [1, 2]


def importing():
    from lazy_package import inner, late

    assert (inner.value, late) == (5, 2)
    try:
        from lazy_package import missing
    except ImportError as error:
        assert error.__context__ is None and error.name == "lazy_package"
        assert str(error).startswith("cannot import name 'missing' from 'lazy_package' (")


def imports():
    together(importing)
    assert lazy_package.made == ["late", "late", "missing", "missing"], lazy_package.made


rounds = 14000


class Counter:
    def one(self):
        return 1


def sums():
    counter = Counter()
    total = 0
    for _ in range(rounds):
        total += counter.one()
    assert total == rounds


def goes_round():
    together(sums)

"""


@pytest.fixture
def programs(tmp_path, monkeypatch):
    (tmp_path / "lazy_package").mkdir()
    (tmp_path / "lazy_package" / "__init__.py").write_text(PACKAGE)
    (tmp_path / "lazy_package" / "inner.py").write_text("value = 5\n")
    (tmp_path / "lazy_programs.py").write_text(PROGRAMS)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("lazy_package", "lazy_package.inner", "lazy_programs"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("lazy_programs")


def test_code_by_which_a_module_makes_attributes_is_interpreted(programs):
    assert mcr.check(programs.two_ask).failures, "count += 1 is a race"
    assert programs.lazy_package.count == 0 and not programs.lazy_package.made


def test_names_that_a_package_makes_are_imported_as_python_does(programs):
    assert mcr.check(programs.imports).verdict is Verdict.VERIFIED
    programs.imports()


def test_long_work_on_what_nobody_changes_takes_no_step(programs):
    result = mcr.check(programs.goes_round)
    assert result.verdict is Verdict.VERIFIED
    assert result.statistics.local_states < 20


def test_methods_are_bound_where_it_is_noted_what_a_thread_reads_that_goes_round(programs, monkeypatch):
    monkeypatch.setattr(heap, "_LONG", 1)
    monkeypatch.setattr(execution, "PATIENCE", 100)
    monkeypatch.setattr(programs, "rounds", 300)
    assert not mcr.check(programs.goes_round).failures
