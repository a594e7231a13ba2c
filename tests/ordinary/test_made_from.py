"""A container with attributes does what one in an attribute does; keys that code compares do what plain ones do."""

from __future__ import annotations

from itertools import product

import pytest

import mcr
from tests.amount import amount
from tests.ordinary import made_from
from tests.ordinary.made_from import Asks, Cache, CacheApart, Looks, Ordered, OrderedApart, Point
from tests.ordinary.test_objects import outcomes

TABLES = {"cache": (lambda: Cache(1), lambda: CacheApart(1)), "ordered": (Ordered, OrderedApart)}
LOGS = ("Log", "Seen", "Recent", "Groups")


@pytest.mark.parametrize(("name", "model"), [*product(TABLES, ("sc", "pso"))][:: amount(3, 1)])
def test_a_table_with_attributes_is_one_beside_them(name, model):
    def of(make):
        @mcr.program
        def table(p):
            it = p.share(make())
            p.thread(it.put, "a", 1)
            p.thread(it.put, "b", 2)
            found = p.thread(it.look, "a")
            p.final(lambda: (found.join(), sorted(it.items())))

        return outcomes(table, model)

    made, apart = map(of, TABLES[name])
    assert made == apart
    assert len(made) > 2


@pytest.mark.parametrize("name", LOGS)
def test_a_list_a_set_or_a_deque_with_attributes(name):
    def of(kind, **options):
        @mcr.program
        def log(p):
            it = p.share(kind())
            p.thread(it.note, "a")
            p.thread(it.note, "b")
            p.final(it.look)

        return outcomes(log, **options)

    made, apart = getattr(made_from, name), getattr(made_from, f"{name}Apart")
    assert of(made) == of(apart) == of(made, algorithm="exhaustive")
    assert len(of(made)) > 1


def test_what_a_thread_makes_and_shares():
    @mcr.program
    def handed_on(p):
        box = p.share([None])

        def make():
            cache = Cache(3)
            cache.put("a", 1)
            box[0] = cache

        def use():
            cache = box[0]
            if cache is not None:
                cache.put_locked("b", 2)
                return cache.hits, sorted(cache), cache.size
            return None

        p.thread(make)
        used = p.thread(use)
        p.final(used.join)

    assert outcomes(handed_on) == {"None", "(2, ['a', 'b'], 3)"}


def test_a_lock_beside_what_a_container_holds():
    @mcr.program
    def locked(p):
        cache = p.share(Cache(2))
        p.thread(cache.put_locked, "a", 1)
        p.thread(cache.put_locked, "b", 2)
        p.final(lambda: (cache.hits, len(cache)))

    assert outcomes(locked) == {"(2, 2)"}


def test_reports_name_both():
    @mcr.program
    def named(p):
        cache = p.share(Cache(2))
        p.thread(cache.put, "a", 1)
        p.thread(cache.put, "b", 2)

        @p.final
        def both_are_counted():
            assert cache.hits == 2

    (trace,) = mcr.check(named, "sc").failures
    assert {event.location for event in trace.events} >= {"cache", "cache.hits"}


KEYS = {"points": Point, "tuples of points": lambda x: (Point(x), 0)}


@pytest.mark.parametrize(("name", "model"), [*product(KEYS, ("sc", "tso"))][:: amount(3, 1)])
def test_keys_that_code_compares_are_one_if_it_says_so(name, model):
    """Against the same with numbers for keys."""

    def of(key):
        @mcr.program
        def keys(p):
            table, members = p.share({key(0): "old"}), p.share({key(0)})

            def one():
                table[key(1)] = "one"
                members.add(key(1))
                members.discard(key(0))

            def other():
                had = table.setdefault(key(1), "other"), table.pop(key(0), None), key(1) in members
                members.update([key(1), key(2), key(2)])
                table.update({key(2): "new"})
                return had

            p.thread(one)
            found = p.thread(other)
            p.final(lambda: (found.join(), table.get(key(1)), list(table.values()), len(members), key(0) in members))

        return outcomes(keys, model)

    assert of(KEYS[name]) == of(lambda x: x)


@pytest.mark.parametrize(("key", "is_assumed"), [(Point, True), (lambda x: (Point(x), 0), True), (lambda x: x, False)])
def test_a_verdict_says_that_keys_are_compared_at_once(key, is_assumed):
    """CPython lets others change a dict while an `__eq__` of Python compares its keys."""

    @mcr.program
    def keys(p):
        table = p.share({key(0): "old"})
        p.thread(lambda: table.update({key(0): "one"}))
        p.thread(table.clear)

    said = "no other thread runs while keys of class Point in a shared dict or set are compared"
    assert (said in mcr.check(keys, "sc").assumed) is is_assumed


def test_a_key_that_changes_is_refused():
    @mcr.program
    def changing(p):
        point = p.share(Counted(1))
        table = p.share({point: 1})
        p.thread(point.change)
        p.thread(lambda: table.get(Counted(1)))

    with pytest.raises(mcr.ModelError, match="of a key of a shared dict or set looks at something"):
        mcr.check(changing, "sc")


class Counted(Point):
    def __hash__(self):
        return hash(self.number)

    def __init__(self, x):
        super().__init__(x)
        self.number = x

    def change(self):
        self.number += 1


def test_a_class_that_reads_its_attributes_in_its_own_way():
    @mcr.program
    def read(p):
        it = p.share(Looks())
        p.thread(it.add)
        p.thread(it.add)
        p.final(lambda: it.count)

    assert outcomes(read) == {"1", "2"}


def test_a_protocol_is_asked_for():
    @mcr.program
    def asked(p):
        it = p.share(Asks())
        p.thread(it.ask, {})
        p.thread(it.ask, 1)
        p.final(lambda: it.tables)

    assert outcomes(asked) == {"1"}


def test_what_a_class_holds_can_be_counted():
    @mcr.program
    def counted(p):
        p.share(made_from.Counted)
        one = p.thread(made_from.Counted.make)
        p.thread(made_from.Counted.make)
        p.final(one.join)

    assert outcomes(counted) == {"True"}
