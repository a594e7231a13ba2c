"""Models of Python's own things are known by identity, not by name."""

from __future__ import annotations

import logging
import select
import threading
import time
import weakref

import pytest

import mcr
from mcr import Verdict


class Target:
    pass


class Holder:
    def __init__(self, who=threading.current_thread, rest=time.sleep, lock=threading.Lock(), made=threading.RLock):  # noqa: B008
        self.items = [1, 2]
        self.n = 0
        self.target, self.kept = Target(), Target()
        self.ref, self.other = weakref.ref(self.target), weakref.ref(self.kept)
        self.who, self.rest, self.lock = who, rest, lock
        self.mine = made()

    def swap(self):
        self.items[0], self.items[1] = 3, 4

    def drop(self):
        self.target = None

    def entropy(self):
        import os

        return os.urandom(4)

    def step(self):
        self.n += 1
        if self.n > 100:
            self.entropy()


def _closed_over():
    lock = threading.Lock()

    def count(holder):
        with lock:
            holder.n += 1

    return count


count = _closed_over()


def verdict(program):
    return mcr.check(program, "sc").verdict


@pytest.mark.parametrize("name", ["zip", "map", "partial"])
def test_who_goes_through_a_list_step_by_step(name):
    import functools

    step = {"zip": zip, "map": functools.partial(map, lambda each: (each,)), "partial": functools.partial(zip)}[name]

    @mcr.program
    def program(p):
        box = p.share(Holder())

        def reader():
            other = step
            assert [x for (x,) in other(box.items)] != [1, 4]

        p.thread(reader)
        p.thread(box.swap)

    assert verdict(program) is Verdict.BUG


@pytest.mark.parametrize("name", ["list", "tuple", "sorted"])
def test_who_takes_a_list_at_once(name):
    take = {"list": list, "tuple": tuple, "sorted": sorted}[name]

    @mcr.program
    def program(p):
        box = p.share(Holder())

        def reader():
            other = take
            assert list(other(box.items)) != [4, 1]
            assert [*map(other, [box.items])][0][0] in (1, 3)  # noqa: RUF015

        p.thread(reader)
        p.thread(box.items.__setitem__, slice(None), [3, 4])

    assert verdict(program) is Verdict.VERIFIED


def test_code_written_in_c_that_nobody_knows_is_refused():
    @mcr.program
    def program(p):
        box = p.share(Holder())
        p.thread(lambda: select.select(box.items, [], []))

    refused = "select.select cannot be checked: it is native code which mcr does not know"
    with pytest.raises(mcr.ModelError, match=refused):
        mcr.check(program, "sc")


def test_functions_that_are_default_values():
    @mcr.program
    def program(p):
        box = p.share(Holder())

        def reader():
            box.rest(100)
            assert box.who().name == "thread 0"

        p.thread(reader)

    assert verdict(program) is Verdict.VERIFIED


def test_locks_that_are_default_values_or_closed_over_guard():
    @mcr.program
    def program(p):
        box = p.share(Holder())

        def by_default():
            with box.lock, box.mine:
                box.n += 1

        p.thread(by_default)
        p.thread(by_default)
        p.final(lambda: box.n)

    @mcr.program
    def closed(p):
        box = p.share(Holder())
        p.thread(count, box)
        p.thread(count, box)
        p.final(lambda: box.n)

    for each in (program, closed):
        assert list(mcr.check(each, "sc", objective="outcomes").outcomes) == ["2"]


def test_the_lock_of_a_module_of_pythons():
    @mcr.program
    def program(p):
        manager = p.share(logging.Manager(logging.RootLogger(30)))
        threads = [p.thread(manager.getLogger, "a") for _ in range(2)]

        @p.final
        def end():
            assert threads[0].join() is threads[1].join()

    assert verdict(program) is Verdict.VERIFIED


