"""The rows of an interleaving: values at reads, delayed stores and their commits, and nothing that is noise."""

from __future__ import annotations

import pytest

import mcr
from mcr.report.interleaving import rows
from tests.report.playing import play


@mcr.program
def stores(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread():
        x.store(1)
        y.store(2)
        return x.load()

    p.thread(thread)

    @p.final
    def check():
        return y.load()


def texts(trace: mcr.Trace) -> list[str]:
    return [row.text for row in rows(trace)]


def test_a_store_that_commits_at_once_is_one_row() -> None:
    trace = play(stores, "tso", "0 ~0:x 0 ~0:y 0 final final")
    assert texts(trace) == ["x = 1", "y = 2", "load x -> 1", "load y -> 2"]
    assert not any(row.buffers or row.commit for row in rows(trace))
    assert [row.number for row in rows(trace)] == [1, 2, 3, 4]


def test_a_delayed_store_shows_in_the_buffer_until_it_commits() -> None:
    trace = play(stores, "pso", "0 0 ~0:y 0 ~0:x")
    assert texts(trace) == ["x = 1", "y = 2", "load x -> 1 (own buffer)", "~ x = 1 reaches memory"]
    assert [row.buffers for row in rows(trace)] == [(("0", ("x = 1",)),)] * 3 + [()]
    assert [row.line is None for row in rows(trace)] == [False, False, False, True]


def test_buffers_keep_their_order() -> None:
    trace = play(stores, "tso", "0 0 0 ~0:x")
    assert [row.buffers for row in rows(trace)] == [
        (("0", ("x = 1",)),),
        (("0", ("x = 1", "y = 2")),),
        (("0", ("x = 1", "y = 2")),),
        (("0", ("y = 2",)),),
    ]


@mcr.program
def everything_else(p):
    x, lock = p.var("x", 5), p.mutex("lock")
    bell = p.condition("bell", lock)

    def child():
        return "done"

    def thread():
        x.exchange(6)
        x.fetch_add(1)
        x.compare_exchange(7, 8)
        x.compare_exchange(7, 9)
        x.update(lambda old: old * 2, label="double")
        x.update(lambda old: mcr.UNWRITTEN, label="keep")
        assert lock.try_lock()
        assert not lock.try_lock()
        bell.notify_all()
        lock.unlock()
        with lock:
            p.fence()
        p.store_fence()
        p.spawn(child).join()

    p.thread(thread)


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_operations_say_what_came_of_them(model: str) -> None:
    assert texts(play(everything_else, model, "0 " * 15 + "0.0 0")) == [
        "x.exchange(6) -> 5",
        "x.fetch_add(1) -> 6",
        "x.compare_exchange(7, 8) succeeds",
        "x.compare_exchange(7, 9) fails: it is 8",
        "x.double -> 8, now 16",
        "x.keep -> 16, unchanged",
        "lock.try_lock() succeeds",
        "lock.try_lock() fails: held by thread 0",
        "bell.notify_all()",
        "unlock lock",
        "lock lock",
        "fence",
        "unlock lock",
        "store fence",
        "spawn thread 0.0",
        "start",
        "join thread 0.0 -> 'done'",
    ]
