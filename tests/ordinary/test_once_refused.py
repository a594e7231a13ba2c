"""What packages do and was refused: pickles, nodes of `ast`, modules in attributes, what Python loads when asked."""

from __future__ import annotations

import ast
import pickle
import platform
import re
import socket
import subprocess
import sys
import textwrap

import pytest

import mcr
from mcr.exploration.verdict import Verdict


class Point:
    def __init__(self, x):
        self.x = x


class Doing:
    is_name = re.compile("[a-z]+").fullmatch

    def __init__(self):
        self.library = platform
        self.found = None

    def pickles_values(self):
        self.found = pickle.loads(pickle.dumps({"one": [1, (2.5, b"x")]}))
        assert self.found["one"] == [1, (2.5, b"x")]

    def pickles_an_object(self):
        assert pickle.loads(pickle.dumps([Point(3)]))[0].x == 3

    def makes_code(self):
        tree = ast.Expression(ast.Constant(42, lineno=1, col_offset=0))
        assert tree.body.value == 42

    def asks_a_module(self):
        assert self.library.python_implementation() == platform.python_implementation()

    def asks_for_the_timeout(self):
        assert socket.getdefaulttimeout() is None

    def matches(self):
        assert self.is_name("abc")


@pytest.mark.parametrize("what", [name for name in vars(Doing) if name[0] != "_" and name != "is_name"])
@pytest.mark.parametrize("kind", ["free-threaded", "gil"])
def test_it_is_checked(what, kind):
    @mcr.program
    def program(p):
        doing = p.share(Doing())
        p.thread(getattr(doing, what))
        p.thread(getattr(doing, what))

    assert mcr.check(program, model="sc", python=kind).verdict is Verdict.VERIFIED


class Raising:
    def __init__(self):
        self.items = [1]

    def take_two(self):
        return self.items.pop(), self.items.pop()

    def takes(self):
        with pytest.raises(IndexError, match="pop from") as caught:
            self.take_two()
        assert "empty" in str(caught.value) and caught.type is IndexError and caught.match("empty")

    def calls(self):
        self.items.clear()
        caught = pytest.raises((KeyError, IndexError), self.items.pop)  # noqa: RUF061
        assert caught.typename == "IndexError"

    def lets_others_through(self):
        with pytest.raises(IndexError), pytest.raises(KeyError):
            self.take_two()

    def fails_not(self):
        with pytest.raises(IndexError):
            self.items.pop()

    def fails_otherwise(self):
        with pytest.raises(IndexError, match="of a set"):
            self.items.pop(7)

    def traces(self):
        with pytest.raises(IndexError) as caught:
            self.items.pop(7)
        print(caught.traceback)


RAISING = {
    "takes": Verdict.VERIFIED,
    "calls": Verdict.VERIFIED,
    "lets_others_through": Verdict.VERIFIED,
    "fails_not": "Failed: DID NOT RAISE IndexError",
    "fails_otherwise": "Regex pattern did not match",
    "traces": "thread code uses traceback of what pytest.raises has caught",
}


@pytest.mark.parametrize("what", RAISING)
def test_what_a_thread_raises_is_caught(what):
    @mcr.program
    def program(p):
        p.thread(getattr(p.share(Raising()), what))

    expected = RAISING[what]
    if what == "traces":
        with pytest.raises(mcr.ModelError, match=expected):
            mcr.check(program, model="sc")
        return
    result = mcr.check(program, model="sc")
    failed = [str(trace.failure) for trace in result.failures]
    assert expected in failed[0] if failed else result.verdict is expected


class Looking:
    def names(self):
        type(self).count = 1
        return dir(self)

    def size(self):
        return self.__sizeof__()

    def timeout(self):
        return socket.getdefaulttimeout()


STILL_REFUSED = {
    "names": "thread code uses dir() of an object of Looking, a class that threads change: name attributes",
    "size": "__sizeof__ looks into looking, which is shared, past its attributes",
    "timeout": "thread code uses socket.getdefaulttimeout, which was set before the program began",
}


@pytest.mark.parametrize("what", STILL_REFUSED)
def test_what_cannot_be_told_is_still_refused(what):
    @mcr.program
    def program(p):
        looking = p.share(Looking())
        p.thread(getattr(looking, what))
        p.thread(getattr(looking, what))

    socket.setdefaulttimeout(5)
    try:
        with pytest.raises(mcr.ModelError, match=re.escape(STILL_REFUSED[what])):
            mcr.check(program, model="sc")
    finally:
        socket.setdefaulttimeout(None)


def test_a_shared_object_is_not_pickled():
    @mcr.program
    def program(p):
        point = p.share(Point(1))
        p.thread(lambda: pickle.dumps([point]))

    with pytest.raises(mcr.ModelError, match="point is shared, and cannot be copied or pickled as a whole"):
        mcr.check(program, model="sc")


def test_what_python_loads_when_asked_does_not_count_as_changed(tmp_path):
    file = tmp_path / "pools.py"
    file.write_text(
        textwrap.dedent(
            """
            import concurrent.futures as futures
            import threading

            def test_two():
                pools = []

                def ask():
                    with futures.ThreadPoolExecutor(1) as pool:
                        pools.append(type(pool))

                threads = [threading.Thread(target=ask) for _ in range(2)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
                assert pools[0] is pools[1]
            """
        )
    )
    command = [sys.executable, "-m", "mcr", "check", f"{file}::test_two", "--model", "sc"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
