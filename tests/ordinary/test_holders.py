"""Views and iterators of a container that becomes shared: they see memory, or are refused."""

from __future__ import annotations

import functools
import itertools
import types
from collections import deque

import pytest

import mcr


class Box:
    def __init__(self):
        self.held = None


def views(box):
    held = {1: 2}
    keys, values, items = held.keys(), held.values(), held.items()
    box.held = held
    assert list(keys) == [1] and 1 in keys and len(keys) == 1 and list(values) == [2] and list(items) == [(1, 2)]


def iterators_of_lists(box):
    held = [1, 2, 3]
    each, back, inside = iter(held), reversed(held), (item for item in held)
    next(each)
    box.held = held
    assert list(each) == [2, 3] and list(back) == [3, 2, 1] and list(inside) == [1, 2, 3]


def iterators_of_others(box):
    held, members, line = {1: 2, 3: 4}, {1, 2, 3}, deque([1, 2, 3])
    key, member, item, last = iter(held), iter(members), iter(line), reversed(line)
    first = next(key), next(member), next(item), next(last)
    box.held = held, line
    box.held = (box.held, [held, line])
    assert first[1] and list(key) == [3] and {first[1], *member} == {1, 2, 3}
    assert list(item) == [2, 3] and list(last) == [2, 1]


def loops(box):
    held, found = {1: 2, 3: 4}, []
    for key, value in held.items():
        box.held = held
        found.append((key, value))
    for each in found:
        box.held = found
        assert held[each[0]] == each[1]
    assert found == [(1, 2), (3, 4)]


def iterators_of_iterators(box):
    held = [1, 2]
    count, pairs, both, texts, first, round_ = (
        *(enumerate(held), zip(held, held, strict=True), itertools.chain(held, held), map(str, held)),
        *(itertools.islice(held, 1), itertools.cycle(held)),
    )
    box.held = held
    assert list(count) == [(0, 1), (1, 2)] and list(pairs) == [(1, 1), (2, 2)] and list(both) == [1, 2, 1, 2]
    assert list(texts) == ["1", "2"] and list(first) == [1] and next(round_) == 1


def methods(box):
    held = [1]
    add, more = held.append, functools.partial(held.append, 2)
    box.held = held
    more()
    add(3)
    assert held == [1, 2, 3]


def variables(box):
    other = Box()
    names = vars(other)
    box.held = other
    other.held = 3
    assert names["held"] == 3


def nothing(box):
    nothing, held = None, [1]
    box.held = held
    assert nothing is None


def of_one_thread(body):
    @mcr.program
    def program(p):
        p.thread(body, p.share(Box(), "box"))

    return program


ALL = [views, iterators_of_lists, iterators_of_others, loops, iterators_of_iterators, methods, variables, nothing]


@pytest.mark.parametrize("body", ALL, ids=lambda body: body.__name__)
def test_it_sees_memory(body):
    assert mcr.check(of_one_thread(body), "sc").verdict is mcr.Verdict.VERIFIED


def proxies(box):
    held = {1: 2}
    proxy = types.MappingProxyType(held)
    box.held = held
    return proxy[1]


def test_a_proxy_is_refused():
    with pytest.raises(mcr.ModelError, match=r"dict#0\.0 becomes shared while code of its thread has a mappingproxy"):
        mcr.check(of_one_thread(proxies), "sc")


def test_a_proxy_that_threads_reach_is_refused():
    @mcr.program
    def program(p):
        p.share(Box())
        held = {}
        proxy = types.MappingProxyType(held)
        p.thread(lambda: held.setdefault(1, 2))
        p.thread(lambda: proxy[1])

    with pytest.raises(mcr.ModelError, match="proxy is a mappingproxy of held, which threads share"):
        mcr.check(program, "sc")


def test_plain_programs_after_one_that_shares_objects_call_what_they_did_before():
    @mcr.program
    def plain(p):
        x = p.var("x", 0)

        def counts():
            assert next(itertools.count(x.load())) == 0

        p.thread(counts)

    assert mcr.check(of_one_thread(nothing), "sc").verdict is mcr.Verdict.VERIFIED
    assert mcr.check(plain, "sc").verdict is mcr.Verdict.VERIFIED


def test_a_counter_that_threads_of_plain_programs_share_is_refused():
    @mcr.program
    def plain(p):
        x, numbers = p.var("x", 0), itertools.count()
        for _ in range(2):
            p.thread(lambda: (x.load(), next(numbers)))

    with pytest.raises(mcr.ModelError, match=r"'numbers' of type itertools\.count, which other threads"):
        mcr.check(plain, "sc")
