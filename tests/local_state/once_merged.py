"""Programs of which two histories were once taken for one local state, or turn of a loop: nobody saw the failure.

They differ in what the docstring names.
"""

from __future__ import annotations

import decimal
import weakref
from abc import ABC
from collections import OrderedDict
from dataclasses import dataclass, field
from enum import Enum

import mcr


@mcr.program
def list_of_own_iterable(p):
    """what list() has gathered so far; tuple, set, sorted alike"""
    a = p.array("a", [0, 0])

    class Cells:
        def __iter__(self):
            for c in a:
                yield c.load()

    def reader():
        assert list(Cells()) != [1, 0]

    p.thread(reader)
    p.thread(lambda: a[0].store(1))


@mcr.program
def zip_of_one_generator_twice(p):
    """what zip() has of the tuple; next(zip(g, g)), enumerate(zip(g, g)), zip(*[g] * 3), zip(g, enumerate(g)) alike"""
    x = p.var("x", 0)

    def reader():
        g = (x.load() for _ in range(2))
        for a, b in zip(g, g, strict=False):
            assert (a, b) != (1, 1)

    p.thread(reader)
    p.thread(x.store, 1)


@mcr.program
def one_function_in_a_chain_of_maps(p):
    """which iterator calls; every algorithm takes the second call for a spin, --no-merge too"""
    x = p.var("x", 0)

    def seen(v):
        x.load()
        return v

    def reader():
        for _ in map(seen, map(seen, [1])):
            pass
        raise AssertionError("reached")

    p.thread(reader)


@mcr.program
def any_of_another_object(p):
    """the iterator, which is not the argument; every algorithm"""
    x = p.var("x", 0)

    class Three:
        def __init__(self):
            self.left = 3

        def __iter__(self):
            return Three()

        def __next__(self):
            self.left -= 1
            if not self.left:
                raise StopIteration
            return x.load()

    def reader():
        any(Three())
        raise AssertionError("reached")

    p.thread(reader)


@mcr.program
def attribute_of_an_ordered_dict(p):
    """attributes of objects of C classes; every algorithm; the order of its items beside those of the dict below"""
    x = p.var("x", 0)

    def reader():
        s = OrderedDict()
        s.tries = 0
        while s.tries < 3:
            x.load()
            s.tries += 1
        raise AssertionError("reached")

    p.thread(reader)


@mcr.program
def attribute_of_an_enum_member(p):
    """members of enums that the program defines: attributes, values that change, new class attributes"""
    x = p.var("x", 0)

    class Mode(Enum):
        A = 1

        def __init__(self, number):
            self.hits = 0

    def reader():
        while Mode.A.hits < 3:
            x.load()
            Mode.A.hits += 1
        raise AssertionError("reached")

    p.thread(reader)


@mcr.program
def end_of_a_generator_in_a_list(p):
    """dead variables whose end runs code (finally, __del__) one level down: in a list, tuple, object, cell, partial"""
    x, y, done = p.var("x", 0), p.var("y", 0), p.var("done", 0)

    def session(v):
        try:
            yield
        finally:
            done.store(v)

    def worker():
        opened = [session(x.load())]
        next(opened[0])
        y.load()

    p.thread(worker)
    p.thread(x.store, 1)

    @p.final
    def end():
        assert done.load() == 0


def _read(p, body, wrong):
    """One thread runs body(x, y, z), another stores x = 1; no run must return `wrong`."""
    x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)

    def reader():
        return body(x, y, z)

    thread = p.thread(reader)
    p.thread(x.store, 1)

    @p.final
    def end():
        assert (thread.join(), z.load()) != wrong


class Plain:
    pass


@mcr.program
def alias_of_attributes(p):
    """vars(o) and a copy of it"""

    def body(x, y, z):
        o = Plain()
        o.v = 1
        d = vars(o) if x.load() else dict(vars(o))
        y.load()
        d["v"] = 5
        return o.v

    _read(p, body, (5, 0))


