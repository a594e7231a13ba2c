"""What everybody writes once: refused with a sentence that says what to write instead, even where it is caught."""

from __future__ import annotations

import pytest

from tests.cli.test_bad_input import in_thread
from tests.desk import Desk

CELL = "x is a shared cell, not the value in it"
WRITE = "(write x.load() for its value, x.store(v) to change it)"

SLIPS = [
    ("if x == 1: x.store(2)", f"{CELL}: it cannot be compared with 1 {WRITE}"),
    ("while x != 0: x.load()", f"{CELL}: it cannot be compared with 0 {WRITE}"),
    ("if None == x: pass", "cannot be compared with None"),
    ("x in (1, 2)", "cannot be compared with 1"),
    ("if not x: x.store(2)", f"{CELL}: it has no truth value {WRITE}"),
    ("assert x", "has no truth value"),
    ("x < 1", "cannot be compared by < with 1"),
    ("1 < x", "cannot be compared by > with 1"),
    ("x + 1", "cannot be used in arithmetic"),
    ("1 - x", "cannot be used in arithmetic"),
    ("global y; y = x; y += 1", "cannot be used in arithmetic"),
    ("-x", "cannot be used in arithmetic"),
    ("int(x)", "is no number"),
    ("range(x)", "is no number"),
    ("len(x)", "has no elements"),
    ("x[0]", "has no elements"),
    ("3 in x", "has no elements"),
    ("x.value = 1", f"{CELL}: it has no attribute 'value' that could be set {WRITE}"),
    ("x.value", f"{CELL}: it has no attribute 'value' {WRITE}"),
    ("x.store(x)", f"{CELL}, and no value: it cannot be stored {WRITE}"),
    ("x.store((1, frozenset({x})))", "and no value: it cannot be stored"),
    ("return x", f"thread 0 returned: {CELL}"),
    ("x.update(lambda old: old + x)", "cannot be used in arithmetic"),
    ("n = p.record('n', next=0); n.next = 1", "n#0.0 is a record: its fields are cells (write record.next.store(v))"),
    ("n = p.record('n', next=0); assert n.next == 0", "n#0.0.next is a shared cell"),
    ("if a: pass", "a is an array of shared cells: it has no truth value (write a[i].load() for the value of a cell"),
    ("a == [0, 0]", "a is an array of shared cells: it cannot be compared with [0, 0]"),
    ("a[0] = 1", "a is an array of shared cells: it has no elements"),
    ("a[-1].store(1)", "a[-1]: there is no cell below 0, a has 2 cells (the last one is a[len(a) - 1])"),
    ("a['x']", "a['x']: the index of an array is a whole number"),
    ("a[x]", "x is a shared cell, not the value in it: it is no number"),
    ("0 in a", "a[0] is a shared cell"),
    ("if m: pass", "m is a mutex: it has no truth value (m.lock() and m.unlock(), `with m:` or m.try_lock() is"),
    ("m.locked = True", "m is a mutex: it has no attribute 'locked' that could be set"),
    ("x.store(m)", "m is a mutex, and no value: it cannot be stored"),
    ("with c: pass", "c is a condition variable: it cannot be used in a with statement"),
    ("p.spawn(p.fence) + 1", "thread 0.0 is a handle on a thread: it cannot be used in arithmetic (write join() for"),
    ("if p.spawn(p.fence): pass", "thread 0.0 is a handle on a thread: it has no truth value"),
    ("p.spawn(p.fence) == 1", "thread 0.0 is a handle on a thread: it cannot be compared with 1"),
]
DECLARED = "x = p.var('x', 0); a = p.array('a', [0, 0]); m = p.mutex('m'); c = p.condition('c', m)"


@pytest.mark.parametrize("caught", [False, True], ids=["", "caught"])
@pytest.mark.parametrize(("slip", "said"), SLIPS, ids=[slip for slip, _ in SLIPS])
def test_a_description_is_no_value(desk: Desk, slip: str, said: str, caught: bool) -> None:
    lines = ["x.load()", slip]
    if caught and not slip.startswith("return"):
        lines = ["x.load()", "try:", f"    {slip}", "except Exception:", "    pass"]
    desk.write("wrong.py", in_thread(*lines).replace("x = p.var('x', 0)", DECLARED))
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 2, answer.out
    assert said in answer.err
    assert answer.err.count("\n") == 1
    line = 0 if "return" in slip else 7 + lines.index(next(line for line in lines if slip in line))
    assert answer.err.startswith(f"error: wrong.py:{line or 11 - 2}: ")


def test_what_references_and_descriptions_are_good_for(desk: Desk) -> None:
    desk.write(
        "right.py",
        """
        import mcr

        @mcr.program
        def right(p):
            head, a, m = p.var("head"), p.array("a", [0, 0]), p.mutex("m")
            handle = p.var("handle")

            def thread():
                node = p.record("node", next=head.load())
                assert node == node and node != None and node is not None and node != 1 and node
                assert node.next.load() == None or node.next.load() != node
                head.store(node)
                assert [cell for cell in a if cell != a[0]] == [a[1]]
                assert a[0] == a[0] and a[0] in list(a) and len({a[0], a[1], a[0]}) == 2
                assert m == m and m not in [] and f"{m} {a} {a[0]} {a[True]}" == "m a a[0] a[1]"
                assert list(reversed(a))[0] is a[1] and a[:1] == [a[0]] and a
                child = p.spawn(lambda: 5)
                handle.store(child)
                loaded = handle.load()
                if loaded is not None and loaded != None:
                    assert loaded.join() == 5
                return child

            first, second = p.thread(thread), p.thread(thread)

            @p.final
            def final():
                assert first.join() != second.join() and first != second and first == first
        """.replace(" and a\n", "\n"),
    )
    answer = desk.mcr("check", "right.py")
    assert answer.status == 0, answer.err


def test_an_index_that_is_too_large_is_a_bug(desk: Desk) -> None:
    desk.write("wrong.py", in_thread("a[2].load()").replace("x = p.var('x', 0)", DECLARED))
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 1
    assert "IndexError: a[2] is out of range: a has 2 cells" in answer.out


def test_a_declaration_that_compares(desk: Desk) -> None:
    desk.write("wrong.py", "import mcr\n\n@mcr.program\ndef wrong(p):\n    x = p.var('x', 0)\n    assert x == 0\n")
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 2
    assert answer.err.startswith("error: wrong.py:6: x is a shared cell")
