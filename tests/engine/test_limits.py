"""Limits hold wherever an exploration may be: whatever may take long asks for them, and stops in order."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import mcr
from mcr import Options, Verdict
from mcr.exploration import memory
from mcr.exploration.context import ExplorationContext
from mcr.exploration.limits import Limits, Stopped
from replay.code import watchdog
from tests.amount import amount


@mcr.program
def messy(p):  # type: ignore[no-untyped-def]
    """Something of everything: choices, waits, updates, a final function, and a bug in a schedule to shorten."""
    x, y, turn = p.var("x", 0), p.var("y", 0), p.var("turn", 0)

    def first():
        x.store(p.choose(1, 2))
        y.store(1)
        turn.fetch_add(1)
        return y.load()

    def second():
        seen = x.load()
        p.wait_until(lambda: turn.load() > 0)
        assert not (seen == 2 and y.load() == 1), "seen"
        y.store(2)

    p.thread(first)
    p.thread(second)

    @p.final
    def over():
        assert x.load() > 0


@mcr.program
def crossed(p):  # type: ignore[no-untyped-def]
    """Whether its threads wait for ever, their code alone does not tell."""
    a, b = p.mutex("a"), p.mutex("b")

    def nests(outer, inner):  # type: ignore[no-untyped-def]
        with outer, inner:
            pass

    p.thread(nests, a, b)
    p.thread(nests, b, a)


class Patience:
    """Limits that are reached after so many checks; notes who checked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.checks = 0
        self.lasts = sys.maxsize
        self.who: set[str] = set()
        monkeypatch.setattr(Limits, "check", self.check)

    def check(self) -> None:
        self.checks += 1
        caller = sys._getframe(1)
        if caller.f_code is ExplorationContext._check_question.__code__:  # for a solver
            caller = sys._getframe(2)
        self.who.add(f"{Path(caller.f_code.co_filename).stem}.{caller.f_code.co_name}")
        if self.checks > self.lasts:
            raise Stopped("enough", "nothing helps")


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Patience:
    return Patience(monkeypatch)


def _explore(objective: str, algorithm: str, solver: str = "minisat22") -> mcr.Result:
    options = Options(solver=solver, keep_going=True, paranoid=True)
    program = crossed if objective == "deadlocks" else messy
    return mcr.check(program, "tso", objective=objective, algorithm=algorithm, options=options)


EXPLORATIONS = [
    ("states", "cover"),
    ("states", "trust"),
    ("states", "auto"),
    ("outcomes", "cover"),
    ("values,deadlocks", "cover"),
    ("traces", "trust"),
    ("rf", "trust-rf"),
    ("states", "mcr"),
    ("deadlocks", "cover"),
]


