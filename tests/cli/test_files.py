"""Source files as editors leave them, and what they must not do to the checker."""

from __future__ import annotations

import codecs

import pytest

from tests.desk import Desk

TEXT = """# -*- coding: {encoding} -*-
import mcr

@mcr.program
def written(p):
    x = p.var("x", 0)

    def thread():
        assert x.load(), "\u00e4"

    p.thread(thread)
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_a_file_is_read_as_it_says(desk: Desk, encoding: str) -> None:
    (desk.folder / "written.py").write_bytes(TEXT.format(encoding=encoding).encode(encoding))
    answer = desk.mcr("check", "written.py", "--model", "sc")
    assert answer.status == 1, answer.err
    assert "written fails under SC: AssertionError: \u00e4" in answer.out
    assert "written.py:9, in thread" in answer.out


def test_a_file_that_says_what_it_is_not(desk: Desk) -> None:
    (desk.folder / "written.py").write_bytes(codecs.BOM_UTF8 + TEXT.format(encoding="latin-1").encode())
    assert "written.py:1: not Python: encoding problem" in desk.mcr("check", "written.py").err


LIMIT = """
import sys
import mcr
{outside}
@mcr.program
def limited(p):
    {declaring}
    x = p.var("x", 0)

    def thread():
        {inside}
        x.store(x.load() + 1)

    p.thread(thread)
"""


@pytest.mark.parametrize("place", ["outside", "declaring"])
@pytest.mark.parametrize("limit", [60, 10**8])
def test_a_recursion_limit_is_not_the_checkers(desk: Desk, place: str, limit: int) -> None:
    places = {"outside": "", "declaring": "", "inside": "", place: f"sys.setrecursionlimit({limit})"}
    desk.write("limited.py", LIMIT.format(**places))
    process = desk.start("check", "limited.py", "--model", "sc")  # this one is deeper than 60 calls
    out, err = process.communicate()
    assert process.returncode == 0, out + err


def test_a_thread_sets_no_recursion_limit(desk: Desk) -> None:
    desk.write("limited.py", LIMIT.format(outside="", declaring="", inside="sys.setrecursionlimit(60)"))
    answer = desk.mcr("check", "limited.py", "--model", "sc")
    assert answer.status == 2
    assert "thread code uses sys.setrecursionlimit, which would hold for the checker as well" in answer.err
