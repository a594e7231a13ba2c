"""Mistakes of users: one message that names file and line, status 2, and nothing half-written."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from replay.code import watchdog
from tests.desk import Desk


@dataclass(frozen=True)
class Mistake:
    """A file that cannot be checked: the line to be named, and what to say about it."""

    name: str
    text: str
    line: int
    said: str


def in_thread(*lines: str) -> str:
    """A program with one thread and a variable x."""
    body = "\n".join(f"        {line}" for line in lines)
    head = "import mcr\n\n@mcr.program\ndef wrong(p):\n    x = p.var('x', 0)\n"
    return f"{head}    def thread():\n{body}\n    p.thread(thread)\n"


def in_declaration(*lines: str) -> str:
    """A program with these declarations before an ordinary thread."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"import mcr\n\n@mcr.program\ndef wrong(p):\n{body}\n    p.thread(p.fence)\n"


MISTAKES = [
    Mistake("not Python", "import mcr\n\ndef f(:\n", 3, "not Python: invalid syntax"),
    Mistake("not UTF-8", "import mcr\n# \udcff\n", 2, "not Python: it is not UTF-8"),
    Mistake("no program", "import mcr\n", 1, "defines no program"),
    Mistake("import fails", "import mcr\n\nimport nowhere\n", 3, "ModuleNotFoundError: No module named 'nowhere'"),
    Mistake("ends the interpreter", "import mcr, sys\n\nsys.exit(0)\n", 3, "it ends the program"),
    Mistake("ends before it starts a thread", "import sys\n\nsys.exit(0)\n", 3, "the file starts no threads"),
    Mistake("not a function", "import mcr\n\nmcr.program(3)\n", 3, "a program is made of a function, not of 3"),
    Mistake("no threads", "import mcr\n\n@mcr.program\ndef wrong(p):\n    p.var('x')\n", 3, "declares no threads"),
    Mistake("no value for a parameter", "import mcr\n\n@mcr.program\ndef wrong(p, n):\n    pass\n", 3, "a value for n"),
    Mistake("one name twice", in_declaration("p.var('x')", "p.array('x', [0])"), 6, "two shared things are called 'x'"),
    Mistake("unhashable at first", in_declaration("p.var('x', [])"), 5, "x: a value of type 'list' cannot be stored"),
    Mistake("unhashable in a record", in_declaration("p.record(next={})"), 5, "a value of type 'dict'"),
    Mistake("unhashable stored", in_thread("x.load()", "x.store([1])"), 8, "a value of type 'list' cannot be stored"),
    Mistake("unhashable returned", in_thread("return [x.load()]"), 8, "thread 0 returned: a value of type 'list'"),
    Mistake("unhashable chosen", in_thread("p.choose(1, [])"), 7, "a value of type 'list' cannot be stored"),
    Mistake("NaN at first", in_declaration("p.array('a', [0, float('nan')])"), 5, "a[1]: NaN cannot be stored"),
    Mistake("NaN stored", in_thread("x.store(float('nan'))"), 7, "NaN cannot be stored"),
    Mistake("NaN computed", in_thread("x.fetch_add(float('nan'))"), 7, "NaN cannot be stored"),
    Mistake("used while declaring", in_declaration("x = p.var('x')", "x.load()"), 6, "shared state is used"),
    Mistake(
        "used at import",
        "import mcr\nfrom replay.frontend.shared import Variable\nVariable('x').store(1)\n",
        3,
        "shared state is used",
    ),
    Mistake("declares in a thread", in_thread("p.thread(x.load)"), 7, "inside a thread use spawn()"),
    Mistake("loops without memory", in_thread("x.load()", "while True: pass"), 8, "without touching shared memory"),
    Mistake("declaring loops", in_declaration("while True: pass"), 5, "without touching shared memory"),
    Mistake("an update loops", in_thread("x.update(lambda old: [1 for _ in iter(int, 1)])"), 7, "without touching"),
    Mistake("endless recursion", in_thread("def f():", "    f()", "f()"), 8, "recursion without end"),
    Mistake("declaring fails", in_declaration("x = 1 / 0"), 5, "cannot be set up: ZeroDivisionError"),
    Mistake("no thread function", in_declaration("p.thread(print())"), 5, "a thread needs a function to run, not None"),
    Mistake("wrong arguments", in_declaration("p.thread(p.fence, 1)"), 5, "thread 0 cannot be started"),
    Mistake("async", in_declaration("async def f(): pass", "p.thread(f)"), 6, "async functions cannot be threads"),
    Mistake("yields nonsense", in_thread("yield x.op.load()", "yield 3"), 8, "must yield operations, not 3"),
    Mistake("a wait that stores", in_thread("p.wait_until(lambda: x.store(1))"), 7, "wait_until may only load"),
    Mistake(
        "random numbers", in_thread("import random", "x.store(random.random())"), 8, "which a model cannot have: p.choo"
    ),
    Mistake(
        "not deterministic",
        in_thread("x.store(n)")
        .replace("x = p.var", "n = next(N); x = p.var")
        .replace("mcr\n", "mcr, itertools; N = itertools.count()\n", 1),
        7,
        "is not deterministic: before",
    ),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_names_file_and_line(desk: Desk, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.5 if "loops" in mistake.name else watchdog.PATIENCE)
    (desk.folder / "wrong.py").write_bytes(mistake.text.encode("utf-8", "surrogateescape"))
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 2
    # the clock may strike between a jump back and what it leads to, which stands behind the line before
    lines = (mistake.line, mistake.line - 1) if mistake.name == "loops without memory" else (mistake.line,)
    assert answer.err.startswith(tuple(f"error: wrong.py:{line}: " for line in lines))
    assert mistake.said in answer.err
    assert answer.err.count("\n") == 1
    assert not desk.files()


HIDDEN = [
    ("a list", "log = []", "log.append(x.load())", "'log'"),
    ("a nonlocal variable", "count = 0", "nonlocal count; count += x.load() + 1", "'count'"),
    ("an attribute", "class Lock: owner = None\n    lock = Lock()", "lock.owner = x.load()", "'lock'"),
    ("a dictionary in a tuple", "seen = (1, {})", "seen[1][x.load()] = True", "'seen[...]'"),
    ("a default value", "def change(seen=[]): seen.append(x.load())", "change()", "'a default value of change'"),
]


@pytest.mark.parametrize(("what", "declared", "changed", "name"), HIDDEN, ids=[entry[0] for entry in HIDDEN])
def test_python_objects_shared_by_threads(desk: Desk, what: str, declared: str, changed: str, name: str) -> None:
    desk.write(
        "hidden.py",
        f"import mcr\n\n@mcr.program\ndef hidden(p):\n    x = p.var('x', 0)\n    {declared}\n"
        f"    def thread():\n        {changed}\n    p.thread(thread)\n    p.thread(thread)\n",
    )
    answer = desk.mcr("check", "hidden.py")
    assert answer.status == 2
    assert answer.err.startswith("error: hidden.py:")
    assert f"thread 0 changes the Python object {name}" in answer.err


def test_a_global_variable_of_threads(desk: Desk) -> None:
    desk.write(
        "hidden.py",
        """
        import mcr
        total = 0

        @mcr.program
        def hidden(p):
            x = p.var("x", 0)

            def add():
                global total
                x.store(1)
                total += 1

            def show():
                if total:
                    x.load()
                return x.load()

            p.thread(add)
            p.thread(show)
        """,
    )
    answer = desk.mcr("check", "hidden.py")
    assert answer.status == 2
    assert "hidden.py:10: thread 0 changes the Python object 'total'" in answer.err


def test_python_objects_of_one_thread_are_its_own(desk: Desk) -> None:
    desk.write(
        "own.py",
        """
        import mcr

        @mcr.program
        def own(p):
            x = p.var("x", 0)
            table = {0: "zero"}

            def thread(me):
                seen = []
                seen.append(x.load())
                x.store((table[me % 1], tuple(seen)))

            p.thread(thread, 0)
            p.thread(thread, 1)
        """,
    )
    assert desk.mcr("check", "own.py").status == 0


def test_unknown_solver(desk: Desk) -> None:
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py", "--solver", "minisat23")
    assert answer.status == 2
    assert "no solver 'minisat23'; there are minisat22," in answer.err
    assert not answer.out


def test_unknown_parameter(desk: Desk) -> None:
    desk.copy("peterson.py")
    answer = desk.mcr("check", "peterson.py::peterson", "--set", "n=3")
    assert answer.status == 2
    assert answer.err == "error: peterson.py:36: program peterson has no parameter 'n'; it has rounds\n"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("nowhere.py", "nowhere.py: there is no such file"),
        ("peterson.py::dekker", "peterson.py:1: there is no program or function 'dekker'; there are peterson, "),
        (".::peterson", ".: this is a folder; FILE::NAME needs a file"),
        ("empty", "empty: no file in this folder defines a program"),
        ("notes.txt", "notes.txt:1: not a file that may define programs"),
        ("/dev/null", "/dev/null:1: not a file that may define programs"),
    ],
)
def test_unknown_target(desk: Desk, target: str, said: str) -> None:
    desk.copy("peterson.py")
    desk.write("notes.txt", "text")
    (desk.folder / "empty").mkdir()
    answer = desk.mcr("check", target)
    assert answer.status == 2
    assert answer.err.startswith(f"error: {said}")