@pytest.mark.parametrize(("objective", "algorithm"), EXPLORATIONS)
def test_an_exploration_may_be_stopped_anywhere(patience: Patience, objective: str, algorithm: str) -> None:
    whole = _explore(objective, algorithm)
    assert whole.verdict is Verdict.BUG
    assert whole.stop is None
    needed = patience.checks
    for lasts in sorted({0, 1, 2, 3, 5, 8, needed - 1, *range(13, needed, max(1, needed // amount(8, 40)))}):
        patience.checks, patience.lasts = 0, lasts
        stopped = _explore(objective, algorithm)
        assert stopped.verdict is (Verdict.BUG if stopped.failures else Verdict.INCOMPLETE)
        assert stopped.stop is not None
        assert stopped.stop.reason == "enough"
        assert not stopped.complete


def test_a_bug_that_was_found_is_shown_whatever_limit_comes_next(patience: Patience) -> None:
    """Its schedule is then as short as it had become."""
    _explore("states", "cover")
    found = set()
    for lasts in range(0, patience.checks, amount(4, 1)):
        patience.checks, patience.lasts = 0, lasts
        found |= {trace.failure for trace in _explore("states", "cover").failures}
    assert len(found) == 1


def test_a_schedule_that_a_limit_kept_long_says_so(patience: Patience) -> None:
    """Else it would pass for the answer: what is tried for a moment is then done again in another process."""
    shortest = mcr.check(messy, "tso").failures
    for lasts in range(0, patience.checks, amount(4, 1)):
        patience.checks, patience.lasts = 0, lasts
        result = mcr.check(messy, "tso")
        assert result.stop is not None or result.failures == shortest


def test_every_loop_that_may_take_long_asks(patience: Patience) -> None:
    for objective, algorithm in EXPLORATIONS:
        _explore(objective, algorithm)
    _explore("states", "cover", "z3")
    assert patience.who >= {
        "unfolding._run_on",
        "completion.run",
        "redirections.of",
        "formula.grow",
        "communication._connect",
        "communication.add_writer",
        "maximality.grow",
        "explorer.advance",
        "explorer._revisit",
        "shorten._reaches",
        "shorten.following",
        "sat._ask",
        "smt._watched",
        "query.shortest_prefix",
    }


LOOPS = {"thread": "loops()", "condition": "p.wait_until(loops)", "update": "x.update(lambda old: loops())"}


@pytest.mark.parametrize("code", LOOPS.values(), ids=LOOPS)
def test_code_that_does_not_come_back(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is up before the five seconds are that tell a loop without end from slow code."""
    monkeypatch.setattr(watchdog, "PATIENCE", 5.0)  # of which a tenth lies between two looks

    def loops() -> None:
        while True:
            pass

    @mcr.program
    def stays(p):  # type: ignore[no-untyped-def]
        x = p.var("x", 0)

        def thread():
            if x.load() == 0:
                eval(code, {"loops": loops, "p": p, "x": x})

        p.thread(thread)

    result = mcr.check(stays, options=Options(timeout=0.2))
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert result.stop.reason == "the time limit of 0.2 s was reached"


# -- the limits themselves ---------------------------------------------------------


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("mcr.exploration.limits.time", clock)
    return clock


def test_time(clock: Clock) -> None:
    limits = Limits(Options(timeout=5))
    for clock.now in (100.0, 104.0, 104.999):
        limits.check()
    clock.now = 105.0
    for _ in range(2):  # who did not want to hear it is told again
        with pytest.raises(Stopped, match="the time limit of 5 s was reached"):
            limits.check()


def test_memory_is_looked_at_now_and_then(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []
    held = 90 << 20

    def resident() -> int:
        looks.append(clock.now)
        return held

    monkeypatch.setattr(memory, "resident", resident)
    limits = Limits(Options(memory=100 << 20))
    looks.clear()
    for step in range(1000):
        clock.now = 100 + step / 1000
        limits.check()
    assert 10 <= len(looks) <= 21
    held = 101 << 20
    clock.now += 1
    for _ in range(2):
        with pytest.raises(Stopped, match="the memory limit of 100 MB was reached"):
            limits.check()


def test_what_an_earlier_exploration_left_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go: list[None] = []
    monkeypatch.setattr(memory, "let_go", lambda: let_go.append(None))
    for held, times in ((49 << 20, 0), (51 << 20, 1)):
        monkeypatch.setattr(memory, "resident", lambda held=held: held)
        Limits(Options(memory=100 << 20))
        assert len(let_go) == times


def test_a_system_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("mcr.exploration.completion.RunToEnd.run", refused)
    result = mcr.check(messy, "tso", algorithm="cover", options=Options())
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert result.stop.reason == "the system gave no more memory"


# -- what there is -----------------------------------------------------------------


def test_this_process() -> None:
    held = memory.resident()
    assert held is None or 1 << 20 < held < 1 << 40


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        ("0::/", {"memory.max": "max"}, []),
        ("0::/job/step\n", {"job/memory.max": "3000\n", "job/step/memory.max": "max\n"}, [3000]),
        ("0::/job", {"job/memory.max": "3000", "memory.max": "2000"}, [3000, 2000]),
        ("5:cpu,memory:/job\n0::/\n", {"v1/job/memory.limit_in_bytes": "4096", "memory.max": "max"}, [4096]),
        ("5:cpu:/job", {"v1/job/memory.limit_in_bytes": "4096"}, []),
    ],
)
def test_containers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: str, limits: dict[str, str], expected: list[int]
) -> None:
    """What version 1 and 2 of control groups say, for the group of the process and those around it."""
    (tmp_path / "cgroup").write_text(groups, encoding="utf-8")
    for name, text in limits.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = {"": (str(tmp_path), "memory.max"), "memory": (str(tmp_path / "v1"), "memory.limit_in_bytes")}
    monkeypatch.setattr(memory, "_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "_LIMITS", files)
    assert [bound for bound in memory._bounds() if bound < 1 << 20] == expected


@pytest.mark.parametrize(
    ("text", "size"), [("300M", 300 << 20), ("1.5g", 3 << 29), ("2 GB", 2 << 30), ("2097152", 2 << 20), ("1T", 1 << 40)]
)
def test_sizes(text: str, size: int) -> None:
    assert memory.read_size(text) == size


def test_sizes_for_readers() -> None:
    assert memory.shown_size(300 << 20) == "300 MB"
    assert memory.shown_size(18 << 30) == "18 GB"


@mcr.program
def patient(p: mcr.Declarations, rounds: int = 1) -> None:
    p.thread(lambda: tuple(p.fence() for _ in range(rounds)))


def test_options_may_be_given_by_name() -> None:
    assert mcr.check(patient(rounds=9), max_operations=3).verdict is Verdict.INCOMPLETE
    assert mcr.check(patient, options=Options(max_operations=3), memory="2G", max_operations=20).verdict == "verified"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"timout": 3}, "timout: no option; there are .*; did you mean 'timeout'"),
        ({"models": "all"}, "models: mcr.check_all takes several models"),
        ({"rounds": 3}, r"rounds: it is a parameter of the program: patient\(rounds=...\)"),
        ({"timeout": "3"}, "timeout: '3' is not a number of seconds above 0"),
    ],
)
def test_other_names_are_told_where_they_belong(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(mcr.CheckerError, match=sentence):
        mcr.check(patient, **said)
