"""Two threads count in a Python object that is not declared. Each is refused: the count depends on the order."""

# ruff: noqa  # written as users do

from __future__ import annotations

import abc
import builtins
import contextvars
import ctypes
import decimal
import enum
import functools
import io
import itertools
import keyword
import logging.handlers
import mmap
import re
import reprlib
import string
import struct
import sys
import types
import weakref
import xml.etree.ElementTree as ET
from collections.abc import Callable

import mcr
import tests.cli.unseen.state
import tests.cli.unseen.tools
from tests.cli.unseen import state

PROGRAMS: dict[str, mcr.Program] = {}


def counted(make: Callable[[], tuple[Callable[[], object], Callable[[], int]]]) -> object:
    def program(p):
        x = p.var("x", 0)
        add, get = make()

        def t():
            x.load()
            add()
            x.load()
            assert get() < 2

        p.thread(t)
        p.thread(t)

    PROGRAMS[make.__name__] = mcr.program(program)
    return make


class C:
    __count__ = 0


@counted
def module_of_a_package():
    tests.cli.unseen.state.L[0] = 0

    def add():
        tests.cli.unseen.state.L[0] += 1

    return add, lambda: tests.cli.unseen.state.L[0]


@counted
def class_in_a_module_of_a_package():
    tests.cli.unseen.state.K.flag = 0

    def add():
        tests.cli.unseen.state.K.flag += 1

    return add, lambda: tests.cli.unseen.state.K.flag


@counted
def from_import_in_a_function():
    state.L[0] = 0

    def add():
        from tests.cli.unseen.state import L

        L[0] += 1

    def get():
        from tests.cli.unseen.state import L

        return L[0]

    return add, get


@counted
def by_sys_modules():
    state.L[0] = 0

    def add():
        sys.modules["tests.cli.unseen.state"].L[0] += 1

    return add, lambda: sys.modules["tests.cli.unseen.state"].L[0]


@counted
def weak_value_dictionary():
    """a cache of weak references, as in weakref's own examples"""
    d, kept = weakref.WeakValueDictionary(), [C() for _ in range(3)]

    def add():
        d[len(d)] = kept[len(d)]

    return add, lambda: len(d)


@counted
def weak_key_dictionary():
    d, key = weakref.WeakKeyDictionary(), C()

    def add():
        d[key] = d.get(key, 0) + 1

    return add, lambda: d.get(key, 0)


@counted
def buffer_of_a_log_handler():
    h = logging.handlers.MemoryHandler(10)

    def add():
        h.buffer.append(1)

    return add, lambda: len(h.buffer)


@counted
def extra_of_a_logger_adapter():
    h = logging.LoggerAdapter(None, {"n": 0})

    def add():
        h.extra["n"] += 1

    return add, lambda: h.extra["n"]


@counted
def dunder_attribute_of_a_class():
    """_count_ alike"""
    C.__count__ = 0

    def add():
        C.__count__ += 1

    return add, lambda: C.__count__


@counted
def annotations_of_a_class():
    C.__annotations__ = {"n": 0}

    def add():
        C.__annotations__["n"] += 1

    return add, lambda: C.__annotations__["n"]


@counted
def arguments_of_an_exception():
    e = ValueError()

    def add():
        e.args += (1,)

    return add, lambda: len(e.args)


@counted
def cause_of_an_exception():
    e = ValueError()
    e.__cause__ = ValueError(0)

    def add():
        e.__cause__ = ValueError(e.__cause__.args[0] + 1)

    return add, lambda: e.__cause__.args[0]


@counted
def value_of_a_stop_iteration():
    e = StopIteration(0)

    def add():
        e.value += 1

    return add, lambda: e.value


@counted
def keywords_of_a_partial():
    f = functools.partial(dict, n=0)

    def add():
        f.keywords["n"] += 1

    return add, lambda: f.keywords["n"]


@counted
def registry_of_an_abstract_class():
    class A(abc.ABC):
        pass

    kinds = [type(f"K{n}", (), {}) for n in range(3)]

    def add():
        A.register(next(k for k in kinds if not issubclass(k, A)))

    return add, lambda: sum(issubclass(k, A) for k in kinds)


@counted
def name_in_builtins():
    builtins.counter_ = [0]

    def add():
        counter_[0] += 1

    return add, lambda: counter_[0]


@counted
def attribute_of_a_static_method():
    class L:
        @staticmethod
        def f():
            pass

    s = vars(L)["f"]
    s.n = 0

    def add():
        s.n += 1

    return add, lambda: s.n


@counted
def attribute_of_a_class_of_a_library():
    """a class that has it already: contents_of looks at its names and functions only"""
    string.Template.delimiter = "$"

    def add():
        string.Template.delimiter += "$"

    return add, lambda: len(string.Template.delimiter) - 1