def test_the_class_of_a_shared_object_is_its_own():
    @mcr.program
    def program(p):
        box = p.share(Holder())

        def reader():
            kind = type(box.items)
            if kind is not list or type(box) is not Holder or {Holder: 1}[type(box)] != 1 or type(kind) is not type:
                raise TypeError
            assert isinstance(kind, type) and type("Made", (list,), {})() == []

        p.thread(reader)

    assert verdict(program) is Verdict.VERIFIED


def test_a_thread_is_given_up_where_what_a_weak_reference_refers_to_may_be_gone():
    @mcr.program
    def program(p):
        box = p.share(Holder())

        def client():
            assert box.other() is box.kept
            box.drop()
            assert box.ref() is not None

        p.thread(client)

    result = mcr.check(program, "sc")
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert result.stop.reason.startswith("thread 0 asks a weak reference for box.target at line ")


def test_what_nobody_executes_is_not_refused():
    @mcr.program
    def program(p):
        box = p.share(Holder())
        p.thread(box.step)
        p.thread(box.step)

    @mcr.program
    def executed(p):
        p.thread(p.share(Holder()).entropy)

    assert verdict(program) is Verdict.VERIFIED
    refused = r"thread code uses what is outside \(os\.urandom\), which a model cannot have"
    with pytest.raises(mcr.ModelError, match=refused):
        mcr.check(executed, "sc")


def test_python_does_what_it_did_where_no_model_runs():
    assert threading.current_thread() is threading.main_thread()
    assert time.monotonic() > 0
    lock = threading.Lock()
    assert lock.acquire() and not lock.acquire(blocking=False)
    assert weakref.ref(target := Target())() is target
    assert isinstance(weakref.ref(target), weakref.ref)
    assert weakref.WeakValueDictionary({1: target})[1] is target
    assert weakref.WeakKeyDictionary({target: 1})[target] == 1
    holder = Holder()
    assert weakref.WeakMethod(holder.swap)() == holder.swap
    assert weakref.WeakMethod(holder.swap) == weakref.WeakMethod(holder.swap)
    assert issubclass(threading.local, object) and isinstance(time.time(), float)


def _raw_class():
    return next(each for each in object.__subclasses__() if each.__name__ == "ReferenceType")


def _by_value(target):
    made = weakref.WeakValueDictionary()
    made[1] = target
    return made


_RAW = [_raw_class()]

WEAKLY = {
    "proxy": weakref.proxy,
    "set": lambda target: weakref.WeakSet([target]),
    "values": _by_value,
    "keys": lambda target: weakref.WeakKeyDictionary({target: 1}),
    "callback": lambda target: weakref.ref(target, print),
    "raw": lambda target: _RAW[0](target),
}


@pytest.mark.parametrize(
    ("way", "is_shared_before"),
    [(way, before) for way in WEAKLY for before in (False, True) if (way, before) != ("raw", True)],
)
def test_who_is_told_when_a_shared_object_is_gone_is_refused(way, is_shared_before):
    weakly = WEAKLY[way]

    @mcr.program
    def program(p):
        box = p.share(Holder())

        def client():
            target = Target()
            if is_shared_before:
                box.target = target
            kept = weakly(target)
            box.target = target
            return kept and None

        p.thread(client)

    if way in ("raw", "set", "values", "keys"):  # nobody asks, or the thread that asks has the object
        assert verdict(program) is Verdict.VERIFIED
        return
    with pytest.raises(mcr.ModelError, match=r"is shared, and known to a proxy or a container"):
        mcr.check(program, "sc")


class TidiedUp:
    pass


def test_that_what_tidies_up_does_not_run_is_said():
    @mcr.program
    def tidied(p):
        box = p.share(Holder())

        def client():
            target = TidiedUp()
            weakref.finalize(target, print)
            box.target = target

        p.thread(client)
        p.thread(client)

    result = mcr.check(tidied, "sc")
    assert result.verdict is mcr.Verdict.VERIFIED
    assert result.assumed == ("no object of class TidiedUp is ever freed: what tidies up after it does not run",)
