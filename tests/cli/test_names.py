"""Two things never share a name: what is declared twice is refused, and so is what looks like a name of ours."""

from __future__ import annotations

import pytest

from tests.cli.test_bad_input import in_declaration, in_thread
from tests.desk import Desk

TAKEN = [
    ("p.var('x'); p.array('x', [0])", "two shared things are called 'x': the other one is declared at wrong.py:5"),
    ("p.array('a', [0]); p.var('a[0]')", "two shared things are called 'a[0]': the other one is declared at wrong.py"),
    ("p.var('a[1]'); p.array('a', [0, 0])", "two shared things are called 'a[1]'"),
    ("p.mutex('m'); p.var('m')", "two shared things are called 'm'"),
    ("p.condition('m', p.mutex('m'))", "two shared things are called 'm'"),
    ("p.record('n', v=0); p.var('n#0.v')", "'n#0.v' is what the cell of a record is called"),
    ("p.var('n#0.1.v')", "'n#0.1.v' is what the cell of a record is called"),
    ("p.var('end of thread 0')", "'end of thread 0' is what the beginning or end of a thread is called"),
    ("p.mutex('start of thread 0.0')", "'start of thread 0.0' is what the beginning or end of a thread is called"),
    ("p.var('')", "the name of what is shared is a text that is not empty, not ''"),
    ("p.mutex(3)", "the name of what is shared is a text that is not empty, not 3"),
    ("p.var('n#0.0')", "'n#0.0' is what a thing that a thread makes is called"),
    ("p.var(3)", "what is declared here has no name: assign it to a variable first (`x = ...`), or give it a name"),
    ("x = [p.mutex()] * 2", "what is declared here has no name"),
    ("p.thread(print, p.var(0))", "what is declared here has no name"),
    ("x = p.var(0); p.var('x')", "two shared things are called 'x': the other one is declared at wrong.py:5"),
    ("p.array(3, [0])", "array() takes a name, which may be left out, and the values of its cells"),
    ("p.condition('c', 3)", "a condition variable belongs to a mutex, not to 3"),
    ("p.record('n', **{'1.v': 0})", "a record cannot have a field called '1.v': it is no Python name"),
]


@pytest.mark.parametrize(("declared", "said"), TAKEN, ids=[declared for declared, _ in TAKEN])
def test_names_that_mean_two_things(desk: Desk, declared: str, said: str) -> None:
    desk.write("wrong.py", in_declaration(declared))
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 2, answer.out
    assert answer.err.startswith("error: wrong.py:5: ")
    assert said.replace("wrong.py", "") in answer.err.replace(str(desk.folder) + "/", "").replace("wrong.py", "")


@pytest.mark.parametrize("name", ["n#0", "a[2]", "thread 0", "the end of thread", "x.y", "#"])
def test_names_that_mean_one_thing(desk: Desk, name: str) -> None:
    text = in_thread("x.load(); p.record('n', v=0).v.store(1)").replace("'x'", repr(name))
    desk.write("right.py", text.replace("    def", "    p.array('a', (n for n in [0, 0]))\n    def", 1))
    answer = desk.mcr("check", "right.py", "--paranoid")
    assert answer.status == 0, answer.err


MADE = """
import mcr


class Pair:
    def __init__(self, p, first=0):
        self.first, self.second = p.var(first), p.array([0])


class Locked(Pair):
    def __init__(self, p):
        super().__init__(p, 1)
        self.lock: object = p.mutex()


def counter(p):
    count = p.var(0)
    return count


def flag(p):
    return p.var(False)


@mcr.program
def made(p, n=2):
    x, (y, z) = p.var(0), (p.var(1), p.var(initial="idle"))
    (up := p.var(0)).name
    left = Pair(p)
    right: Pair = Locked(p)
    pairs = [Pair(p) for _ in range(n)]
    one, other = counter(p), counter(p)
    ready = flag(p)
    for _ in range(n):
        round = p.var(0)
    cells = tuple(p.var(i) for i in range(n))
    grid = p.array([p.array([0, 0]) for _ in range(n)])
    by_name = {"a": p.var(0), "b": p.mutex()}
    table = {}
    for key in "ab":
        table[key] = p.var(0)
    lists = [p.var(0)]
    lists.append(p.var(0))
    lists += [p.var(0), p.var(0)]
    by_name |= {"c": p.var(0)}
    locks = p.array([p.mutex() for _ in range(n)])
    changed, own = p.condition(locks[0]), p.condition()
    node = p.record(value=0, lock=p.mutex(), full=p.condition(), slots=p.array([0]), left=left.first.ref, tail=p.var(3))
    shown = [
        x, y, z, up, left.first, left.second[0], right.first, right.lock, pairs[1].first, one, other, ready, round,
        cells[1], grid[1][0], by_name["a"], by_name["b"], by_name["c"], lists[1], lists[3], table["b"], locks[1],
        changed, own.mutex, node.value,
        node.lock, node.full.mutex, node.slots[0], node.tail, left.first.ref,
    ]

    def thread():
        mine, pair = p.var(0), Pair(p)
        inner = p.record("n", lock=p.mutex(), count=p.var(2))
        many = [p.mutex() for _ in range(2)]
        return ", ".join(map(str, [*shown, mine, pair.second[0], inner.lock, inner.count, many[1], Pair(p).first]))

    p.thread(thread)
"""


def test_things_are_called_what_they_are_assigned_to(desk: Desk) -> None:
    desk.write("made.py", MADE)
    answer = desk.mcr("check", "made.py", "--model", "sc", "--objective", "outcomes")
    assert answer.status == 0, answer.err
    names = (
        "x, y, z, up, left.first, left.second[0], right.first, right.lock, pairs[1].first, count, count#2, ready, "
        "round#2, cells[1], grid[1][0], by_name['a'], by_name['b'], by_name['c'], lists[1], lists[3], table[1], "
        "locks[1], changed, own.mutex, "
        "node#0.value, node#0.lock, node#0.full.mutex, node#0.slots[0], node#0.tail, &left.first, "
        "mine#0.0, pair.second#0.2[0], n#0.3.lock, n#0.3.count, many#0.5, first#0.6"
    )
    assert names in answer.out


def test_a_program_of_a_module_is_found_by_its_name(desk: Desk) -> None:
    desk.write("models/__init__.py", "")
    programs = [f"@mcr.program\ndef {name}(p):\n    p.thread(print)\n" for name in ("first", "second")]
    desk.write("models/one.py", "\n".join(["import mcr", *programs]))
    assert "second   SC" in desk.mcr("check", "models.one:second", "--model", "sc").out
    assert desk.mcr("check", "models.one:", "--model", "sc").out.endswith("2 checks: 2 verified.\n")
    assert "no program or function 'third'" in desk.mcr("check", "models.one:third").err
    assert "models.two: there is no module of this name" in desk.mcr("check", "models.two:first").err