@counted
def singleton_of_a_library():
    reprlib.aRepr.maxlist = 0

    def add():
        reprlib.aRepr.maxlist += 1

    return add, lambda: reprlib.aRepr.maxlist


@counted
def functions_of_a_module_of_a_package():
    tests.cli.unseen.tools.bump(0)
    return (lambda: tests.cli.unseen.tools.bump(tests.cli.unseen.tools.count() + 1)), (
        lambda: tests.cli.unseen.tools.count()
    )


@counted
def class_of_an_object():
    """the state pattern: self.__class__ = Closed; bases of a class alike"""

    class Open:
        n = 0

    class Ajar:
        n = 1

    class Closed:
        n = 2

    door = Open()

    def add():
        door.__class__ = Ajar if door.n == 0 else Closed

    return add, lambda: door.n


@counted
def array_of_ctypes():
    a = (ctypes.c_int * 2)()

    def add():
        a[0] += 1

    return add, lambda: a[0]


@counted
def children_of_an_xml_element():
    e = ET.Element("a")

    def add():
        e.append(ET.Element("b"))

    return add, lambda: len(e)


@counted
def errno_of_an_exception():
    e = OSError(0, "x")

    def add():
        e.errno += 1

    return add, lambda: e.errno


@counted
def iterator_of_struct():
    """_HARMLESS has struct: its iterators are shared unseen, where iter([..]), count(), csv.reader, finditer are refused"""
    items = struct.iter_unpack("b", bytes([1, 2, 3]))
    last = [0]
    return (lambda: next(items)), (lambda: items.__length_hint__() and 3 - items.__length_hint__())


def bump(owner, name):
    setattr(owner, name, getattr(owner, name) + 1)


def raised(error):
    try:
        raise error
    except ValueError:
        pass


def depth(traceback):
    return 0 if traceback is None else 1 + depth(traceback.tb_next)


@counted
def name_in_class_of_an_enumeration():
    class E(enum.Enum):
        A = 1

    E.A.n = 0
    return lambda: bump(E.A, "n"), lambda: E.A.n


@counted
def default_argument():
    def f(d={"n": 0}):
        return d

    return lambda: f().update(n=f()["n"] + 1), lambda: f()["n"]


@counted
def closure_of_a_decorator():
    def deco(g):
        kept = [0]

        @functools.wraps(g)
        def inner():
            kept[0] += 1
            return kept[0]

        inner.kept = kept
        return inner

    f = deco(lambda: 0)
    return lambda: f(), lambda: f.kept[0]


@counted
def class_attribute_of_a_base():
    class A:
        n = 0

    class B(A):
        pass

    return lambda: bump(A, "n"), lambda: B.n


@counted
def attribute_of_a_metaclass():
    class M(type):
        n = 0

    class B(metaclass=M):
        pass

    return lambda: bump(type(B), "n"), lambda: B.n


@counted
def descriptor():
    class D:
        n = 0

        def __get__(self, thing, kind=None):
            return self.n

        def __set__(self, thing, value):
            self.n = value

    class B:
        d = D()

    b = B()
    return lambda: bump(b, "d"), lambda: b.d


@counted
def weak_reference_as_a_flag():
    kept = [C()]
    r = weakref.ref(kept[0])
    return lambda: kept.clear(), lambda: 0 if r() else 2


@counted
def context_variable_with_a_list():
    v = contextvars.ContextVar("v", default=[0])
    return lambda: v.get().append(1), lambda: len(v.get()) - 1


@counted
def context():
    v = contextvars.ContextVar("v", default=0)
    c = contextvars.copy_context()
    return lambda: c.run(v.set, c.get(v, 0) + 1), lambda: c.get(v, 0)


@counted
def cycle_of_itertools():
    c = itertools.cycle([0, 1, 2])
    next(c)
    return lambda: c.__next__(), lambda: next(c) % 3


@counted
def tee_of_itertools():
    a, b = itertools.tee([0, 1, 2])
    return lambda: next(a), lambda: 2 - len(list(a))


@counted
def scanner_of_re():
    s = re.compile("a").scanner("aaa")
    return lambda: s.match(), lambda: 2 if s.match() is None else 0


@counted
def view_of_memory():
    m = memoryview(bytearray(1))
    return lambda: m.__setitem__(0, m[0] + 1), lambda: m[0]


@counted
def map_of_memory():
    m = mmap.mmap(-1, 1)
    return lambda: m.__setitem__(0, m[0] + 1), lambda: m[0]


@counted
def reader_of_bytes():
    r = io.BufferedReader(io.BytesIO(b"aaaa"))
    return lambda: r.read(1), lambda: r.tell()


@counted
def text_over_bytes():
    r = io.TextIOWrapper(io.BytesIO(), write_through=True)
    return lambda: r.write("a"), lambda: r.tell()


@counted
def namespace():
    n = types.SimpleNamespace(n=0)
    return lambda: setattr(n, "n", n.n + 1), lambda: n.n


