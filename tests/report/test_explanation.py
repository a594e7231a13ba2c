"""The sentences that say what store buffers have to do with a failure."""

from __future__ import annotations

import pytest

import mcr
from mcr.report.explanation import explain
from tests.report.playing import play


@mcr.program
def store_buffering(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(1)
        return other.load()

    p.thread(thread, x, y)
    p.thread(thread, y, x)


@mcr.program
def message_passing(p):
    data, flag = p.var("data", 0), p.var("flag", 0)

    def send():
        data.store(1)
        flag.store(1)

    def receive():
        return flag.load(), data.load()

    p.thread(send)
    p.thread(receive)


@mcr.program
def crosswise_stores(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(first, second):
        first.store(1)
        second.store(2)

    p.thread(thread, x, y)
    p.thread(thread, y, x)


@mcr.program
def stores_to_one_place(p):
    x = p.var("x", 0)

    def thread(me):
        x.store(me)

    p.thread(thread, 1)
    p.thread(thread, 2)


@mcr.program
def a_store_that_nobody_misses(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread():
        x.store(1)
        y.load()

    p.thread(thread)


CASES = [
    (
        store_buffering,
        "tso",
        "0 0 1 ~1:y 1 ~0:x",
        "Thread 1 read x = 0 while thread 0's store x = 1 was still in its buffer, "
        "although thread 0 had already gone on to read y = 0.",
    ),
    (
        message_passing,
        "pso",
        "0 0 ~0:flag 1 1 ~0:data",
        "Thread 1 read data = 0 while thread 0's store data = 1 was still in its buffer, "
        "although thread 0's later store flag = 1 had already reached memory.",
    ),
    (
        message_passing,
        "pso",
        "0 0 ~0:flag 1 1",
        "Thread 1 read data = 0 while thread 0's store data = 1 was still in its buffer, "
        "although thread 0's later store flag = 1 had already reached memory.",
    ),
    (
        crosswise_stores,
        "pso",
        "0 0 ~0:y 1 ~1:y 1 ~1:x ~0:x",
        "Thread 0's store x = 1 was still in its buffer when thread 1's x = 2 reached memory, "
        "although thread 0's later store y = 2 had already reached memory.",
    ),
    (
        stores_to_one_place,
        "tso",
        "0 1 ~1:x ~0:x",
        "Thread 0's store x = 1 was still in its buffer when thread 1's x = 2 reached memory.",
    ),
    (
        a_store_that_nobody_misses,
        "tso",
        "0 0 ~0:x",
        "Thread 0's store x = 1 waited in its buffer while the program went on.",
    ),
    (
        store_buffering,
        "tso",
        "0 ~0:x 0 1 ~1:y 1",
        "No store is delayed: it takes nothing but this order of the threads' steps.",
    ),
]


@pytest.mark.parametrize(("program", "model", "schedule", "sentence"), CASES)
def test_one_sentence(program: mcr.Program, model: str, schedule: str, sentence: str) -> None:
    assert explain(play(program, model, schedule), needs_buffers=True) == [sentence]


def test_delays_that_are_not_needed_explain_nothing() -> None:
    trace = play(store_buffering, "tso", "0 0 1 ~1:y 1 ~0:x")
    assert explain(trace, needs_buffers=False) == [
        "It takes no store buffer: the threads' steps in some other order are enough."
    ]
