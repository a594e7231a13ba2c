# ruff: noqa: B024, B905, C409, F841, RUF012
"""Programs in which two histories of a thread differ in what hardly anybody looks at. Each has a run that fails.

A body is what a thread does with three variables, x, y and z; another thread
stores x = 1. What the decorator is given must be found: the thread's result
and z at the end of a run that a checker may not miss.
"""

from __future__ import annotations

import collections
import collections.abc
import datetime
import decimal
import functools
import io
import itertools
import math
import operator
import struct
import sys
import weakref
from abc import ABC
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any

import mcr
from replay.frontend.program import Program

PROGRAMS: dict[str, Program] = {}

Body = Callable[[Any, Any, Any], object]


def finds(result: object, z: object = 0, name: str = "") -> Callable[[Body], Body]:
    """The decorator that makes a program of a body."""

    def add(body: Body) -> Body:
        def declare(p: mcr.Declarations) -> None:
            x, y, z_ = p.var("x", 0), p.var("y", 0), p.var("z", 0)

            def reader() -> object:
                return body(x, y, z_)

            thread = p.thread(reader)
            p.thread(x.store, 1)

            @p.final
            def end() -> None:
                assert (thread.join(), z_.load()) != (result, z)

        PROGRAMS[name or body.__name__] = Program(declare)
        return body

    return add


class Plain:
    pass


# -- inside of C code ---------------------------------------------------------------------


class Cells:
    def __init__(self, x, y):
        self.cells = (x, y)

    def __iter__(self):
        for cell in self.cells:
            yield cell.load()


for _kind in (list, tuple, set, frozenset, sorted, sum, max):

    @finds(1, name=f"gathered_by_{_kind.__name__}")
    def gathered(x, y, z, kind=_kind):
        found = kind(Cells(x, y))
        return 1 in found if hasattr(found, "__len__") else found


for _name, _paired in {
    "zip": lambda g: next(zip(g, g)),
    "zip_of_three": lambda g: next(zip(*[g] * 3))[:2],
    "zip_in_enumerate": lambda g: next(enumerate(zip(g, g)))[1],
    "zip_with_enumerate": lambda g: (next(zip(g, enumerate(g)))[0], 0),
    "two_sources_of_map": lambda g: next(map(lambda a, b: (a, b), g, g)),
    "longest": lambda g: next(itertools.zip_longest(g, g)),
    "pairwise": lambda g: next(itertools.pairwise(g)),
    "unpacked": lambda g: (lambda a, b, *_: (a, b))(*itertools.islice(g, 2)),
}.items():

    @finds((1, 0), name=f"paired_by_{_name}")
    def paired(x, y, z, take=_paired):
        return take(cell.load() for cell in (x, y, y))


def _looks(x):
    def seen(value):
        x.load()
        return value

    return seen


for _name, _chain in {
    "map": lambda f: map(f, map(f, [1])),
    "filter": lambda f: filter(f, map(f, [1])),
    "partial": lambda f: map(functools.partial(f), map(f, [1])),
    "iter": lambda f: map(f, iter(functools.partial(f, 1), 2)),
}.items():

    @finds("done", name=f"one_function_in_{_name}")
    def one_function(x, y, z, chain=_chain):
        for _ in chain(_looks(y)):
            break
        return "done"


class Three:
    def __init__(self, x):
        self.x, self.left = x, 3

    def __iter__(self):
        return Three(self.x)

    def __next__(self):
        self.left -= 1
        if not self.left:
            raise StopIteration
        return self.x.load()


for _taking in (any, all, list, set):

    @finds("done", name=f"another_object_by_{_taking.__name__}")
    def another_object(x, y, z, taking=_taking):
        taking(Three(y))
        return "done"


# -- attributes ---------------------------------------------------------------------------


def _function():
    pass


