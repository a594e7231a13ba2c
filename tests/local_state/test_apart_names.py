# ruff: noqa: B006, B008
"""Contents of closures, globals, defaults and attributes are told apart."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from tests.local_state.pairs import Trap, trap_of

TRAPS: dict[str, Trap] = {}
trap = trap_of(TRAPS)


@trap([1], [2], [0])
def copies_of_a_finally(p):
    """CPython writes it once for each way out of the block."""
    x = p.var("x", 0)

    def thread():
        try:
            if x.load() == 1:
                return 0
        finally:
            x.load()
        return x.load()

    return thread


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
        return eval("kept", {}, locals())

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


_KEPT: list[Any] = []


_kept_in_module: Any = 0


def _keep_in_module(value: Any) -> None:
    global _kept_in_module
    _kept_in_module = value


def _tell_from_module() -> Any:
    return _kept_in_module


class _Kept:
    latest = 0


@pytest.mark.parametrize("name", TRAPS)
def test_other_futures_have_other_keys(name: str) -> None:
    TRAPS[name].check()
