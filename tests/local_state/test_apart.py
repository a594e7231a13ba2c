# ruff: noqa: B006, B007, B008, B009, C400, C414, C417, F841, SIM105
"""Histories after which a thread has different futures must not share a key: the traps, one by one.

Each trap is a thread, two histories, and results that show the difference.
"""

from __future__ import annotations

import collections
import enum
import functools
import itertools
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.local_state.driving import Body, Driver


@dataclass(frozen=True)
class Trap:
    """A thread that tells `first` from `second` when it is then given `results`."""

    body: Body
    first: Sequence[object]
    second: Sequence[object]
    results: Sequence[object]


TRAPS: dict[str, Trap] = {}


def trap(first: Sequence[object], second: Sequence[object], results: Sequence[object]) -> Callable[[Body], Body]:
    def add(body: Body) -> Body:
        TRAPS[body.__name__] = Trap(body, first, second, results)
        return body

    return add


# -- operands that wait ----------------------------------------------------------


@trap([1], [2], [5])
def operand_of_a_sum(p):
    x = p.var("x", 0)
    return lambda: x.load() + x.load()


@trap([1], [2], [5])
def argument_of_a_call(p):
    x = p.var("x", 0)
    return lambda: max(x.load(), x.load() * 0)


@trap([1], [2], [5])
def part_of_a_string(p):
    x = p.var("x", 0)
    return lambda: f"{x.load()} and {x.load()}"


@trap([1], [7], [5])
def chained_comparison(p):
    x = p.var("x", 0)
    return lambda: x.load() < x.load() < 6


@trap([1], [2], [5])
def element_of_a_tuple(p):
    x = p.var("x", 0)
    return lambda: (x.load(), x.load())


@trap([1], [2], [5])
def key_of_a_dictionary(p):
    x = p.var("x", 0)
    return lambda: tuple({x.load(): x.load()}.items())


@trap([1], [2], [5])
def operand_in_the_caller_of_a_helper(p):
    x = p.var("x", 0)

    def helper():
        return x.load()

    def deep():
        return helper() * 10 + helper()

    return lambda: deep() + 0


@trap([1], [2], [0])
def target_of_an_assignment(p):
    x = p.var("x", 0)

    def thread():
        values = [0, 0, 0]
        values[x.load()] += x.load() + 1
        return tuple(values)

    return thread


@trap([1], [2], [5])
def function_of_a_call(p):
    x = p.var("x", 0)
    functions = {1: lambda v: v, 2: lambda v: -v}
    return lambda: functions[x.load()](x.load())


# -- state inside functions written in C -----------------------------------------


@trap([1], [2], [0, 0])
def best_of_max(p):
    a = p.array("a", [0, 0])
    return lambda: max(cell.load() for cell in a)


@trap([1], [2], [0])
def sum_so_far(p):
    a = p.array("a", [0, 0])
    return lambda: sum(cell.load() for cell in a)


@trap([1, 2], [2, 1], [])
def keys_of_sorted(p):
    a = p.array("a", [0, 0])

    def thread():
        order = sorted(range(2), key=lambda number: a[number].load())
        a[order[0]].load()
        return order[0]

    return thread


@trap([1], [2], [1, 5])
def keys_while_sorting(p):
    a = p.array("a", [0, 0, 0])

    def thread():
        order = sorted(range(3), key=lambda number: a[number].load() * 10 + number)
        return tuple(order)

    return thread


@trap([1], [2], [0])
def list_of_a_generator(p):
    a = p.array("a", [0, 0])
    return lambda: tuple(list(cell.load() for cell in a))


@trap([1], [2], [0])
def reduced(p):
    a = p.array("a", [0, 0])
    return lambda: functools.reduce(lambda total, cell: total * 2 + cell.load(), a, 0)


@trap([1], [2], [0])
def mapped(p):
    a = p.array("a", [0, 0])
    return lambda: tuple(map(lambda cell: cell.load(), a))


@trap([1], [2], [0])
def joined(p):
    a = p.array("a", [0, 0])
    return lambda: "".join(str(cell.load()) for cell in a)


@trap([1], [2], [0, 0])
def zip_of_generators(p):
    a = p.array("a", [0, 0])

    def values():
        for cell in a:
            yield cell.load()

    def thread():
        for pair in zip(values(), values(), strict=True):
            return pair
        return None

    return thread


