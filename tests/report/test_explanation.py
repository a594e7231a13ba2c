"""The sentences that say what store buffers have to do with a failure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mcr
from mcr.consistency.cycle import settled
from mcr.diagnosis.reordering import find_reordering
from mcr.report.explanation import explain
from tests.report.playing import play, store_buffering


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


@mcr.program
def helper_stores(p):
    x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)

    def put(cell):
        cell.store(1)

    def thread(mine, other):
        for cell in (mine, z):
            put(cell)
        p.store_fence()
        other.load()

    p.thread(thread, x, y)
    p.thread(thread, y, x)


@mcr.program
def publish_through_a_helper(p):
    data, flag = p.var("data", 0), p.var("flag", 0)

    def put(cell):
        cell.store(1)

    def send():
        for cell in (data, flag):
            put(cell)

    def receive():
        flag.load()
        data.load()

    p.thread(send)
    p.thread(receive)


def plain(sentence: str) -> str:
    """A sentence without the numbers of lines."""
    return re.sub(r"line \d+", "line N", re.sub(r"lines \d+ and \d+", "lines N and M", sentence))


SB_SENTENCES = (
    "Thread 0's store x = 1 (line N) was overtaken by its load y -> 0 (line N): thread 1 read x = 0 (line N) "
    "while the store was still in its buffer.",
    "A fence between the two, in threads 0 and 1, would forbid this execution.",
)
MP_SENTENCES = (
    "Thread 0's store data = 1 (line N) was overtaken by its later store flag = 1 (line N): thread 1 read data = 0 "
    "(line N) while the store was still in its buffer.",
    "A store fence between the two would forbid this execution.",
)
HELPED = (
    *SB_SENTENCES,
    "It belongs directly before line N: else z = 1 (line N) could be late. `mcr repair` finds fences for all failures.",
)
WAITED = ("Thread 0's store x = 1 waited in its buffer while the program went on.",)

CASES = {
    "SB": (store_buffering, "tso", "0 0 1 ~1:y 1 ~0:x", SB_SENTENCES),
    "SB under PSO": (store_buffering, "pso", "0 0 1 ~1:y 1 ~0:x", SB_SENTENCES),
    "SB that ends before the commit": (store_buffering, "tso", "0 0 1 ~1:y 1", SB_SENTENCES),
    "a fence for stores does not help": (helper_stores, "tso", "0 0 0 0 1 1 1 1", HELPED),
    "MP": (message_passing, "pso", "0 0 ~0:flag 1 1 ~0:data", MP_SENTENCES),
    "MP that ends before the commit": (message_passing, "pso", "0 0 ~0:flag 1 1", MP_SENTENCES),
    "MP by a helper": (publish_through_a_helper, "pso", "0 0 ~0:flag 1 1", MP_SENTENCES),
    "2+2W": (
        crosswise_stores,
        "pso",
        "0 0 ~0:y 1 ~1:y 1 ~1:x ~0:x",
        (
            "Thread 0's store x = 1 (line N) was overtaken by its later store y = 2 (line N): thread 1's x = 2 "
            "(line N) reached memory before it.",
            "A store fence between the two, in threads 0 and 1, would forbid this execution.",
        ),
    ),
    "an order that SC has, too": (stores_to_one_place, "tso", "0 1 ~1:x ~0:x", WAITED),
    "nobody misses it": (a_store_that_nobody_misses, "tso", "0 0 ~0:x", WAITED),
    "no store is delayed": (
        store_buffering,
        "tso",
        "0 ~0:x 0 1 ~1:y 1",
        ("Nothing is reordered: this order of the threads' steps is enough.",),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_sentences(name: str) -> None:
    program, model, schedule, sentences = CASES[name]
    assert tuple(map(plain, explain(play(program, model, schedule), needs_buffers=True))) == sentences


def test_delays_that_are_not_needed_explain_nothing() -> None:
    trace = play(store_buffering, "tso", "0 0 1 ~1:y 1 ~0:x")
    assert explain(trace, needs_buffers=False) == [
        "No reordering is needed: the threads' steps in some other order are enough."
    ]


def test_lines_are_those_of_the_program() -> None:
    text = Path(store_buffering.file).read_text().splitlines()
    sentence = explain(play(store_buffering, "tso", "0 0 1 ~1:y 1 ~0:x"), needs_buffers=True)[0]
    assert [text[int(line) - 1].strip() for line in re.findall(r"line (\d+)", sentence)] == [
        "mine.store(1)",
        "return other.load()",
        "return other.load()",
    ]


@mcr.program
def reads_early(p, threads=3, rounds=2):
    """Each thread reads its neighbour's flag last, and the total before any flag is up, too."""
    flag, total = p.array("flag", [0] * threads), p.var("total", 0)

    def worker(i):
        flag[i].store(1)
        for _ in range(rounds):
            total.store(total.load() + i)
        return flag[(i + 1) % threads].load()

    workers = [p.thread(worker, i) for i in range(threads)]

    @p.final
    def end():
        assert any(t.join() for t in workers), "all read 0"


@pytest.mark.parametrize("model", ["tso", "pso"])
@pytest.mark.parametrize(("threads", "rounds"), [(3, 2), (4, 1), (5, 1)])
def test_who_noticed_did_so_while_the_store_was_in_its_buffer(threads: int, rounds: int, model: str) -> None:
    result = mcr.check(reads_early(threads=threads, rounds=rounds), model)
    trace = settled(result.failures[0])
    found = find_reordering(trace)
    assert found is not None
    for pair in found.pairs:
        store = trace.events[pair.store]
        witness = trace.events[pair.witness] if pair.witness is not None else None
        if witness is not None:
            moment = witness.executed if witness.committed is None else witness.committed
            assert store.executed < moment < store.committed
