"""Ordinary classes that share what memory did not hold, or held otherwise: each program says what CPython may end with."""

# ruff: noqa  # written as users do

from __future__ import annotations

import abc
import collections
import concurrent.futures as cf
import copy
import functools
import json
import threading
import weakref

import mcr


class AbcRegisterPlugin(abc.ABC):
    pass


class AbcRegisterBox:
    def __init__(self):
        self.z = 0

    def add(self):
        if not issubclass(int, AbcRegisterPlugin):
            AbcRegisterPlugin.register(int)
            self.z += 1


@mcr.program
def abc_register_one(p):
    """bug: CPython ends with 1"""
    b = p.share(AbcRegisterBox())
    p.thread(b.add)

    @p.final
    def end():
        assert b.z == 0


class DefaultdictClassAccount:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0


class DefaultdictClassBank:
    def __init__(self):
        self.accounts = collections.defaultdict(DefaultdictClassAccount)

    def pay(self):
        a = self.accounts["k"]
        with a.lock:
            a.n += 1


@mcr.program
def defaultdict_class_two(p):
    b = p.share(DefaultdictClassBank())
    p.thread(b.pay)
    p.thread(b.pay)

    @p.final
    def end():
        assert b.accounts["k"].n == 2


class DictOfAttributesBox:
    def __init__(self):
        self.a = 1

    def merge(self):
        self.__dict__ |= {"a": 7}

    def dumps(self):
        return json.dumps(vars(self))

    def snapshot(self):
        return copy.copy(self.__dict__)

    def change(self):
        self.a = 2


@mcr.program
def dict_of_attributes_merge(p):
    p.thread(p.share(DictOfAttributesBox()).merge)


@mcr.program
def dict_of_attributes_dumps(p):
    p.thread(p.share(DictOfAttributesBox()).dumps)


@mcr.program
def dict_of_attributes_snapshot(p):
    p.thread(p.share(DictOfAttributesBox()).snapshot)


class DirAndMaketransBox:
    def __init__(self):
        self.x = 1
        self.found = None
        self.table = {"a": "b"}

    def look(self):
        self.found = "x" in dir(self)

    def translate(self):
        assert "a".translate(str.maketrans(self.table)) == "b"


@mcr.program
def dir_and_maketrans_attributes(p):
    b = p.share(DirAndMaketransBox())
    p.thread(b.look)

    @p.final
    def end():
        assert not b.found


@mcr.program
def dir_and_maketrans_table(p):
    b = p.share(DirAndMaketransBox())
    p.thread(b.translate)


class DunderAttributeCounter:
    def __init__(self):
        self.__count__ = 0

    def add(self):
        self.__count__ += 1


@mcr.program
def dunder_attribute_one(p):
    c = p.share(DunderAttributeCounter())
    p.thread(c.add)

    @p.final
    def end():
        assert c.__count__ == 0


class ExceptionLosesJob:
    def __init__(self):
        self.future = cf.Future()
        self.error = None

    def work(self):
        try:
            try:
                raise KeyError(1)
            except KeyError as cause:
                raise ValueError(2) from cause
        except ValueError as error:
            self.future.set_exception(error)

    def wait(self):
        assert isinstance(self.future.exception().__cause__, KeyError)

    def fail(self, error):
        self.error = error

    def look(self, name, expected):
        if self.error is not None:
            assert getattr(self.error, name) == expected, getattr(self.error, name)


@mcr.program
def exception_loses_cause(p):
    j = p.share(ExceptionLosesJob())
    p.thread(j.work)
    p.thread(j.wait)


@mcr.program
def exception_loses_code(p):
    j = p.share(ExceptionLosesJob())
    p.thread(lambda: j.fail(SystemExit(3)))
    p.thread(j.look, "code", 3)


@mcr.program
def exception_loses_filename(p):
    j = p.share(ExceptionLosesJob())
    p.thread(lambda: j.fail(OSError(2, "no", "file")))
    p.thread(j.look, "filename", "file")


@mcr.program
def exception_loses_value(p):
    j = p.share(ExceptionLosesJob())
    p.thread(lambda: j.fail(StopIteration(3)))
    p.thread(j.look, "value", 3)


class ExecutorNotShutDownService:
    def __init__(self):
        self.pool = cf.ThreadPoolExecutor(1)

    def call(self):
        return self.pool.submit(int).result()


@mcr.program
def executor_not_shut_down_one(p):
    s = p.share(ExecutorNotShutDownService())
    p.thread(s.call)


def function_attribute_made():
    def inner():
        pass

    inner.calls = 0
    return inner


class FunctionAttributeJob:
    def __init__(self):
        self.f = function_attribute_made()

    def run(self):
        self.f.calls += 1
        self.f()


class FunctionAttributePartial:
    def __init__(self):
        self.f = functools.partial(int)
        self.f.calls = 0

    def run(self):
        self.f.calls += 1