@trap([1], [2], [0])
def unpacked(p):
    a = p.array("a", [0, 0])

    def thread():
        first, second = (cell.load() for cell in a)
        return first * 10 + second

    return thread


@trap([1], [2], [0])
def spread(p):
    a = p.array("a", [0, 0])
    return lambda: (*[*(cell.load() for cell in a)],)


@trap([1, 1], [0, 1], [True, True, True])
def filtered(p):
    a = p.array("a", [0, 0, 0])
    return lambda: tuple(filter(lambda number: a[number].load(), range(3)))


# -- iterators -------------------------------------------------------------------


@trap([0, 0], [5, 0], [0, 0, 0, 0])
def position_in_a_list(p):
    x = p.var("x", 0)

    def thread():
        numbers = [0, 1, 2]
        for number in numbers:
            if x.load() == 5:
                break
            x.store(number)
        for number in numbers:
            x.store(number)

    return thread


@trap([2, None], [1, None], [None, None])
def length_of_a_range(p):
    x = p.var("x", 0)

    def thread():
        for number in range(x.load() + 1):
            x.store(7)

    return thread


@trap([0, None], [1, None], [None, None, None])
def start_of_a_range(p):
    x = p.var("x", 0)

    def thread():
        for number in range(x.load(), 3):
            x.store(number * 0)

    return thread


@trap([1], [2], [0, 0])
def number_of_an_enumeration(p):
    x = p.var("x", 0)

    def thread():
        for number, _ in enumerate("ab", x.load()):
            x.load()
        return number

    return thread


@trap([1, 0], [2, 0], [0, 0])
def iterators_of_zip(p):
    x = p.var("x", 0)

    def thread():
        total = 0
        for pair in zip(range(2), range(x.load(), 5), strict=False):
            x.load()
            total = pair[1]
        return total

    return thread


@trap([1], [2], [0])
def iterator_in_a_variable(p):
    x = p.var("x", 0)

    def thread():
        numbers = iter([1, 2, 3, 4])
        for _ in range(x.load()):
            next(numbers)
        x.load()
        return next(numbers)

    return thread


@trap([1], [2], [0])
def generator_in_a_variable(p):
    x = p.var("x", 0)

    def count():
        number = 0
        while True:
            number += 1
            yield number

    def thread():
        numbers = count()
        for _ in range(x.load()):
            next(numbers)
        x.load()
        return next(numbers)

    return thread


@trap([1], [2], [0])
def generator_with_a_waiting_operand(p):
    x = p.var("x", 0)

    def sums(value):
        yield value + (yield 0)

    def thread():
        sum_ = sums(x.load())
        next(sum_)
        x.load()
        return sum_.send(10)

    return thread


@trap([1], [2], [0])
def comprehension(p):
    a = p.array("a", [0, 0])
    return lambda: tuple([cell.load() for cell in a])


@trap([1], [2], [0, 0, 0])
def comprehension_of_comprehensions(p):
    a = p.array("a", [0, 0])
    return lambda: str([[cell.load() for cell in a] for _ in range(2)])


@trap([1], [2], [0])
def dictionary_comprehension(p):
    a = p.array("a", [0, 0])
    return lambda: str({number: cell.load() for number, cell in enumerate(a)})


@trap([0], [1], [0, 0])
def order_of_a_dictionary(p):
    x = p.var("x", 0)

    def thread():
        named = {"a": 1, "b": 2} if x.load() else {"b": 2, "a": 1}
        x.load()
        for name in named:
            return name
        return None

    return thread


@trap([0], [1], [0])
def order_of_a_set(p):
    x = p.var("x", 0)

    def thread():
        first, second = (0, 8) if x.load() else (8, 0)
        members = set()
        members.add(first)
        members.add(second)
        first = second = None
        x.load()
        return tuple(members)

    return thread


@trap([0, 0], [1, 0], [0, 0])
def dictionary_iterator(p):
    x = p.var("x", 0)

    def thread():
        named = {"a": 1, "b": 2, "c": 3}
        names = iter(named)
        for _ in range(x.load() + 1):
            next(names)
        x.load()
        x.load()
        return next(names)

    return thread


@trap([0], [1], [0])
def call_until(p):
    x = p.var("x", 0)

    def thread():
        wanted = x.load()
        for value in iter(x.load, wanted):
            return value
        return "over"

    return thread


