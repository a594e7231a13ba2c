"""Plays a schedule on threads of CPython: one of them runs, to the instruction before which the schedule leaves it."""

import dis
import functools
import os
import sys
import threading
import time
import traceback
from collections import defaultdict
from queue import SimpleQueue
from types import CodeType
from typing import Any, cast

SAME = {"LOAD_METHOD": "LOAD_ATTR", "CALL_KW": "CALL"}  # opcodes that versions of CPython call differently
SAME |= {f"{what}_NAME": f"{what}_GLOBAL" for what in ("LOAD", "STORE", "DELETE")}  # in a module, and in a function
PATIENCE, STANDSTILL = 5.0, 0.5  # seconds without a move: a step is given up; threads that may go on wait for ever
clock, sleep = time.monotonic, time.sleep

# -- what plays it


def file_of(path: str) -> str:
    """The name of a file without folders, but for `__init__.py`; "" for this file."""
    folder, name = os.path.split(path)
    return "" if path == __file__ else f"{os.path.basename(folder)}/{name}" if name[0] == "_" else name


@functools.cache
def instructions(code: CodeType, *_: str) -> list[tuple[int, int, Any]]:
    """Of each instruction: offset, the one that CPython tells, and place (file, function, lines, columns, opcode).

    Its file and its name are given beside the code, as code of two files may be equal."""
    found, told = [], -1
    for each in dis.get_instructions(code):
        told = each.offset if told < 0 or hasattr(sys, "monitoring") else told
        if each.opname != "EXTENDED_ARG":
            at = (each.positions or ())[: 1 if each.opname == "BEFORE_WITH" else 4]  # 3.13 gives it other columns
            place = file_of(code.co_filename), code.co_qualname, *at, SAME.get(each.opname, each.opname)
            found.append((each.offset, told, place))
            told = -1
    return found