def test_a_broken_file_does_not_keep_others_from_being_checked(desk: Desk) -> None:
    desk.copy("peterson.py")
    desk.write("broken.py", "@mcr.program\ndef x(p:\n")
    answer = desk.mcr("check", ".", "--model", "sc")
    assert answer.status == 2
    assert "error: broken.py:2: not Python" in answer.err
    assert answer.out.count("verified") == 4
    assert answer.out.endswith("4 checks: 1 error, 3 verified.\n")


def test_a_folder_that_cannot_be_written(desk: Desk) -> None:
    desk.copy("litmus.py")
    desk.write("taken", "a file")
    answer = desk.mcr("check", "litmus.py::store_buffering", "--model", "tso", "--save", "taken")
    assert answer.status == 2
    assert answer.err == "error: taken/store_buffering-tso.json: the trace cannot be written: File exists\n"
    assert "store_buffering fails under TSO" in answer.out
    assert "mcr replay" not in answer.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("verify .mcr/store_buffering-tso.json --save taken/w.json", "taken/w.json: the trace cannot be written: "),
        ("diy -o taken --only-write", "taken: "),
        ("check litmus.py::iriw --model sc --plot taken/w.svg", "taken/w.svg: the plot cannot be written: "),
        ("replay .mcr/store_buffering-tso.json --html taken/w.html", "taken/w.html: the timeline cannot be written: "),
    ],
)
def test_a_file_where_a_folder_should_be(desk: Desk, arguments: str, said: str) -> None:
    desk.copy("litmus.py")
    desk.write("taken", "a file")
    desk.mcr("check", "litmus.py::store_buffering", "--model", "tso")
    answer = desk.mcr(*arguments.split())
    assert answer.status == 2
    assert answer.err.endswith(f"error: {said}File exists\n")