@trap([1], [2], [0])
def reversed_list(p):
    x = p.var("x", 0)

    def thread():
        numbers = reversed([1, 2, 3])
        for _ in range(x.load()):
            next(numbers)
        x.load()
        return next(numbers)

    return thread


# -- closures, globals, attributes -----------------------------------------------


@trap([1], [2], [0])
def nonlocal_variable(p):
    x = p.var("x", 0)

    def thread():
        kept = 0

        def keep():
            nonlocal kept
            kept = x.load()

        def tell():
            return kept

        keep()
        x.load()
        return tell()

    return thread


@trap([1], [2], [0])
def default_argument(p):
    x = p.var("x", 0)

    def thread():
        def tell(value=x.load()):
            return value

        x.load()
        return tell()

    return thread


@trap([1], [2], [0])
def changed_default_argument(p):
    x = p.var("x", 0)

    def thread():
        def collect(value, found=[]):
            found.append(value)
            return len(found)

        for _ in range(x.load()):
            collect(0)
        x.load()
        return collect(0)

    return thread


@trap([1], [2], [0])
def attribute_of_a_captured_object(p):
    x = p.var("x", 0)

    class Counter:
        def __init__(self):
            self.count = 0

    counter = Counter()

    def thread():
        counter.count = x.load()
        x.load()
        return counter.count

    return thread


@trap([1], [2], [0])
def attribute_of_a_class(p):
    x = p.var("x", 0)

    class Counter:
        count = 0

    def thread():
        Counter.count = x.load()
        x.load()
        return Counter().count

    return thread


@trap([1], [2], [0])
def attribute_of_a_function(p):
    x = p.var("x", 0)

    def helper():
        return helper.kept

    def thread():
        helper.kept = x.load()
        x.load()
        return helper()

    return thread


@trap([1], [2], [1])
def helper_that_caches(p):
    x = p.var("x", 0)
    cache = {}

    def cached(key):
        if key not in cache:
            cache[key] = x.load()
        return cache[key]

    def thread():
        cached("a")
        x.load()
        return cached("a")

    return thread


@trap([1], [2], [1])
def helper_with_a_cache_of_functools(p):
    x = p.var("x", 0)

    @functools.lru_cache
    def cached(key):
        return x.load()

    def thread():
        cached("a")
        x.load()
        return cached("a")

    return thread


@trap([1], [2], [0])
def bound_method(p):
    x = p.var("x", 0)

    class Adder:
        def __init__(self, number):
            self.number = number

        def add(self, value):
            return self.number + value

    def thread():
        add = Adder(x.load()).add
        return add(x.load())

    return thread


@trap([1], [2], [0])
def partial_function(p):
    x = p.var("x", 0)

    def thread():
        add = functools.partial(max, x.load())
        return add(x.load())

    return thread


@trap([1], [2], [0])
def module_variable_that_a_helper_reads(p):
    x = p.var("x", 0)

    def thread():
        _keep_in_module(x.load())
        x.load()
        return _tell_from_module()

    return thread


@trap([1], [2], [0])
def module_list(p):
    x = p.var("x", 0)

    def thread():
        _KEPT[:] = [x.load()]
        x.load()
        return _KEPT[0]

    return thread


@trap([1], [2], [0])
def class_of_a_module(p):
    x = p.var("x", 0)

    def thread():
        _Kept.latest = x.load()
        x.load()
        return _Kept.latest

    return thread


@trap([1], [2], [0])
def variables_asked_for_as_a_dictionary(p):
    x = p.var("x", 0)

    def thread():
        kept = x.load()
        x.load()
        return locals()["kept"]

    return thread


@trap([1], [2], [0])
def variables_evaluated(p):
    x = p.var("x", 0)

    def thread():
        kept = x.load()
        x.load()
        return eval("kept")

    return thread


@trap([1], [2], [0])
def super_without_arguments(p):
    x = p.var("x", 0)

    class Base:
        def tell(self):
            return self.number

    class Derived(Base):
        def __init__(self, number):
            self.number = number

        def tell(self):
            x.load()
            return super().tell()

    return lambda: Derived(x.load()).tell()


# -- sharing ---------------------------------------------------------------------


@trap([0], [1], [0])
def one_list_or_two(p):
    x = p.var("x", 0)

    def thread():
        a = b = []
        if x.load():
            b = []
        x.load()
        a.append(1)
        return len(b)

    return thread


