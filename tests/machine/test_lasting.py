"""What outlives the runs of a program, and is compared before and after."""

from __future__ import annotations

import importlib
import sys

import pytest

from replay.code.lasting_state import LastingState


def loads():
    return sys.modules["json"]


@pytest.fixture
def state(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    return LastingState([loads], ordinary=False)


def wrong(state):
    return state.wrong(lambda: None)


def test_what_the_checker_imports_meanwhile_is_no_change_of_a_thread(state):
    importlib.import_module("colorsys")
    assert not wrong(state)


def test_a_thread_that_gives_a_module_another_name_or_takes_one_away_is_found(state, monkeypatch):
    with monkeypatch.context() as changed:
        changed.setitem(sys.modules, "no_such_module", sys)
        assert "'modules'" in wrong(state)
    with monkeypatch.context() as changed:
        changed.delitem(sys.modules, "json")
        assert "'modules'" in wrong(state)
    assert "'modules'" in wrong(state), "json is in its place, but at the end"
