"""What belongs to the process is refused with a sentence that says so: its environment, other processes, its end."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import mcr
from replay.frontend.foundations import foundations


class Asking:
    def __init__(self):
        self.found = None

    def get(self):
        self.found = os.environ.get("HOME")

    def item(self):
        self.found = os.environ["HOME"]

    def getenv(self):
        self.found = os.getenv("HOME")

    def contains(self):
        self.found = "HOME" in os.environ

    def change(self):
        os.environ["MCR_NOTHING"] = "1"

    def take_out(self):
        os.environ.pop("HOME")

    def update(self):
        os.environ.update(MCR_NOTHING="1")

    def each(self):
        self.found = dict(os.environ.items())["HOME"]

    def process(self):
        multiprocessing.Process(target=int).start()

    def processes(self):
        self.found = multiprocessing.Queue()


ENVIRONMENT = "thread code changes os.environ, which all runs of the program have: pass in the value"
PROCESSES = "thread code uses multiprocessing, which a model cannot have: pass in a function"


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        *((way, ENVIRONMENT) for way in ("change", "take_out", "update")),
        *((way, PROCESSES) for way in ("process", "processes")),
    ],
)
def test_what_the_process_has_is_refused(way, sentence):
    @mcr.program
    def program(p):
        p.thread(getattr(p.share(Asking()), way))

    with pytest.raises(mcr.ModelError) as error:
        mcr.check(program, "sc")
    assert sentence in error.value.message
    assert error.value.where.endswith(f":{getattr(Asking, way).__code__.co_firstlineno + 1}")


@pytest.mark.parametrize("way", ["get", "item", "getenv", "contains", "each"])
def test_the_environment_can_be_read(way, monkeypatch):
    monkeypatch.setenv("HOME", "here")

    @mcr.program
    def program(p):
        asking = p.share(Asking())
        p.thread(getattr(asking, way))

        @p.final
        def outcome():
            assert asking.found in ("here", True)

    assert mcr.check(program, "sc").verdict.value == "verified"
    before, then = program.fingerprint(), foundations(program).digests()
    monkeypatch.setenv("HOME", "there")
    now = foundations(program).digests()
    assert [name for name in then if then[name] != now[name]] == ["environment HOME"]
    assert mcr.program(program.function).fingerprint() != before


class Executor:
    def __init__(self):
        self.pool = ThreadPoolExecutor(1)
        self.lock = threading.Lock()
        self.late = False

    def be_late(self):
        self.late = True

    def work(self):
        self.pool.submit(int)
        if not self.late:
            self.pool.shutdown()

    def wait_for_itself(self):
        with self.pool:
            self.pool.submit(self._nested).result()

    def _nested(self):
        return self.pool.submit(int).result()


def test_an_executor_that_is_not_shut_down_on_each_way_is_no_deadlock():
    """CPython ends its threads when it ends; this was called a deadlock."""

    @mcr.program
    def program(p):
        executor = p.share(Executor())
        p.thread(executor.work)
        p.thread(executor.be_late)

    with pytest.raises(mcr.ModelError, match="pool is not shut down on one way through the program") as error:
        mcr.check(program, "sc")
    assert error.value.where.endswith(f":{Executor.work.__code__.co_firstlineno + 1}")


def test_work_that_waits_for_other_work_of_one_thread_is_a_deadlock():
    @mcr.program
    def program(p):
        p.thread(p.share(Executor()).wait_for_itself)

    result = mcr.check(program, "sc")
    assert result.verdict is mcr.Verdict.BUG
    message = result.failures[0].failure.message
    assert message.startswith("thread 0 waits for the result of the future of work 0.0, and no other thread is left")
