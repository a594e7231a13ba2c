"""Runs ordinary classes for real: CPython's threads, switched between any two instructions that could be seen.

Each thread is traced instruction by instruction and stops before every one
that may touch what is shared; who goes on then is the schedule's to say. What
an instruction does is CPython's own doing, which makes this the test of what
is atomic. Only a lock, on which all of `threading` is written, is ours, so
that waiting is seen by the schedule; the rest of `threading` and `queue` is
the standard library's text, run upon that lock.
"""

from __future__ import annotations

import _thread
import contextlib
import dis
import functools
import os
import random
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NamedTuple

from tests.ordinary.locked import here, imports, library

LONGEST = 3000
"""Stops of one run before it is given up: a loop that waits."""

_LOCAL = {
    "BUILD_LIST", "BUILD_MAP", "BUILD_STRING", "BUILD_TUPLE", "CACHE", "COPY", "COPY_FREE_VARS", "EXTENDED_ARG",
    "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_FORWARD", "KW_NAMES", "LIST_APPEND",
    "LOAD_ASSERTION_ERROR",
    "LOAD_CLOSURE", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL", "MAKE_CELL", "MAKE_FUNCTION", "NOP",
    "POP_EXCEPT", "POP_TOP", "PRECALL", "PUSH_EXC_INFO", "PUSH_NULL", "RERAISE", "RESUME", "RETURN_VALUE",
    "STORE_FAST", "SWAP", "UNPACK_SEQUENCE",
    "END_FOR", "LOAD_FAST_AND_CLEAR", "LOAD_FAST_CHECK", "RETURN_CONST",  # from 3.12 on
    "LOAD_FAST_LOAD_FAST", "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST",  # from 3.13 on
    "LOAD_COMMON_CONSTANT", "LOAD_FAST_BORROW", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_SMALL_INT", "NOT_TAKEN",
    "POP_ITER",  # from 3.14 on
}  # fmt: skip
"""Instructions on what only their thread has; in programs whose globals do not change."""

_DECIDED = {"COMPARE_OP", "CONTAINS_OP", "IS_OP", "TO_BOOL"}
"""What leaves True or False, so that the jump after it looks at nothing else."""

_ATTRIBUTES = {"LOAD_ATTR", "STORE_ATTR"}
"""Instructions on an attribute, which they name."""


class Failure(NamedTuple):
    error: str
    message: str


@dataclass
class Seen:
    """What runs of a program showed.

    complete  whether every schedule was run
    """

    runs: int = 0
    complete: bool = False
    outcomes: set[str] = field(default_factory=set)
    failures: set[Failure] = field(default_factory=set)
    deadlock: bool = False
    endless: bool = False

    def add(self, other: Seen) -> None:
        self.runs += other.runs
        self.outcomes |= other.outcomes
        self.failures |= other.failures
        self.deadlock |= other.deadlock
        self.endless |= other.endless


class _Abandoned(BaseException):
    """The run is over before its threads are."""


Schedule = Callable[[list["Worker"], "Worker | None"], "Worker"]
"""Of those who can go on, and who went last: who goes next."""


Stops = Callable[[CodeType], frozenset[int]]
"""The instructions of a function before which its thread stops."""


class Worker:
    """A thread of a run."""

    def __init__(self, number: int, code: Callable[[], Any]) -> None:
        self.number = number
        self.code = code
        self.result: Any = None
        self.is_over = False
        self.can_go_on: Callable[[], bool] | None = None
        self.baton = _thread.allocate_lock()
        self.baton.acquire()


