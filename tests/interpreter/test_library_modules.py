"""Models of `functools`, `operator`, `collections`, `heapq` and `bisect` against CPython's."""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import operator
import re
from collections import Counter, OrderedDict, deque
from typing import Any

import pytest

from replay.interpreter.execution import Execution
from tests.interpreter.against_native import agree, same
from tests.interpreter.iterables import FAILS, ITERABLES
from tests.interpreter.spies import Items, Number, generator, logged, returns


@pytest.mark.parametrize("make", ITERABLES)
def test_iterables_in_modules(make: Any) -> None:
    agree(functools.reduce, lambda call: call(logged(lambda left, right: (left, right)), make()))
    agree(functools.reduce, lambda call: call(logged(lambda left, right: right), make(), 5))
    agree(functools.reduce, lambda call: call(FAILS, make(), 5))
    for arguments in ((), (2,), (0,), (None,), (-1,), (1.5,)):
        agree(deque, lambda call: call(make(), *arguments))
    for native in (deque.extend, deque.extendleft, deque.__iadd__, deque.__init__):
        agree(native, lambda call: filled(call, deque([1, 2], 4), make()))
    agree(OrderedDict, lambda call: call(make()))
    agree(OrderedDict, lambda call: call([(1, 2), make()], a=3))
    agree(collections._count_elements, lambda call: filled(call, {}, make()))  # type: ignore[attr-defined]
    agree(collections._count_elements, lambda call: filled(call, Counter("ab"), make()))  # type: ignore[attr-defined]
    same(lambda: sorted(Counter(make()).items(), key=repr) if make() != 7 else 0)


def filled(call: Any, things: Any, *arguments: Any) -> Any:
    """What becomes of a container by a call."""
    try:
        result = call(things, *arguments)
    except Exception as error:
        return repr(error), things
    return result, things


class Ordered(OrderedDict[Any, Any]):
    __setitem__ = logged(lambda self, key, value: OrderedDict.__setitem__(self, key, value))  # type: ignore[assignment]


class HasItems:
    items = logged(lambda self: [(1, 2), (3, 4)])


def test_ordered_dictionaries() -> None:
    for source in (
        {"a": 1},
        OrderedDict(b=2),
        HasItems(),
        [(1, 2, 3)],
        [(1,)],
        ["ab"],
        [Items(1, 2)],
        7,
        Counter("ab"),
    ):
        agree(OrderedDict, lambda call: call(source))
        agree(OrderedDict.update, lambda call: filled(call, Ordered(z=0), source))
    agree(OrderedDict, lambda call: call({}, {}))
    left, right = OrderedDict(a=Number(1), b=2), OrderedDict(b=2, a=Number(1))
    for one in (left, right, {"a": Number(1), "b": 2}, 7):
        for name in ("__eq__", "__ne__"):
            agree(getattr(OrderedDict, name), lambda call: call(left, one))
    for things in (OrderedDict(), OrderedDict(a=Number(1)), Ordered(a=Number(1))):
        agree(OrderedDict.__repr__, lambda call: call(things))
    for view in (
        lambda: OrderedDict(a=1, b=2),
        lambda: OrderedDict(a=1, b=2).keys(),
        lambda: OrderedDict(a=1).values(),
    ):
        agree(type(view()).__iter__, lambda call: call(view()))
        agree(type(view()).__reversed__, lambda call: call(view()))
    for change in (
        lambda d: d.update(z=1),
        lambda d: d.pop("c"),
        lambda d: d.move_to_end("a"),
        lambda d: d.update(c=7),
    ):

        def go(iterate: Any) -> Any:
            things = OrderedDict(a=1, b=2, c=3)
            iterator = iterate(things.items())
            found = [next(iterator)]
            change(things)
            for _ in range(3):
                try:
                    found.append(next(iterator, "end"))
                except RuntimeError as error:
                    found.append(str(error))
            return found

        agree(type(OrderedDict().items()).__iter__, go)


def test_deques() -> None:
    for items in ([], [1, 2, 3, 2], [Number(1), Number(2), Number(2, "2'")], [1, FAILS]):
        for value in (2, Number(2), FAILS, None):
            for native in (deque.__contains__, deque.count, deque.index):
                agree(native, lambda call: call(deque(items), value))
            agree(deque.remove, lambda call: filled(call, deque(items), value))
            for bounds in ((1,), (-2,), (1, 2), (Number(1), Number(9)), (1.5,)):
                agree(deque.index, lambda call: call(deque(items), value, *bounds))
        for others in ([], [1, 2], [Number(1), Number(3)], [1, FAILS], items):
            for name in ("eq", "ne", "lt", "le", "gt", "ge"):
                agree(getattr(deque, f"__{name}__"), lambda call: call(deque(items), deque(others)))
        agree(deque.__eq__, lambda call: call(deque(items), items))
        agree(deque.__iter__, lambda call: call(deque(items)))
        agree(deque.__reversed__, lambda call: call(deque(items)))
    for change in (lambda d: d.append(4), lambda d: d.popleft(), lambda d: operator.setitem(d, 1, 9)):

        def go(iterate: Any) -> Any:
            things = deque([1, 2, 3])
            iterator = iterate(things)
            found = [next(iterator)]
            change(things)
            for _ in range(3):
                try:
                    found.append(next(iterator, "end"))
                except RuntimeError as error:
                    found.append(str(error))
            return [*found, operator.length_hint(iterator)]

        agree(deque.__iter__, go)
        agree(deque.__reversed__, go)


