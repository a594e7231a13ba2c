"""Functions with two threads that share objects of classes which a function has made: `lost` fails, `kept` holds."""

# ruff: noqa  # written as users do

import abc
import dataclasses
import functools
import threading

from tests.ordinary.threaded import together


def lost_count():
    class Counter:
        def __init__(self):
            self.n = 0

        def inc(self):
            self.n += 1

    c = Counter()
    together(c.inc, c.inc)
    assert c.n == 2


def kept_count():
    class Base:
        def __init__(self):
            self.n = 0
            self.lock = threading.Lock()

        def inc(self):
            with self.lock:
                self.n += 1

    class Counter(Base):
        __slots__ = ("x",)
        step = 1

        def __init__(self):
            super().__init__()
            self.x = 1

        def inc(self):
            super().inc()

        @property
        def twice(self):
            return self.n * 2

        @classmethod
        def make(cls):
            return cls()

        @staticmethod
        def one():
            return 1

    c = Counter.make()
    together(c.inc, c.inc)
    assert c.n == 2 and c.twice == 4 and c.one() == 1 and isinstance(c, Base) and type(c) is Counter


def kept_made_in_thread():
    seen = []

    class C:
        def __init__(self, n):
            self.n = n

    def work():
        c = C(len(seen))
        seen.append(c)
        assert type(seen[0]) is C and isinstance(c, C)

    together(work, work)
    assert {type(c) for c in seen} == {C}


def kept_thread_class():
    seen = []

    class Worker(threading.Thread):
        def __init__(self, n):
            super().__init__()
            self.n = n

        def run(self):
            seen.append(self.n)

    ws = [Worker(1), Worker(2)]
    [w.start() for w in ws]
    [w.join() for w in ws]
    assert sorted(seen) == [1, 2]


def lost_class_cell():
    n = 0

    class C:
        def inc(self):
            nonlocal n
            n += 1

    c = C()
    together(c.inc, c.inc)
    assert n == 2


def refused_class_attribute():
    class C:
        n = 0

        def inc(self):
            C.n += 1

    c = C()
    together(c.inc, c.inc)


def lost_class_list():
    class C:
        items = []

        def inc(self):
            if not self.items:
                self.items.append(1)

    together(C().inc, C().inc)
    assert C.items == [1]


def kept_exception():
    class E(Exception):
        pass

    seen = []

    def work():
        try:
            raise E(1)
        except E as e:
            seen.append(e)

    together(work, work)
    assert all(type(e) is E and e.args == (1,) for e in seen)


def kept_dataclass():
    @dataclasses.dataclass
    class D:
        x: int
        y: list = dataclasses.field(default_factory=list)

    seen = []
    together(lambda: seen.append(D(1)), lambda: seen.append(D(1)))
    assert seen[0] == seen[1]


def kept_frozen_dataclass():
    @dataclasses.dataclass(frozen=True)
    class D:
        x: int

    seen = []
    together(lambda: seen.append(D(1)), lambda: seen.append(D(1)))
    assert seen[0] == seen[1] and hash(seen[0]) == hash(seen[1])


def decorated(f):
    class Wrapper:
        def __init__(self, f):
            self.f = f
            self.calls = 0

        def __call__(self, *args):
            self.calls += 1
            return self.f(*args)

    return functools.update_wrapper(Wrapper(f), f)


def lost_decorated():
    @decorated
    def g():
        return 1

    together(g, g)
    assert g.calls == 2


def kept_two_classes():
    made = []

    def make(n):
        class C:
            number = n

            def get(self):
                return n

        return C

    a, b = make(1), make(2)
    x, y = a(), b()

    def work():
        assert x.get() == 1 and y.get() == 2 and type(x) is a and type(y) is b and a is not b and not isinstance(x, b)
        made.append(x if a.number == 1 else None)

    together(work, work)
    assert made == [x, x]


class Descr:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, it, kind):
        return it.__dict__.get(self.name, 0)

    def __set__(self, it, v):
        it.__dict__[self.name] = v


def lost_descriptor():
    class C:
        n = Descr()

        def inc(self):
            self.n += 1

    c = C()
    together(c.inc, c.inc)
    assert c.n == 2


def kept_named_tuple():
    import collections

    P = collections.namedtuple("P", "x y")
    seen = []
    together(lambda: seen.append(P(1, 2)), lambda: seen.append(P(1, 2)))
    assert seen[0] == seen[1] and seen[0].y == 2 and {type(p) for p in seen} == {P}


def lost_in_named_tuple():
    import collections

    p = collections.namedtuple("P", "seen")([])
    together(*2 * [lambda: p.seen or p.seen.append(1)])
    assert p.seen == [1]


def kept_abstract():
    class A(abc.ABC):
        @abc.abstractmethod
        def f(self): ...

    class B(A):
        def f(self):
            return 1

    b = B()
    together(b.f, b.f)


def kept_dict_class():
    class D(dict):
        def put(self, k):
            self[k] = 1

    d = D()
    together(lambda: d.put(1), lambda: d.put(2))
    assert d == {1: 1, 2: 1} and type(d) is D


def kept_in_loop():
    for i in range(2):

        class C:
            n = i

        c = C()
        together(lambda: setattr(c, "m", c.n))
        assert c.m == i


def kept_function_attr():
    class C:
        def f(self):
            return 1

        f.tag = 5

    c = C()
    together(c.f, lambda: c.f.tag)
    assert C.f.tag == 5


def wrapped(function):
    class Wrapper:
        def __init__(self, it):
            self.it = it
            self.calls = 0

        def __call__(self):
            self.calls += 1
            return function(self.it)

    class Descriptor:
        def __get__(self, it, kind=None):
            return it.__dict__.setdefault("made", Wrapper(it))

    return Descriptor()


class Decorated:
    """As cachetools makes methods: classes that a decorator has made when the module was loaded."""

    @wrapped
    def method(self):
        return 1


def lost_in_wrapper_of_a_decorator():
    it = Decorated()
    it.method
    together(lambda: it.method(), lambda: it.method())
    assert it.method.calls == 2


def kept_object_of_a_wrapper():
    it = Decorated()
    seen = []
    together(lambda: seen.append(it.method), lambda: seen.append(it.method))
    assert type(seen[0]) is type(seen[1]) is type(it.method) and seen[0] is seen[1]


def lost_length_beside_an_attribute_of_the_class():
    class Holder:
        ready = threading.Event()

    items = [Holder()]
    together(lambda: items.append(len(items)), lambda: items.append(len(items)))
    assert items[1:] == [1, 2]
