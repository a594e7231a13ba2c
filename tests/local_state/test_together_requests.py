"""Waits, records, spawned threads and ends that have one future have one key."""

from __future__ import annotations

import pytest

from tests.local_state.pairs import Meeting, meeting_of

MEETINGS: dict[str, Meeting] = {}
meeting = meeting_of(MEETINGS)


@meeting([1, 2], [2, 2])
def waits(p):
    x = p.var("x", 0)

    def thread():
        x.load()
        p.wait_until(lambda: x.load() > 1 and x.load() > 3)

    return thread


@meeting([1, None], [2, None])
def condition_variables(p):
    x, m = p.var("x", 0), p.mutex("m")
    c = p.condition("c", m)

    def thread():
        x.load()
        with m:
            c.wait_for(lambda: x.load() > 1)

    return thread


TESTED_WAIT = [None, 0, ((), ()), None]
MEETINGS["waiting_for_a_condition"] = Meeting(condition_variables, [1, *TESTED_WAIT], [2, *TESTED_WAIT])


@meeting([1], [2])
def records(p):
    x = p.var("x", 0)

    def thread():
        node = p.record("node", value=x.load() * 0)
        node.value.load()
        return p.record("node", other=node)

    return thread


@meeting([1], [2])
def spawning(p):
    x = p.var("x", 0)

    def child(number):
        x.store(number)

    def thread():
        x.load()
        child_ = p.spawn(child, 3)
        child_.join()

    return thread


@meeting([1, None], [2, None])
def compare_and_exchange(p):
    x = p.var("x", 0)

    def thread():
        x.load()
        x.store(1)
        while not x.compare_exchange(1, 2):
            x.load()

    return thread


@meeting([1], [2])
def ended(p):
    x = p.var("x", 0)

    def thread():
        return x.load() > 0, [None][0]

    return thread


@meeting([1], [2])
def failed(p):
    x = p.var("x", 0)

    def thread():
        if x.load() < 5:
            raise ValueError("small")

    return thread


@meeting([1], [2])
def blocked(p):
    x = p.var("x", 0)

    def thread():
        p.assume(x.load() > 5)

    return thread


@pytest.mark.parametrize("name", MEETINGS)
def test_one_future_has_one_key(name: str) -> None:
    MEETINGS[name].check()
