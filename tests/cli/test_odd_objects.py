"""Objects that answer questions of the checker with an exception of their own."""

from __future__ import annotations

from tests.desk import Desk

ROW = """
import mcr

class Row:
    def __init__(self):
        self.columns = {"n": 0}

    def __getattr__(self, name):
        return self.columns[name]

@mcr.program
def reads(p):
    x, row = p.var("x", 0), Row()

    def t():
        x.store(row.n)
    p.thread(t)
    p.thread(t)
"""

PROXY = """
import weakref
import mcr

class Thing:
    n = 0

@mcr.program
def reads(p):
    x, thing = p.var("x", 0), Thing()
    proxy = weakref.proxy(thing)

    def t():
        x.store(proxy.n)
    p.thread(t)
    DELETED
"""


def test_getattr_that_raises_a_key_error(desk: Desk) -> None:
    desk.write("row.py", ROW)
    assert desk.mcr("check", "row.py", "--model", "sc").status == 0


def test_weak_proxies_are_refused(desk: Desk) -> None:
    """A dead one raises ReferenceError where its class is asked for."""
    for deleted in ("del thing", "kept = thing"):
        desk.write("proxy.py", PROXY.replace("DELETED", deleted))
        answer = desk.mcr("check", "proxy.py", "--model", "sc")
        assert answer.status == 2
        assert answer.err.startswith("error: proxy.py:1")
        assert "'proxy', a weak proxy: give it the object, or a weakref.ref() to it" in answer.err
