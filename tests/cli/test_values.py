"""Values as users make them: those that lie or raise are refused with a sentence, and no verdict depends on luck."""

from __future__ import annotations

import pytest

from tests.cli.test_bad_input import in_thread
from tests.desk import Desk

CLASSES = """
import itertools

class Silent:
    def __repr__(self): raise ValueError("no repr")
    def __eq__(self, other): return type(other) is Silent
    def __hash__(self): return 1

class Unhashable:
    def __hash__(self): raise ValueError("no hash")

class Restless:
    numbers = itertools.count()
    def __hash__(self): return next(self.numbers)

class Incomparable:
    def __eq__(self, other): raise ValueError("no eq")
    def __hash__(self): return 1

class Moody:
    numbers = itertools.count()
    def __eq__(self, other):
        if next(self.numbers) > 1: raise ValueError("not now")
        return True
    def __hash__(self): return 1

class Mute(Exception):
    def __str__(self): raise ValueError("no str")

class Node: pass

def deep(depth):
    value = ()
    for _ in range(depth):
        value = (value,)
    return value

"""

REFUSED = [
    ("x.store(Unhashable())", "'Unhashable' cannot be stored: its __hash__ raises ValueError: no hash"),
    ("x.store(Restless())", "'Restless' cannot be stored: its __hash__ is not the same twice"),
    ("x.store(Incomparable())", "'Incomparable' cannot be stored: its __eq__ raises ValueError: no eq"),
    (
        "x.store(Moody()); x.store(Moody())",
        "thread 0 uses the Python object 'Moody.numbers' of type itertools.count, which other",
    ),
    ("x.store(deep(5000))", "a value of type 'tuple' cannot be stored: it is nested too deeply"),
    ("return Unhashable()", "thread 0 returned: a value of type 'Unhashable' cannot be stored"),
    ("p.choose(1, Incomparable())", "'Incomparable' cannot be stored"),
    ("x.fetch_add(Unhashable())", "unsupported operand"),
    ("x.update(lambda old: deep(5000))", "nested too deeply"),
    ("x.compare_exchange(Unhashable(), 1)", "status 0"),
    ("p.record('n', f=Restless())", "n#0.0.f: a value of type 'Restless' cannot be stored"),
    ("x.store(Node())", "but not equal: does each run make a new object of type 'Node'"),
    ("x.store((1, object()))", "but not equal: does each run make a new object of type 'tuple'"),
    ("return Node()", "'its end, returning Node', and in a second run for 'its end, returning Node' (the two are"),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_values_that_memory_cannot_hold(desk: Desk, line: str, said: str) -> None:
    desk.write("values.py", CLASSES + in_thread("x.load()", line))
    answer = desk.mcr("check", "values.py")
    assert "mistake in mcr" not in answer.err
    if answer.status == 2:
        assert said in answer.err
        assert answer.err.count("\n") == 1
    else:
        assert said in answer.out or said == f"status {answer.status}"


SHOWN = ["Silent()", "(Silent(), 1)", "10**5000", "(10**5000,)", "'x' * 10**6", "NODE", "frozenset('abc')", "len"]


@pytest.mark.parametrize("value", SHOWN)
def test_values_that_are_hard_to_show(desk: Desk, value: str) -> None:
    """They are stored, reported, replayed and verified like others."""
    text = CLASSES + "NODE = Node()\n" + in_thread(f"x.store({value})", "assert x.exchange(1) == 1")
    desk.write("values.py", text)
    answer = desk.mcr("check", "values.py", "--paranoid")
    assert answer.status == 1, answer.err
    assert " at 0x" not in answer.out
    assert len(answer.out) < 30_000
    for model in ("sc", "tso", "pso"):
        assert desk.mcr("verify", f".mcr/wrong-{model}.json").status == 0
        assert desk.mcr("replay", f".mcr/wrong-{model}.json").status == 1


@pytest.mark.parametrize("argument", ["Silent()", "10**5000", "deep(2000)", "'x' * 10**6"])
def test_arguments_that_are_hard_to_show(desk: Desk, argument: str) -> None:
    text = in_thread("x.load()").replace("thread()", "thread(value)").replace("(thread)", f"(thread, {argument})")
    desk.write("values.py", CLASSES + text)
    assert desk.mcr("check", "values.py").status == 0


@pytest.mark.parametrize("error", ["Mute()", "ValueError(10**5000)", "ValueError('x' * 10**6)", "KeyError(NODE)"])
def test_exceptions_that_are_hard_to_show(desk: Desk, error: str) -> None:
    desk.write("values.py", CLASSES + "NODE = Node()\n" + in_thread("x.load()", f"raise {error}"))
    answer = desk.mcr("check", "values.py")
    assert answer.status == 1, answer.err
    assert len(answer.out) < 30_000
    assert desk.mcr("replay", ".mcr/wrong-sc.json").status == 1


def test_declarations_that_fail_without_a_message(desk: Desk) -> None:
    desk.write("values.py", CLASSES + in_thread("x.load()").replace("x = p.var('x', 0)", "raise Mute()"))
    answer = desk.mcr("check", "values.py")
    assert answer.status == 2
    assert "cannot be set up: Mute: <no message: its __str__ raises ValueError>" in answer.err


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("return next(NUMBERS)", "returning"),
        ("raise ValueError(next(NUMBERS))", "exception ValueError: "),
        ("p.assume(next(NUMBERS) % 3)", "assume at"),
        ("next(NUMBERS) % 3 or 1 / 0; return [][0]", "exception"),
    ],
)
@pytest.mark.parametrize("where", ["thread", "final"])
def test_ends_that_differ_from_run_to_run(desk: Desk, end: str, said: str, where: str) -> None:
    """What threads find is another number in each instance of the program."""
    text = in_thread(end.replace("next(NUMBERS)", "n")).replace("x = p.var", "n = next(NUMBERS); x = p.var")
    if where == "final":
        text = text.replace("p.thread(thread)", "p.thread(x.load); p.final(thread)")
    for first in range(3):  # which numbers have threads that run is not told: two may be alike modulo 3
        desk.write("values.py", f"import itertools\nNUMBERS = itertools.count({first})\n{text}")
        answer = desk.mcr("check", "values.py")
        if answer.status:
            break
    assert answer.status == 2, answer.out
    assert answer.err.startswith("error: values.py:")
    assert "is not deterministic" in answer.err
    assert said in answer.err