class Stage:
    """The run that is under way: one thread of it goes at a time."""

    def __init__(self, schedule: Schedule, files: set[str], stops: Stops, *, keeps_lock: bool) -> None:
        self.workers: list[Worker] = []
        self.failures: list[Failure] = []
        self.deadlock = self.endless = self.abandoned = False
        self._schedule = schedule
        self.keeps_lock = keeps_lock
        self._files = files
        self._stops_of = stops
        self._stops = 0
        self._left = 0
        self._done = _thread.allocate_lock()
        self._done.acquire()

    def add(self, code: Callable[[], Any]) -> Worker:
        worker = Worker(len(self.workers), code)
        self.workers.append(worker)
        self._left += 1
        _thread.start_new_thread(self._work, (worker,))
        return worker

    def run(self) -> None:
        first = self._next(None)
        assert first is not None
        first.baton.release()
        self._done.acquire()

    def stop(self, can_go_on: Callable[[], bool] | None = None) -> None:
        """The thread that calls this stops, and goes on when it is chosen again."""
        worker: Worker = here.worker
        if self.abandoned:
            raise _Abandoned
        self._stops += 1
        worker.can_go_on = can_go_on
        following = self._next(worker)
        if following is not worker:
            if following is not None:
                following.baton.release()
            worker.baton.acquire()
        if self.abandoned:
            raise _Abandoned
        worker.can_go_on = None

    def _next(self, last: Worker | None) -> Worker | None:
        """Who goes next; None if nobody can: then all are woken, to end."""
        waiting = [each for each in self.workers if not each.is_over]
        ready = [each for each in waiting if each.can_go_on is None or each.can_go_on()]
        self.endless = self._stops > LONGEST
        if ready and not self.endless:
            return self._schedule(ready, last)
        if waiting:
            self.deadlock = not self.endless
            self.abandoned = True
            for each in waiting:
                each.baton.release()
        return None

    def _work(self, worker: Worker) -> None:
        worker.baton.acquire()
        here.worker, here.stage = worker, self
        sys.settrace(self._trace)
        try:
            if not self.abandoned:
                worker.result = worker.code()
        except _Abandoned:
            pass
        except BaseException as error:
            if not self.abandoned:
                self.failures.append(Failure(type(error).__name__, str(error)))
        finally:
            sys.settrace(None)
        worker.is_over = True
        if not self.abandoned:
            following = self._next(worker)
            if following is not None:
                following.baton.release()
        self._left -= 1
        if not self._left:
            self._done.release()

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        stops = self._stops_of(frame.f_code)
        if self.keeps_lock and not self.abandoned:
            self.stop()  # the event of RESUME, which lets others run

        def local(frame: FrameType, event: str, argument: object) -> Any:
            if event == "opcode" and frame.f_lasti in stops and not self.abandoned:
                self.stop()
            return local

        return local


@functools.cache
def _stops(code: CodeType, constant: frozenset[str]) -> frozenset[int]:
    """Where the instructions of a function are that may touch what is shared and can change."""
    found, before = set(), ""
    for each in dis.get_instructions(code):
        decided = "JUMP_" in each.opname and before in _DECIDED
        of_constant = each.opname in _ATTRIBUTES and each.argval in constant
        if each.opname not in _LOCAL and not decided and not of_constant:
            found.add(each.offset)
        before = each.opname
    return frozenset(found)


@functools.cache
def _switches(code: CodeType) -> frozenset[int]:
    """The instructions of a function before which CPython with its global lock lets others run, as where it begins."""
    found, before = set(), ""
    for each in dis.get_instructions(code):
        if "JUMP_BACKWARD" in each.opname or before.startswith("CALL"):
            found.add(each.offset)
        before = each.opname if each.opname != "CACHE" else before
    return frozenset(found)


# -- schedules ----------------------------------------------------------------


class _Prefix:
    """The schedule that begins like this, and goes on with whoever is first.

    has_strayed  the program did not do again what it did before
    """

    def __init__(self, prefix: tuple[int, ...]) -> None:
        self.has_strayed = False
        self._prefix = prefix
        self._taken: list[tuple[int, int]] = []

    def __call__(self, ready: list[Worker], last: Worker | None) -> Worker:
        place = len(self._taken)
        choice = self._prefix[place] if place < len(self._prefix) else 0
        if choice >= len(ready):
            self.has_strayed, choice = True, 0
        self._taken.append((choice, len(ready)))
        return ready[choice]

    def others(self) -> Iterator[tuple[int, ...]]:
        """The prefixes that part from it after its own."""
        for place in range(len(self._prefix), len(self._taken)):
            before = tuple(choice for choice, _ in self._taken[:place])
            for other in range(1, self._taken[place][1]):
                yield (*before, other)


class _Preempting(_Prefix):
    """The same with so many preemptions at most: a thread goes on unless it has to wait, or is preempted."""

    def __init__(self, prefix: tuple[int, ...], most: int) -> None:
        super().__init__(prefix)
        self._most = most
        self._may_go_on: list[bool] = []

    def __call__(self, ready: list[Worker], last: Worker | None) -> Worker:
        self._may_go_on.append(last in ready)
        return super().__call__(sorted(ready, key=lambda each: (each is not last, each.number)), last)

    def others(self) -> Iterator[tuple[int, ...]]:
        for prefix in super().others():
            if sum(may and choice > 0 for may, choice in zip(self._may_go_on, prefix, strict=False)) <= self._most:
                yield prefix


def _at_random(rng: random.Random, often: float, ready: list[Worker], last: Worker | None) -> Worker:
    if last in ready and rng.random() >= often:
        return last
    return rng.choice(ready)


