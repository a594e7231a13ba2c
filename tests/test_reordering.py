"""Reordered pairs: fences between them really forbid the execution, and each of them is needed."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcr.api import check
from mcr.consistency.cycle import forbidden_cycle, settled
from mcr.consistency.explain import explain
from mcr.consistency.reading import instance_of
from mcr.diagnosis.reordering import Reordering, find_reordering
from mcr.executions.relations import neighbours
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.machine.unfolding import Unfolding
from replay.traces.loader import find_programs
from replay.traces.player import Player
from replay.traces.trace import DEADLOCK, Trace
from replay.world.memory_models import MODELS, memory_model
from tests.desk import EXAMPLES
from tests.random_programs import RandomProgram, programs

FAILING = [
    ("peterson.py::peterson", "tso"),
    ("peterson.py::peterson_x86", "pso"),
    ("dekker.py::dekker", "tso"),
    ("bakery.py::bakery", "tso"),
    ("rcu.py::rcu", "tso"),
    ("rcu.py::rcu_x86", "pso"),
    ("hazard_pointer.py::hazard_pointer", "tso"),
    ("litmus.py::two_plus_two_writes", "pso"),
    ("litmus.py::store_forwarding", "tso"),
    ("seqlock.py::seqlock", "pso"),
    ("queue_locks.py::mcs_lock", "pso"),
    ("barrier.py::barrier", "pso"),
]


def _check_pairs(trace: Trace, found: Reordering) -> None:
    """Fences forbid all orders of writes, if the stronger model does so, else the recorded one: a deadlock is where
    the last write leaves it."""
    instance, model = instance_of(trace), memory_model(trace.model)
    is_order_free = explain(instance, found.stronger) is not None
    coherence = () if is_order_free else neighbours(settled(trace).coherence())
    assert is_order_free or (trace.failure is not None and trace.failure.error == DEADLOCK)
    pairs = [(pair.store, pair.later) for pair in found.pairs]
    assert any(pair.happened for pair in found.pairs)
    assert explain(instance, model, coherence, fenced=tuple(pairs)) is not None
    for left_out in pairs:
        rest = tuple(pair for pair in pairs if pair != left_out)
        assert explain(instance, model, coherence, fenced=rest) is None


def _check_cycle(trace: Trace, found: Reordering) -> None:
    whole = settled(trace)
    assert all(one.target == two.source for one, two in pairwise([*found.cycle, found.cycle[0]]))
    assert forbidden_cycle(whole, memory_model(trace.model)) == ()
    moments = [event.executed if event.committed is None else event.committed for event in whole.events]
    backwards = [edge for edge in found.cycle if moments[edge.source] > moments[edge.target]]
    assert backwards
    assert {edge.relation for edge in backwards} == {"po"}


@pytest.mark.parametrize(("target", "model"), FAILING)
def test_fences_between_the_pairs_forbid_the_execution(target: str, model: str) -> None:
    (program,) = find_programs(f"{EXAMPLES}/{target}")
    _check_reordering(check(program, model).failures[0])


def test_a_failure_beside_a_deadlock() -> None:
    """The lock of Mellor-Crummey and Scott loses an increment, too, whatever the order of writes."""
    (program,) = find_programs(f"{EXAMPLES}/queue_locks.py::mcs_lock")
    stuck = check(program, "pso").failures[0]
    wrong = check(program, "pso", options=Options(deadlocks=False)).failures[0]
    assert [failure.error for trace in (stuck, wrong) if (failure := trace.failure)] == [DEADLOCK, "AssertionError"]
    _check_reordering(wrong)


def _check_reordering(trace: Trace) -> None:
    found = find_reordering(trace)
    assert found is not None
    _check_pairs(trace, found)
    _check_cycle(trace, found)
    for pair in found.pairs:
        store, later = trace.events[pair.store], trace.events[pair.later]
        assert store.thread == later.thread
        assert store.index < later.index
        assert store.kind == "store"


def _played(program: Program, model: str, chooser: random.Random) -> Trace:
    """A run with choices by chance."""
    player = Player(Unfolding(program), memory_model(model))
    while choices := player.machine.choices():
        player.play(chooser.choice(choices))
    return player.trace()


@settings(deadline=None, derandomize=True)
@given(programs("all"), st.sampled_from(["tso", "pso"]), st.randoms(use_true_random=False))
def test_random_executions(program: RandomProgram, model: str, chooser: random.Random) -> None:
    """Where there are pairs, they forbid the execution; where there are none, a stronger model allows it."""
    trace = _played(program.build(), model, chooser)
    found = find_reordering(trace)
    if found is None:
        coherence = neighbours(settled(trace).coherence())
        assert explain(instance_of(trace), MODELS["sc"], coherence) is None
        return
    assert any(pair.happened for pair in found.pairs)
    _check_cycle(trace, found)
    instance, order = instance_of(trace), memory_model(trace.model)
    recorded = neighbours(settled(trace).coherence())
    fenced = tuple((pair.store, pair.later) for pair in found.pairs)
    assert explain(instance, order, recorded, fenced=fenced) is not None


def test_long_traces_are_not_looked_into() -> None:
    trace = _played(RandomProgram(((("store", "x", 1), *[("load", "y")] * 450),)).build(), "tso", random.Random(1))
    assert find_reordering(trace) is None
