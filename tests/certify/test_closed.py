"""Threads explored alone, held against all global states: what they are said to be right of is, and is confirmed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr.exploration.options import Options
from mcr.explorers.closed import explorer
from mcr.explorers.closed.explorer import Closed
from replay.certify.form import CLOSED
from replay.code.terminals import Failed
from replay.frontend.program import Program
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.loader import find_programs
from replay.world.memory_model import MemoryModel
from tests.certify.alone import threads_alone
from tests.certify.damage import certificate, why_rejected
from tests.desk import EXAMPLES
from tests.random_search import assert_agree

REFERENCE = EXAMPLES / "reference.py"


def reference(name: str, **arguments: object) -> mcr.Program:
    return next(find_programs(f"{REFERENCE}::{name}"))(**arguments)


@pytest.mark.parametrize("profile", ["memory", "control", "freeing", "threads"])
def test_random_programs(profile: str) -> None:
    """Some have a certificate: it is confirmed, and all global states show no failure."""
    found = []

    def disagreement(program: Program, model: MemoryModel) -> str:
        said = certificate(program, model.name, "closed")
        if said is None:
            return ""
        found.append(said)
        verdict = mcr.check(program, model.name, algorithm="stateful").verdict
        return why_rejected(said, program) or ("" if verdict is mcr.Verdict.VERIFIED else f"it is {verdict}")

    assert_agree(profile, 8, 1, disagreement)
    assert found


def _without_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the explorer go past failures, and leave out the steps that lead to them."""
    look, told = Closed._look, explorer.local_graphs

    def goes_past(self: Closed, state: State, depths: Any) -> None:
        if not isinstance(state.terminal, Failed):
            look(self, state, depths)

    def left_out(unfolding: Unfolding, after: Any) -> dict[str, Any]:
        said = told(unfolding, after)
        failed = {state.number for state in unfolding.states if isinstance(state.terminal, Failed)}
        said["edges"] = [edge for edge in said["edges"] if edge[3] not in failed]
        return said

    monkeypatch.setattr(Closed, "_look", goes_past)
    monkeypatch.setattr(explorer, "local_graphs", left_out)


@pytest.mark.parametrize("profile", ["memory", "control"])
def test_random_programs_whose_failures_are_left_out(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst forgery: all that can be said of a program, but for the steps that fail."""
    rejected = 0

    def disagreement(program: Program, model: MemoryModel) -> str:
        nonlocal rejected
        with monkeypatch.context() as patched:
            _without_failures(patched)
            said = certificate(program, model.name, "closed")
        if said is None:
            return ""
        fails = mcr.check(program, model.name, algorithm="stateful").verdict is not mcr.Verdict.VERIFIED
        why = why_rejected(said, program)
        rejected += fails and bool(why)
        return "it fails, and is confirmed" if fails and not why else ""

    assert_agree(profile, 8, 11, disagreement)
    assert rejected


@pytest.mark.parametrize(
    ("name", "arguments", "local_states"),
    [
        ("bakery", {"n": 4, "check": False}, 208),
        ("lastzero", {"n": 20}, 292),
    ],
)
def test_auto_takes_them_for_certificates(name: str, arguments: dict[str, Any], local_states: int) -> None:
    """The graphs are no larger than those that executions show."""
    program = reference(name, **arguments)
    result = mcr.check(program, "tso", options=Options(certificate=True))
    assert (result.verdict, result.algorithm) == (mcr.Verdict.VERIFIED, "closed")
    assert result.statistics.local_states == local_states
    assert mcr.check(program, "tso", algorithm="cover").statistics.local_states == local_states


@mcr.program
def chained(p):
    """Nobody reads what was made of what he writes later."""
    x, y = p.var("x", 0), p.var("y", 0)

    def one():
        assert x.load() == 0
        y.store(1)

    p.thread(one)
    p.thread(lambda: x.store(y.load()) if y.load() else None)


@mcr.program
def overwritten(p):
    """A thread does not read what it has overwritten, nor the first value."""
    x, y = p.var("x", 0), p.var("y", 0)

    def one():
        x.store(1)
        x.store(2)
        assert x.load() == 2

    p.thread(one)
    p.thread(y.store, 1)
    p.thread(y.load)


@mcr.program
def passed(p):
    x, y = p.var("x", 0), p.var("y", 0)
    p.thread(x.store, 1)
    p.thread(lambda: y.store(x.load()))
    p.thread(y.load)


@mcr.program
def own(p):
    x = p.var("x", 0)
    p.thread(lambda: (x.store(1), x.load()))
    p.thread(x.load)


@mcr.program
def waiting(p):
    lock = p.mutex("lock")

    def thread():
        with lock:
            pass

    p.thread(thread)
    p.thread(thread)


@pytest.mark.parametrize("program", [chained, overwritten, passed, own])
@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_what_is_confirmed(program: mcr.Program, model: str) -> None:
    said = certificate(program, model, "closed")
    assert said is not None
    assert not why_rejected(said, program)


def test_where_threads_may_wait_they_say_nothing_of_deadlocks() -> None:
    assert certificate(waiting, "sc", "closed") is None


def test_that_nobody_waits_for_ever_is_not_believed() -> None:
    with threads_alone():
        result = mcr.check(waiting, "sc", algorithm="cover", options=Options(certificate=True, deadlocks=False))
    assert result.certificate is not None
    said = json.loads(gzip.decompress(result.certificate))
    assert not why_rejected(said, waiting)
    assert "it may wait there" in why_rejected({**said, "deadlocks": True}, waiting)


@mcr.program
def looping(p):
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.thread(lambda: p.wait_until(lambda: x.load() == 1))


def test_a_graph_that_leads_back_is_rejected() -> None:
    """Nobody knows how deep a thread is then."""
    said = certificate(looping, "sc", "stateful")
    assert said is not None
    fields = ("constant", "buffer", "components", "states")
    closed = {name: value for name, value in said.items() if name not in fields} | {"format": CLOSED}
    assert "an edge leads back" in why_rejected(closed, looping)


Put = Callable[[pytest.MonkeyPatch], None]


def _replaces(owner: Any, name: str, value: Callable[..., Any]) -> Put:
    return lambda monkeypatch: monkeypatch.setattr(owner, name, value)


def _only_first(self: Closed, state: State, depths: Any) -> None:
    self._read(state, self.unfolding.initial[state.loc], depths)


def _deeper(one: Any, other: Any) -> Any:
    return tuple(5 for _ in range(4))


def _less_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    right = explorer.local_graphs

    def told(unfolding: Any, after: Any) -> dict[str, Any]:
        said = right(unfolding, after)
        said["edges"].pop()
        return said

    monkeypatch.setattr(explorer, "local_graphs", told)


FAULTS: dict[str, tuple[mcr.Program, Put]] = {
    "nobody reads what others wrote": (passed, _replaces(Closed, "_read_of", lambda *_: None)),
    "nobody reads what others wrote later": (passed, _replaces(Closed, "_tell", lambda *_: None)),
    "a thread always finds the first value": (own, _replaces(Closed, "_read_own", _only_first)),
    "a thread does not find what it wrote": (own, _replaces(Closed, "_read_own", lambda *_: None)),
    "all were too deep": (passed, _replaces(explorer, "_at", lambda *_: 99)),
    "whoever reads learns too much": (passed, _replaces(explorer, "_later", _deeper)),
    "an edge is left out": (passed, _less_edges),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_explorer_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, put = FAULTS[fault]
    with monkeypatch.context() as patched:
        put(patched)
        said = certificate(program, "sc", "closed")
    assert said is not None, "the fault hides nothing, or shows"
    assert why_rejected(said, program)
