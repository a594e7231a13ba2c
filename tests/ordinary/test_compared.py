"""Items that are compared by code of their own: beside CPython, which runs that code in the middle of what it does."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import test_atomic
from tests.ordinary.test_atomic import Asked, groups, shown
from tests.ordinary.twins import found, loaded

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

CONSTANT = frozenset({"n"})
"""What an item is compared by: it never changes, so it makes no difference when a thread reads it.

Each function that compares does one thing more, before which others may go on.
"""

LIST = (
    "[Item(1), Item(2)]",
    ("self.it.insert(0, Item(3))", "self.it.append(Item(1))", "self.it.pop(0)"),
    "tuple([each.n for each in shared.it])",
)
LISTS = (
    "self.it.remove(Item(2))",
    "r = self.it.index(Item(2))",
    "r = self.it.count(Item(1))",
    "r = Item(2) in self.it",
    "self.it.sort()",
    "self.it.sort(key=lambda each: each.n + 0)",
    "r = min(self.it).n",
    "r = max(self.it, key=lambda each: each.n + 0).n",
    "r = sorted(self.it)[0].n",
    "r = bisect.bisect_left(self.it, Item(2))",
    "r = bisect.bisect(self.it, Item(1))",
    "bisect.insort(self.it, Item(0))",
    "r = self.it == [Item(1), Item(2)]",
    "r = self.it != [Item(1), Item(2)]",
    "r = [Item(1), Item(2), Item(0)] < self.it",
    "r = self.it >= [Item(1), Item(1)]",
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

CONTAINERS = {"list": (LIST, LISTS), "deque": (DEQUE, DEQUES)}


@pytest.mark.usefixtures("nobody_looks_between")
@pytest.mark.parametrize("asked", groups(CONTAINERS, SOURCE))
def test_as_cpython_does(asked: Asked) -> None:
    assert found(loaded(asked.together(), "ordinary"), "sc") == shown(asked.alone(), CONSTANT)


@pytest.mark.usefixtures("nobody_looks_between")
def test_a_list_is_asked_for_its_length_before_a_search_from_its_end() -> None:
    at_once, stepwise = (
        Asked({"from the end": text}, *LIST, SOURCE)
        for text in ("r = self.it.index(Item(2), -1)", "r = len(self.it); r = self.it.index(Item(2), max(r - 1, 0))")
    )
    assert found(loaded(at_once.together(), "ordinary"), "sc") == shown(stepwise.alone(), CONSTANT)


@pytest.mark.parametrize("operation", ["r = self.it == {1: Item(1)}", "r = {1: Item(1)} != self.it"])
def test_comparing_a_dict_by_code_of_its_values_is_refused_in_a_thread(operation: str) -> None:
    source = Asked({operation: operation}, "{1: Item(1)}", ("self.it.clear()",), "0", SOURCE).together()
    with pytest.raises(mcr.ModelError, match=r"compared by code of their own.*compare copies"):
        mcr.check(loaded(source, "refused"), "sc")


@pytest.mark.parametrize("asked", groups({"nested": (NESTED, NESTS)}, SOURCE))
def test_nothing_that_cpython_does_with_containers_in_containers_is_missed(asked: Asked) -> None:
    assert shown(asked.alone(), CONSTANT) <= found(loaded(asked.together(), "ordinary"), "sc")


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


ORDERS = """\
import mcr


class Place:
    def __index__(self):
        return 1


class Rows:
    def __init__(self):
        self.rows = [[3], [1], [2]]

    def work(self):
        self.rows.insert(Place(), [0])
        self.rows.sort()
        del self.rows[Place()]
        return [each[0] for each in self.rows], self.rows.index([3], Place())


@mcr.program
def generated(p):
    rows = p.share(Rows())
    thread = p.thread(rows.work)
    p.final(lambda: thread.join())
"""


def test_lists_of_lists_have_an_order_and_places_may_be_objects() -> None:
    assert found(loaded(ORDERS, "orders"), "sc") == {"outcome ([0, 2, 3], 2)"}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("sort()", "'<' not supported between instances of 'Item' and 'Item'"),
        ("insert(Item(1), 1)", "'Item' object cannot be interpreted as an integer"),
    ],
)
def test_what_fails_speaks_of_the_classes_of_users(call: str, expected: str) -> None:
    unordered = SOURCE.replace("def __lt__", "def less")
    source = Asked({call: f"self.it.{call}"}, "[Item(1), Item(2)]", ("pass",), "0", unordered).together()
    (failing,) = mcr.check(loaded(source.replace("{", "").replace("}", ""), "users"), "sc").failures
    assert (failing.failure.error, failing.failure.message) == ("TypeError", expected)


UNORDERED = """
import heapq
import mcr

class Job:
    pass

class Jobs:
    def __init__(self):
        self.jobs = []

    def put(self, job):
        heapq.heappush(self.jobs, (0, job))

@mcr.program
def generated(p):
    jobs = p.share(Jobs())
    p.thread(jobs.put, Job())
    p.thread(jobs.put, Job())
"""


def test_objects_in_tuples_that_have_no_order_are_named_by_their_class() -> None:
    result = mcr.check(loaded(UNORDERED, "unordered"), "sc")
    (failure,) = {str(trace.failure) for trace in result.failures}
    assert failure == "TypeError: '<' not supported between instances of 'Job' and 'Job'"
