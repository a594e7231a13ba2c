"""Classes of the standard library that are written in Python upon `threading`, checked as they are.

The last line of each program says what is found under SC: "Verified", or how it fails. Programs with `threads`
are measured with two and three (results/ordinary-classes.md).
"""

import collections
import concurrent.futures
import functools
import importlib.util
import queue
import sched
import sys
import threading
import types

import mcr


def _in_python(name: str, without: str) -> types.ModuleType:
    """A module of the standard library as it is without its part in C."""
    specification = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(specification)
    in_c = sys.modules.get(without)
    sys.modules[without] = None
    try:
        specification.loader.exec_module(module)
    finally:
        del sys.modules[without]
        if in_c is not None:
            sys.modules[without] = in_c
    return module


class State:
    """What the threads of a program share beside what is checked."""

    def __init__(self):
        self.count = 0
        self.value = None


_functools = _in_python("functools", "_functools")
_queue = _in_python("queue", "_queue")

# -- queues --------------------------------------------------------------------


def _through(p, jobs, threads):
    """Some put one item each, and one takes them all."""
    for number in range(threads - 1):
        p.thread(jobs.put, number)

    def consume():
        return tuple(jobs.get() for _ in range(threads - 1))

    consumer = p.thread(consume)

    @p.final
    def everything_arrives():
        assert sorted(consumer.join()) == list(range(threads - 1))


@mcr.program
def queue_queue(p, threads=2):
    """Every item arrives, once.

    Verified
    """
    jobs = p.share(queue.Queue(1))
    _through(p, jobs, threads)


@mcr.program
def queue_lifo(p, threads=2):
    """Every item arrives, once.

    Verified
    """
    jobs = p.share(queue.LifoQueue())
    _through(p, jobs, threads)


@mcr.program
def queue_priority(p, threads=2):
    """Every item arrives, once.

    Verified
    """
    jobs = p.share(queue.PriorityQueue())
    _through(p, jobs, threads)


@mcr.program
def queue_simple(p, threads=2):
    """The SimpleQueue in Python: every item arrives, once.

    Verified
    """
    jobs = p.share(_queue._PySimpleQueue())
    _through(p, jobs, threads)


@mcr.program
def queue_join(p, threads=2):
    """`join` goes on when every item was worked on.

    Verified
    """
    jobs, done = queue.Queue(), p.share(State())
    for number in range(threads - 1):
        jobs.put(number)
    jobs = p.share(jobs)

    def work():
        for _ in range(threads - 1):
            jobs.get()
            done.count += 1
            jobs.task_done()

    def wait():
        jobs.join()
        return done.count

    p.thread(work)
    waiting = p.thread(wait)

    @p.final
    def all_is_done():
        assert waiting.join() == threads - 1


@mcr.program
def queue_checked_first(p, threads=2):
    """`empty`, then `get_nowait`: between the two another one takes the item.

    Fails: Empty
    """
    jobs = queue.Queue()
    jobs.put("job")
    jobs = p.share(jobs)

    def take():
        if not jobs.empty():
            return jobs.get_nowait()
        return None

    for _ in range(threads):
        p.thread(take)


# -- futures -------------------------------------------------------------------


@mcr.program
def future_result(p, threads=2):
    """Everybody who waits gets the result.

    Verified
    """
    future = p.share(concurrent.futures.Future())
    p.thread(future.set_result, 42)
    readers = [p.thread(future.result) for _ in range(threads - 1)]

    @p.final
    def everybody_got_it():
        assert all(reader.join() == 42 for reader in readers)


@mcr.program
def future_set_twice(p, threads=2):
    """`done`, then `set_result`: another one sets it in between.

    Fails: InvalidStateError
    """
    future = p.share(concurrent.futures.Future())

    def answer(value):
        if not future.done():
            future.set_result(value)

    for number in range(threads):
        p.thread(answer, number)


@mcr.program
def future_cancelled(p, threads=2):
    """A worker that does not ask whether it was cancelled.

    Fails: InvalidStateError
    """
    future = p.share(concurrent.futures.Future())
    p.thread(future.set_result, 1)
    for _ in range(threads - 1):
        p.thread(future.cancel)


@mcr.program
def future_asks_first(p, threads=2):
    """A worker that asks, as those of the executor do.

    Verified
    """
    future = p.share(concurrent.futures.Future())

    def work():
        if future.set_running_or_notify_cancel():
            future.set_result(1)

    p.thread(work)
    for _ in range(threads - 1):
        p.thread(future.cancel)


@mcr.program
def executor(p, threads=2):
    """What is submitted by several is done.

    Verified
    """
    pool = p.share(concurrent.futures.ThreadPoolExecutor(max_workers=1))

    def client(number):
        return pool.submit(int, number).result()

    clients = [p.thread(client, number) for number in range(threads - 1)]

    def stop():
        for each in clients:
            each.join()
        pool.shutdown()

    p.thread(stop)

    @p.final
    def everything_is_done():
        assert [each.join() for each in clients] == list(range(threads - 1))


@mcr.program
def executor_shut_down(p, threads=2):
    """Who submits after the shutdown is refused.

    Fails: RuntimeError
    """
    pool = p.share(concurrent.futures.ThreadPoolExecutor(max_workers=1))
    for number in range(threads - 1):
        p.thread(pool.submit, int, number)
    p.thread(pool.shutdown)


# -- caches --------------------------------------------------------------------


@mcr.program
def functools_lru_cache(p, threads=2):
    """The lru_cache in Python: what it keeps in variables of a function is shared with the function.

    Verified
    """
    square = p.share(_functools.lru_cache(maxsize=2)(lambda number: number * number))
    callers = [p.thread(square, 3) for _ in range(threads)]

    @p.final
    def all_calls_count():
        assert all(caller.join() == 9 for caller in callers)
        information = square.cache_info()
        assert information.hits + information.misses == threads


