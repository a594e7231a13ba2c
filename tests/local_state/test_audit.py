"""Merges are run on: a rule about keys that leaves something out costs time, and no verdict."""

from __future__ import annotations

import contextlib
import io
import json
import os
from typing import Any

import pytest

import mcr
from examples import reference
from mcr.api import open_session
from mcr.exploration.limits import Stopped
from mcr.report.document import DocumentOutput
from mcr.report.layout import Style
from mcr.report.terminal import TerminalOutput
from replay.errors import NondeterminismError
from replay.machine.merge_audit import MergeAudit
from replay.machine.spinning import ends_turn
from replay.machine.unfolding import Unfolding
from replay.world.memory_models import MODELS
from tests.jobs.together import shared_at_once
from tests.local_state.faults import FAULTS, Fault

pytestmark = pytest.mark.usefixtures("old_engine")  # keys written from frames of the interpreter need no audits

SPINS = [name for name in FAULTS if name.startswith(("loop", "iterator_that"))]


def _check(fault: Fault, algorithm: str = "auto", **options: Any) -> mcr.Result:
    return mcr.check(fault.program, algorithm=algorithm, options=mcr.Options(shorten=False, **options))


def _fails(result: mcr.Result) -> bool:
    """Whether the assertion was seen to fail; a loop that is cut by mistake makes a deadlock, which is none."""
    errors = {trace.failure.error for trace in result.failures if trace.failure is not None}
    return errors == {"AssertionError"}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_fault_hides_a_failure_where_nothing_is_audited(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    fault.put_back(monkeypatch)
    monkeypatch.setattr(MergeAudit, "run", lambda self: None)
    monkeypatch.setattr(MergeAudit, "confirm", lambda self, way: None)
    with contextlib.suppress(NondeterminismError):
        assert not _fails(_check(fault, "cover"))


@pytest.mark.parametrize("algorithm", ["auto", "cover", "trust", "stateful"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_an_audit_finds_it(fault: Fault, algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _fails(_check(fault, algorithm))
    fault.put_back(monkeypatch)
    result = _check(fault, algorithm)
    assert _fails(result)
    assert result.told_apart


@pytest.mark.parametrize("algorithm", ["mcr", "rf-smc", "rvf-smc", "trust-rf", "bmc"])
@pytest.mark.parametrize("name", SPINS)
def test_turns_of_loops_are_audited_where_nothing_is_merged(
    name: str, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = FAULTS[name]
    fault.put_back(monkeypatch)
    result = _check(fault, algorithm)
    assert _fails(result)
    assert result.told_apart


@pytest.mark.parametrize("algorithm", ["auto", "cover", "trust", "stateful"])
@pytest.mark.parametrize("name", SPINS)
def test_without_merging_turns_of_loops_rest_on_no_key(
    name: str, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = FAULTS[name]
    fault.put_back(monkeypatch)
    monkeypatch.setattr(MergeAudit, "run", lambda self: None)
    monkeypatch.setattr(MergeAudit, "confirm", lambda self, way: None)
    assert _fails(_check(fault, algorithm, merge=False))


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_each_failure_is_told_once(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the exploration begins again after it was found."""
    expected = {trace.failure for trace in _check(fault, keep_going=True, merge=False).failures}
    fault.put_back(monkeypatch)
    told: list[mcr.Trace] = []
    options = mcr.Options(shorten=False, keep_going=True)
    result = mcr.check(fault.program, options=options, on_failure=told.append)
    assert {trace.failure for trace in result.failures} == expected
    assert len({trace.failure for trace in told}) == len(told)
    assert result.complete


def test_executions_before_a_new_beginning_count(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS["live_variable"]
    fault.put_back(monkeypatch)
    needed = _check(fault, "cover", keep_going=True).statistics.executions
    limited = _check(fault, "cover", keep_going=True, max_executions=needed)
    assert limited.told_apart
    assert limited.stop is not None


def test_reports_say_where_nothing_is_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS["live_variable"]
    assert "told" not in _reports(fault)[0]
    fault.put_back(monkeypatch)
    text, document = _reports(fault)
    (apart,) = document["results"][0]["told_apart"]
    file, line = apart["where"].rsplit(":", 1)
    assert file.endswith("faults.py")
    assert int(line) > fault.program.line
    assert "two histories were taken for one local state, but 1 operation later" in apart["why"]
    assert apart["why"] in " ".join(text.split())


def test_a_limit_that_comes_before_the_audits_leaves_nothing_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(self: MergeAudit, way: object) -> list[Any]:
        raise Stopped("time is up", "give it more")

    assert mcr.check(reference.lastzero(n=3), algorithm="cover").verdict is mcr.Verdict.VERIFIED
    monkeypatch.setattr(MergeAudit, "_look_along", late)
    assert mcr.check(reference.lastzero(n=3), algorithm="cover").verdict is mcr.Verdict.INCOMPLETE


@pytest.mark.parametrize("algorithm", ["cover", "trust", "stateful"])
def test_paranoid_audits_every_merge(algorithm: str) -> None:
    def session(paranoid: bool) -> tuple[int, int]:
        options = mcr.Options(paranoid=paranoid)
        session = open_session(reference.lastzero(n=5), MODELS["tso"], algorithm=algorithm, options=options)
        audits = session.explore().statistics.audits
        unfoldings = {session.context.unfolding, session.context.seen}
        return audits, sum(edge.joins or ends_turn(edge) for unfolding in unfoldings for edge in unfolding.edges)

    audits, merges = session(False)
    assert 0 < audits < merges
    audits, merges = session(True)
    assert audits == merges


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_processes_audit_what_only_they_merge(monkeypatch: pytest.MonkeyPatch) -> None:
    here, run = os.getpid(), MergeAudit.run
    FAULTS["live_variable"].put_back(monkeypatch)
    monkeypatch.setattr(MergeAudit, "run", lambda self: None if os.getpid() == here else run(self))
    monkeypatch.setattr(Unfolding, "audit", lambda self, histories: None)
    monkeypatch.setattr(Unfolding, "confirm", lambda self, histories: None)
    with shared_at_once():
        assert mcr.check(_many_graphs, algorithm="trust", options=mcr.Options(jobs=1)).verdict is mcr.Verdict.VERIFIED
        result = mcr.check(_many_graphs, algorithm="trust", options=mcr.Options(jobs=2))
    assert result.told_apart
    assert result.verdict is mcr.Verdict.BUG


@mcr.program
def _many_graphs(p):  # type: ignore[no-untyped-def]
    x = p.var("x", 0)

    def reader():
        first = x.load()
        x.load()
        assert not first

    p.thread(reader)
    for value in (1, 2, 3):
        p.thread(x.store, value)


def _reports(fault: Fault) -> tuple[str, dict[str, Any]]:
    """What `--verbose` and `--json` say."""
    result, text, document = _check(fault), io.StringIO(), io.StringIO()
    terminal, machine = TerminalOutput(text, Style(False), width=100, verbose=True), DocumentOutput(document)
    for output in (terminal, machine):
        output.begin([fault.program])
        output.result(fault.program, result, [])
        output.end(1, 0)
    return text.getvalue(), json.loads(document.getvalue())
