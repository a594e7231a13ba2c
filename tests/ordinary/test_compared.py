"""Items that are compared by code of their own: beside CPython, which runs that code in the middle of what it does."""

from __future__ import annotations

import pytest

from tests.ordinary import test_atomic
from tests.ordinary.real import runner_of
from tests.ordinary.twins import found, loaded, seen

SOURCE = test_atomic.SOURCE.replace(
    "import mcr\n",
    """\
import bisect
import heapq

import mcr


class Item:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n

    __hash__ = None
""",
)

LIST = (
    "[Item(1), Item(2)]",
    ("self.it.insert(0, Item(3))", "self.it.append(Item(1))", "self.it.pop(0)"),
    "tuple([each.n for each in shared.it])",
)
LISTS = (
    "self.it.remove(Item(2))",
    "r = self.it.index(Item(2))",
    "r = self.it.index(Item(2), -1)",
    "r = self.it.count(Item(1))",
    "r = Item(2) in self.it",
    "self.it.sort()",
    "self.it.sort(key=lambda each: each.n)",
    "r = min(self.it).n",
    "r = max(self.it, key=lambda each: each.n).n",
    "r = sorted(self.it)[0].n",
    "r = bisect.bisect_left(self.it, Item(2))",
    "r = bisect.bisect(self.it, Item(1))",
    "bisect.insort(self.it, Item(0))",
)

DEQUE = (
    "deque([Item(1), Item(2)])",
    ("self.it.appendleft(Item(3))", "self.it.append(Item(1))"),
    "tuple([each.n for each in shared.it])",
)
DEQUES = (
    "self.it.remove(Item(2))",
    "r = self.it.index(Item(2))",
    "r = self.it.count(Item(1))",
    "r = Item(2) in self.it",
)

NESTED = (
    "[[1], [2]]",
    ("self.it.insert(0, [3])", "self.it[0].append(3)"),
    "tuple([tuple(each) for each in shared.it])",
)
NESTS = ("self.it.remove([2])", "r = self.it.index([2])", "r = [1] in self.it", "r = self.it.count([1, 3])")

CASES = {
    f"{name}: {operation}": (operation, *container)
    for name, container, operations in (("list", LIST, LISTS), ("deque", DEQUE, DEQUES))
    for operation in operations
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_as_cpython_does(case: tuple[str, str, tuple[str, ...], str]) -> None:
    operation, initial, disturbances, look = case
    for disturbance in disturbances:
        source = SOURCE.format(operation=operation, initial=initial, disturbance=disturbance, look=look)
        real = runner_of(source).every_schedule(test_atomic.ALL)
        assert real.complete
        assert found(loaded(source, "ordinary"), "sc") == seen(real), disturbance


@pytest.mark.parametrize("operation", NESTS)
def test_nothing_that_cpython_does_with_containers_in_containers_is_missed(operation: str) -> None:
    initial, disturbances, look = NESTED
    for disturbance in disturbances:
        source = SOURCE.format(operation=operation, initial=initial, disturbance=disturbance, look=look)
        real = runner_of(source).every_schedule(test_atomic.ALL)
        assert real.complete
        assert seen(real) <= found(loaded(source, "ordinary"), "sc"), disturbance


HEAP = """\
import heapq
import queue

import mcr


class Job:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        return self.n < other.n


class Jobs:
    def __init__(self):
        self.heap = [(each, Job(each)) for each in (5, 3, 4)]
        self.jobs = [each for _, each in self.heap]
        self.queue = queue.PriorityQueue()

    def work(self):
        heapq.heapify(self.heap), heapq.heapify(self.jobs)
        heapq.heappush(self.heap, (3, Job(2))), heapq.heappush(self.jobs, Job(1))
        had = [heapq.heapreplace(self.jobs, Job(9)), heapq.heappushpop(self.jobs, Job(0))]
        had += [heapq.heappop(self.heap)[1] for _ in range(4)] + [heapq.heappop(self.jobs) for _ in range(4)]
        return [each.n for each in had]

    def put(self, n):
        self.queue.put((1, Job(n)))

    def get(self):
        return self.queue.get()[1].n


@mcr.program
def generated(p):
    jobs = p.share(Jobs())
    thread = p.thread(jobs.work)
    p.final(lambda: thread.join())


@mcr.program
def queues(p):
    jobs = p.share(Jobs())
    p.thread(jobs.put, 2)
    p.thread(jobs.put, 1)
    got = p.thread(jobs.get)
    p.final(lambda: got.join())
"""


def test_heaps_of_objects_are_ordered_by_their_code() -> None:
    program = loaded(HEAP, "heap")
    names = program.function.__globals__
    assert found(program, "sc") == {f"outcome {names['Jobs']().work()}"}
    assert found(names["queues"], "sc") == {"outcome 1", "outcome 2"}
