"""Shared bytearrays: what takes no lock in free-threaded Python, and what is refused.

What is one step and what is several is held against CPython in `test_atomic.py`.
"""

from __future__ import annotations

import re

import pytest

import mcr
from mcr.exploration.verdict import Verdict
from replay.errors import ModelError
from tests.ordinary.twins import loaded

SOURCE = """\
import mcr


class Shared:
    def __init__(self):
        self.it = {initial}

    def thread_0(self):
        {operation}

    def thread_1(self):
        {other}


@mcr.program
def generated(p):
    shared = p.share(Shared())
    p.thread(shared.thread_0)
    p.thread(shared.thread_1)
"""


def checked(
    operation: str, other: str = "len(self.it)", initial: str = "bytearray(b'ab')", **options: str
) -> mcr.Result:
    program = loaded(SOURCE.format(operation=operation, other=other, initial=initial), "ordinary")
    return mcr.check(program, model="sc", **options)


LOOKING = ("self.it == b'ab'", "self.it + b'c'", "bytes(self.it)", "b''.join([self.it])", "b'%b' % (self.it,)")


@pytest.mark.parametrize("look", LOOKING)
def test_it_cannot_be_resized_while_its_buffer_is_in_use(look: str) -> None:
    free = checked(look, "self.it.append(1)")
    assert free.verdict is Verdict.BUG
    assert "BufferError: Existing exports of data" in str(free.failures[0].failure)
    assert checked(look, "self.it.append(1)", python="gil").verdict is Verdict.VERIFIED
    assert checked(look, "self.it[0] = 1").verdict is Verdict.VERIFIED


@pytest.mark.parametrize(
    "look", ["self.it.find(b'a')", "self.it[:]", "self.it.copy()", "self.it.decode()", "97 in self.it"]
)
def test_methods_that_take_the_lock_let_others_wait(look: str) -> None:
    assert checked(look, "self.it.append(1); self.it.reverse()").verdict is Verdict.VERIFIED


REFUSED = {
    "memoryview(self.it)": "shared.it is shared, and a memoryview would read and change it past what mcr sees",
    "own = bytearray(b'x'); view = memoryview(own); self.it = own": "becomes shared while code has a memoryview of it",
    "import array; array.array('B').frombytes(self.it)": "looks into shared.it, which is shared: give it a copy",
    "int.from_bytes(bytes=self.it, byteorder='big')": "looks into shared.it, which is shared: give it a copy",
    "self.it.__init__()": "shared.it is shared, and its __init__ is called once more",
    "self.it.__alloc__()": "__alloc__ is written in C, and looks into shared.it",
    "import io; io.BytesIO(b'xyz').readinto(self.it)": "readinto is written in C, and looks into shared.it",
    "import struct; struct.pack_into('B', self.it, 0, 1)": "pack_into is written in C, and looks into shared.it",
}


@pytest.mark.parametrize("operation", REFUSED)
def test_what_looks_past_its_methods_is_refused(operation: str) -> None:
    with pytest.raises(ModelError, match=re.escape(REFUSED[operation])):
        checked(operation)


def test_bytes_that_are_changed_while_others_copy_them_without_a_lock_are_refused() -> None:
    with pytest.raises(ModelError, match="may see some of them changed and some not"):
        checked("bytes(self.it)", "self.it.reverse()")
    assert checked("bytes(self.it)", "self.it.reverse()", python="gil").verdict is Verdict.VERIFIED


def test_it_is_gone_through_step_by_step() -> None:
    text = "self.it.pop(); assert [*self.it] == [*tuple(self.it)] == sorted(self.it) == list(self.it) == [97]"
    assert checked(text, "pass").verdict is Verdict.VERIFIED
    text = "own = bytearray(b'ab'); it = iter(own); next(it); self.it = own; assert [*it] == [98]"
    assert checked(text, "pass").verdict is Verdict.VERIFIED
