"""Figure 6 of [agarwal-2021], call by call.

Our copy of the paper has the text and not the program. This one does what the text says: two reads with two writes of
one value each, and a write behind the second read that the first one may read from. The initial values are writes.
"""

from __future__ import annotations

from collections.abc import Sequence

import mcr
from mcr.api import open_session
from mcr.exploration.contract import News, Run
from mcr.explorers.rvf_smc.explorer import RVFSMC, Loop, RvfSmcCall
from replay.world.memory_models import MODELS

W1_X, W1_Y, R1_X, R2_Y, W_NEW = (0, 0), (0, 1), (1, 0), (2, 0), (2, 1)
"""The events: two writes; the read r1; the read r2, and the write that it is before."""


@mcr.program
def figure_6(p):
    x, y = p.var("x", 1), p.var("y", 1)

    def writes():
        x.store(1)
        y.store(1)

    def read_and_write():
        y.load()
        x.store(2)

    p.thread(writes)
    p.thread(x.load)
    p.thread(read_and_write)


def _explorer(algorithm: str = "rvf-smc") -> RVFSMC:
    explorer = open_session(figure_6, MODELS["sc"], objective="states", algorithm=algorithm).explorer
    assert isinstance(explorer, RVFSMC)
    return explorer


def _entered(explorer: RVFSMC, call: News) -> Loop:
    """A call that is not maximal: its trace, and the enabled reads."""
    assert isinstance(call, RvfSmcCall)
    (loop,) = explorer.expand(call)
    assert isinstance(loop, Loop)
    return loop


def _events(loop: Loop) -> set[tuple[int, int]]:
    return {event.place for event in loop.trace.events}


def _is_maximal(news: Sequence[News]) -> bool:
    return [type(each) for each in news] == [Run]


def test_step_by_step() -> None:
    explorer = _explorer()
    (first,) = explorer.begin()

    # (A): the writes, and both reads enabled.
    a = _entered(explorer, first)
    assert _events(a) == {W1_X, W1_Y}
    assert a.mutate == (R1_X, R2_Y)

    # r1 is processed: both writes have one value, so they are good-writes together. (A) waits for its signal.
    rest_of_a, call = explorer.expand(a)
    assert isinstance(rest_of_a, Loop)
    assert isinstance(call, RvfSmcCall)
    assert call.good == {R1_X: {None, W1_X}}
    assert rest_of_a.signal is not None

    # (B): only r2 is enabled, and reads from both writes of y, again one group.
    b = _entered(explorer, call)
    assert b.mutate == (R2_Y,)
    (call,) = explorer.expand(b)
    assert isinstance(call, RvfSmcCall)
    assert call.good == {R1_X: {None, W1_X}, R2_Y: {None, W1_Y}}
    assert not rest_of_a.signal.is_sent

    # (C) is maximal. The new write is discovered, which r1 may read from: a signal is sent to (A).
    assert _is_maximal([*explorer.expand(call)])
    assert rest_of_a.signal.is_sent

    # (A) again: C forbids both writes to r1, and r2 is processed.
    assert rest_of_a.call.causal == {R1_X: {0: 2}}
    assert rest_of_a.mutate == (R2_Y,)
    (call,) = explorer.expand(rest_of_a)

    # (D): r1 is the only enabled read, and the new write the only one that C allows.
    d = _entered(explorer, call)
    assert W_NEW in _events(d)
    assert d.mutate == (R1_X,)
    (call,) = explorer.expand(d)
    assert isinstance(call, RvfSmcCall)
    assert call.good == {R1_X: {W_NEW}, R2_Y: {None, W1_Y}}

    # (E) is maximal.
    assert _is_maximal([*explorer.expand(call)])
    assert dict(explorer.claim().figures)["calls"] == 5


def test_without_a_new_write_there_is_no_signal() -> None:
    """Two threads that only read: the second read is processed after the first one, and not before it as well."""

    @mcr.program
    def readers(p):
        x = p.var("x", 0)
        p.thread(x.load)
        p.thread(x.load)

    counts = {
        name: dict(mcr.check(readers, "sc", algorithm=name).figures)["calls"]
        for name in ("rvf-smc", "rvf-smc:no-signals")
    }
    assert counts == {"rvf-smc": 3, "rvf-smc:no-signals": 4}
