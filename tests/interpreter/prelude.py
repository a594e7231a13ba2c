# ruff: noqa: F401 - programs use what is imported
"""Names that every random program may use. Its text is compiled with each namespace that a program runs in."""

import bisect
import copy
import heapq
import itertools
import operator
import sys
from abc import ABC, abstractmethod
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict, deque, namedtuple
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, Flag, IntEnum, auto
from functools import cache, cached_property, partial, partialmethod, reduce, singledispatch, total_ordering, wraps
from operator import attrgetter, itemgetter, methodcaller
from typing import Generic, NamedTuple, TypeVar

from tests.interpreter.showing import shown

LOG = []
CAUGHT = []
KEPT = []
T = TypeVar("T")
total = 0


class Exhausted(BaseException):
    """Too much was logged: most recursion ends with this."""


def log(*values):
    if len(LOG) > 250:
        raise Exhausted
    LOG.append(shown(values))


def caught(error):
    """Compared with all its lines when the program has ended."""
    if isinstance(error, BaseException) and len(CAUGHT) < 40:
        CAUGHT.append(error)
        log("caught", len(CAUGHT))


def kept(value):
    """Never dropped before the end: when a generator that is dropped is closed is not compared."""
    KEPT.append(value)
    return value


class Mine(Exception):
    def __init__(self, a=0, *more):
        super().__init__(a, *more)
        self.a = a

    def __eq__(self, other):
        return isinstance(other, Mine) and self.a == other.a

    __hash__ = Exception.__hash__


class Exceptions(ExceptionGroup):
    def __new__(cls, value):
        return super().__new__(cls, "own", [ValueError(value), Mine(value)])

    def derive(self, excs):
        log("derive", len(excs))
        return ExceptionGroup("derived", excs)


class Spy:
    def __getattr__(self, name):
        log("get", name)
        if name == "bad" or name.startswith("__"):
            raise AttributeError(name)
        return 3

    def __setattr__(self, name, value):
        log("set", name, value)

    def __delattr__(self, name):
        log("delete", name)

    def __getitem__(self, key):
        log("item", key)
        if type(key) is int and key > 2:
            raise IndexError(key)
        return 2

    def __setitem__(self, key, value):
        log("put", key, value)

    def __delitem__(self, key):
        log("drop", key)

    def __call__(self, *values, **more):
        log("call", values, more)
        return 4


class Total:
    v = 10


spy = Spy()
total_of = Total()


class Base:
    count = 0

    def __init__(self, v=0, *rest):
        self.v = v

    def __init_subclass__(cls, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.tag = tag

    def tell(self, x=1):
        return ("Base", x)

    def __eq__(self, other):
        return isinstance(other, Base) and self.v == other.v

    def __hash__(self):
        return 5


class Mixin:
    def tell(self, x=1):
        return ("Mixin", super().tell(x))


class Abstract(ABC):
    v = 1

    @abstractmethod
    def m1(self):
        return "abstract"


class Meta(type):
    def __call__(cls, *rest, **kw):
        log("meta", len(rest))
        return super().__call__(*rest, **kw)


class Described:
    def __set_name__(self, owner, name):
        self.name = name
        log("named", name)

    def __get__(self, instance, owner):
        log("get of", self.name)
        return self if instance is None else instance.__dict__.get(self.name, 11)

    def __set__(self, instance, value):
        log("set of", self.name)
        instance.__dict__[self.name] = value

    def __delete__(self, instance):
        del instance.__dict__[self.name]


class Once:
    """A descriptor which the instance's dictionary hides."""

    def __get__(self, instance, owner):
        log("once")
        return 12


class Callable:
    def __init__(self, function):
        self.function = function

    def __call__(self, *rest, **kw):
        return self.function(*rest, **kw)

    def __get__(self, instance, owner=None):
        return self if instance is None else partial(self, instance)

    @classmethod
    def make(cls, function):
        return cls(function)


def traced(function):
    def inner(*rest, **kw):
        log("traced", rest, kw)
        return function(*rest, **kw)

    return inner


def wrapped(function):
    @wraps(function, updated=())
    def inner(*rest, **kw):
        return function(*rest, **kw)

    return inner


def repeated(times):
    def decorate(function):
        return lambda *rest, **kw: [function(*rest, **kw) for _ in range(times)][-1]

    return decorate


def remembered(cls):
    cls.remembered = True
    return cls


class dispatching:  # noqa: N801 - a decorator
    def __init__(self, function):
        self.function = singledispatch(function)
        self.function.register(int, lambda self, *rest, **kw: ("int", rest))

    def __get__(self, instance, owner=None):
        return lambda value=0, *rest, **kw: self.function.dispatch(type(value))(instance, value)


@singledispatch
def dispatched(value):
    return "any"


@dispatched.register
def _(value: int):
    return "int"


@dispatched.register(list)
@dispatched.register(tuple)
def _(value):
    return ("sequence", len(value))


class Manager:
    def __init__(self, hides):
        self.hides = hides

    def __enter__(self):
        log("enter")
        return self

    def __exit__(self, kind, error, trace):
        log("exit", kind, error)
        return self.hides


class AsyncManager(Manager):
    async def __aenter__(self):
        log("aenter")
        await Pause(3)
        return 3

    async def __aexit__(self, kind, error, trace):
        log("aexit", error)
        await Pause(4)
        return self.hides


@contextmanager
def spread(value):
    log("begin")
    try:
        yield value
    except LookupError as error:
        log("hidden", error)
    finally:
        log("end")


class Pause:
    def __init__(self, value):
        self.value = value

    def __await__(self):
        sent = yield self.value
        return sent


async def ticks(count):
    for i in range(count if isinstance(count, int) else 2):
        await Pause(i)
        if i > 3:
            return
        yield i


def drive(awaitable):
    """Runs a coroutine to its end."""
    steps = getattr(awaitable, "send", None) or awaitable.__await__().send
    value = None
    for i in range(20):
        try:
            value = steps(i or None)
        except StopIteration as end:
            return ("done", end.value)
        except StopAsyncIteration as end:
            return ("no more", end.args)
        log("paused", value)
    return ("left", value)


def drained(generator):
    """What a generator yields and returns."""
    found = []
    while len(found) < 20:
        try:
            found.append(generator.send(None))
        except StopIteration as end:
            return (found, end.value)
    return found


class Point(namedtuple("Point", "x y")):
    def total(self):
        return self.x + self.y


class Colour(Enum):
    RED = 1
    BLUE = 2

    def next(self):
        return Colour(self.value % 2 + 1)


class Flags(Flag):
    A = auto()
    B = auto()


@dataclass(order=True)
class Item:
    v: int = 1
    x: list = field(default_factory=list)
