"""Python's own library for threads, in models: its code runs, on locks of the model."""

from __future__ import annotations

import functools
import heapq
import logging
import queue
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property

import pytest

import mcr
from replay.code.interpreted import InterpretedCode
from replay.interpreter.copier import Uncopyable
from replay.traces.trace import DEADLOCK
from tests.ordinary.test_objects import outcomes
from tests.ordinary.twins import WHOLE

_module_lock = threading.Lock()


class Workers:
    _class_lock = threading.Lock()

    def __init__(self):
        self.done = 0
        self.lock = threading.Lock()
        self.fired = False
        self.mine = threading.local()

    def one(self):
        with self.lock:
            self.done += 1
            return self.done

    def by_class_lock(self):
        with self._class_lock:
            self.done += 1

    def by_module_lock(self):
        with _module_lock:
            self.done += 1

    def two_threads(self):
        threads = [threading.Thread(target=self.one) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.done, any(thread.is_alive() for thread in threads)

    def fire(self):
        self.fired = True

    def with_timer(self):
        timer = threading.Timer(3, self.fire)
        timer.start()
        timer.cancel()
        timer.join()
        return self.fired

    def count_mine(self):
        self.mine.count = getattr(self.mine, "count", 0) + 1
        return self.mine.count

    @cached_property
    def total(self):
        self.done += 1
        return self.done

    def look_at_total(self):
        return self.total


class Background:
    """Works in a thread that its constructor starts."""

    def __init__(self):
        self.work = queue.SimpleQueue()
        self.got = []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while (item := self.work.get()) is not None:
            self.got.append(item)

    def stop(self):
        self.work.put(1)
        self.work.put(None)
        self.thread.join()
        time.sleep(1)
        return tuple(self.got)


class Pool:
    def __init__(self):
        self.executor = ThreadPoolExecutor(1)

    def add(self):
        with self.executor as executor:
            return executor.submit(pow, 2, 3).result()


def result_of(call, make, *others):
    """All that a call may return while other threads call methods of what `make` makes."""

    @mcr.program
    def called(p):
        it = p.share(make(), "it")
        for name, *arguments in others:
            p.thread(getattr(it, name), *arguments)
        thread = p.thread(call, it)
        p.final(lambda: thread.join())

    return outcomes(called)


def test_queue():
    assert result_of(lambda q: q.get(), queue.Queue, ("put", 1)) == {"1"}
    assert result_of(lambda q: (q.get(), q.full()), lambda: queue.Queue(1), ("put", 1)) == {"(1, False)"}


def test_queues_of_other_orders():
    both = result_of(lambda q: (q.get(), q.get()), queue.PriorityQueue, ("put", 1), ("put", 2))
    assert both == {"(1, 2)", "(2, 1)"}
    assert result_of(lambda q: (q.get(), q.qsize()), queue.LifoQueue, ("put", 1)) == {"(1, 0)"}
    assert result_of(lambda q: q.get(), queue.SimpleQueue, ("put", (1, None))) == {"(1, None)"}


def test_a_wait_with_a_timeout_may_come_to_nothing():
    def get(q):
        try:
            return q.get(timeout=5)
        except queue.Empty:
            return "empty"

    assert result_of(get, queue.Queue, ("put", 1)) == {"1", "'empty'"}
    assert result_of(lambda event: event.wait(1), threading.Event, ("set",)) == {"True", "False"}
    assert result_of(lambda lock: lock.acquire(timeout=1), threading.Semaphore, ("acquire",)) == {"False"}


def test_what_threads_wait_at():
    assert result_of(lambda event: event.wait(), threading.Event, ("set",)) == {"True"}
    assert result_of(lambda barrier: barrier.wait(), lambda: threading.Barrier(2), ("wait",)) == {"0", "1"}

    def wait(condition):
        with condition:
            return condition.wait_for(lambda: True)

    assert result_of(wait, threading.Condition, ("acquire",)) <= {"True"}


class Waiting:
    def __init__(self):
        self.queue, self.event, self.barrier = queue.Queue(), threading.Event(), threading.Barrier(2)
        self.room, self.condition, self.lock = threading.Semaphore(0), threading.Condition(), threading.Lock()
        self.fails = True

    def get(self):
        self.queue.get()

    def wait_for_event(self):
        self.event.wait()

    def meet(self):
        self.barrier.wait()

    def enter(self):
        self.room.acquire()

    def wait_to_be_notified(self):
        with self.condition:
            self.condition.wait()

    def lock_twice(self):
        self.lock.acquire()
        self.lock.acquire()

    def other(self):
        if self.fails:
            raise OSError


@pytest.mark.parametrize("algorithm", ["stateful", "cover"])
@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("wait", ["get", "wait_for_event", "meet", "enter", "wait_to_be_notified", "lock_twice"])
def test_what_a_thread_waits_for_another_might_have_brought_that_failed(wait, fails, algorithm):
    @mcr.program
    def program(p):
        waiting = p.share(Waiting())
        waiting.fails = fails
        p.thread(getattr(waiting, wait))
        p.thread(waiting.other)

    result = mcr.check(program, "sc", objective="outcomes,deadlocks", algorithm=algorithm, options=WHOLE)
    expected = {"OSError"} if fails else set()
    if not fails or wait == "lock_twice":
        expected.add(DEADLOCK)
    assert {trace.failure.error for trace in result.failures} == expected


@mcr.program
def notified(p):
    condition = p.share(threading.Condition())
    p.thread(condition.notify)


def test_a_notification_without_the_lock():
    result = mcr.check(notified, "sc")
    assert str(result.failures[0].failure) == "RuntimeError: cannot notify on un-acquired lock"


def test_future():
    assert result_of(lambda future: future.result(), Future, ("set_result", 3)) == {"3"}

    def raised(future):
        try:
            return future.result()
        except ValueError as error:
            return error.args

    assert result_of(raised, Future, ("set_exception", ValueError(1))) == {"(1,)"}


def test_threads():
    assert result_of(Workers.two_threads, Workers) == {"(2, False)"}
    assert result_of(Background.stop, Background) == {"(1,)"}
    assert result_of(Workers.with_timer, Workers) == {"False", "True"}


def test_executor():
    assert result_of(Pool.add, Pool) == {"8"}


def test_locks_of_classes_and_modules():
    assert result_of(lambda it: (it.by_class_lock(), it.done)[1], Workers, ("by_class_lock",)) == {"1", "2"}
    assert result_of(lambda it: (it.by_module_lock(), it.done)[1], Workers, ("by_module_lock",)) == {"1", "2"}


def test_a_cached_property_has_a_lock_where_python_gives_it_one():
    twice = {"(1, 2)", "(2, 2)"} if sys.version_info >= (3, 12) else set()
    assert result_of(lambda it: (it.total, it.done), Workers, ("look_at_total",)) == {"(1, 1)"} | twice


def test_each_thread_has_its_own():
    assert result_of(Workers.count_mine, Workers, ("count_mine",)) == {"1"}


def test_what_the_program_function_makes_is_shared():
    @mcr.program
    def made(p):
        it = p.share(Workers())
        lock, done = threading.Lock(), queue.Queue()

        def work():
            with lock:
                it.done += 1
            done.put(1)

        p.thread(work)
        p.thread(work)
        p.final(lambda: (it.done, done.qsize()))

    assert outcomes(made) == {"(2, 2)"}


def test_a_heap_is_changed_in_one_step():
    @mcr.program
    def pushed(p):
        heap = p.share([3])
        p.thread(lambda: heapq.heappush(heap, 1))
        p.thread(lambda: heapq.heappush(heap, 2))
        p.final(lambda: heapq.heappop(heap))

    assert outcomes(pushed) == {"1"}


def test_outside_of_models_all_is_as_it_was():
    lock, event = threading.Lock(), threading.Event()
    thread = threading.Thread(target=event.set)
    thread.start()
    assert event.wait(5)
    thread.join()
    assert lock.acquire()
    assert not lock.acquire(timeout=0.01)
    assert isinstance(queue.SimpleQueue(), queue.SimpleQueue)
    with ThreadPoolExecutor(1) as executor:
        assert executor.submit(pow, 2, 3).result() == 8


class Late:
    """Imports a module with a lock of its own when the first object is made."""

    def __init__(self):
        import module_that_nobody_imported

        self.module = module_that_nobody_imported
        self.done = 0

    def add(self):
        with self.module.LOCK:
            self.done += 1
            return self.done


def test_a_module_that_the_model_is_the_first_one_to_import(tmp_path, monkeypatch):
    """Its locks are not those of the run that imported it, as that of concurrent.futures.thread was."""
    (tmp_path / "module_that_nobody_imported.py").write_text("import threading\n\nLOCK = threading.Lock()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert result_of(lambda it: it.add(), Late, ("add",)) == {"1", "2"}


@functools.singledispatch
def kind_of(_):
    return "any"


@kind_of.register
def _(_: int):
    return "int"


_log = logging.getLogger("tests.ordinary.library")


class Lines(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def test_functions_by_class():
    @mcr.program
    def program(p):
        it = p.share(Workers())
        thread = p.thread(lambda: (kind_of(3), kind_of(it), kind_of("")))
        p.final(lambda: thread.join())

    assert outcomes(program) == {"('int', 'any', 'any')"}


def test_lines_of_a_logger():
    @mcr.program
    def program(p):
        it, lines = p.share(Workers()), p.share(Lines())

        def work():
            _log.debug("%s is not told", it)
            lines.handle(_log.makeRecord("name", logging.INFO, "file", 1, "line of %s", ("a",), None))

        p.thread(work)
        p.thread(work)
        p.final(lambda: lines.lines)

    assert outcomes(program) == {"['line of a', 'line of a']"}


class Started:
    def __init__(self):
        self.n = 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        self.n += 1


class Starting:
    def __init__(self):
        self.made = None

    def make(self):
        made = Started()
        made.n += 1
        made.thread.join()
        self.made = made


def test_a_thread_makes_an_object_that_starts_a_thread_of_its_own():
    @mcr.program
    def makes(p):
        it = p.share(Starting())
        p.thread(it.make)
        p.final(lambda: it.made.n)

    assert outcomes(makes) == {"1", "2"}


class Making:
    """Makes an executor of its own for each call."""

    def __init__(self):
        self.count = 0
        self.names = {"a", "b"}

    def run(self):
        with ThreadPoolExecutor(1) as executor:
            return executor.submit(self.add).result()

    def add(self):
        self.count += 1
        return self.count


def test_an_executor_that_a_thread_makes_and_shuts_down():
    @mcr.program
    def makes(p):
        making = p.share(Making())
        ran = p.thread(making.run)
        p.thread(making.add)
        p.final(lambda: (ran.join(), making.count))

    found = mcr.check(makes, "sc", algorithm="stateful", objective="outcomes")
    assert found.verdict is mcr.Verdict.VERIFIED
    assert set(found.outcomes) == {"(1, 1)", "(1, 2)", "(2, 2)"}


def test_threads_that_hold_locks_contents_and_weak_references_are_copied(monkeypatch):
    """None runs again from its beginning because of them."""
    copied, refused = InterpretedCode.copied, []

    def noting(code, is_shared):
        try:
            return copied(code, is_shared)
        except Uncopyable as error:
            refused.append(str(error))
            raise

    monkeypatch.setattr(InterpretedCode, "copied", noting)

    @mcr.program
    def makes(p):
        making = p.share(Making())
        p.thread(making.run)
        p.thread(lambda: sorted({*making.names}))

    assert mcr.check(makes, "sc", algorithm="cover").verdict is mcr.Verdict.VERIFIED
    assert refused == []