def test_a_record_that_begins_as_the_history_says(desk: Desk) -> None:
    desk.write(
        "record.py",
        """
        import mcr

        @mcr.program
        def record(p):
            x = p.var("x")

            def maker():
                x.store(p.record("n", f=p.choose(1, 0)))

            def taker():
                node = x.load()
                assert node is None or node.f.load() == 1

            p.thread(taker)
            p.thread(maker)
        """,
    )
    answer = desk.mcr("check", "record.py", "--paranoid")
    assert answer.status == 1, answer.err
    assert "Initially x = None, n#1.0.f = 0." in answer.out
    assert "load n#1.0.f -> 0" in answer.out
    for model in ("sc", "tso", "pso"):
        assert desk.mcr("verify", f".mcr/record-{model}.json").status == 0


def test_records_that_begin_with_equal_numbers_of_two_types(desk: Desk) -> None:
    """1 is not True: a reference to the one record must not be taken for a reference to the other."""
    desk.write(
        "record.py",
        """
        import mcr

        @mcr.program
        def record(p):
            x = p.var("x")

            def maker():
                value = p.choose(1, True)
                node = p.record("n", f=value)
                x.store(node)
                assert type(x.load().f.load()) is type(value)

            p.thread(maker)
        """,
    )
    assert desk.mcr("check", "record.py", "--paranoid").status == 0


def test_an_exchange_takes_for_the_same_what_memory_does(desk: Desk) -> None:
    desk.write(
        "values.py",
        in_thread(
            "x.store((1, 0.0))",
            "assert not x.compare_exchange((True, 0.0), 2)",
            "assert not x.compare_exchange((1, -0.0), 2)",
            "assert x.compare_exchange((1, 0.0), 2)",
        ),
    )
    assert desk.mcr("check", "values.py").status == 0


def test_a_range_with_steps_stands_for_its_numbers(desk: Desk) -> None:
    desk.write(
        "ranges.py", in_thread("assert p.choose(range(0, 10, 2)) in (0, 2, 4, 6, 8)", "p.choose(range(3, 0, -1))")
    )
    answer = desk.mcr("check", "ranges.py", "--model", "sc", "--no-merge", "--objective", "states", "--json")
    assert answer.status == 0, answer.err
    assert answer.document["results"][0]["statistics"]["executions"] == 15
    for empty in ("range(5, 0, 2)", "range(0)"):
        desk.write("ranges.py", in_thread(f"p.choose({empty})"))
        assert "choose() needs at least one value" in desk.mcr("check", "ranges.py").err
    desk.write("ranges.py", in_thread("p.choose(range(0, 10**9, 2))"))
    assert "at most 1000 numbers are tried" in desk.mcr("check", "ranges.py").err


CONTEXT = """
import contextvars
import mcr
var = contextvars.ContextVar("var", default={default})

@mcr.program
def context(p):
    x = p.var("x", 0)

    def thread():
        if x.load():
            var.set(1)
        x.store(1)
        x.load()
        assert var.get() == 0

    p.thread(thread)
    p.thread(thread)
"""


def test_each_thread_has_context_variables_of_its_own(desk: Desk) -> None:
    desk.write("context.py", CONTEXT.format(default=0))
    answer = desk.mcr("check", "context.py", "--model", "sc")
    assert answer.status == 1, answer.err
    assert "assert var.get() == 0" in answer.out
    desk.write("context.py", CONTEXT.format(default=[]))
    assert (
        "uses the Python object 'var' of type _contextvars.ContextVar, which other"
        in desk.mcr("check", "context.py").err
    )


def test_a_thread_may_compute_with_numpy(desk: Desk) -> None:
    pytest.importorskip("numpy")
    desk.write(
        "arrays.py",
        """
        import mcr
        import numpy

        @mcr.program
        def arrays(p):
            x = p.var("x", 0)

            def thread():
                with numpy.errstate(divide="ignore"):
                    x.store(int((numpy.array([1, 2]) * 2).sum()) + x.load())

            p.thread(thread)
            p.thread(thread)
            p.final(x.load)
        """,
    )
    answer = desk.mcr("check", "arrays.py", "--model", "sc", "--objective", "outcomes")
    assert answer.status == 0, answer.err
    assert "2 outcomes" in answer.out