for _name, _make in {
    "ordered_dict": OrderedDict,
    "partial": lambda: functools.partial(int),
    "function": lambda: lambda: 0,
    "static": lambda: staticmethod(len),
    "exception": ValueError,
    "enum": lambda: Enum("M", ["A"]).A,
    "int_enum": lambda: IntEnum("M", ["A"]).A,
    "class_of_enum": lambda: Enum("M", ["A"]),
    "class": lambda: type("M", (), {}),
}.items():

    @finds(1, name=f"attribute_of_{_name}")
    def attribute(x, y, z, make=_make):
        held = make()
        held.own = x.load()
        y.load()
        return held.own

    @finds("done", name=f"turns_counted_by_{_name}")
    def turns(x, y, z, make=_make):
        held = make()
        held.own = 0
        while held.own < 3:
            y.load()
            held.own += 1
        return "done"


for _name, _make in {
    "__doc__": lambda: lambda: 0,
    "__qualname__": lambda: lambda: 0,
    "__module__": lambda: lambda: 0,
    "__name__": lambda: (each for each in ()),
}.items():

    @finds("1", name=f"text_of_{_name}")
    def text(x, y, z, make=_make, name=_name):
        held = make()
        setattr(held, name, str(x.load()))
        y.load()
        return getattr(held, name)


@finds("1")
def doc_of_a_class(x, y, z):
    class Local:
        pass

    Local.__doc__ = str(x.load())
    y.load()
    return Local.__doc__


@finds("1")
def doc_of_a_property(x, y, z):
    held = property(len, doc=str(x.load()))
    y.load()
    return held.__doc__


@finds(1)
def annotation_of_a_function(x, y, z):
    kind = x.load()

    def annotated():
        pass

    annotated.__annotations__["a"] = kind
    del kind
    y.load()
    return annotated.__annotations__["a"]


@finds(1)
def value_of_an_enum_member(x, y, z):
    class Mode(Enum):
        A = [0]

    Mode.A.value[0] = x.load()
    y.load()
    return Mode.A.value[0]


@finds(True)
def context_of_an_exception(x, y, z):
    error = ValueError()
    error.__suppress_context__ = bool(x.load())
    y.load()
    return error.__suppress_context__


@finds(True)
def class_registered_with_its_own(x, y, z):
    class Abstract(ABC):
        pass

    if x.load():
        Abstract.register(Plain)
    y.load()
    return issubclass(Plain, Abstract)


# -- what happens when an object is given up --------------------------------------------------


def _session(value, z):
    try:
        yield
    finally:
        z.store(value)


def _opened(value, z):
    session = _session(value, z)
    next(session)
    return session


def _in_object(held):
    thing = Plain()
    thing.held = [held]
    return thing


for _name, _wrap in {
    "list": lambda held: [held],
    "tuple": lambda held: (held,),
    "dict": lambda held: {0: [held]},
    "object": _in_object,
    "cell": lambda held: lambda: held,
    "partial": lambda held: functools.partial(len, held),
    "deque": lambda held: deque([held]),
    "map": lambda held: map(len, [held]),
    "chain": lambda held: itertools.chain([held]),
    "iterator": lambda held: iter([held]),
    "exception": ValueError,
    "method": lambda held: [held].append,
    "generator": lambda held: (each for each in [held]),
    "view": lambda held: {0: held}.values(),
    "methodcaller": lambda held: operator.methodcaller("a", held),
    "zip": lambda held: [it := zip([held]), next(it)][:1],
}.items():

    @finds(0, z=1, name=f"end_in_{_name}")
    def end(x, y, z, wrap=_wrap):
        held = wrap(_opened(x.load(), z))
        y.load()
        return 0


@finds(0, z=1)
def end_by_del(x, y, z):
    class Ends:
        def __init__(self, value):
            self.value = value

        def __del__(self):
            z.store(self.value)

    held = [Ends(x.load())]
    y.load()
    return 0


@finds(0, z=1)
def end_by_finalize(x, y, z):
    held = Plain()
    weakref.finalize(held, z.store, x.load())
    y.load()
    return 0


@finds(0, z=1)
def end_heard_by_a_weak_reference(x, y, z):
    held, value = Plain(), x.load()
    reference = weakref.ref(held, lambda _: z.store(value))
    y.load()
    held = None
    return 0


@finds(0, z=1)
def end_of_what_map_was_given(x, y, z):
    def forgets(held):
        held = None
        y.load()
        return held or z.load()

    return next(map(forgets, [_opened(x.load(), z)]))


# -- aliases and identity --------------------------------------------------------------------


