"""Slips that everybody makes once: refused with a sentence that says what to write instead, even where it is caught."""

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
    ("x.store(x)", f"{CELL}, and no value: it cannot be stored {WRITE[:-1]}, x.ref for a reference to it)"),
    ("x.store((1, frozenset({x})))", f"{CELL}: it cannot be looked up in a dict or a set"),
    ("x.store((1, (x,)))", "and no value: it cannot be stored"),
    ("x == a[0]", f"{CELL}: it cannot be compared with a[0] {WRITE}"),
    ("m != x", f"{CELL}: it cannot be compared with m {WRITE}"),
    ("x.ref == x", f"{CELL}: it cannot be compared with &x {WRITE}"),
    ("x in [a[0]]", "a[0] is a shared cell, not the value in it: it cannot be compared with x"),
    ("x in {0: 1}", f"{CELL}: it cannot be looked up in a dict or a set {WRITE}"),
    ("p.wait_until(lambda: x == a[0])", "it cannot be compared with a[0]"),
    ("x.update(lambda old: old, None)", "the label of an update is a text for reports, not None"),
    ("x.update(lambda old: old, 7)", "the label of an update is a text for reports, not 7"),
    ("x.compare_exchange(a[0], 1)", "a[0] is a shared cell, not the value in it, and no value"),
    (
        "n = p.record('n', v=0); n == n.v",
        "n#0.0.v is a shared cell, not the value in it: it cannot be compared with n#0.0",
    ),
    (
        "n = p.record('n', v=0); n < 1",
        "n#0.0 is a record: it cannot be compared by < with 1 (write record.field.load() ",
    ),
    ("n = p.record('n', v=0); n + 1", "n#0.0 is a record: it cannot be used in arithmetic"),
    ("isinstance(x, int)", "x is a shared cell, and never of the type of its value: write x.load()"),
    ("type(x) is int", "x is a shared cell, and never of the type of its value: write x.load()"),
    ("r = x is x.load()", "x is a shared cell, and never is its value: write x.load()"),
    ("r = x.ref is a[0].ref", "x.ref is a reference, and may be another object when it comes from memory"),
    (
        "x.load() is m",
        "m is a reference, and may be another object when it comes from memory: write == instead of `is`",
    ),
    ("old = x.load(); x.load() is old", "x.load() may be another object each time that it is equal: write == instead"),
    ("last = x; last = x.load(); r = last is not x.exchange(1)", "x.load() may be another object each time that it is"),
    ("return x", f"thread 0 returned: {CELL}"),
    ("x.update(lambda old: old + x)", "cannot be used in arithmetic"),
    ("n = p.record('n', next=0); n.next = 1", "n#0.0 is a record: its fields are cells (write record.next.store(v))"),
    ("n = p.record('n', next=0); assert n.next == 0", "n#0.0.next is a shared cell"),
    ("if a: pass", "a is an array of shared cells: it has no truth value (write a[i].load() for the value of a cell"),
    ("a == [0, 0]", "a is an array of shared cells: it cannot be compared with [0, 0]"),
    ("a[0] = 1", "a is an array of shared cells: it has no elements"),
    ("a['x']", "a['x']: the index of an array is a whole number"),
    ("a[x]", "x is a shared cell, not the value in it: it is no number"),
    ("0 in a", "a[0] is a shared cell"),
    ("if m: pass", "m is a mutex: it has no truth value (m.lock() and m.unlock(), `with m:` or m.try_lock() is"),
    ("m.locked = True", "m is a mutex: it has no attribute 'locked' that could be set"),
    ("m == 1", "m is a mutex: it cannot be compared with 1"),
    ("x.ref == 1", "&x is a reference to a shared cell: it cannot be compared with 1"),
    ("if x.ref: pass", "&x is a reference to a shared cell: it has no truth value"),
    ("x.store(p.record('n', f=x))", f"n#0.0.f: {CELL}, and no value"),
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


def test_identity_where_only_runs_tell(desk: Desk) -> None:
    """Nobody knows before it runs that a line compares references. This program was verified, and fails."""
    desk.write(
        "identity.py",
        """
        import mcr

        def same(one, other):
            return one is other

        @mcr.program
        def keeps(p):
            x, m = p.var("x", None), p.mutex("m")

            def reader():
                assert not same(x.load(), m)

            p.thread(reader)
            p.thread(x.store, m)
        """,
    )
    answer = desk.mcr("check", "identity.py")
    assert answer.status == 2
    said = "identity.py:4: m is a reference that a thread has read, and may be another object than here: write =="
    assert said in " ".join(answer.err.split())


