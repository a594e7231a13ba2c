"""The garbage collector is what it was after an exploration, however that ends."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from mcr.exploration.session import fewer_collections


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(("before", "during"), [(700, 20_000), (50_000, 50_000), (0, 0)])
def test_it_runs_less_often_never_more(before: int, during: int) -> None:
    gc.set_threshold(before, 7, 5)
    with fewer_collections():
        assert gc.get_threshold() == (during, 7, 5)
    assert gc.get_threshold() == (before, 7, 5)


def test_other_threads_leave_it_alone() -> None:
    gc.set_threshold(700, 7, 5)
    during = []

    def explore() -> None:
        with fewer_collections():
            during.append(gc.get_threshold())

    thread = threading.Thread(target=explore)
    thread.start()
    thread.join()
    assert during == [(700, 7, 5)]


def test_an_interruption_ends_that() -> None:
    gc.set_threshold(700, 7, 5)
    with pytest.raises(KeyboardInterrupt), fewer_collections():
        raise KeyboardInterrupt
    assert gc.get_threshold() == (700, 7, 5)