class Scheduler:
    """The `p` of a program. Threads are called 0, 1, ... as they are started, and 0.0, 0.1, ... those that 0 starts.

    schedule  steps (thread, place, visit): it runs until it has come to the place so often; to its end if that is None
    failure   the thread that fails, the name of the exception, file and line; or "", "Deadlock", None
    inputs    what threads choose, as texts
    """

    def __init__(self, schedule: list[Any], failure: Any, inputs: dict[str, list[str]]) -> None:
        self.schedule, self.failure, self.inputs = schedule, failure, inputs
        self.fails = failure[0] not in ("", "final")  # else all threads go on in the end
        self.step, self.moves, self.is_over, self.lost = 0, 0, not schedule, ""
        self.places = {place for _, place, _ in schedule if place}
        self.files = {place[0] for place in self.places}
        self.stops = functools.cache(self.stops_in)
        self.threads: dict[str, threading.Thread] = {}
        self.names = {threading.get_ident(): ""}  # by identity
        self.turns: dict[str, SimpleQueue[None]] = defaultdict(SimpleQueue)
        self.visits: dict[Any, int] = defaultdict(int)
        self.errors: dict[str, BaseException] = {}
        self.ended: set[threading.Thread] = set()  # as the schedule knows it, which is before CPython does
        self.at_end: Any = lambda: None
        self.start_thread = threading.Thread.start
        threading.Thread.start = lambda thread: self.start(thread)  # type: ignore[assignment, method-assign]
        is_alive, kind = threading.Thread.is_alive, cast(Any, threading.Thread)
        kind.is_alive = lambda thread: thread not in self.ended and is_alive(thread)
        self.tool: Any = getattr(sys, "monitoring", None)  # from 3.12 on
        if self.tool:
            self.tool.use_tool_id(4, "schedule")
            self.tool.register_callback(4, self.tool.events.INSTRUCTION, self.comes_to)
            self.tool.set_events(4, self.tool.events.INSTRUCTION)

    def share(self, thing: Any, name: object = None) -> Any:
        return thing

    def thread(self, function: Any, *args: Any, name: str = "", daemon: bool = False) -> Any:
        made: Any = threading.Thread(target=lambda: setattr(made, "result", function(*args)), daemon=daemon)
        join, made.join = made.join, lambda: (join(), made.result)[1]
        made.start()
        return made

    def final(self, function: Any) -> Any:
        self.at_end = function
        return function

    # -- what threads ask for

    spawn = thread

    def choose(self, *values: Any) -> Any:
        wanted = self.inputs[self.names[threading.get_ident()]].pop(0)
        every = (each for value in values for each in (value if type(value) is range else [value]))
        return next(each for each in every if repr(each) == wanted)

    def integer(self, low: int, high: int) -> Any:
        return self.choose(range(low, high + 1))

    def wait_until(self, condition: Any) -> Any:
        while not (value := condition()):
            sleep(0.001)
        return value

    # -- clocks

    def set_clocks(self) -> None:
        """Let clocks tell the instants at which threads look in the schedule, and let timeouts be over soon."""
        expired, wait, join = dict[int, bool](), threading.Condition.wait, threading.Thread.join
        lock: Any = threading.Lock

        def short(timeout: float | None) -> Any:
            return timeout and min(timeout, 0.02)

        def wait_a_little(condition: threading.Condition, timeout: float | None = None) -> bool:
            came = wait(condition, short(timeout))
            expired[threading.get_ident()] = not came
            return came

        def join_a_little(thread: threading.Thread, timeout: float | None = None) -> None:
            join(thread, None if thread in self.ended else short(timeout))

        class Lock:
            def __init__(self) -> None:
                self.lock = lock()

            def acquire(self, blocking: bool = True, timeout: float = -1) -> Any:
                return self.lock.acquire(blocking, short(timeout))

            def __enter__(self) -> Any:
                return self.lock.acquire()

            def __exit__(self, *_: object) -> None:
                self.lock.release()

            def __getattr__(self, name: str) -> Any:
                return getattr(self.lock, name)

        class RLock(type(threading.RLock())):  # type: ignore[misc]
            def acquire(self, blocking: bool = True, timeout: float = -1) -> Any:
                return super().acquire(blocking, short(timeout))

        class ShortQueue(SimpleQueue[Any]):
            def get(self, block: bool = True, timeout: float | None = None) -> Any:
                return super().get(block, short(timeout))

        def now(unit: Any = float) -> Any:
            name, caller = self.names.get(threading.get_ident(), ""), sys._getframe(1)
            deadline = {"endtime", "end_time"}.intersection(caller.f_code.co_varnames)
            if deadline:  # a wait of Python's own library: the deadline is over if it came to nothing, and not before
                return (expired.get(threading.get_ident()) and caller.f_locals.get(deadline.pop())) or 0.0
            is_told = name and caller.f_globals["__name__"] != "logging"  # when a record is made is no step
            return unit(float(self.inputs[name].pop(0)) if is_told else 2.0**31)

        threading.Condition.wait = wait_a_little  # type: ignore[assignment, method-assign]
        threading.Thread.join = join_a_little  # type: ignore[assignment, method-assign]
        instead: Any = {id(each): now for each in (time.time, clock, time.perf_counter)}
        instead |= {id(lock): Lock, id(threading.RLock): RLock, id(SimpleQueue): ShortQueue}
        for each in (time.time_ns, time.monotonic_ns, time.perf_counter_ns):
            instead[id(each)] = functools.partial(now, lambda seconds: int(seconds * 10**9))
        # but of this script, which `multiprocessing` gives a second name
        for module in [each for each in list(sys.modules.values()) if vars(each) is not globals()]:
            for name in [name for name, value in list(vars(module).items()) if id(value) in instead]:
                setattr(module, name, instead[id(getattr(module, name))])

    # -- random numbers

    def set_draws(self) -> None:
        """Let threads draw the numbers of the schedule."""
        random: Any = __import__("random")
        random._inst._randbelow = lambda limit: self.choose(range(limit))

    # -- orders of sets

    @staticmethod
    def attempts(most: int = 40) -> int:
        """Play in processes of their own, until one fails as it should; returns what the last one returns."""
        process: Any = __import__("subprocess")
        for attempt in range(most):
            ended = process.run([sys.executable, *sys.orig_argv[1:], str(attempt)], stdout=-1)
            if ended.returncode == 1 or attempt == most - 1:
                print(ended.stdout.decode(errors="replace"), end="", flush=True)
                break
        return int(ended.returncode)

    def set_orders(self) -> None:
        """Let objects come to other places in memory in each attempt: the order of a set of them is that of places."""
        self.held = [bytes(size) for size in range(0, 480, 16) for _ in range(1000)]
        __import__("random").Random(sys.argv[1]).shuffle(self.held)
        del self.held[::2]

    # -- threads

    def start(self, thread: threading.Thread) -> None:
        """In place of `Thread.start`: the new thread runs none of its code before its turn."""
        parent = self.names.pop(threading.get_ident(), "others")  # what `start` itself does is no step
        number = sum(name.rpartition(".")[0] == parent for name in self.threads)
        name, run = f"{parent}.{number}" if parent else str(number), thread.run
        self.threads[name], self.turns[name] = thread, self.turns[name]
        thread.run = lambda: self.run(name, run)  # type: ignore[method-assign]
        self.start_thread(thread)
        self.names[threading.get_ident()] = parent

    def run(self, name: str, code: Any) -> None:
        self.wait_for_turn(name)
        try:
            self.names[threading.get_ident()] = name
            sys.settrace(None if self.tool else self.trace)
            code()
        except BaseException as error:
            if "." not in name or not isinstance(error, SystemExit):  # which ends a thread that was started in silence
                self.errors[name] = error
        sys.settrace(None)
        self.ended.add(self.threads[name])
        if not self.is_over:
            ends = f"it ends with {self.errors[name]!r}" if name in self.errors else "it ends"
            self.next_step("" if self.schedule[self.step] == (name, None, 0) else ends)

    def wait_for_turn(self, name: str) -> None:
        while self.fails if self.is_over else self.schedule[self.step][0] != name:
            self.turns[name].get()

    def next_step(self, lost: str = "") -> None:
        """Let the thread of the next step go on; all if none is left, or if this one comes to nothing."""
        if lost:
            name, place, _ = self.schedule[self.step]
            goal = f"line {place[2]} of {place[1]} in {place[0] or 'this file'}" if place else "its end"
            self.lost = f"in step {self.step + 1} thread {name} should come to {goal}, but {lost}"
        self.step += 1
        self.is_over = bool(lost) or self.step == len(self.schedule)
        for name in list(self.turns) if self.is_over else [self.schedule[self.step][0]]:
            self.turns[name].put(None)

    def stops_in(self, code: CodeType, *names: str) -> dict[int, Any]:
        """The places in some code before which threads stop, by the offset that CPython tells."""
        found = instructions(code, *names) if file_of(code.co_filename) in self.files else []
        return {told: place for _, told, place in found if place in self.places}

    def comes_to(self, code: CodeType, offset: int) -> Any:
        """The running thread is about to run an instruction."""
        place = self.stops(code, code.co_filename, code.co_qualname).get(offset)
        name = self.names.get(threading.get_ident())
        if place is None:
            return self.tool and self.tool.DISABLE  # it need not be told again
        if name and not self.is_over:
            self.moves += 1
            self.visits[name, place] += 1
            if self.schedule[self.step] == (name, place, self.visits[name, place]):
                self.next_step()
                self.wait_for_turn(name)

    def trace(self, frame: Any, event: str, _: object) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            self.comes_to(frame.f_code, frame.f_lasti)
        return self.trace if self.stops(frame.f_code, frame.f_code.co_filename, frame.f_code.co_qualname) else None

    # -- the main thread

    def play(self) -> list[str]:
        """Let threads run until one has failed as it should, or all have ended; returns those that wait for ever."""
        before, since = None, 0.0
        while alive := {name: each for name, each in list(self.threads.items()) if each.is_alive()}:
            if self.lost or (self.is_over and self.fails and self.failure[0] not in alive):
                break
            frames = {name: sys._current_frames().get(each.ident or 0) for name, each in alive.items()}
            now = self.moves, self.step, [(id(each), each and each.f_lasti) for each in frames.values()]
            before, since = now, since if now == before else clock()
            if not self.is_over and clock() - since > PATIENCE:
                line = traceback.extract_stack(frames.get(self.schedule[self.step][0]))[-1]
                self.next_step(f"it waits in line {line.lineno} of {os.path.basename(line.filename)}")
            elif self.is_over and clock() - since > STANDSTILL:
                return [name for name, each in alive.items() if not each.daemon]
            sleep(0.005)
        return []

    def conclude(self) -> int:
        """Play, and say what comes of it; returns 1 if it fails as it should, 0 if nothing fails, else 3."""
        waiting, (thread, expected, line) = self.play(), self.failure
        try:
            self.names[threading.get_ident()] = "final"
            if not (self.lost or waiting or self.errors or self.fails):
                self.at_end()
        except BaseException as raised:
            self.errors["final"] = raised
        error = self.errors.get(thread) or next(iter(self.errors.values()), None)
        for each in waiting:
            print(f"thread {each} waits for ever:")
            traceback.print_stack(sys._current_frames()[self.threads[each].ident or 0], file=sys.stdout)
        if error:
            traceback.print_exception(error, file=sys.stdout)
        lines = [
            (file_of(each.filename), each.lineno)
            for each in traceback.extract_tb(getattr(error, "__traceback__", None))
        ]
        found = "Deadlock" if waiting else type(error).__name__ if error else ""
        said = "".join(traceback.format_exception_only(error)).strip() if error else "nothing fails"
        said = f"threads {', '.join(waiting)} wait for ever" if waiting else said
        version, is_it = f"CPython {sys.version.split()[0]}", found == expected and (line is None or line in lines)
        told = f"Confirmed by {version}: {said}" if found and is_it else f"{version} follows the schedule, and {said}"
        print(f"{version} could not follow the schedule: {self.lost}" if self.lost else told, flush=True)
        return 3 if self.lost or not (found == "" or is_it) else 1 if found else 0