def test_identity_of_what_is_no_reference(desk: Desk) -> None:
    line = "node = p.record(v=0); old, new = [0], [1]; kinds = [old, new]; x.store(1)"
    desk.write("identity.py", in_thread(line, "seen = x.load()", "assert any(kinds[seen] is each for each in kinds)"))
    answer = desk.mcr("check", "identity.py")
    assert answer.status == 0, answer.err


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
                assert [cell.ref for cell in a if cell.ref != a[0].ref] == [a[1].ref]
                assert a[0].ref in [x.ref for x in a] and len({a[0].ref, a[1].ref, a[0].ref}) == 2
                gate = a[0]
                assert gate is not None and type(head.load()) is not int and (node is None) is (m is None)
                assert m == m and m not in [] and f"{m} {a} {a[0]} {a[True]}" == "m a a[0] a[1]"
                assert list(reversed(a))[0].name == "a[1]" and a[:1][0].name == "a[0]"
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
        """,
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


UNCALLED = """
import functools
import mcr

class Worker:
    def __init__(self, p, cell): self.p, self.cell = p, cell
    def work(self, other):
        {method}
    def __call__(self):
        self.work(self.cell)

@mcr.program
def wrong(p):
    x, y, a, m = p.var("x", 0), p.var("y", 0), p.array("a", [0, 0]), p.mutex("m")
    cells, node = [x, y], p.record("node", next=None)
    worker = Worker(p, x)
    def thread(cell, n=0):
        {thread}
    p.thread(functools.partial(thread, x))
    p.thread(worker)
    p.thread(worker.work, y)
