"""Loops that only look at memory: a thread waits in them, or is cut if its local states cannot be compared."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

import pytest

import mcr
from mcr import Verdict
from mcr.exploration.limits import Limits, Stopped
from replay.code.terminals import Blocked, Cut
from replay.frontend.program import Program
from replay.machine.machine import Choice
from replay.machine.options import UnfoldingOptions
from replay.machine.spinning import SPIN, TURNS
from replay.machine.unfolding import Unfolding
from replay.traces.following import replay
from replay.traces.player import record
from replay.world.memory_models import memory_model


@mcr.program
def ticket_lock(p, wait="spin", n=2):  # type: ignore[no-untyped-def]
    tickets, owner, counter = p.var("tickets", 0), p.var("owner", 0), p.var("counter", 0)

    def thread():
        mine = tickets.fetch_add(1)
        if wait == "spin":
            while owner.load() != mine:
                pass
        else:
            p.wait_until(lambda: owner.load() == mine)
        counter.store(counter.load() + 1)
        owner.store(mine + 1)

    for _ in range(n):
        p.thread(thread)

    @p.final
    def nobody_is_lost():
        assert counter.load() == n


@pytest.mark.parametrize("algorithm", ["cover", "trust", "auto"])
@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_to_spin_is_to_wait(model: str, algorithm: str) -> None:
    """It ran for minutes, whatever --timeout said."""
    spins = mcr.check(ticket_lock, model, algorithm=algorithm)
    waits = mcr.check(ticket_lock(wait="wait"), model, algorithm=algorithm)
    assert {trace.failure for trace in spins.failures} == {trace.failure for trace in waits.failures}
    assert (spins.verdict, spins.complete) == (waits.verdict, waits.complete)
    assert spins.statistics.local_states <= 2 * waits.statistics.local_states


@mcr.program
def turns_counted(p):  # type: ignore[no-untyped-def]
    x = p.var("x", 0)

    def thread():
        turns = 0
        while x.load() == 0:
            turns += 1

    p.thread(thread)
    p.thread(x.store, 0)


def test_turns_that_differ_are_cut() -> None:
    spins = mcr.check(turns_counted, "sc")
    assert spins.verdict is Verdict.INCOMPLETE
    assert spins.stop is not None
    assert spins.stop.reason == "thread 0 spins at line 63 of test_spinning.py: it would go round without end"
    assert "write p.wait_until(lambda: ...) in place of the loop" in spins.stop.remedy


def _alone(loop: str, bound: int = 60) -> Unfolding:
    """What a thread shows that runs `loop` alone."""
    scope: dict[str, Callable[..., object]] = {}
    body = textwrap.indent(textwrap.dedent(loop), "    ")
    exec(f"def thread(p, x, y, lock):\n{body}", scope)

    def declare(p):  # type: ignore[no-untyped-def]
        p.thread(scope["thread"], p, p.var("x", 0), p.var("y", 0), p.mutex("lock"))

    unfolding = Unfolding(Program(declare), UnfoldingOptions(bound))
    state = unfolding.states[0]
    while state.operation is not None:
        read = unfolding.initial[state.loc] if state.reads else -1
        state = unfolding.step(state, state.inputs[0] if state.inputs else read).after
    return unfolding


SPINS = {
    "load": ("while not x.load(): pass", 1),
    "two loads": ("while not (x.load() or y.load()): pass", 2),
    "fence": ("while not x.load(): p.fence()", 2),
    "failing update": ("while not x.compare_exchange(1, 2): pass", 1),
    "exchange": ("while x.exchange(0) == 0: pass", 1),
    "two loads, the first one decides": ("while y.load() or not x.load(): pass", 2),
    "a nested loop": ("while not x.load():\n  for _ in range(3):\n    y.load()", 4),
}


@pytest.mark.parametrize("first", [(), ("x.store(1)", "x.store(0)")], ids=["at once", "after something"])
@pytest.mark.parametrize(("loop", "turn"), SPINS.values(), ids=SPINS)
def test_what_spins(loop: str, turn: int, first: Sequence[str]) -> None:
    """A turn is enough to know, or two: compilers write the condition of a loop twice."""
    unfolding = _alone("\n".join([*first, loop]))
    (leaf,) = unfolding.leaves()
    assert isinstance(leaf.terminal, Blocked)
    assert leaf.terminal.reason == SPIN
    assert leaf.depth - leaf.terminal.wait_from == turn
    assert leaf.depth <= 2 * turn + len(first)


UNKNOWN = {
    "load": ("n = 0\nwhile not x.load(): n += 1", 1),
    "two loads": ("n = 0\nwhile not (x.load() or y.load()): n += 1", 2),
    "exchange": ("n = 0\nx.store(0)\nwhile x.exchange(0) == 0: n += 1", 1),
    "lock": ("while True:\n  with lock:\n    if x.load(): break", 3),
}
"""Turns that count, and one in which others may see the lock taken."""


@pytest.mark.parametrize(("loop", "turn"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_cut(loop: str, turn: int) -> None:
    (leaf,) = _alone(loop).leaves()
    assert isinstance(leaf.terminal, Cut)
    assert leaf.terminal.spins
    assert TURNS * turn <= leaf.depth < (TURNS + 1) * turn + 3


ENDS = {
    "a loop that ends": "for _ in range(50): x.load()",
    "a loop that gives up": "tries = 0\nwhile not x.load() and tries < 40: tries += 1",
    "other lines later": "for _ in range(20): x.load()\nfor _ in range(20): x.load()",
    "an outer loop": "for _ in range(2):\n  for _ in range(25): x.load()",
}


@pytest.mark.parametrize("loop", ENDS.values(), ids=ENDS)
def test_what_ends_by_itself_is_left_to_end(loop: str) -> None:
    (leaf,) = _alone(loop).leaves()
    assert not isinstance(leaf.terminal, Cut)


GOES_ON = {
    "stores": "while not x.load(): y.store(1)",
    "changes memory": "while x.fetch_add(1) >= 0: pass",
    "chooses": "while p.choose(0, 0) == 0: pass",  # of one value, it would be no choice
}


@pytest.mark.parametrize("loop", GOES_ON.values(), ids=GOES_ON)
def test_what_does_more_than_look_is_cut_at_the_bound(loop: str) -> None:
    (leaf,) = _alone(loop).leaves()
    assert isinstance(leaf.terminal, Cut)
    assert not leaf.terminal.spins
    assert leaf.depth == 60


def test_a_longer_bound_lets_a_loop_end() -> None:
    loop = "for _ in range(80): x.load()"
    assert [isinstance(leaf.terminal, Cut) for leaf in _alone(loop, 60).leaves()] == [True]
    assert [isinstance(leaf.terminal, Cut) for leaf in _alone(loop, 100).leaves()] == [False]


def test_a_replay_has_no_bound_to_spin_to() -> None:
    """A loop of forty turns that ends was cut when a trace of twenty was played again."""

    @mcr.program
    def forty(p):  # type: ignore[no-untyped-def]
        x = p.var("x", 0)

        def thread():
            for _ in range(40):
                assert x.load() == 0

        def other():
            x.store(1)

        p.thread(thread)
        p.thread(other)

    model = memory_model("sc")
    choices = [Choice(0)] * 20 + [Choice(1), Choice(0)]
    trace = record(Unfolding(forty), model, choices)
    assert trace.failure is not None
    assert replay(forty, model, trace).failure == trace.failure


def test_time_that_is_up_while_a_thread_spins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line that spins is what has to change; more time would not help."""
    checks = iter(range(10**9))

    def check(limits: Limits) -> None:
        if next(checks) > 30:
            raise Stopped("the time limit of 3 s was reached", "raise --timeout, or check a smaller program")

    monkeypatch.setattr(Limits, "check", check)
    result = mcr.check(turns_counted, "sc", algorithm="cover")
    assert result.stop is not None
    assert result.stop.reason.startswith("the time limit of 3 s was reached, and thread 0 spins at line 63 of")
    assert result.stop.remedy.startswith("write p.wait_until")
