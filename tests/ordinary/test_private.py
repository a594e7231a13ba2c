"""Things of C that a thread keeps for itself: what they hold tells local states apart."""

from __future__ import annotations

import queue
import threading

import pytest

import mcr


class Cell:
    def __init__(self):
        self.asked = 0

    def ask(self):
        self.asked = 1


def taken_once_or_twice(cell):
    lock = threading.RLock()
    lock.acquire()
    for _ in range(1 - cell.asked):
        lock.acquire()
    cell.asked = 2
    lock.release()
    lock.release()


def put_once_or_twice(cell):
    items = queue.SimpleQueue()
    for _ in range(2 - cell.asked):
        items.put(0)
    cell.asked = 2
    items.get()
    items.get_nowait()


def noted_or_not(cell):
    mine = threading.local()
    if not cell.asked:
        mine.note = 1
    cell.asked = 2
    assert mine.note


@pytest.mark.parametrize("code", [taken_once_or_twice, put_once_or_twice, noted_or_not])
def test_it_is_in_the_key(code):
    @mcr.program
    def kept(p):
        cell = p.share(Cell(), "cell")
        p.thread(code, cell)
        p.thread(cell.ask)

    assert mcr.check(kept, "sc").verdict is mcr.Verdict.BUG