@trap([0], [1], [0])
def one_cell_or_two(p):
    x = p.var("x", 0)

    def make():
        count = 0

        def step():
            nonlocal count
            count += 1
            return count

        return step

    def thread():
        a = b = make()
        if x.load():
            b = make()
        x.load()
        a()
        return b()

    return thread


@trap([0], [1], [0])
def one_iterator_or_two(p):
    x = p.var("x", 0)

    def thread():
        a = b = iter([1, 2])
        if x.load():
            b = iter([1, 2])
        x.load()
        return next(a) + next(b)

    return thread


@trap([0], [1], [0])
def module_object_or_its_copy(p):
    x = p.var("x", 0)

    def thread():
        value = _SENTINEL if x.load() else object()
        x.load()
        return value is _SENTINEL

    return thread


@trap([0], [1], [0])
def which_module_object(p):
    x = p.var("x", 0)

    def thread():
        value = _SENTINEL if x.load() else _OTHER
        x.load()
        return value is _SENTINEL

    return thread


@trap([0], [1], [0])
def list_that_holds_itself(p):
    x = p.var("x", 0)

    def thread():
        inner = []
        outer = [inner]
        inner.append(outer if x.load() else [inner])
        x.load()
        return outer[0][0] is outer

    return thread


# -- equality that lies ----------------------------------------------------------


@trap([1], [True], [0])
def one_and_true(p):
    x = p.var("x", 0)

    def thread():
        value = x.load()
        x.load()
        return type(value).__name__

    return thread


TRAPS["one_and_one_point_zero"] = Trap(one_and_true, [1], [1.0], [0])
TRAPS["true_and_one_point_zero"] = Trap(one_and_true, [True], [1.0], [0])


@trap([0.0], [-0.0], [0])
def zeros(p):
    x = p.var("x", 0)

    def thread():
        value = x.load()
        x.load()
        return str(value)

    return thread


TRAPS["zeros_in_a_tuple"] = Trap(zeros, [(0.0,)], [(-0.0,)], [0])
TRAPS["one_and_true_in_a_tuple"] = Trap(zeros, [(1,)], [(True,)], [0])
TRAPS["complex_zeros"] = Trap(zeros, [complex(0.0, 0.0)], [complex(0.0, -0.0)], [0])
TRAPS["text_and_bytes"] = Trap(zeros, ["a"], [b"a"], [0])
TRAPS["range_and_tuple"] = Trap(zeros, [range(2)], [(0, 1)], [0])


@trap([0], [1], [0])
def objects_that_call_themselves_equal(p):
    x = p.var("x", 0)

    def thread():
        value = _Same(x.load())
        x.load()
        return value.number

    return thread


@trap([0], [1], [0])
def members_of_an_enumeration(p):
    x = p.var("x", 0)

    def thread():
        value = _Colour.RED if x.load() else _Colour.BLUE
        x.load()
        return value.name

    return thread


@trap([0], [1], [0])
def number_that_is_a_member_of_an_enumeration(p):
    x = p.var("x", 0)

    def thread():
        value = _Level.LOW if x.load() else 1
        x.load()
        return type(value).__name__

    return thread


@trap([0], [1], [0])
def named_tuple_or_tuple(p):
    x = p.var("x", 0)

    def thread():
        value = _Point(1, 2) if x.load() else (1, 2)
        x.load()
        return type(value).__name__

    return thread


@trap([0], [1], [0])
def dictionary_or_one_with_a_default(p):
    x = p.var("x", 0)

    def thread():
        value = collections.defaultdict(int) if x.load() else {}
        x.load()
        return value["a"]

    return thread


@trap([0], [1], [0])
def slots_of_an_object(p):
    x = p.var("x", 0)

    def thread():
        value = _Slotted(x.load())
        x.load()
        return value.number

    return thread


# -- exceptions and contexts in flight -------------------------------------------