@mcr.program
def function_attribute_function(p):
    j = p.share(FunctionAttributeJob())
    p.thread(j.run)

    @p.final
    def end():
        assert j.f.calls == 0


@mcr.program
def function_attribute_partial(p):
    j = p.share(FunctionAttributePartial())
    p.thread(j.run)

    @p.final
    def end():
        assert j.f.calls == 0


class GetDefaultRouter:
    def __init__(self):
        self.routes = {}
        self.default = []

    def send(self, to, what):
        self.routes.get(to, self.default).append(what)


@mcr.program
def get_default_one(p):
    r = p.share(GetDefaultRouter())
    p.thread(r.send, "a", 1)

    @p.final
    def end():
        assert r.default == []


class IdentityOfLambdasSlot:
    def __init__(self):
        self.owner = None

    def take(self):
        mine = lambda: None
        self.owner = mine
        return self.owner is mine


@mcr.program
def identity_of_lambdas_two(p):
    s = p.share(IdentityOfLambdasSlot())
    p.thread(s.take)
    p.thread(identity_of_lambdas_check, s)


def identity_of_lambdas_check(s):
    assert s.take()


class IdentityOfLambdasBus:
    def __init__(self):
        self.callbacks = []
        self.n = 0

    def subscribe(self):
        a, b = (lambda: None), (lambda: None)
        self.callbacks += [identity_of_lambdas_make(), identity_of_lambdas_make()]
        self.n = self.callbacks.count(self.callbacks[0])


def identity_of_lambdas_make():
    return lambda: None


@mcr.program
def identity_of_lambdas_one(p):
    """Right: bug, a function equals itself only, n is 1. Said: verified."""
    b = p.share(IdentityOfLambdasBus())
    p.thread(b.subscribe)

    @p.final
    def end():
        assert b.n == 2


class IdentityOfLambdasLast:
    def __init__(self):
        self.error = None

    def fail(self):
        mine = ValueError("no")
        self.error = mine
        return self.error is mine


@mcr.program
def identity_of_lambdas_exceptions(p):
    """Right: bug, who was overtaken finds the other's. Said: verified that all find their own."""
    f = p.share(IdentityOfLambdasLast())
    a = p.thread(f.fail)
    b = p.thread(f.fail)

    @p.final
    def end():
        assert a.join() and b.join()


@functools.lru_cache(maxsize=None)
def lru_cache_race_token(name):
    return object()


class LruCacheRaceBox:
    def __init__(self):
        self.seen = []

    def ask(self):
        self.seen.append(lru_cache_race_token("a"))


@mcr.program
def lru_cache_race_two(p):
    b = p.share(LruCacheRaceBox())
    p.thread(b.ask)
    p.thread(b.ask)

    @p.final
    def end():
        assert b.seen[0] is b.seen[1]


def recursive_closure_made():
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    return factorial


class RecursiveClosureBox:
    def __init__(self):
        self.f = recursive_closure_made()

    def run(self):
        return self.f(3)


@mcr.program
def recursive_closure_one(p):
    p.thread(p.share(RecursiveClosureBox()).run)


class StoredAgainSlot:
    def __init__(self):
        self.owner = None

    def take(self):
        mine = lambda: None
        self.owner = mine
        assert self.owner is mine


@mcr.program
def stored_again_one_thread(p):
    s = p.share(StoredAgainSlot())

    @p.thread
    def t():
        s.take()
        s.take()


class WeakkeyDescriptorCounted:
    def __init__(self):
        self.values = weakref.WeakKeyDictionary()

    def __get__(self, thing, kind=None):
        return self.values.get(thing, 0)

    def __set__(self, thing, value):
        self.values[thing] = value


class WeakkeyDescriptorAccount:
    n = WeakkeyDescriptorCounted()

    def __init__(self):
        self.x = 0

    def add(self):
        self.n += 1


@mcr.program
def weakkey_descriptor_one(p):
    """bug: CPython ends with 1"""
    a = p.share(WeakkeyDescriptorAccount())
    p.thread(a.add)

    @p.final
    def end():
        assert a.n == 0


@mcr.program
def weakkey_descriptor_two(p):
    """bug"""
    a = p.share(WeakkeyDescriptorAccount())
    p.thread(a.add)
    p.thread(a.add)

    @p.final
    def end():
        assert a.n == 0


class WeakkeyDescriptorNode:
    counts = weakref.WeakKeyDictionary()

    def __init__(self):
        self.n = 0

    def hit(self):
        count = self.counts.setdefault(self, [0])
        count[0] += 1
        self.n = count[0]


@mcr.program
def weakkey_descriptor_side_table(p):
    """bug: 2 is what happens mostly; said: verified"""
    c = p.share(WeakkeyDescriptorNode())
    p.thread(c.hit)
    p.thread(c.hit)

    @p.final
    def end():
        assert c.n != 2
