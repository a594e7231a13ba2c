"""Runs without end: what is one, and how it is told. Random programs against brute force: more by

python -m tests.progress.campaign --programs 3000
"""

from __future__ import annotations

import json

import pytest

import mcr
from mcr.exploration.verdict import Verdict
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.files import from_json, to_json
from replay.traces.trace import DEADLOCK, LIVELOCK, STARVATION, Trace
from replay.world.memory_models import MODELS
from tests.amount import amount
from tests.progress.campaign import search
from tests.progress.dat3m import ROWS, Row
from tests.progress.generator import generate
from tests.progress.programs import PROGRESS


def test_agrees_with_brute_force() -> None:
    lines, found = search(range(amount(15, 300)), 1500)
    assert not lines, "\n".join(lines)
    assert found["decided"] > 10


def test_programs_are_determined_by_their_seeds() -> None:
    assert [generate(seed) for seed in range(20)] == [generate(seed) for seed in range(20)]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("program", PROGRESS, ids=lambda program: program.title)
def test_known_programs(program: Program, model: str) -> None:
    result = mcr.check(program, model, objective="progress")
    assert (_error(result), result.stop) == (PROGRESS[program], None)
    for trace in result.failures:
        for times in (1, 2):
            played = mcr.replay(program, trace, times=times)
            assert (played.failure, played.repeats) == (trace.failure, trace.repeats)
        assert from_json(json.loads(json.dumps(to_json(trace)))) == trace


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.program.name)
def test_what_dartagnan_asks(row: Row) -> None:
    """They find the same where they decide it; what they leave open is decided."""
    result = mcr.check(row.program, "tso", objective="progress")
    assert (_error(result), result.stop) == (row.ours, None)
    assert row.theirs in ("UNKNOWN", "FAIL" if row.ours else "PASS")


def test_they_are_thirty_rows() -> None:
    assert sum(row.rows for row in ROWS) == 30


def _error(result: mcr.Result) -> str:
    if result.verdict is Verdict.VERIFIED:
        return ""
    (trace,) = result.failures
    assert trace.failure is not None
    return trace.failure.error


def _lasso(program: Program, model: str = "sc") -> Trace:
    (trace,) = mcr.check(program, model, objective="progress").failures
    assert trace.failure is not None
    assert trace.repeats is not None
    return trace


def test_all_that_a_lasso_says() -> None:
    """Of two who meet in a door, each step of both is in what repeats."""

    @mcr.program
    def door(p):
        inside = p.array("inside", [False, False])

        def person(me):
            while True:
                inside[me].store(True)
                if not inside[1 - me].load():
                    return
                inside[me].store(False)

        p.thread(person, 0)
        p.thread(person, 1)

    trace = _lasso(door)
    assert trace.failure is not None
    assert trace.failure.message == "threads 0 and 1 go round for ever"
    repeated = trace.steps[trace.repeats :]
    assert {step.thread for step in repeated} == {"0", "1"}
    assert len(repeated) == 6


def test_a_change_of_the_program_ends_what_repeated() -> None:
    """Playing finds out whether it comes back; the recording is not believed."""

    def snatched(rounds):
        @mcr.program
        def lock(p):
            taken, left = p.var("taken", 0), p.var("left", rounds)

            def once():
                while taken.exchange(1):
                    pass

            def server():
                while left.load():
                    if rounds < 9:
                        left.store(left.load() - 1)
                    while taken.exchange(1):
                        pass
                    taken.store(0)

            p.thread(once)
            p.thread(server, daemon=True)

        return lock

    trace = _lasso(snatched(9))
    assert mcr.replay(snatched(9), trace).failure == trace.failure
    with pytest.raises(CheckerError):
        mcr.replay(snatched(3), trace)


def test_who_is_expected_to_end_is_declared() -> None:
    def waiting(daemon):
        @mcr.program
        def server(p):
            requests = p.queue(1)

            def serve():
                while True:
                    requests.get()

            p.thread(serve, daemon=daemon)
            p.thread(lambda: requests.put(1))

        return server

    for objective in ("failures", "deadlocks", "progress"):
        for algorithm in ("auto", "stateful"):
            assert mcr.check(waiting(True), objective=objective, algorithm=algorithm).verdict is Verdict.VERIFIED
    assert _error(mcr.check(waiting(False), objective="progress")) == DEADLOCK


@pytest.mark.parametrize("algorithm", ["cover", "trust", "trust-rf", "mcr", "rf-smc", "stateful", "exhaustive", "auto"])
def test_no_algorithm_calls_it_a_deadlock_that_a_daemon_waits(algorithm: str) -> None:
    def program(daemon):
        @mcr.program
        def waits(p):
            x = p.var("x", 0)
            p.thread(lambda: p.wait_until(lambda: x.load() == 2), daemon=daemon)
            p.thread(lambda: x.store(1))

        return waits

    found = [_error(mcr.check(program(daemon), algorithm=algorithm)) for daemon in (False, True)]
    assert found == [DEADLOCK, ""]


def test_a_spawned_thread_may_serve_for_ever() -> None:
    def spawning(daemon):
        @mcr.program
        def parent(p):
            x = p.var("x", 0)

            def serve():
                while True:
                    x.store(1 - x.load())

            def begin():
                p.spawn(serve, daemon=daemon)

            p.thread(begin)

        return parent

    assert _error(mcr.check(spawning(True), objective="progress")) == ""
    assert _error(mcr.check(spawning(False), objective="progress")) == LIVELOCK


def test_nobody_is_blamed_where_a_thread_stopped_at_an_assumption() -> None:
    @mcr.program
    def assuming(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def stops():
            p.assume(y.load() == 1)
            x.store(1)

        def retries():
            while not x.load():
                y.store(0)

        p.thread(stops)
        p.thread(retries)

    assert _error(mcr.check(assuming, objective="progress")) == ""


def test_who_cannot_answer_refuses() -> None:
    program = next(iter(PROGRESS))
    with pytest.raises(CheckerError, match="does not look for progress"):
        mcr.check(program, algorithm="cover", objective="progress")


def test_starvation_names_who_serves() -> None:
    (program,) = (each for each in PROGRESS if each.name == "snatched")
    failure = _lasso(program, "tso").failure
    assert failure is not None
    assert failure.error == STARVATION
    assert failure.message == "thread 0 goes round for ever, while thread 1 goes on"