def _with_attribute(thing):
    thing.own = 1
    return thing


for _name, _make in {
    "object": lambda: _with_attribute(Plain()),
    "function": lambda: _with_attribute(lambda: 0),
    "exception": lambda: _with_attribute(ValueError()),
    "ordered_dict": lambda: _with_attribute(OrderedDict()),
    "partial": lambda: _with_attribute(functools.partial(int)),
}.items():

    @finds(5, name=f"alias_of_{_name}")
    def alias(x, y, z, make=_make):
        held = make()
        names = held.__dict__ if x.load() else dict(held.__dict__)
        y.load()
        names["own"] = 5
        return held.own


@finds(5)
def alias_of_keywords(x, y, z):
    held = functools.partial(dict, own=1)
    names = held.keywords if x.load() else dict(held.keywords)
    y.load()
    names["own"] = 5
    return held()["own"]


@finds(5)
def alias_by_vars(x, y, z):
    held = _with_attribute(Plain())
    names = vars(held) if x.load() else dict(vars(held))
    y.load()
    names["own"] = 5
    return held.own


@finds(5)
def alias_by_locals(x, y, z):
    value = 1
    names = locals() if x.load() else dict(locals())
    y.load()
    value = 5
    locals()
    return names["value"] if sys.version_info < (3, 13) else value * x.load()


@finds(1)
def variable_of_a_generator(x, y, z):
    def generator():
        value = x.load()
        yield
        yield

    held = generator()
    next(held)
    y.load()
    return held.gi_frame.f_locals["value"]


_LIST: list[int] = []

for _name, _make in {
    "tuple": lambda: tuple([[]]),
    "frozenset": lambda: frozenset([5, 6]),
    "str": lambda: "".join(["ab", "c"]),
    "int": lambda: int("1000"),
    "float": lambda: float("1.5"),
    "method": lambda: _LIST.append,
    "range": lambda: range(3),
}.items():

    @finds(True, name=f"identity_of_{_name}")
    def identity(x, y, z, make=_make):
        one = make()
        other = one if x.load() else make()
        if type(one) is tuple:
            other = other if other is one else (one[0],)
        y.load()
        return one is other

    @finds(True, name=f"identity_by_operator_of_{_name}")
    def identity_by_operator(x, y, z, make=_make):
        one = make()
        other = (one if x.load() else make(),)
        y.load()
        return operator.is_(one, other[0])


# -- order, holes, hashes ------------------------------------------------------------------


@finds(("a", "b"))
def order_below_an_ordered_dict(x, y, z):
    held = OrderedDict(a=1, b=2)
    if x.load():
        held.move_to_end("a")
    else:
        held = OrderedDict(b=2, a=1)
    y.load()
    return tuple(dict.keys(held))


for _name, _iterate in {
    "keys": iter,
    "items": lambda held: iter(held.items()),
    "values": lambda held: iter(held.values()),
    "enumerate": enumerate,
}.items():

    @finds(2, name=f"holes_under_{_name}")
    def holes(x, y, z, iterate=_iterate):
        held = {0: 0, 1: 0, 2: 0, 3: 0}
        whole = x.load()
        del held[0]
        held = held if whole else dict(held)
        held[0] = 0
        iterator = iterate(held)
        next(iterator)
        y.load()
        del held[1]
        held[10] = 0
        try:
            return len(tuple(iterator))
        except RuntimeError:
            return "changed"


@dataclass
class Key:
    number: int

    def __hash__(self):
        return self.number

    def __eq__(self, other):
        return isinstance(other, Key)


for _name, _make in {
    "dict": lambda key: {key: 0},
    "set": lambda key: {key},
    "frozenset": lambda key: frozenset([key]),
    "tuple_in_dict": lambda key: {(key,): 0},
    "ordered_dict": lambda key: OrderedDict([(key, 0)]),
}.items():

    @finds(True, name=f"hash_kept_by_{_name}")
    def kept_hash(x, y, z, make=_make, name=_name):
        key = Key(x.load())
        held = make(key)
        key.number = 5
        y.load()
        return (Key(1) in held) or ((Key(1),) in held)


# -- what libraries keep -------------------------------------------------------------------


