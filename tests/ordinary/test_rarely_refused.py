"""Refusals that few programs meet: each is reached, names a line of the program, and says what to do."""

from __future__ import annotations

import copy
import functools
import itertools
import math
import queue
import threading
import weakref
from collections import deque
from decimal import Decimal

import pytest

import mcr
from replay.interpreter import natives
from tests.ordinary.test_objects import outcomes

try:
    import xxsubtype  # a module of CPython with classes of C for tests
except ImportError:
    xxsubtype = None


class Spam(dict if xxsubtype is None else xxsubtype.spamdict):
    pass


class Alike:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    __hash__ = None


class Slotted:
    __slots__ = ("__dict__", "a")


class NotCopied(list):
    def __init__(self):
        super().__init__()
        self.x = 1


class Plain:
    def __init__(self):
        self.z = 1


def hidden_lock():
    lock = threading.Lock()
    return lambda: lock


HIDDEN = hidden_lock()
LASTING = [1]
TAKEN = threading.Lock()
TAKEN.acquire()
COUNTER = itertools.count(Decimal(1))


def lock_of_nobody():
    return HIDDEN()


def lasting_list():
    return LASTING


def sorted_natively(items):
    return sorted(items)


@pytest.fixture(autouse=True)
def vouched(monkeypatch):
    """For these tests alone: reports name all functions for which a user vouches."""
    monkeypatch.setattr(natives, "_VOUCHED", {})
    for function in (lock_of_nobody, lasting_list, sorted_natively):
        mcr.pure(function)


class It:
    def __init__(self):
        self.alike = deque([Alike(1)])
        self.listed = NotCopied()
        self.slotted = Slotted()
        self.plain = Plain()
        self.items = [2, 1]
        self.part = functools.partial(int)
        self.kept = None

    def compared(self):
        return self.alike == deque([Alike(1)])

    def copied(self):
        return copy.copy(self.listed)

    def dictionary(self):
        self.kept = self.plain.__dict__

    def native_on_view(self):
        return dict.__reversed__(vars(self.plain))

    def slot_in_view(self):
        self.slotted.__dict__["a"] = 1

    def all_attributes(self):
        self.plain.a = 1
        self.plain.b = 2
        return dict(self.plain.__dict__)

    def all_of_a_class(self):
        Plain.one = 1
        Plain.two = 2
        return list(vars(Plain))

    def tidied_up(self):
        weakref.finalize(self.plain, print)()

    def locked(self):
        with lock_of_nobody():
            pass

    def summed(self):
        return math.fsum(self.items)

    def reduced(self):
        return self.part.__reduce__()

    def of_a_taken_lock(self):
        TAKEN.release()

    def of_a_counter(self):
        return next(COUNTER)

    def looked_into(self):
        return sorted_natively(self.items)


SENTENCES = {
    "compared": "it.alike holds objects that are compared by code of their own",
    "copied": "and an object of class NotCopied cannot be copied as a whole: write a method __copy__",
    "dictionary": "kept is the __dict__ of what is shared: store a copy of it",
    "native_on_view": "dict.__reversed__ looks into the __dict__ of what is shared: give it a copy",
    "slot_in_view": "it.slotted.__dict__['a'] is set, and the class has a slot of that name: give them two names",
    "all_attributes": "code that uses it.plain.__dict__ goes through all attributes: name the attributes",
    "all_of_a_class": "Plain.__dict__ goes through all attributes: name the attributes",
    "tidied_up": "finalize.__call__ is used by thread code: call the function that tidies up yourself",
    "locked": "and that no module and no class has by a name: make it in the program function",
    "summed": "fsum is written in C, and looks into it.items, which is shared: give it a copy",
    "reduced": "partial.__reduce__ is written in C, and looks into it.part, which is shared, or changes it",
    "of_a_taken_lock": "TAKEN is a lock that was taken when its module was loaded: make it in __init__",
    "of_a_counter": "COUNTER is count(Decimal('1')), and nobody knows what it gives next: count in int or float",
    "looked_into": "it.items is shared, and a function written in C has looked into it past its methods",
}


def refusal_of(program):
    with pytest.raises(mcr.ModelError) as error:
        mcr.check(mcr.program(program), "sc")
    assert error.value.where.rpartition(":")[0] == __file__
    return error.value.message


@pytest.mark.parametrize("way", SENTENCES)
def test_what_a_thread_does(way):
    def program(p):
        it = p.share(It())
        p.thread(getattr(it, way)), p.thread(getattr(it, way))

    assert SENTENCES[way] in refusal_of(program)


def test_a_list_that_lasts_is_not_shared():
    def program(p):
        p.thread(p.share(lasting_list()).pop)

    assert "was made before the program function was called, and there is one for all runs" in refusal_of(program)


@pytest.mark.skipif(xxsubtype is None, reason="this CPython has no classes of C for tests")
def test_a_container_of_c_is_not_shared():
    def program(p):
        p.thread(p.share([Spam()]).pop)

    assert "an object of class spamdict cannot be shared: the class is written in C" in refusal_of(program)


def waits_for_a_queue(p):
    items = p.share(queue.SimpleQueue())
    items.get()
    p.thread(items.put, 1)


def waits_for_a_lock(p):
    lock = p.share(threading.Lock())
    lock.acquire()
    lock.acquire()
    p.thread(lock.release)


@pytest.mark.parametrize(("program", "line"), [(waits_for_a_queue, 2), (waits_for_a_lock, 3)])
def test_a_program_function_that_waits_is_told_where(program, line):
    """The error named a line of mcr."""
    with pytest.raises(mcr.ModelError, match=r"program function waits for .*, which no thread changes") as error:
        mcr.check(mcr.program(program), "sc")
    assert error.value.where == f"{__file__}:{program.__code__.co_firstlineno + line}"


class Digits:
    def __init__(self):
        self.digits = [1, 2]

    def number(self):
        return str(Decimal((0, self.digits, -1)))


def test_a_decimal_takes_digits_of_a_shared_list():
    """It was told to be no digits, as its memory is elsewhere."""

    @mcr.program
    def program(p):
        thread = p.thread(p.share(Digits()).number)
        p.final(thread.join)

    assert outcomes(program) == {"'1.2'"}


class Sole:
    sole = None

    def __init__(self):
        self.value = 0

    def write(self):
        Sole.sole.value = 1


def test_none_that_nobody_has_replaced_is_a_bug():
    """It was told to be a mistake of the program, since the thread had performed no operation yet."""

    @mcr.program
    def program(p):
        p.thread(p.share(Sole()).write)

    assert mcr.check(program, "sc").failures