@contextlib.contextmanager
def _one_processor() -> Iterator[None]:
    """Threads that take turns do so ten times as fast on one."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {random.choice(sorted(before))})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# -- programs ----------------------------------------------------------------


class Runner:
    """The runs of one program: `make` gives a new object and the methods that its threads call.

    look      what is seen in the end, given the object
    constant  attributes that an object gets before another thread can have it, and keeps: no thread stops before them
    keeps_lock  threads keep the global lock where CPython does
    """

    def __init__(
        self,
        make: Callable[[], tuple[Any, list[Callable[[], Any]]]],
        look: Callable[[Any], Any],
        files: set[str],
        constant: frozenset[str] = frozenset(),
        *,
        keeps_lock: bool = False,
    ) -> None:
        self._make = make
        self._look = look
        self._keeps_lock = keeps_lock
        self._stops = _switches if keeps_lock else functools.partial(_stops, constant=constant)
        self._files = files | {str(each.__file__) for each in library().values()}

    def every_schedule(self, limit: int) -> Seen:
        """Depth first; not `complete` if there are more schedules than the limit."""
        return self._every(_Prefix, limit)

    def preempted(self, most: int, limit: int) -> Seen:
        """Every schedule with so many preemptions at most; not `complete` if there are more than the limit."""
        return self._every(functools.partial(_Preempting, most=most), limit)

    def _every(self, begun: Callable[[tuple[int, ...]], _Prefix], limit: int) -> Seen:
        prefixes: list[tuple[int, ...]] = [()]
        seen, strayed = Seen(), False
        with _one_processor():
            while prefixes and seen.runs < limit:
                chosen = begun(prefixes.pop())
                self._run(chosen, seen)
                prefixes += chosen.others()
                strayed |= chosen.has_strayed
        seen.complete = not prefixes and not strayed
        return seen

    def at_random(self, runs: int, seed: int) -> Seen:
        """So many schedules, some with few switches and some with many."""
        seen, rng = Seen(), random.Random(seed)
        with _one_processor():
            for _ in range(runs):
                self._run(functools.partial(_at_random, rng, rng.choice((0.05, 0.3, 0.8))), seen)
        return seen

    def _run(self, schedule: Schedule, seen: Seen) -> None:
        shared, methods = self._make()
        stage = Stage(schedule, self._files, self._stops, keeps_lock=self._keeps_lock)
        workers = [stage.add(method) for method in methods]
        stage.run()
        seen.runs += 1
        seen.failures.update(stage.failures[:1])  # what comes after it, the checker need not have seen
        seen.deadlock |= stage.deadlock and not stage.failures
        seen.endless |= stage.endless
        if not stage.abandoned and not stage.failures:
            seen.outcomes.add(repr((*(worker.result for worker in workers), *self._look(shared))))


def at_full_speed(source: str, runs: int) -> Seen:
    """So many runs of a random program's text by CPython's own threads, which take turns as often as it lets them.

    Who does not come to an end within a second may be in a deadlock, or slow: such a run says nothing.
    """
    names: dict[str, Any] = {}
    exec(compile(source, FILE, "exec"), names)
    count, seen = source.count("def thread_"), Seen()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(runs):
            _run_at_full_speed(names["Shared"](), count, names["seen"], seen)
            if seen.endless:
                break
    finally:
        sys.setswitchinterval(interval)
    return seen


def _run_at_full_speed(shared: Any, count: int, look: Callable[[Any], Any], seen: Seen) -> None:
    start, results, failures = threading.Barrier(count), [None] * count, list[Failure]()

    def work(number: int) -> None:
        start.wait()
        results[number] = getattr(shared, f"thread_{number}")()

    def note(what: threading.ExceptHookArgs) -> None:
        failures.append(Failure(what.exc_type.__name__, str(what.exc_value)))

    others, hook = set(threading.enumerate()), threading.excepthook
    threading.excepthook = note
    try:
        for number in range(count):
            threading.Thread(target=work, args=(number,), daemon=True).start()
        while running := set(threading.enumerate()) - others:  # and those that they have started themselves
            for thread in filter(threading.Thread.is_alive, running):  # not one that is only about to start
                thread.join(1)
                seen.endless |= thread.is_alive()
            if seen.endless:
                return
    finally:
        threading.excepthook = hook
    seen.runs += 1
    seen.failures.update(failures[:1])
    if not failures:
        seen.outcomes.add(repr((*results, *look(shared))))


def runner_of(source: str, constant: frozenset[str] = frozenset(), *, keeps_lock: bool = False) -> Runner:
    """The runner of a random program's text, without the checker."""
    names: dict[str, Any] = {}
    with imports(library(keeps_lock=keeps_lock)):
        exec(compile(source, FILE, "exec"), names)
    count = source.count("def thread_")

    def make() -> tuple[Any, list[Callable[[], Any]]]:
        shared = names["Shared"]()
        return shared, [getattr(shared, f"thread_{number}") for number in range(count)]

    return Runner(make, names["seen"], {FILE}, constant, keeps_lock=keeps_lock)


FILE = "<ordinary>"