def test_a_mistake_of_ours_is_no_bug_of_theirs(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.cli.check_task.check", lambda *_, **__: [][1])
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::iriw")
    assert answer.status == 2
    assert "IndexError" in answer.err
    assert "this is a mistake in mcr, not in your program" in answer.err


SPAWNING = """
import mcr

class Worker:
    def __init__(self, x):
        self.x, self.seen = x, []

    def run(self):
        self.seen.append(self.x.load())
        return len(self.seen)

@mcr.program
def spawning(p):
    x = p.var("x", 0)

    def parent():
        {body}

    p.thread(parent)
"""


def test_a_spawned_thread_may_change_objects_of_its_own(desk: Desk) -> None:
    desk.write("spawning.py", SPAWNING.format(body="assert p.spawn(Worker(x).run).join() == 1"))
    assert desk.mcr("check", "spawning.py").status == 0


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("worker = Worker(x); child = p.spawn(worker.run); child.join(); assert worker.seen", "'self.seen'"),
        ("seen = []; p.spawn(lambda: seen.append(x.load())).join(); assert seen", "'seen'"),
    ],
)
def test_a_spawned_thread_must_not_change_objects_of_its_parent(desk: Desk, body: str, name: str) -> None:
    desk.write("spawning.py", SPAWNING.format(body=body))
    answer = desk.mcr("check", "spawning.py")
    assert answer.status == 2
    assert f"thread 0.0 changes the Python object {name}, which other threads use" in answer.err


def test_a_final_function_must_not_spawn(desk: Desk) -> None:
    desk.write(
        "late.py",
        """
        import mcr

        @mcr.program
        def late(p):
            x = p.var("x", 0)
            p.thread(lambda: x.store(1))

            @p.final
            def final():
                p.spawn(lambda: x.store(2))
        """,
    )
    answer = desk.mcr("check", "late.py")
    assert answer.status == 2
    assert "late.py:10: the final function runs after all threads; it cannot spawn" in answer.err
