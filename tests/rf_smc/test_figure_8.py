"""Figure 8 of [bui-2021], call by call: store buffering, the same under TSO and PSO."""

from __future__ import annotations

from typing import cast

import pytest

import mcr
from mcr.api import open_session
from mcr.exploration.contract import Run
from mcr.exploration.events import GrowingTrace, ThreadEvent
from mcr.explorers.rf_smc.explorer import RFSMC
from mcr.explorers.rf_smc.mutations import RfSmcCall
from replay.world.memory_models import MODELS

W1_X, R1_Y, W2_Y, R2_X = (0, 0), (0, 1), (1, 0), (1, 1)
"""The events of the figure: w1(x) and r1(y) of the first thread, w2(y) and r2(x) of the second."""


@mcr.program
def figure_8(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(1)
        other.load()

    p.thread(thread, x, y)
    p.thread(thread, y, x)


class _Figure:
    """Takes the calls one by one."""

    def __init__(self, model: str) -> None:
        session = open_session(figure_8, MODELS[model], objective="rf", algorithm="rf-smc")
        self.context = session.context
        self.explorer = cast("RFSMC", session.explorer)
        self.explorer.begin()

    def expand(self, call: RfSmcCall) -> tuple[dict[tuple[int, int], tuple[int, int] | None], list[RfSmcCall]]:
        """Whom the reads of the extended trace read from, and the calls that come of it, the next one last."""
        run, *calls = self.explorer.expand(call)
        assert isinstance(run, Run)
        trace = GrowingTrace(self.context.unfolding, self.context.model, covers_final=False)
        trace.follow(run.choices)
        return {event.place: event.source for event in trace.events if event.reads}, cast("list[RfSmcCall]", calls)


def unmarked(call: RfSmcCall) -> list[tuple[int, int]]:
    return [slot.occupant for slot in call.slots]


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_step_by_step(model: str) -> None:
    figure = _Figure(model)
    (first,) = cast("list[RfSmcCall]", [*figure.explorer.begin()])

    # (A): r1(y) reads the initial value, r2(x) reads from w1(x); two mutations, both realizable.
    sources, (b, c) = figure.expand(first)
    assert sources == {R1_Y: None, R2_X: W1_X}

    # (B) mutates r1(y) to read from w2(y); r2(x) is not retained.
    assert b.tau == (W1_X, R1_Y, W2_Y)
    assert unmarked(b) == [R1_Y]

    # (C) mutates r2(x) to read the initial value. It is taken first, and has no extension, so no mutation.
    assert c.tau == (W1_X, R1_Y, W2_Y, R2_X)
    assert unmarked(c) == [R1_Y, R2_X]
    assert figure.expand(c) == ({R1_Y: None, R2_X: None}, [])

    # (B) again: r2(x) is its extension, and is mutated to read the initial value (D); r1(y) is retained.
    sources, (d,) = figure.expand(b)
    assert sources == {R1_Y: W2_Y, R2_X: W1_X}
    assert d.tau == (W1_X, R1_Y, W2_Y, R2_X)

    # (D) has no extension. Four classes; every mutation was realizable.
    assert figure.expand(d) == ({R1_Y: W2_Y, R2_X: None}, [])
    assert figure.explorer.claim().classes[0] == ("rf", 4, 0)
    statistics = figure.context.statistics
    assert (statistics.checks, statistics.realizable) == (3, 3)


def test_events_tell_reads_from_writes() -> None:
    figure = _Figure("tso")
    store, *_ = (ThreadEvent(info.root, wrote=1) for info in figure.context.unfolding.threads)
    assert (store.reads, store.writes) == (False, True)
