"""Reports call objects by the variables of the test that lead to them, and a thread in a deadlock by its function."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr.report.spelling import shown_trace
from replay.traces.trace import Trace


class Box:
    """Fails where two threads put into it at once."""

    def __init__(self) -> None:
        self.full = False
        self.lock = threading.Lock()
        self.other: Any = None

    def put(self) -> None:
        assert not self.full, "full"
        self.full = True

    def put_beside(self, other: Box) -> None:
        with self.lock, other.lock:
            pass


def run(*targets: Callable[[], object]) -> None:
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def of_a_variable() -> None:
    box = Box()
    run(box.put, box.put)


def of_a_closure() -> None:
    box = Box()

    def put() -> None:
        box.put()

    run(put, put)


def of_a_list() -> None:
    boxes = [Box(), Box()]
    run(boxes[1].put, boxes[1].put)


def of_a_dict() -> None:
    boxes = {"blue": Box()}
    run(boxes["blue"].put, boxes["blue"].put)


def of_an_attribute() -> None:
    first = Box()
    first.other = Box()
    run(first.other.put, first.other.put)


def of_a_called_function() -> None:
    of_a_variable()


def of_a_comprehension() -> None:
    boxes = [Box()]
    [run(each.put, each.put) for each in boxes]


def of_two_objects() -> None:
    for _ in range(2):
        box = Box()
        run(box.put)
    run(box.put, box.put)


def of_no_variable() -> None:
    run(*[Box().put] * 2)


def played(function: Callable[[], None]) -> Trace:
    return mcr.replay(function, mcr.check(function).failures[0])


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (of_a_variable, "box.full"),
        (of_a_closure, "box.full"),
        (of_a_list, "boxes[1].full"),
        (of_a_dict, "boxes['blue'].full"),
        (of_an_attribute, "first.other.full"),
        (of_a_called_function, "box.full"),
        (of_a_comprehension, "boxes[0].full"),
        (of_two_objects, "Box#0.2.full"),
        (of_no_variable, "Box#0.0.full"),
    ],
)
def test_objects_are_called_by_variables(function: Callable[[], None], name: str) -> None:
    trace = shown_trace(played(function))
    assert name in trace.initial
    assert any(event.operation == f"{name} = True" for event in trace.events)


def test_only_a_replay_knows_variables_and_no_file_has_them(tmp_path: Any) -> None:
    trace = played(of_a_variable)
    mcr.save_trace(trace, tmp_path / "trace.json")
    again = mcr.load_trace(tmp_path / "trace.json")
    assert again == trace
    assert "box.full" in shown_trace(trace).initial
    assert "Box#0.0.full" in shown_trace(again).initial


def in_opposite_orders() -> None:
    one, other = Box(), Box()

    def forth() -> None:
        one.put_beside(other)

    def back() -> None:
        other.put_beside(one)

    run(forth, back)


def test_a_deadlock_names_functions_where_threads_come_first() -> None:
    failure = shown_trace(played(in_opposite_orders)).failure
    assert failure is not None
    assert failure.message == (
        "thread 0 waits for the end of thread 0.0 (forth); thread 0.0 waits for other.lock, which thread 0.1 (back) "
        "holds; thread 0.1 waits for one.lock, which thread 0.0 holds"
    )