@finds("0.3333")
def decimal_context(x, y, z):
    decimal.getcontext().prec = 3 + x.load()
    y.load()
    return str(decimal.Decimal(1) / 3)


@finds("0.3333")
def local_decimal_context(x, y, z):
    with decimal.localcontext() as context:
        context.prec = 3 + x.load()
        y.load()
        return str(decimal.Decimal(1) / 3)


@finds("0.3333")
def decimal_context_by_a_local_name(x, y, z):
    from decimal import getcontext as context

    context().prec = 3 + x.load()
    y.load()
    return str(decimal.Decimal(1) / 3)


@finds("0.3333")
def decimal_context_by_getattr(x, y, z):
    getattr(decimal, "get" + "context")().prec = 3 + x.load()
    y.load()
    return str(decimal.Decimal(1) / 3)


@finds(1)
def attribute_of_a_module(x, y, z):
    math.own = x.load()
    y.load()
    return vars(math).pop("own")


@finds(True)
def class_registered_with_one_of_pythons(x, y, z):
    class Local:
        pass

    if x.load():
        collections.abc.Sized.register(Local)
    y.load()
    return issubclass(Local, collections.abc.Sized)


@finds("b")
def function_registered_with_another(x, y, z):
    @functools.singledispatch
    def function(_):
        return "a"

    if x.load():
        function.register(int, lambda _: "b")
    y.load()
    return function(1)


@finds(1)
def result_in_a_cache(x, y, z):
    cached = functools.cache(lambda: x.load())
    cached()
    y.load()
    return cached()


@finds(1)
def text_in_a_file(x, y, z):
    file = io.StringIO()
    if x.load():
        file.write("a")
    y.load()
    return len(file.getvalue())


# -- which function it is ------------------------------------------------------------------


@finds("3")
def wrapper_of_a_base(x, y, z):
    class Whole(int):
        def __repr__(self):
            return "whole"

    held = Whole(3)
    shown = int.__repr__.__get__(held) if x.load() else held.__repr__
    y.load()
    return shown()


# -- what looks the same and is not -----------------------------------------------------------


@finds(True)
def sign_of_nan(x, y, z):
    number = float("nan") if x.load() else -float("nan")
    y.load()
    return math.copysign(1, number) > 0


@finds(True)
def sign_of_a_complex_nan(x, y, z):
    number = complex(float("nan") if x.load() else -float("nan"), 0)
    y.load()
    return math.copysign(1, number.real) > 0


@finds(1)
def payload_of_nan(x, y, z):
    number = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000000 + x.load()))[0]
    y.load()
    return struct.pack("<d", number)[0]


@finds("RuntimeError")
def room_in_a_dict(x, y, z):
    held = {0: 0, 1: 0, 2: 0, 3: 0}
    if not x.load():
        del held[3]
        held[3] = 0
    y.load()
    keys = iter(held)
    next(keys)
    del held[0]
    held[10] = 0
    try:
        list(keys)
    except RuntimeError as error:
        return type(error).__name__


@finds(True)
def identity_of_a_date(x, y, z):
    day = datetime.date(2020, 1, 1)
    other = day if x.load() else datetime.date(2020, 1, 1)
    y.load()
    return day is other


@finds(True)
def identity_of_a_mapping_proxy(x, y, z):
    view = Plain.__dict__
    other = view if x.load() else Plain.__dict__
    y.load()
    return view is other


@finds(True)
def identity_by_the_eq_of_object(x, y, z):
    number = int("1000")
    other = number if x.load() else int("1000")
    y.load()
    return object.__eq__(number, other) is True


@finds(True)
def instruction_in_a_traceback(x, y, z):
    def fail(_):
        raise ValueError

    found = None
    try:
        fail(1) if x.load() else fail(2)
    except ValueError as error:
        found = error
    y.load()
    columns = [column for *_, column, _ in instruction_in_a_traceback.__code__.co_positions()]
    return columns[found.__traceback__.tb_lasti // 2] < 20


@finds(1)
def match_args_of_a_class(x, y, z):
    Matched.__match_args__ = ("a",) if x.load() else ("b",)
    y.load()
    thing = Matched()
    thing.a, thing.b = 1, 2
    match thing:
        case Matched(each):
            return each


class Matched:
    pass