@trap([1], [2], [0])
def raised_again(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError:
            x.load()
            raise

    return thread


@trap([1], [2], [0])
def waiting_in_finally(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError(x.load())
        finally:
            x.load()

    return thread


@trap([0], [1], [0])
def finally_with_or_without_an_exception(p):
    x = p.var("x", 0)

    def thread():
        try:
            if x.load():
                raise ValueError
        finally:
            x.load()

    return thread


@trap([1], [2], [0])
def returning_through_finally(p):
    x = p.var("x", 0)

    def thread():
        try:
            return x.load()
        finally:
            x.load()

    return thread


@trap([1], [2], [0])
def raised_again_by_a_helper(p):
    x = p.var("x", 0)

    def again():
        x.load()
        raise

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError:
            again()

    return thread


@trap([1], [2], [0])
def outer_exception(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError:
            try:
                raise KeyError(3)
            except KeyError:
                x.load()
            raise

    return thread


@trap([1], [2], [0, 0])
def exception_of_the_caller_of_a_generator(p):
    x = p.var("x", 0)

    def values():
        try:
            raise KeyError(3)
        except KeyError:
            yield x.load()

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError:
            for _ in values():
                break
            raise

    return thread


@trap([1], [2], [0])
def exception_kept(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError as error:
            kept = error
        x.load()
        return kept.args[0]

    return thread


@trap([0], [1], [0])
def where_it_was_raised(p):
    x = p.var("x", 0)

    def thread():
        try:
            if x.load():
                raise ValueError(0)
            raise ValueError(0)
        except ValueError:
            x.load()
            raise

    return thread


@trap([0], [1], [0, 0])
def which_context(p):
    x, m, n = p.var("x", 0), p.mutex("m"), p.mutex("n")

    def thread():
        with m if x.load() else n:
            x.load()

    return thread


@trap([1], [2], [0])
def context_made_of_a_generator(p):
    x = p.var("x", 0)
    import contextlib

    @contextlib.contextmanager
    def keeping(value):
        yield
        x.store(value)

    def thread():
        with keeping(x.load()):
            x.load()

    return thread


@trap([1], [2], [0])
def entering(p):
    x = p.var("x", 0)

    class Context:
        def __init__(self, number):
            self.number = number

        def __enter__(self):
            number = self.number
            self = None
            x.load()
            return number

        def __exit__(self, *error):
            x.store(self.number)

    def thread():
        with Context(x.load()):
            pass

    return thread


@trap([0], [1], [0])
def attribute_of_what_is_declared_on(p):
    x = p.var("x", 0)

    def thread():
        if x.load():
            p.kept = None
        x.load()
        return hasattr(p, "kept")

    return thread


# -- generators ------------------------------------------------------------------


@trap([1], [2], [0])
def generator_thread(p):
    x = p.var("x", 0)

    def thread():
        first = yield x.op.load()
        yield x.op.load()
        return first

    return thread


@trap([1], [2], [0])
def generator_thread_with_a_waiting_operand(p):
    x = p.var("x", 0)

    def thread():
        return (yield x.op.load()) + (yield x.op.load())

    return thread


@trap([1], [2], [5])
def yield_from(p):
    x = p.var("x", 0)

    def twice(factor):
        value = yield x.op.load()
        return value * factor

    def thread():
        return (yield from twice((yield x.op.load())))

    return thread


@trap([1, 0], [2, 0], [0])
def yield_from_below(p):
    x = p.var("x", 0)

    def twice():
        value = yield x.op.load()
        yield x.op.load()
        yield x.op.load()
        return value

    def thread():
        return (yield from twice())

    return thread


@trap([1], [2], [0])
def generator_thread_in_an_exception(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError((yield x.op.load()))
        except ValueError:
            yield x.op.load()
            raise

    return thread


@trap([1], [2], [0, 0])
def send_to_a_generator(p):
    x = p.var("x", 0)

    def loads(value):
        while True:
            value = value * 10 + x.load()
            yield value

    def thread():
        values = loads(x.load())
        return next(values)

    return thread


@trap([1], [2], [None])
def generator_that_is_given_up(p):
    x = p.var("x", 0)

    def loads():
        while True:
            try:
                yield x.load()
            finally:
                x.store(0)

    def thread():
        return next(loads())

    return thread


@trap([1], [2], [None])
def generator_that_survives_that_it_is_given_up(p):
    x = p.var("x", 0)

    def loads():
        try:
            yield x.load()
        except GeneratorExit:
            pass
        x.store(0)

    def thread():
        return next(loads())

    return thread


@trap([1], [2], [None])
def object_that_is_given_up(p):
    x = p.var("x", 0)

    class Guard:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            self = None
            x.store(0)

    def thread():
        return getattr(Guard(x.load()), "number")

    return thread


# -- what the run keeps ----------------------------------------------------------


@trap([0], [1], [0, 0])
def records_by_number(p):
    x = p.var("x", 0)

    def thread():
        if x.load():
            p.record("node", value=0)
        x.load()
        x.store(p.record("node", value=0))

    return thread


@trap([0], [1], [0, 0])
def records_by_field(p):
    x = p.var("x", 0)

    def thread():
        node = p.record("node", value=x.load())
        x.load()
        node.value.load()

    return thread


@trap([0], [1], [None])
def request_of_a_dead_value(p):
    x = p.var("x", 0)

    def thread():
        x.store(x.load())

    return thread


@trap([None, 0], [0, 1], [None, 0, 0])
def locks_held(p):
    x, m = p.var("x", 0), p.mutex("m")

    def thread():
        if not m.try_lock():
            x.load()
        x.load()
        m.unlock()

    return thread


@trap([0], [1], [0, 0])
def wait_or_load(p):
    x = p.var("x", 0)

    def thread():
        test = x.load()

        def condition():
            return x.load() > 3

        if test:
            p.wait_until(condition)
        else:
            condition()

    return thread


# -- state in C that cannot be seen ----------------------------------------------


@trap([1], [2], [0])
def random_numbers(p):
    x = p.var("x", 0)

    def thread():
        generator = random.Random(x.load())
        x.load()
        return generator.random()

    return thread


@trap([1], [2], [0])
def counter_of_itertools(p):
    x = p.var("x", 0)

    def thread():
        counter = itertools.count(x.load())
        x.load()
        return next(counter)

    return thread


@trap(["ab"], ["cb"], [0])
def match_of_an_expression(p):
    x = p.var("x", 0)

    def thread():
        found = re.match("(.)b", x.load())
        x.load()
        return found[1]

    return thread


@trap([1], [2], [0])
def chain_of_itertools(p):
    x = p.var("x", 0)

    def thread():
        total = 0
        for value in itertools.chain([x.load()], [x.load()]):
            total = total * 10 + value
        return total

    return thread


@trap([0], [1], [0])
def object_that_does_something_at_its_end(p):
    x = p.var("x", 0)

    class Guard:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            _KEPT.append(self.number)

    def thread():
        _KEPT.clear()
        guard = Guard(x.load())
        x.load()
        guard = None
        return tuple(_KEPT)

    return thread


@trap([0], [1], [0])
def inside_a_constructor(p):
    x = p.var("x", 0)

    class Node:
        def __init__(self):
            pass

    class Loading:
        def __init__(self, kept):
            self.kept = kept
            self = None
            x.load()

    def thread():
        return Loading(x.load()).kept

    return thread


@trap([0], [1], [0])
def comparison_that_loads(p):
    x = p.var("x", 0)

    class Cell:
        def __init__(self, kept):
            self.kept = kept

        def __lt__(self, other):
            kept, self = self.kept, None
            return x.load() < other.kept + 0 * kept

        def __gt__(self, other):
            return NotImplemented

    def thread():
        return Cell(0) < Cell(x.load())

    return thread


@trap([0], [1], [0])
def property_that_loads(p):
    x = p.var("x", 0)

    class Cell:
        def __init__(self, kept):
            self.kept = kept

        @property
        def value(self):
            kept = self.kept
            x.load()
            return kept

    def thread():
        return Cell(x.load()).value

    return thread


_SENTINEL, _OTHER = object(), object()
_KEPT: list[Any] = []
_kept_in_module: Any = 0


def _keep_in_module(value: Any) -> None:
    global _kept_in_module
    _kept_in_module = value


def _tell_from_module() -> Any:
    return _kept_in_module


class _Kept:
    latest = 0


class _Same:
    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class _Colour(enum.Enum):
    RED = 1
    BLUE = 2


class _Level(enum.IntEnum):
    LOW = 1


_Point = collections.namedtuple("_Point", "a b")


class _Slotted:
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


@pytest.mark.parametrize("name", TRAPS)
def test_other_futures_have_other_keys(name: str) -> None:
    trap = TRAPS[name]
    driver = Driver(trap.body)
    assert driver.future(trap.first, trap.results) != driver.future(trap.second, trap.results)
    first = driver.key(trap.first)
    assert first is None or first != driver.key(trap.second)
