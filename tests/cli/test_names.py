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
    ("p.var(3)", "the name of what is shared is a text that is not empty, not 3"),
    ("p.record('n', **{'1.v': 0})", "a record cannot have a field called '1.v': it is no Python name"),
]


@pytest.mark.parametrize(("declared", "said"), TAKEN, ids=[declared for declared, _ in TAKEN])
def test_names_that_mean_two_things(desk: Desk, declared: str, said: str) -> None:
    desk.write("wrong.py", in_declaration(declared))
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 2, answer.out
    assert answer.err.startswith("error: wrong.py:5: ")
    assert said.replace("wrong.py", "") in answer.err.replace(str(desk.folder) + "/", "").replace("wrong.py", "")


@pytest.mark.parametrize("name", ["n#0", "n#0.0", "a[2]", "thread 0", "the end of thread", "x.y", "#"])
def test_names_that_mean_one_thing(desk: Desk, name: str) -> None:
    text = in_thread("x.load(); p.record('n', v=0).v.store(1)").replace("'x'", repr(name))
    desk.write("right.py", text.replace("    def", "    p.array('a', (n for n in [0, 0]))\n    def", 1))
    answer = desk.mcr("check", "right.py", "--paranoid")
    assert answer.status == 0, answer.err
