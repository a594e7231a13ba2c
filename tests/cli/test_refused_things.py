"""Things that cannot be named, stored, nested or freed are refused, with file, line and what to write."""

from __future__ import annotations

import pytest

from tests.cli.test_bad_input import in_declaration, in_thread
from tests.desk import Desk

DECLARED = [
    ("p.queue()", "what is declared here has no name: assign it to a variable first"),
    ("x = [p.event()] * 2", "what is declared here has no name"),
    ("x = p.var([])", "x: a value of type 'list' cannot be stored"),
    ("x = p.var(p.mutex())", "a mutex has no name here: assign it to a variable first"),
    ("x = p.array([p.array([[]])])", "a value of type 'list' cannot be stored"),
    (
        "x = p.var(0); y = p.var(x)",
        "x is a shared cell, not the value in it, and no value: it cannot be stored (write x.l",
    ),
    ("x = p.var(0); a = p.array([0, x])", "x.store(v) to change it, x.ref for a reference to it)"),
    ("x = p.var(0); n = p.record(f=x)", "n#0.f: x is a shared cell"),
    ("own = p.local(log=[])", "log: a value of type 'list' cannot be stored"),
    ("own = p.local(n=0); own.n", "shared state is used"),
    ("b = p.barrier(0)", "cannot be set up: ValueError: parties must be > 0"),
    ("s = p.semaphore(-1)", "cannot be set up: ValueError: semaphore initial value must be >= 0"),
    ("s = p.semaphore(name='')", "the name of what is shared is a text that is not empty, not ''"),
    ("q = p.queue(); r = p.event(name='q')", "two shared things are called 'q'"),
]

USED = [
    ("x.store(own)", "own is what each thread has for itself, and no value: store an attribute of it"),
    ("x.store(rw.reader)", "rw.reader is one side of a lock, and no value: it cannot be stored (`with rw.reader:`"),
    ("p.free(x)", "x cannot be freed: only records and what threads make can"),
    ("p.free(q)", "q cannot be freed: only records and what threads make can"),
    ("p.free(3)", "3 cannot be freed: only records and what threads make can"),
    ("getattr(p, 'fr' + 'ee')(p.record(v=0))", "no call of p.free was found in thread code: write `p.free(...)`"),
    ("q.put([])", "a value of type 'list' cannot be stored"),
    ("f.set_exception(KeyError([]))", "a value of type 'list' cannot be stored"),
    ("q.put(x)", "x is a shared cell, not the value in it"),
    (
        "assert q == []",
        "q is a queue: it cannot be compared with [] (q.put(v) and q.get() are what it is for, q.qsize()",
    ),
    ("if e: x.load()", "e is an event: it has no truth value (e.set(), e.wait() or e.is_set() is what it is for)"),
    ("for item in q: x.store(item)", "q is a queue: it has no elements"),
    (
        "with rw: x.load()",
        "rw is a lock for readers and writers: it cannot be used in a with statement (`with rw.reader:`",
    ),
    ("p.wait_until(lambda: e.wait())", "wait_until may only load, but its condition asked for: e.wait()"),
    ("x.update(lambda old: q.get())", "an update must not use shared memory, but this one asked for: q.get()"),
    ("p.thread(x.load)", "thread() declares; inside a thread use spawn()"),
    ("mcr.Thread('7').join()", "thread 0 joins thread 7, which is of another run of a program"),
]

THINGS = "x = p.var('x', 0); own = p.local(n=0); rw, q, e, f = p.rwlock(), p.queue(), p.event(), p.future()"


@pytest.mark.parametrize(("declared", "said"), DECLARED, ids=[declared for declared, _ in DECLARED])
def test_in_a_declaration(desk: Desk, declared: str, said: str) -> None:
    desk.write("wrong.py", in_declaration(declared))
    answer = desk.mcr("check", "wrong.py", "--model", "sc")
    assert (answer.status, answer.err.count("\n")) == (2, 1), answer.out
    assert answer.err.startswith("error: wrong.py:5: ")
    assert said in answer.err


@pytest.mark.parametrize(("used", "said"), USED, ids=[used for used, _ in USED])
def test_in_a_thread(desk: Desk, used: str, said: str) -> None:
    desk.write("wrong.py", in_thread("x.load()", used).replace("x = p.var('x', 0)", THINGS))
    answer = desk.mcr("check", "wrong.py", "--model", "sc")
    assert (answer.status, answer.err.count("\n")) == (2, 1), answer.out
    assert answer.err.startswith("error: wrong.py:8: ")
    assert said in answer.err
