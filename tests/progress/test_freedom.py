"""Obstruction-, lock- and wait-freedom of algorithms that are known for having them, or not."""

from __future__ import annotations

import json

import pytest

import mcr
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Verdict
from replay.frontend.program import Program
from replay.traces.files import from_json, to_json
from replay.traces.trace import NOT_FREE, SOUGHT_FOR
from replay.world.memory_models import MODELS

FREEDOMS = frozenset(NOT_FREE)
KNOWN: dict[Program, frozenset[str]] = {}


def has(*freedoms: str):
    """A program, and which of the three it has."""

    def note(program: Program) -> Program:
        KNOWN[program] = frozenset(freedoms)
        return program

    return note


@has()
@mcr.program
def spin_lock(p):
    """Who has the lock may be stopped."""
    taken, x = p.var("taken", 0), p.var("x", 0)

    def adds():
        while taken.exchange(1):
            pass
        x.store(x.load() + 1)
        taken.store(0)

    p.thread(adds)
    p.thread(adds)


@has()
@mcr.program
def mutex(p):
    m = p.mutex("m")

    def enters():
        with m:
            pass

    p.thread(enters)
    p.thread(enters)


@has()
@mcr.program
def waiting(p):
    x = p.var("x", 0)
    p.thread(lambda: p.wait_until(lambda: x.load() == 1))
    p.thread(lambda: x.store(1))


@has()
@mcr.program
def serves_in_vain(p):
    """A wait that goes round for ever right after a call completes none."""
    x, y = p.var("x", 0), p.var("y", 0)

    def serves():
        while True:
            p.completed()
            p.wait_until(lambda: x.load() == 1 and y.load() == 1)

    p.thread(serves, daemon=True)
    p.thread(lambda: x.store(1))


@has(*FREEDOMS)
@mcr.program
def serves(p):
    """Each wait is over at once, and is a call."""
    x = p.var("x", 1)

    def serves():
        while True:
            p.completed()
            p.wait_until(lambda: x.load() == 1)

    p.thread(serves, daemon=True)


@has("obstruction-freedom")
@mcr.program
def claims(p):
    """Two updates in a row succeed if nobody comes between; two that retry may undo each other's for ever."""
    owner = p.var("owner", 0)

    def claim(me):
        while True:
            owner.exchange(me)
            if owner.compare_exchange(me, 0):
                return

    p.thread(claim, 1)
    p.thread(claim, 2)


@has("obstruction-freedom", "lock-freedom")
@mcr.program
def treiber(p):
    """Treiber's stack: who fails has lost to one who has not."""
    top = p.var("top", ())

    def push(value):
        while True:
            old = top.load()
            if top.compare_exchange(old, (value, *old)):
                return

    def pop():
        while old := top.load():
            if top.compare_exchange(old, old[1:]):
                return

    def client(value):
        while True:
            push(value)
            p.completed()
            pop()
            p.completed()

    p.thread(client, 1, daemon=True)
    p.thread(client, 2, daemon=True)


@has(*FREEDOMS)
@mcr.program
def treiber_once(p):
    """Of finitely many calls each has somebody to lose to only finitely often."""
    top = p.var("top", ())

    def push(value):
        while True:
            old = top.load()
            if top.compare_exchange(old, (value, *old)):
                return

    p.thread(push, 1)
    p.thread(push, 2)


@has(*FREEDOMS)
@mcr.program
def counter(p):
    x = p.var("x", 0)

    def adds():
        while True:
            x.update(lambda old: (old + 1) % 4)
            p.completed()

    p.thread(adds)
    p.thread(adds)


@has(*FREEDOMS)
@mcr.program
def snapshot(p):
    """A scan collects twice; who would make it try again hands it a scan of its own (Afek et al. 1993)."""
    cells = p.array("cells", [(0, None), (0, None)])

    def collect():
        return tuple(cell.load() for cell in cells)

    def scan():
        moved, old = False, collect()
        while (new := collect()) != old:
            if moved:
                return new[1][1]
            moved, old = True, new
        return tuple(value for value, _ in new)

    def update():
        value = 0
        while True:
            value = 1 - value
            cells[1].store((value, (cells[0].load()[0], 1 - value)))
            p.fence()
            p.completed()

    p.thread(scan)
    p.thread(update)


@has(*FREEDOMS)
@mcr.program
def who_stops_at_an_assumption_waits_for_nobody(p):
    x = p.var("x", 0)
    p.thread(lambda: p.assume(x.load()))
    p.thread(lambda: x.store(1))


def violated(result: Result) -> frozenset[str]:
    return frozenset(SOUGHT_FOR[trace.failure.error] for trace in result.failures if trace.failure)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("program", KNOWN, ids=lambda program: program.title)
def test_known_algorithms(program: Program, model: str) -> None:
    result = mcr.check(program, model, objective=",".join(NOT_FREE), options=Options(keep_going=True))
    assert (FREEDOMS - violated(result), result.stop) == (KNOWN[program], None)
    for trace in result.failures:
        for times in (1, 2):
            played = mcr.replay(program, trace, times=times)
            assert (played.failure, played.repeats) == (trace.failure, trace.repeats)
        assert from_json(json.loads(json.dumps(to_json(trace)))) == trace


def message(program: Program, objective: str) -> str:
    (trace,) = mcr.check(program, "tso", objective=objective).failures
    assert trace.failure is not None
    assert trace.failure.error == NOT_FREE[objective]
    return trace.failure.message


def test_what_reports_say() -> None:
    waits = "thread 1 waits for m, which thread 0 holds, for ever if no other thread goes on"
    assert {message(mutex, objective) for objective in NOT_FREE} == {waits}
    assert message(spin_lock, "obstruction-freedom") == "thread 0 goes round for ever, though no other thread moves"
    assert message(claims, "lock-freedom") == "threads 0 and 1 go round for ever, and no call completes"
    assert message(treiber, "wait-freedom") == (
        "thread 0 goes round for ever and completes no call, while thread 1 goes on"
    )


def test_a_call_that_completes_is_told_from_a_retry() -> None:
    """A server is as free as its calls; where it does not say that they complete, none does."""

    def server(says):
        @mcr.program
        def serving(p):
            x = p.var("x", 0)

            def serve():
                while True:
                    x.exchange(1)
                    if says:
                        p.completed()

            p.thread(serve, daemon=True)

        return serving

    assert mcr.check(server(True), objective="wait-freedom").verdict is Verdict.VERIFIED
    assert message(server(False), "wait-freedom") == "thread 0 goes round for ever and completes no call"


def test_a_condition_completes_no_call() -> None:
    @mcr.program
    def counts_rounds(p):
        x = p.var("x", 0)
        p.thread(lambda: p.wait_until(lambda: (p.completed(), x.load())[1]))

    with pytest.raises(mcr.ModelError, match="completed\\(\\) inside the condition of a wait_until"):
        mcr.check(counts_rounds, "sc", objective="lock-freedom")