@counted
def mapping_proxy():
    d = {"n": 0}
    p = types.MappingProxyType(d)
    return lambda: d.__setitem__("n", d["n"] + 1), lambda: p["n"]


@counted
def view_of_a_dict():
    d = {}
    v = d.keys()
    return lambda: d.setdefault(len(d), 0), lambda: len(v)


@counted
def attribute_of_a_partial():
    f = functools.partial(int)
    f.n = 0
    return lambda: setattr(f, "n", f.n + 1), lambda: f.n


@counted
def self_of_a_bound_method():
    class B:
        n = 0

        def m(self):
            self.n += 1

    m = B().m
    return lambda: m(), lambda: m.__self__.n


@counted
def frame_of_a_generator():
    def g():
        n = [0]
        yield n

    it = g()
    next(it)
    return lambda: it.gi_frame.f_locals["n"].append(1), lambda: len(it.gi_frame.f_locals["n"]) - 1


@counted
def notes_of_an_exception():
    e = ValueError()
    e.__notes__ = []
    return lambda: e.add_note("a"), lambda: len(e.__notes__)


@counted
def traceback_of_an_exception():
    e = ValueError()
    return lambda: raised(e), lambda: depth(e.__traceback__)


@counted
def annotations_of_a_function():
    def f():
        pass

    f.__annotations__ = {"n": 0}
    return lambda: f.__annotations__.__setitem__("n", f.__annotations__["n"] + 1), lambda: f.__annotations__["n"]


@counted
def globals_of_a_function():
    state.fn.__globals__["N"] = 0
    return lambda: state.fn.__globals__.__setitem__("N", state.fn.__globals__["N"] + 1), lambda: state.fn.__globals__[
        "N"
    ]


@counted
def module_getattr():
    state.KEPT[:] = [0]
    return lambda: state.kept.append(1), lambda: len(state.kept) - 1


@counted
def module_as_an_argument():
    state.L[0] = 0

    def get(m):
        return m.L

    return lambda: get(state).__setitem__(0, get(state)[0] + 1), lambda: get(state)[0]


@counted
def module_by_getattr():
    state.L[0] = 0
    return lambda: getattr(state, "L").__setitem__(0, getattr(state, "L")[0] + 1), lambda: getattr(state, "L")[0]


@counted
def function_attribute_by_vars():
    def f():
        pass

    return lambda: vars(f).__setitem__("n", vars(f).get("n", 0) + 1), lambda: vars(f).get("n", 0)


@counted
def table_of_functions():
    t = {"a": (lambda k=[0]: k)}
    return lambda: t["a"]().append(1), lambda: len(t["a"]()) - 1


@counted
def partial_method():
    class B:
        def m(self, k):
            k.append(1)

        add = functools.partialmethod(m, [])

    b = B()
    return lambda: b.add(), lambda: len(vars(B)["add"].args[0])


@counted
def array_of_numbers_by_default():
    def f(a=bytearray(1)):
        return a

    return lambda: f().append(1), lambda: len(f()) - 1


@counted
def attribute_of_a_class_by_type():
    B = type("B", (), {"n": 0})
    return lambda: setattr(B, "n", B.n + 1), lambda: B.n


@counted
def ordered_dict_moved():
    import collections

    d = collections.OrderedDict(a=1, b=2)
    return lambda: d.move_to_end("a"), lambda: 0 if list(d)[0] == "a" else 2


@counted
def library_registry():
    import copyreg

    copyreg.dispatch_table.pop(C, None)
    return lambda: copyreg.pickle(C, str), lambda: 2 if C in copyreg.dispatch_table else 0


@counted
def locale_of_the_process():
    import locale

    return lambda: locale.setlocale(locale.LC_ALL, "C"), lambda: 2


@counted
def limit_of_the_process():
    return lambda: sys.setrecursionlimit(sys.getrecursionlimit() + 1), lambda: 2


@counted
def dictionary_of_a_module():
    state.__dict__["V"] = 0

    def add():
        state.__dict__["V"] += 1

    return add, lambda: state.__dict__["V"]


@counted
def attribute_of_a_function_of_a_library():
    functools.wraps.seen = 0

    def add():
        functools.wraps.seen += 1

    return add, lambda: functools.wraps.seen


@counted
def list_of_a_library():
    keyword.kwlist[:] = []

    def add():
        keyword.kwlist.append("a")

    return add, lambda: len(keyword.kwlist)


@counted
def text_that_is_run():
    state.L[0] = 0

    def add():
        exec("state.L[0] += 1", {"state": state})

    return add, lambda: state.L[0]


@counted
def module_by_import_function():
    state.L[0] = 0

    def add():
        __import__("tests.cli.unseen.state").cli.unseen.state.L[0] += 1

    return add, lambda: state.L[0]