"""

NOT_CALLED = [
    "if x.load: x.store(1)",
    "while not x.load: x.load()",
    "x.store(1) if x.load else x.store(2)",
    "assert x.load == 0",
    "assert 0 == x.load",
    "assert x.load() == y.load",
    "assert x.load != cells[0].load()",
    "assert y.load() or x.load",
    "if y.load() == 0 and x.load: x.store(1)",
    "if cell.load: x.store(1)",
    "if cells[n].load: x.store(1)",
    "if a[n].load == 1: x.store(1)",
    "if node.next.load is None: x.store(1)",
    "for c in cells: assert c.load",
    "for c in a: assert c.load",
    "v = x.load; assert v == 0",
    "p.wait_until(lambda: x.load == 0)",
    "p.wait_until(lambda: x.load() or cell.load > 0)",
    "if x.compare_exchange: x.store(1)",
    "if m.try_lock: x.store(1)",
    "p.fence",
    "m.lock; x.store(1); m.unlock",
    "x.load + 1",
    "with m.lock: x.store(1)",
]


def _status_of(desk: Desk, thread: str, method: str = "pass") -> tuple[int, str]:
    lines = {"thread": thread, "method": method}
    desk.write("wrong.py", UNCALLED.format(**{key: value.replace("; ", "\n        ") for key, value in lines.items()}))
    answer = desk.mcr("check", "wrong.py", "--model", "sc")
    return answer.status, answer.err


@pytest.mark.parametrize("slip", NOT_CALLED)
def test_a_method_that_nobody_calls(desk: Desk, slip: str) -> None:
    status, said = _status_of(desk, slip)
    assert status == 2
    assert said.startswith("error: wrong.py:17: " if slip.count("; ") != 1 else ("error: wrong.py:1"))
    assert " is a method, and is not called here: write " in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("slip", ["if self.cell.load: pass", "self.p.fence", "assert other.load == 0"])
def test_a_method_that_nobody_calls_in_a_method(desk: Desk, slip: str) -> None:
    status, said = _status_of(desk, "x.load()", slip)
    assert (status, said[:19]) == (2, "error: wrong.py:7: ")
    assert " is a method, and is not called here: write " in said


NOT_PERFORMED = [
    "x.op.store(1); yield x.op.load()",
    "yield x.op.load(); a[n].op.fetch_add(1)",
    "yield x.op.load(); cell.op.exchange(1)",
    "v = x.op.load(); assert v == 0; yield x.op.load()",
    "v = x.op.load(); yield x.op.store(1 if v else 2)",
    "assert x.op.load() == 0; yield x.op.load()",
    "op = x.op; op.store(1); yield op.load()",
    "x.op.store(1)",
]


@pytest.mark.parametrize("slip", NOT_PERFORMED)
def test_an_operation_that_nobody_performs(desk: Desk, slip: str) -> None:
    status, said = _status_of(desk, slip)
    assert status == 2
    assert said.startswith("error: wrong.py:1")
    assert "() only describes an operation, and is not performed here: write yield " in said


SENSIBLE = [
    "op = x.op.load(); yield y.op.load(); v = yield op; assert v == 0",
    "op = x.op.store(1) if n else None; yield y.op.load(); yield op or x.op.store(2)",
    "op = None if n else x.op.store(1)\n        if op is not None: yield op",
    "ops = [x.op.store(0), y.op.store(0)]; yield ops[n]",
    "op = x.op.load()\n        if (yield y.op.load()) == 0: yield op",
    "build = x.op.store; yield build(0)",
    "read = x.load if n else y.load; assert read() == 0",
    "assert all(map(lambda read: read() == 0, (x.load, y.load)))",
    "read = x.load; x.store(0); read()",
    "cell = cells[0]; x.store(cell.load())",
    "wait = functools.partial(p.wait_until, lambda: True); wait()",
    "update = x.update; update(lambda v: v)",
]


@pytest.mark.parametrize("line", SENSIBLE)
def test_methods_and_operations_are_values_too(desk: Desk, line: str) -> None:
    status, said = _status_of(desk, line)
    assert (status, said) == (0, "")


def test_what_only_looks_like_a_cell(desk: Desk) -> None:
    desk.write(
        "right.py",
        """
        import mcr

        class Job:
            def __init__(self):
                self.load, self.lock, self.op = False, None, self
                self.update = [0]

            def store(self, v): return v

        @mcr.program
        def right(p):
            x, job = p.var("x", 0), Job()

            def thread(job):
                if job.load or job.lock or job.update == [1]:
                    x.store(1)
                job.op.store(1)
                assert not x.load()

            p.thread(thread, job)
        """,
    )
    answer = desk.mcr("check", "right.py")
    assert answer.status == 0, answer.err


@pytest.mark.parametrize("case", ["None", "int()", "[_]", "{'k': _}", "True", "0"])
def test_a_cell_is_not_matched(desk: Desk, case: str) -> None:
    lines = ["match x:", f"    case {case}: x.load()", "    case int(): x.store(1)"]
    desk.write("wrong.py", in_thread(*lines))
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 2, answer.out
    assert "x is a shared cell" in answer.err


@pytest.mark.parametrize(
    ("made", "instead"),
    [
        ("Account()", "share the object of class Account where it is made: p.share(Account(...))"),
        ("[]", "share it where it is made: it = p.share(it)"),
    ],
)
def test_what_is_not_shared_is_refused_with_the_line_to_write(desk: Desk, made: str, instead: str) -> None:
    text = f"""
        import mcr

        class Account(list):
            pass

        @mcr.program
        def forgotten(p):
            it = {made}
            p.thread(lambda: it.append(1))
            p.thread(lambda: it.append(2))
        """
    desk.write("forgotten.py", text)
    answer = desk.mcr("check", "forgotten.py", "--model", "sc")
    assert answer.status == 2
    assert instead in " ".join(answer.err.split())


@pytest.mark.parametrize("shares", [False, True])
def test_a_thread_that_is_called_while_it_is_declared(desk: Desk, shares: bool) -> None:
    made = "kept = p.share([])" if shares else ""
    lines = ["x = p.var(0)", made, "def t():", "    x.store(1)", "", "p.thread(t())"]
    desk.write("called.py", "import mcr\n\n@mcr.program\ndef called(p):\n" + "\n".join(f"    {line}" for line in lines))
    answer = desk.mcr("check", "called.py")
    assert answer.err == (
        "error: called.py:8: `t()` was called while the program was being set up, in line 10. Pass the function: "
        "`p.thread(t)`\n"
    )


@pytest.mark.parametrize("shares", [False, True])
def test_shared_state_is_used_while_a_program_is_set_up(desk: Desk, shares: bool) -> None:
    made = "kept = p.share([])" if shares else ""
    lines = ["x = p.var(0)", made, "x.load()", "p.thread(x.load)"]
    desk.write("used.py", "import mcr\n\n@mcr.program\ndef used(p):\n" + "\n".join(f"    {line}" for line in lines))
    answer = desk.mcr("check", "used.py")
    assert answer.err == (
        "error: used.py:7: shared state is used while the program is being set up; only threads may use it: "
        "move this into a function\n"
    )


@pytest.mark.parametrize(
    ("code", "instead"),
    [("x += 2", "write x.fetch_add(2) to add atomically"), ("x -= 1", "write x.fetch_add(-1) to subtract atomically")],
)
def test_arithmetic_in_place_is_an_atomic_update(desk: Desk, code: str, instead: str) -> None:
    desk.write("wrong.py", in_thread(f"nonlocal x; {code}"))
    assert instead in desk.mcr("check", "wrong.py").err


def test_what_mcr_does_not_have_is_told_with_the_users_line(desk: Desk) -> None:
    desk.write("wrong.py", in_thread("mcr.Mutx()"))
    said = (
        "wrong.py:7: AttributeError: module 'mcr' has no attribute 'Mutx', whatever the schedule; did you mean 'Mutex'?"
    )
    assert said in desk.mcr("check", "wrong.py").err
