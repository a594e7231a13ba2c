"""Changes by threads that outlive a run: every run but the first finds them made."""

from __future__ import annotations

import pytest

import mcr
from tests.desk import Desk

HEAD = """
import mcr

class Single:
    it = None
    made = {}
    @classmethod
    def get(cls):
        if cls.it is None: cls.it = cls()
        return cls.it
    @classmethod
    def of(cls, key):
        if key not in cls.made: cls.made[key] = cls()
        return cls.made[key]

table = {}
ready = False
numbers = []
one = Single()

def prepare():
    global ready
    if not ready: ready = True

def work(): work.done = True
"""

PROGRAM = """
@mcr.program
def program(p):
    x = p.var("x", 0)

    def thread():
        {line}

    p.thread(thread)
    p.thread(thread)
"""

CHANGES = {
    "an attribute of a class": ("Single.get()", "Single"),
    "a dict that a class holds": ("Single.of('a')", "Single.made"),
    "a global variable": ("prepare()", "ready"),
    "a dict of a module": ("table.setdefault('a', 1)", "table"),
    "an attribute of a function": ("work()", "work"),
    "an attribute of an object of a module": ("one.name = 'one'", "one"),
    "a list of a module": ("numbers[:] = [1]", "numbers"),
    "only where it reads what another wrote": (
        "\n        if x.load() == 1: prepare()\n        x.store(1)",
        "ready",
    ),
}
"""What thread code does, and what it changes; without what is said here all runs but the first do the same."""


@pytest.mark.parametrize(("line", "name"), CHANGES.values(), ids=CHANGES)
def test_it_is_refused(desk: Desk, line: str, name: str) -> None:
    desk.write("lasting.py", HEAD + PROGRAM.format(line=line))
    answer = desk.mcr("check", "lasting.py", "--model", "sc")
    assert answer.status == 2, answer.out
    assert f"changes the Python object '{name}'" in answer.err


def test_the_sentence_says_what_to_do(desk: Desk) -> None:
    desk.write("lasting.py", HEAD + PROGRAM.format(line="Single.get()"))
    answer = desk.mcr("check", "lasting.py", "--model", "sc")
    assert answer.err.startswith("error: lasting.py:26: ")
    assert answer.err.endswith("make its attributes memory by p.share(Single)\n")


def test_lines_that_were_read_for_messages_are_no_change(desk: Desk) -> None:
    desk.write("read.py", "import linecache\n\n\ndef test():\n    assert len(linecache.cache) == -1\n")
    answer = desk.mcr("check", "read.py::test")
    assert (answer.status, answer.err) == (1, "")


def test_so_it_is_where_each_run_returns_something_else(desk: Desk) -> None:
    program = PROGRAM.format(line="return table.setdefault(1, x.fetch_add(1)), table.pop(2, 0), table.setdefault(2, 7)")
    final = "\n    p.final(lambda: thread.join())\n"
    program = program.replace("    p.thread(thread)\n    p.thread(thread)", "    thread = p.thread(thread)") + final
    desk.write("lasting.py", HEAD + "table[2] = 1\n" + program)
    answer = desk.mcr("check", "lasting.py", "--model", "sc", "--algorithm", "stateful", "--objective", "outcomes")
    assert answer.status == 2, answer.out
    assert "changes the Python object 'table'" in answer.err


def test_so_it_is_when_a_limit_ends_the_exploration(desk: Desk) -> None:
    """Else another process would go on from what the first has left."""
    endless = "prepare()\n        while True: x.load(); x.fetch_add(1)"
    desk.write("lasting.py", HEAD + PROGRAM.format(line=endless))
    answer = desk.mcr("check", "lasting.py", "--model", "sc", "--max-operations", "20", "--timeout", "1")
    assert answer.status == 2, answer.out
    assert "'ready'" in answer.err


@pytest.mark.parametrize(
    ("module", "chosen"), [("first", "first or None"), ("second", "None or second"), ("third", "third and third")]
)
def test_a_module_that_an_operator_chooses(desk: Desk, module: str, chosen: str) -> None:
    """From 3.12 on code copies what `or` asks, as a `match` does its subject, of which only the copy is asked."""
    desk.write(f"{module}.py", "value = 0\n")
    desk.write("lasting.py", f"import {module}\n{HEAD}" + PROGRAM.format(line=f"it = {chosen}; it.value = 1"))
    answer = desk.mcr("check", "lasting.py", "--model", "sc")
    assert answer.status == 2, answer.out
    assert f"changes the Python object '{module}.value'" in answer.err


def test_a_shared_class_is_memory(desk: Desk) -> None:
    program = PROGRAM.format(line="Single.get()").replace("x = p.var", "p.share(Single)\n    x = p.var")
    desk.write("lasting.py", HEAD + program)
    assert desk.mcr("check", "lasting.py", "--model", "sc").status == 0


HARMLESS = {
    "what the program function changes": ("numbers.append(len(numbers))", "x.store(len(numbers) * 0)"),
    "what it makes anew": ("Single.made = {'a': 1}", "x.store(Single.made['a'])"),
    "what is as it was": ("pass", "numbers.append(1); numbers.pop()"),
}


@pytest.mark.parametrize(("setting_up", "line"), HARMLESS.values(), ids=HARMLESS)
def test_harmless(desk: Desk, setting_up: str, line: str) -> None:
    program = PROGRAM.format(line=line).replace("x = p.var", f"{setting_up}\n    x = p.var")
    desk.write("lasting.py", HEAD + program)
    answer = desk.mcr("check", "lasting.py", "--model", "sc")
    assert answer.status == 0, answer.err


NUMBERS: list[int] = []


@mcr.program
def counts(p):
    x = p.var("x", 0)
    p.thread(lambda: x.store(len(NUMBERS)))


def test_what_changes_between_two_checks_is_nobodys_fault() -> None:
    for _ in range(3):
        NUMBERS.append(1)
        assert mcr.check(counts).verdict is mcr.Verdict.VERIFIED
