"""Steps inside of Python's own library are told as the call that the user's code makes."""

from __future__ import annotations

import logging
import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest

import mcr
from mcr.cli import main
from mcr.report.interleaving import Repetition, folded, initial_values, rows
from mcr.report.source import shown_line
from replay.traces.trace import Trace, as_played, without_calls
from replay.world.operation import Source

FILE = """
import queue

import mcr


class Pool:
    def __init__(self):
        self.items = queue.Queue()

    def work(self):
        self.items.put(3)
        assert self.items.get(True, None) == 4


@mcr.program
def pool(p):
    p.thread(p.share(Pool()).work)
"""


class Pool:
    def __init__(self):
        self.items: queue.Queue[object] = queue.Queue()
        self.free = threading.Condition()
        self.count = 0

    def two(self):
        for item in (self, "b"):
            self.items.put(item)
        self.count += 1
        assert self.items.qsize() < 2

    def told(self):
        with self.free:
            self.free.notify(2)

    def add(self, number):
        self.count += number


class Lines(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.msg)


class Library:
    """One of what `threading`, `concurrent.futures` and `logging` have in Python."""

    def __init__(self):
        self.event = threading.Event()
        self.semaphore = threading.BoundedSemaphore(2)
        self.barrier = threading.Barrier(1)
        self.future = Future()
        self.lines = Lines()
        self.done = 0

    def work(self):
        self.event.set()
        self.event.wait()
        with self.semaphore:
            self.barrier.wait()
        self.future.set_result(3)
        self.future.result(timeout=5)
        self.lines.handle(logging.LogRecord("name", 10, "file", 3, "text", (), None))
        assert self.done


def failing(program) -> Trace:
    (failure, *_) = mcr.check(program, "sc").failures
    return failure


def texts(trace: Trace, thread: str) -> list[str]:
    shown = [row for row in folded(trace, rows(trace), ()) if not isinstance(row, Repetition)]
    return [row.text for row in shown if row.thread == thread]


@mcr.program
def of_one_thread(p):
    p.thread(p.share(Pool()).two)


@mcr.program
def waiting(p):
    pool = p.share(Pool())
    p.thread(pool.told)

    @p.final
    def never():
        assert pool.count


def test_calls_are_rows_with_their_arguments():
    played = mcr.replay(of_one_thread, failing(of_one_thread))
    assert texts(played, "0") == [
        "Pool.items.put(Pool)",
        "Pool.items.put('b')",
        "load Pool.count -> 0",
        "Pool.count = 1",
        "Pool.items.qsize()",
    ]


@mcr.program
def of_the_library(p):
    p.thread(p.share(Library()).work)


def test_what_the_library_has_for_threads_and_its_handlers_are_calls():
    played = mcr.replay(of_the_library, failing(of_the_library))
    assert [each.removeprefix("Library.") for each in texts(played, "0")] == [
        "event.set()",
        "event.wait()",
        "semaphore.acquire()",
        "barrier.wait()",
        "end of with Library.semaphore",
        "future.set_result(3)",
        "future.result(5)",
        "lines.handle(...)",
        "lines.lines.append('text') -> [], now ['text']",
        "unlock Library.lines.lock",  # the lock stays
    ]


@mcr.program
def with_executor(p):
    pool = p.share(Pool())
    executor = p.share(ThreadPoolExecutor(1), name="executor")

    def run():
        with executor:
            executor.submit(pool.add, 3).result()

    thread = p.thread(run)

    @p.final
    def ended():
        thread.join()
        assert pool.count == 4


def test_threads_of_the_library_show_what_they_call():
    played = mcr.replay(with_executor, failing(with_executor))
    first, *others = texts(played, "0")
    assert first == "executor.submit(pool.add, 3)"
    assert any(text.startswith("end of with executor") for text in others)
    worker = texts(played, "0.0")
    assert any(text.endswith(".run()") for text in worker) and "executor._idle_semaphore.release()" in worker
    assert len(worker) < sum(event.thread == "0.0" for event in played.events)


def test_installed_files_have_the_name_of_their_module():
    assert shown_line(Source(threading.__file__, 5, "f")) == "threading.py:5"
    assert shown_line(Source(pytest.__file__, 5, "f")) == "pytest/__init__.py:5"
    assert shown_line(Source(__file__, 5, "f")).endswith("test_library_calls.py:5")


def test_rows_keep_the_numbers_that_each_step_has():
    played = mcr.replay(of_one_thread, failing(of_one_thread))
    every = {row.number: row for row in rows(played)}
    shown = [row for row in folded(played, rows(played), ()) if not isinstance(row, Repetition)]
    assert len(shown) < len(every)
    assert all(every[row.number].line == row.line and every[row.number].thread == row.thread for row in shown)


def test_a_call_of_one_step_is_that_step():
    played = mcr.replay(waiting, failing(waiting))
    first, *_ = texts(played, "0")
    assert first.startswith("lock ")


def test_what_others_interrupt_goes_on():
    played = mcr.replay(of_one_thread, failing(of_one_thread))
    shown = rows(played)
    put = [row for row in shown if played.events[row.event].call and "'b'" in played.events[row.event].call.text]
    other = replace(put[2], thread="1", event=put[2].event, text="other", commit=True)
    found = list(folded(played, [*put[:3], other, *put[3:]], ()))
    assert [row.text.partition(".items.")[2] for row in (found[0], found[2])] == ["put('b')", "put('b') goes on"]


def test_only_a_replay_knows_calls_and_no_file_has_them(tmp_path):
    recorded = failing(of_one_thread)
    played = mcr.replay(of_one_thread, recorded)
    assert not any(event.call for event in recorded.events)
    assert as_played(recorded, played) == recorded == without_calls(played)
    mcr.save_trace(played, tmp_path / "trace.json")
    assert mcr.load_trace(tmp_path / "trace.json") == recorded
    assert not any(event.call for event in mcr.load_trace(tmp_path / "trace.json").events)


def test_what_calls_use_inside_has_no_initial_value():
    told = mcr.replay(of_the_library, failing(of_the_library))
    shown = [row for row in folded(told, rows(told), ()) if not isinstance(row, Repetition)]
    assert [text for text in initial_values(told, shown) if "._" in text] == []
    assert any("._" in text for text in initial_values(told))


def test_library_shows_each_step(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pool.py").write_text(FILE)

    def lines(*command: str) -> list[str]:
        assert main(list(command)) == 1
        return [line for line in capsys.readouterr().out.splitlines() if ".items." in line and "Initially" not in line]

    for command in (("check", "pool.py"), ("replay", ".mcr/pool-sc.json")):
        short, long = lines(*command), lines(*command, "--library")
        assert any("items.put(3)" in line for line in short) and any("items.get()" in line for line in short)
        assert not any("items.put(3)" in line for line in long)
        assert len(long) > len(short) + 8