@mcr.program
def holes_of_a_dict(p):
    """where a dict has holes, while it is iterated; stored hashes of keys whose __hash__ changes alike"""

    def body(x, y, z):
        d = {0: 0, 1: 0, 2: 0, 3: 0}
        if x.load():
            del d[0]
            d[0] = 0
        else:
            del d[0]
            d = dict(d)
            d[0] = 0
        it = iter(d)
        next(it)
        y.load()
        del d[1]
        d[10] = 0
        try:
            return tuple(it)
        except RuntimeError:
            return "E"

    _read(p, body, ((0, 10), 0))


@mcr.program
def identity_of_a_tuple(p):
    """bound methods alike"""

    def body(x, y, z):
        a = ([],)
        b = a if x.load() else (a[0],)
        y.load()
        return a is b

    _read(p, body, (True, 0))


@mcr.program
def docstring_of_a_class(p):
    """metadata of classes, functions, generators, properties; ABC registrations"""

    def body(x, y, z):
        class Local:
            pass

        Local.__doc__ = str(x.load())
        y.load()
        return Local.__doc__

    _read(p, body, ("1", 0))


@mcr.program
def decimal_context(p):
    """state of libraries: contexts, finalizers, environment, logging levels, recursion limit, gc"""

    def body(x, y, z):
        decimal.getcontext().prec = 3 + x.load()
        y.load()
        return str(decimal.Decimal(1) / 3)

    _read(p, body, ("0.3333", 0))


@mcr.program
def finalizer_of_weakref(p):
    def body(x, y, z):
        o = Plain()
        weakref.finalize(o, z.store, x.load())
        y.load()
        return 0

    _read(p, body, (0, 1))


@dataclass(frozen=True)
class Stamped:
    a: int
    b: int = field(default=0, compare=False)


@mcr.program
def equal_values_that_differ(p):
    """values in memory: fields that are not compared, Decimal("1.0") and ("1.00"), attributes of str, int and tuple
    subclasses, fold of a datetime, order of a frozenset; every algorithm"""
    x, z = p.var("x", 0), p.var("z", None)
    p.thread(lambda: z.store(Stamped(1, x.load())))
    p.thread(x.store, 1)

    @p.final
    def end():
        assert z.load() is None or z.load().b == 0


@mcr.program
def order_of_an_ordered_dict(p):
    """the order that counts, beside that of the dictionary below"""

    def body(x, y, z):
        d = OrderedDict(a=0, b=0)
        if x.load():
            d.move_to_end("a")
        y.load()
        return tuple(d)

    _read(p, body, (("b", "a"), 0))


@mcr.program
def order_of_a_set(p):
    """where members are kept"""

    def body(x, y, z):
        members = set()
        for member in (0, 8) if x.load() else (8, 0):
            members.add(member)
        y.load()
        return tuple(members)

    _read(p, body, ((0, 8), 0))


@mcr.program
def sign_of_a_zero(p):
    """equal floats"""

    def body(x, y, z):
        zero = -0.0 if x.load() else 0.0
        y.load()
        return str(zero)

    _read(p, body, ("-0.0", 0))


@mcr.program
def registered_class(p):
    """what an abstract class was told"""

    def body(x, y, z):
        class Local(ABC):  # noqa: B024
            pass

        if x.load():
            Local.register(int)
        y.load()
        return isinstance(1, Local)

    _read(p, body, (True, 0))


@mcr.program
def docstring_of_a_function(p):
    """metadata of functions"""

    def body(x, y, z):
        def local():
            pass

        local.__doc__ = str(x.load())
        y.load()
        return local.__doc__

    _read(p, body, ("1", 0))


@mcr.program
def stored_hashes(p):
    """the hashes that a dictionary keeps of keys whose hash changes"""

    def body(x, y, z):
        key = Changing(x.load())
        table = {key: 1}
        key.hash = 0
        y.load()
        return key in table

    _read(p, body, (False, 0))


class Changing:
    def __init__(self, hash):
        self.hash = hash

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        return self is other


class Items(tuple):
    __slots__ = ()


@mcr.program
def items_without_attributes(p):
    """where an object of a class made from tuple ends inside another one"""

    def body(x, y, z):
        items = Items((Items(), 0)) if x.load() else Items((Items((0,)),))
        y.load()
        return len(items)

    _read(p, body, (2, 0))