def test_operators() -> None:
    things = (3, 2.5, "ab", [1], (1,), None, Number(3), FAILS, {1: 2}, returns(matmul=1), returns(iadd=4), {2})
    names = "add sub mul lt eq ne ge and_ or_ contains concat iadd iconcat truediv getitem is_ countOf indexOf matmul"
    for name in names.split():
        for left in things:
            for right in (1, 2.5, "a", [1], Number(1), FAILS):
                agree(getattr(operator, name), lambda call: call(left if type(left) is not list else [*left], right))
    for name in ("neg", "not_", "truth", "abs", "inv", "pos"):
        for thing in things:
            agree(getattr(operator, name), lambda call: call(thing))
    agree(operator.setitem, lambda call: filled(call, [1, 2], 0, Number(5)))
    agree(operator.delitem, lambda call: filled(call, {1: 2}, 1))


class Held:
    part = property(logged(lambda self: self))
    method = logged(lambda self, *arguments, **keywords: (arguments, sorted(keywords.items())))
    __getitem__ = logged(lambda self, key: key)

    def __repr__(self) -> str:
        return "Held"


def test_getters_and_callers() -> None:
    get, one, many = (
        operator.itemgetter,
        operator.attrgetter("part"),
        operator.attrgetter("part.part", "method.missing"),
    )
    same(lambda: [get(1)(Held()), get(1, 2)(Held()), get(0)([7]), get("a")({"a": 1})])
    same(lambda: one(Held()))
    same(lambda: many(Held()))
    same(lambda: operator.methodcaller("method")(Held()))
    same(lambda: operator.methodcaller("method", 1, key=2)(Held()))
    same(lambda: operator.methodcaller("missing")(Held()))
    same(lambda: list(map(operator.itemgetter(1), ["ab", Held()])))


def test_function_tools() -> None:
    add = functools.partial(logged(lambda *arguments, **keywords: (arguments, sorted(keywords.items()))), 1, key=2)
    same(lambda: add(3, other=4))
    same(lambda: functools.partial(add, 5, key=6)(7))
    same(lambda: functools.partial(7))
    key = functools.cmp_to_key
    compare = logged(lambda left, right: left - right)
    same(lambda: sorted([3, 1, 2], key=key(compare)))
    same(lambda: [key(compare)(1) < key(compare)(2), key(compare)(1) == key(compare)(2), key(compare)(4).obj])
    same(lambda: key(compare)(1) >= 3)
    same(lambda: max([1, 5, 2], key=key(compare)))


@pytest.mark.parametrize("limit", [None, 0, 2, 128])
@pytest.mark.parametrize("typed", [False, True])
def test_caches(limit: Any, typed: bool) -> None:
    def use() -> Any:
        @functools.lru_cache(limit, typed)
        def computed(*arguments: Any, **keywords: Any) -> Any:
            """Its doc."""
            calls.append((arguments, keywords))
            if arguments == (9,):
                raise KeyError(9)
            return len(calls)

        calls: list[Any] = []
        found: list[Any] = []
        for argument in (1, 2, 1.0, 3, 1, 2, "x", 9, 9, 1):
            try:
                found.append(computed(argument))
            except KeyError as error:
                found.append(str(error))
        found += [computed(1, key=2), computed(key=2), computed(1, key=2), tuple(computed.cache_info())]
        found += [computed.__name__, computed.__doc__, sorted(computed.cache_parameters().items())]
        computed.cache_clear()
        return [*found, tuple(computed.cache_info()), computed(1), calls]

    same(use)


def test_caches_of_methods_and_recursion() -> None:
    def use() -> Any:
        class Box:
            @functools.cache  # noqa: B019 - a box lives as long as its class
            def doubled(self, number: int) -> int:
                return number * 2

            @functools.cached_property
            def once(self) -> list[int]:
                return [1]

        @functools.cache
        def fib(number: int) -> int:
            return number if number < 2 else fib(number - 1) + fib(number - 2)

        box = Box()
        return box.doubled(3), box.doubled(3), tuple(Box.doubled.cache_info()), box.once is box.once, fib(60)

    same(use)


def test_heaps_and_bisection() -> None:
    for items in ([], [3, 1, 2], [Number(5), Number(3), Number(4), Number(1)], [1, FAILS], (1, 2), 7):
        for native in (heapq.heapify, heapq.heappop):
            agree(native, lambda call: filled(call, items if type(items) is not list else [*items]))
        for native in (heapq.heappush, heapq.heapreplace, heapq.heappushpop):
            agree(native, lambda call: filled(call, items if type(items) is not list else [*items], Number(2)))
        for native in (bisect.bisect_left, bisect.bisect_right):
            agree(native, lambda call: call(items, Number(3)))
            agree(native, lambda call: call(items, 3, key=logged(lambda each: each)))
            agree(native, lambda call: call(items, Number(3), 1))
            agree(native, lambda call: call(items, Number(3), -1))
        for native in (bisect.insort_left, bisect.insort_right):
            agree(native, lambda call: filled(call, items if type(items) is not list else [*items], Number(3)))
    same(lambda: heapq.nsmallest(2, generator(3, 1, 2), key=logged(lambda each: -each)))
    same(lambda: heapq.nlargest(2, [Number(1), Number(4), Number(2)]))
    same(lambda: list(heapq.merge([1, 4], Items(2, 3), key=logged(lambda each: each))))


def test_hidden_frames_of_shipped_modules() -> None:
    execution = Execution()
    with pytest.raises(KeyError, match="on purpose") as caught:
        execution.call(lambda: heapq.heapify([1, FAILS]))
    names = [name for name, _ in execution.lines(caught.value)]
    assert [re.sub("_fail", "fail", name) for name in names] == ["<lambda>", "fail"]
