"""Tests with threads as people write them: functions, and methods of unittest's and pytest's classes."""

import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

COUNT = {"calls": 0}
GUARD = threading.Lock()


class Counter:
    def __init__(self):
        self.n = 0

    def inc(self):
        self.n += 1


def together(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_two_writers(writers=2):
    counter = Counter()
    together(*[counter.inc] * writers)
    assert counter.n == writers


def test_lock():
    lock, out = threading.Lock(), []

    def work():
        with lock:
            out.append(len(out))

    together(work, work)
    assert out == [0, 1]


def test_global_counter():
    def count():
        COUNT["calls"] += 1

    together(count, count)
    assert COUNT["calls"] == 2


def test_global_counter_with_lock():
    def count():
        with GUARD:
            COUNT["calls"] += 1

    together(count, count)
    assert COUNT["calls"] == 2


def test_pool_of_one():
    counter = Counter()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(counter.inc)
        pool.submit(counter.inc).result()
    assert counter.n == 2


def test_queue():
    queue = Queue()
    together(lambda: queue.put(1), lambda: queue.put(2))
    assert sorted((queue.get(), queue.get())) == [1, 2]


def test_never_notified():
    condition = threading.Condition()

    def wait():
        with condition:
            condition.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    with condition:
        condition.notify()
    thread.join()


def test_late_event():
    event, seen = threading.Event(), []
    thread = threading.Thread(target=lambda: seen.append(event.wait(0.1)), daemon=True)
    thread.start()
    time.sleep(1)
    event.set()
    thread.join()
    assert seen == [True]


def test_error_in_thread():
    together(lambda: {}["missing"])


def test_without_threads():
    assert sorted([2, 1]) == [1, 2]


def needs_a_value(size):
    return size


def test_fixture(cache, key):
    assert cache == key


class TestOfUnittest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.step = 1

    def setUp(self):
        self.counter = Counter()
        self.addCleanup(self.counter.inc)

    def test_counts(self):
        together(self.counter.inc, self.counter.inc)
        self.assertEqual(self.counter.n, 2 * self.step)

    def test_counts_one(self):
        together(self.counter.inc)
        self.assertEqual(self.counter.n, self.step)

    def test_raises(self):
        with self.assertRaises(KeyError):
            together()
            {}["missing"]

    def tearDown(self):
        assert self.counter.n


class TestOfPytest:
    def setup_method(self):
        self.counter = Counter()

    def test_counts(self):
        together(self.counter.inc, self.counter.inc)
        assert self.counter.n == 2


def test_threads_are_the_objects_that_were_started():
    """`current_thread()` is the object that another thread made and started."""
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(threading.current_thread())) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(seen) == 2 and set(seen) == set(threads)


def test_threads_as_keys():
    """As locks for readers and writers count who has them."""
    holds, lock = {}, threading.Lock()

    def enter():
        me = threading.current_thread()
        for _ in range(2):
            with lock:
                holds[me] = holds[me] + 1 if me in holds else 1

    together(enter, enter)
    assert sorted(holds.values()) == [2, 2]


def test_threads_of_a_pool_as_keys():
    holds = {}

    def enter():
        me = threading.current_thread()
        holds[me] = holds[me] + 1 if me in holds else 1

    with ThreadPoolExecutor(1) as pool:
        [pool.submit(enter) for _ in range(2)]
    assert list(holds.values()) == [2]