@mcr.program
def functools_unbounded_cache(p, threads=2):
    """Without a limit it takes no lock, as in C, and two calls are counted as one.

    Fails: AssertionError
    """
    square = p.share(_functools.lru_cache(maxsize=None)(lambda number: number * number))
    callers = [p.thread(square, 3) for _ in range(threads)]

    @p.final
    def all_calls_count():
        assert all(caller.join() == 9 for caller in callers)
        information = square.cache_info()
        assert information.hits + information.misses == threads, "a call was not counted"


class _Report:
    """What a cached_property is for."""

    def __init__(self):
        self.computed = 0

    @functools.cached_property
    def total(self):
        self.computed += 1
        return 42


@mcr.program
def functools_cached_property(p, threads=2):
    """Computed once, by the lock that it has up to Python 3.11; later versions have none, and compute it twice.

    Verified, and from Python 3.12 on: Fails: AssertionError
    """
    report = p.share(_Report())

    def look():
        return report.total

    readers = [p.thread(look) for _ in range(threads)]

    @p.final
    def computed_once():
        assert all(reader.join() == 42 for reader in readers)
        assert report.computed == 1, "computed twice"


# -- threading -----------------------------------------------------------------


@mcr.program
def threading_barrier(p, threads=2):
    """Nobody goes on before all are there; each has a number of its own.

    Verified
    """
    barrier = p.share(threading.Barrier(threads))
    there = p.share([])

    def meet():
        there.append(1)
        number = barrier.wait()
        assert len(there) == threads
        return number

    parties = [p.thread(meet) for _ in range(threads)]

    @p.final
    def numbers_differ():
        assert sorted(party.join() for party in parties) == list(range(threads))


@mcr.program
def threading_semaphore(p, threads=2):
    """No more are inside than may be.

    Verified
    """
    room, inside = p.share(threading.Semaphore(1)), p.share(State())

    def visit():
        with room:
            inside.count += 1
            assert inside.count == 1
            inside.count -= 1

    for _ in range(threads):
        p.thread(visit)


@mcr.program
def threading_bounded_semaphore(p, threads=2):
    """Given back once more than it was taken.

    Fails: ValueError
    """
    room = p.share(threading.BoundedSemaphore(1))

    def leave_twice():
        room.acquire()
        room.release()
        room.release()

    def enter_and_leave():
        if room.acquire(False):
            room.release()

    p.thread(leave_twice)
    for _ in range(threads - 1):
        p.thread(enter_and_leave)


@mcr.program
def threading_condition(p, threads=2):
    """Everybody who waits is woken by `notify_all`.

    Verified
    """
    changed, state = p.share(threading.Condition()), p.share(State())

    def wait():
        with changed:
            changed.wait_for(lambda: state.value)

    def make_ready():
        with changed:
            state.value = True
            changed.notify_all()

    for _ in range(threads - 1):
        p.thread(wait)
    p.thread(make_ready)


@mcr.program
def threading_event(p, threads=2):
    """What was done before `set` is there for who waited.

    Verified
    """
    event, state = p.share(threading.Event()), p.share(State())

    def prepare():
        state.value = 42
        event.set()

    def use():
        event.wait()
        assert state.value == 42

    p.thread(prepare)
    for _ in range(threads - 1):
        p.thread(use)


@mcr.program
def threading_rlock(p, threads=2):
    """The RLock in Python: its owner may take it again, nobody else may.

    Verified
    """
    lock, state = p.share(threading._PyRLock()), p.share(State())

    def add():
        with lock, lock:
            state.count += 1

    for _ in range(threads):
        p.thread(add)

    @p.final
    def nothing_is_lost():
        assert state.count == threads


class Tally:
    """Each thread counts for itself."""

    def __init__(self):
        self._mine = threading.local()

    def count(self):
        self._mine.number = 1
        self._mine.number += 1
        return self._mine.number


@mcr.program
def threading_local(p, threads=2):
    """Each thread has its own.

    Verified
    """
    tally = p.share(Tally())
    counters = [p.thread(tally.count) for _ in range(threads)]

    @p.final
    def nobody_disturbs():
        assert all(counter.join() == 2 for counter in counters)


# -- others --------------------------------------------------------------------


@mcr.program
def collections_counter(p, threads=2):
    """`counter[key] += 1` reads and writes.

    Fails: AssertionError
    """
    counter = p.share(collections.Counter())

    def count():
        counter["word"] += 1

    for _ in range(threads):
        p.thread(count)

    @p.final
    def every_word_counts():
        assert counter["word"] == threads, "a word was not counted"


@mcr.program
def collections_user_dict(p, threads=2):
    """`setdefault` of a dict is atomic; that of UserDict is written in Python, and is not.

    Fails: AssertionError
    """
    shared = p.share(collections.UserDict())
    callers = [p.thread(shared.setdefault, "key", number) for number in range(threads)]

    @p.final
    def everybody_got_the_same():
        assert len({caller.join() for caller in callers}) == 1, "two values for one key"


@mcr.program
def scheduler(p, threads=2):
    """`sched.scheduler` with a clock that stands still: every event runs once, whoever runs it.

    Verified
    """
    log = p.share([])
    shared = p.share(sched.scheduler(timefunc=lambda: 0, delayfunc=lambda delay: None))

    def plan_and_run(number):
        shared.enter(0, number, log.append, (number,))
        shared.run()

    for number in range(threads):
        p.thread(plan_and_run, number)

    @p.final
    def every_event_ran():
        assert sorted(log) == list(range(threads))
