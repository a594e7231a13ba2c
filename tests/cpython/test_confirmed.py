"""Failures that mcr finds are failures of CPython's threads; and what does not fail is not confirmed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

import mcr
from replay.cpython.confirm import CONFIRMED, GONE, NOT_FOLLOWED, confirm
from replay.cpython.schedule import InsideInstructionError, schedule_of
from replay.errors import CheckerError
from replay.traces.files import from_json, to_json
from replay.traces.loader import find_programs, resolve
from tests.desk import EXAMPLES
from tests.ordinary.confirmed import played

HEAD = """
import queue, threading, time
from collections import deque
import mcr
"""

PROGRAMS = {
    "final function": """
        class Counter:
            def __init__(self):
                self.n = 0
            def add(self):
                self.n += 1

        @mcr.program
        def program(p, threads=2):
            counter = p.share(Counter())
            handles = [p.thread(counter.add) for _ in range(threads)]
            @p.final
            def all_count():
                assert [handle.join() for handle in handles] == [None] * threads
                assert counter.n == threads, counter.n
        """,
    "in a thread": """
        class Pool:
            def __init__(self):
                self.free = deque(["one"])
            def take(self):
                return self.free.popleft() if self.free else None

        @mcr.program
        def program(p):
            pool = p.share(Pool())
            p.thread(pool.take), p.thread(pool.take)
        """,
    "deadlock": """
        class Locks:
            def __init__(self):
                self.a, self.b = threading.Lock(), threading.Lock()
            def there(self):
                with self.a:
                    with self.b: pass
            def back(self):
                with self.b, self.a: pass

        @mcr.program
        def program(p):
            locks = p.share(Locks())
            p.thread(locks.there), p.thread(locks.back)
        """,
    "waits for what never comes": """
        class Gate:
            def __init__(self):
                self.event = threading.Event()
            def pulse(self):
                self.event.set()
                self.event.clear()

        @mcr.program
        def program(p):
            gate = p.share(Gate())
            p.thread(gate.pulse), p.thread(gate.event.wait)
        """,
    "threads that a thread starts": """
        class Worker:
            def __init__(self):
                self.found = []
            def add(self, number):
                self.found = [*self.found, number]
            def run(self):
                threads = [threading.Thread(target=self.add, args=(number,)) for number in range(2)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                assert len(self.found) == 2

        @mcr.program
        def program(p):
            worker = p.share(Worker())
            p.thread(worker.run)
        """,
    "threads that the program starts": """
        class Flag:
            def __init__(self):
                self.is_set = False
            def set(self):
                time.sleep(1000)
                self.is_set = True
            def check(self):
                assert not self.is_set

        @mcr.program
        def program(p):
            flag = p.share(Flag())
            threading.Thread(target=flag.set).start()
            threading.Timer(10, flag.check).start()
        """,
    "clocks and timeouts": """
        import queue
        from time import time as now

        class Cache:
            def __init__(self):
                self.items, self.jobs = {}, queue.Queue()
            def put(self, key):
                self.items[key] = now() + 5
            def get(self, key):
                if self.items.get(key, 0) > time.monotonic():
                    try:
                        self.jobs.get(timeout=3)
                    except queue.Empty:
                        assert self.items[key] > time.monotonic()

        @mcr.program
        def program(p):
            cache = p.share(Cache())
            p.thread(cache.put, "key"), p.thread(cache.get, "key")
        """,
    "joins with a timeout": """
        class Service:
            def main(self):
                first, second = (threading.Thread(target=threading.Event().set) for _ in range(2))
                first.start()
                first.join(30)
                if not first.is_alive():
                    second.start()
                    second.join(30)
                    assert not second.is_alive()

        @mcr.program
        def program(p):
            p.thread(p.share(Service()).main)
        """,
    "locks and queues of C with a timeout": """
        class Service:
            def __init__(self):
                self.locks, self.waiting = (threading.Lock(), threading.RLock()), threading.Event()
                self.jobs = queue.SimpleQueue()
            def hold(self):
                with self.locks[0], self.locks[1]:
                    self.waiting.wait()
            def ask(self):
                got = [each.acquire(timeout=30) for each in self.locks]
                try:
                    self.jobs.get(timeout=30)
                except queue.Empty:
                    got.append(False)
                self.waiting.set()
                assert any(got)

        @mcr.program
        def program(p):
            service = p.share(Service())
            p.thread(service.hold), p.thread(service.ask), p.thread(service.jobs.put, 1)
        """,
    "records of loggers, which read the clock": """
        import logging

        class Cache:
            def __init__(self):
                self.due = 0
            def put(self):
                logging.getLogger("cache").warning("put")
                self.due = time.time() + 5
            def get(self):
                if self.due:
                    assert self.due < time.monotonic()

        @mcr.program
        def program(p):
            cache = p.share(Cache())
            p.thread(cache.put), p.thread(cache.get)
        """,
    "a deadlock of a script that multiprocessing has given a second name": """
        import multiprocessing.process

        class Pair:
            def __init__(self):
                self.one, self.other, self.since = threading.Lock(), threading.Lock(), 0
            def forth(self):
                self.since = time.time()
                with self.one, self.other:
                    pass
            def back(self):
                with self.other, self.one:
                    pass

        @mcr.program
        def program(p):
            pair = p.share(Pair())
            p.thread(pair.forth), p.thread(pair.back)
        """,
    "choices, loops and generators": """
        class Table:
            def __init__(self):
                self.items = {1: "one", 2: "two"}
            def total(self):
                return sum(len(each) for each in self.items.values())
            def change(self, key):
                self.items[key] = "other"

        @mcr.program
        def program(p):
            table = p.share(Table())
            p.thread(table.total), p.thread(lambda: table.change(p.choose(1, p.integer(3, 5))))
        """,
    "native code alone": """
        @mcr.program
        def program(p):
            items, lock = p.share([1]), p.share(threading.Lock())
            p.thread(items.pop), p.thread(items.pop), p.thread(lock.acquire)
        """,
    "spawned": """
        class Box:
            value = None

        @mcr.program
        def program(p):
            box = p.share(Box())
            def child():
                box.value = 1
            def parent():
                handle = p.spawn(child)
                assert box.value is None
                handle.join()
            p.thread(parent)
        """,
    "many names": "\nclass Names:\n    def __init__(self):\n"
    + "\n".join(f"        self.a{number} = 0" for number in range(300))
    + "\n    def add(self):\n"
    + "\n".join(f"        self.a{number} += 1" for number in (0, 299))
    + """
@mcr.program
def program(p):
    names = p.share(Names())
    p.thread(names.add), p.thread(names.add)
    @p.final
    def last():
        assert names.a299 == 2
""",
}


FUNCTIONS = {
    "test_writers": """
        class Counter:
            n = 0
            def add(self):
                self.n += 1

        def test_writers(number=2):
            counter = Counter()
            threads = [threading.Thread(target=counter.add) for _ in range(number)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            assert counter.n == number
        """,
    "TestLocks.test_order": """
        import unittest

        class TestLocks(unittest.TestCase):
            def setUp(self):
                self.a, self.b = threading.Lock(), threading.Lock()
            def other(self):
                with self.b, self.a: pass
            def test_order(self):
                thread = threading.Thread(target=self.other)
                thread.start()
                with self.a, self.b: pass
                thread.join()
        """,
    "TestPool.test_takes": """
        class TestPool:
            def setup_method(self):
                self.free = [1]
            def take(self):
                if self.free: self.free.pop()
            def test_takes(self):
                thread = threading.Thread(target=self.take)
                thread.start()
                self.take()
        """,
}


def program_of(folder: Path, text: str, name: str = "program") -> mcr.Program:
    file = folder / "program_of_test.py"
    file.write_text(HEAD + dedent(text), encoding="utf-8")
    return next(find_programs(f"{file}::{name}"))


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_failures_are_confirmed(tmp_path: Path, text: str) -> None:
    program = program_of(tmp_path, text)
    trace = mcr.check(program, "sc").failures[0]
    assert trace.failure is not None
    found = confirm(schedule_of(program, from_json(to_json(trace))))
    expected = "wait for ever" if trace.failure.error == "Deadlock" else trace.failure.error
    assert (found.status, expected in found.said) == (CONFIRMED, True), found.said


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_start_threads(tmp_path: Path, name: str) -> None:
    program = program_of(tmp_path, FUNCTIONS[name], name)
    found = confirm(schedule_of(program, mcr.check(program, "sc").failures[0]))
    assert found.status == CONFIRMED, found.said


def test_a_method_of_a_class_in_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trace named the file of the method, which has no such class. Its code may equal that of another test."""
    monkeypatch.syspath_prepend(tmp_path)
    inherited = FUNCTIONS["TestLocks.test_order"].replace("TestLocks", "Inherited").replace("threading.L", "self.l")
    (tmp_path / "inherited_by_test.py").write_text(HEAD + dedent(inherited), encoding="utf-8")
    text = "import inherited_by_test\nclass TestLocks(inherited_by_test.Inherited): lock = threading.Lock"
    program = program_of(tmp_path, text, "TestLocks.test_order")
    trace = mcr.check(program, "sc").failures[0]
    found = confirm(schedule_of(resolve(trace.program), trace))
    assert found.status == CONFIRMED, found.said


@pytest.mark.parametrize("name", ["inventory", "pulsed_gate", "notify_without_lock", "lru_cache_without_lock"])
def test_a_sample_of_the_examples(name: str) -> None:
    program = next(find_programs(f"{EXAMPLES / 'ordinary_classes.py'}::{name}"))
    assert played(program, mcr.check(program, "sc").failures[0])[0] == "confirmed"


def test_a_schedule_that_fails_nowhere(tmp_path: Path) -> None:
    program = program_of(tmp_path, PROGRAMS["final function"].replace("== threads, counter.n", "<= threads"))
    found = confirm(schedule_of(program, mcr.check(program, "sc", objective="outcomes").witnesses[0][1]))
    assert found.status == GONE
    assert found.said.endswith("nothing fails")


def test_another_program_does_not_follow(tmp_path: Path) -> None:
    text = PROGRAMS["in a thread"]
    schedule = schedule_of(program := program_of(tmp_path, text), mcr.check(program, "sc").failures[0])
    program_of(tmp_path, text.replace("if self.free else None", "if self.free and False else None"))
    found = confirm(schedule)
    assert found.status == NOT_FOLLOWED
    assert "in step 1 thread" in found.said


def test_another_failure_is_not_confirmed(tmp_path: Path) -> None:
    text = PROGRAMS["final function"]
    schedule = schedule_of(program := program_of(tmp_path, text), mcr.check(program, "sc").failures[0])
    assert schedule.failure is not None
    other = replace(schedule, failure=replace(schedule.failure, error="KeyError"))
    assert confirm(other).status == NOT_FOLLOWED
    elsewhere = tuple(line._replace(line=line.line - 1) for line in schedule.failure.stack)
    assert confirm(replace(schedule, failure=replace(schedule.failure, stack=elsewhere))).status == NOT_FOLLOWED


def test_a_switch_inside_of_an_instruction(tmp_path: Path) -> None:
    program = program_of(
        tmp_path,
        """
        class Sorter:
            def __init__(self):
                self.items = [3, 1, 2]
            def first(self):
                assert len(self.items) == 3

        @mcr.program
        def program(p):
            sorter = p.share(Sorter())
            p.thread(lambda: sorter.items.sort()), p.thread(sorter.first)
        """,
    )
    with pytest.raises(InsideInstructionError, match=r"inside of the instruction CALL.*without its global lock"):
        schedule_of(program, mcr.check(program, "sc").failures[0])


def test_what_says_nothing_of_cpython(tmp_path: Path) -> None:
    program = program_of(
        tmp_path,
        """
        @mcr.program
        def program(p):
            x = p.var("x", 0)
            p.thread(x.store, 1), p.thread(lambda: x.load())
            @p.final
            def last():
                assert False
        """,
    )
    with pytest.raises(CheckerError, match="declares memory of a model"):
        schedule_of(program, mcr.check(program, "sc").failures[0])
    with pytest.raises(CheckerError, match="CPython reorders no stores"):
        schedule_of(program, mcr.check(program, "tso").failures[0])
