"""Containers whose classes say in Python how they are gone through, and what Python's own functions see of them."""

from __future__ import annotations

import operator
from collections import OrderedDict, deque

import mcr


class OddList(list):
    def __iter__(self):
        return iter(["a", "b", "c"])


class OddDict(dict):
    def __iter__(self):
        return iter(["a", "b", "c"])

    def keys(self):
        return ["k"]

    def __getitem__(self, key):
        return f"{key} of it"


class OddOrderedDict(OrderedDict):
    __iter__ = OddDict.__iter__
    keys = OddDict.keys
    __getitem__ = OddDict.__getitem__


class OddSet(set):
    __iter__ = OddList.__iter__


class OddDeque(deque):
    __iter__ = OddList.__iter__


class Sized(list):
    """Goes another way only where one asks for its length, of which a list has no use but as a hint."""

    def __len__(self):
        return 7


class Contains(list):
    def __contains__(self, value):
        return value == "all of it"


def _extended(items, odd):
    items.extend(odd)
    return list(items)


def _updated(items, odd):
    items.update(odd)
    return sorted(items)


def looks(odd):
    """What Python's own functions answer."""
    return [
        ("list", _answer(lambda: list(odd))),
        ("tuple", _answer(lambda: tuple(odd))),
        ("sorted", _answer(lambda: sorted(odd))),
        ("set", _answer(lambda: sorted(set(odd)))),
        ("frozenset", _answer(lambda: sorted(frozenset(odd)))),
        ("join", _answer(lambda: ".".join(odd))),
        ("fromkeys", _answer(lambda: dict.fromkeys(odd))),
        ("deque", _answer(lambda: list(deque(odd)))),
        ("extend", _answer(lambda: _extended([1], odd))),
        ("extend of a deque", _answer(lambda: _extended(deque([1]), odd))),
        ("slice", _answer(lambda: operator.setitem(items := [1, 2], slice(0, 1), odd) or items)),
        ("in place", _answer(lambda: operator.iadd([1], odd))),
        ("star", _answer(lambda: [*odd])),
        ("enumerate", _answer(lambda: list(enumerate(odd)))),
        ("max", _answer(lambda: max(odd))),
        ("update of a set", _answer(lambda: _updated({"z"}, odd))),
        ("union", _answer(lambda: sorted({"z"}.union(odd)))),
        ("intersection", _answer(lambda: sorted({"a", "z"}.intersection(odd)))),
        ("difference", _answer(lambda: sorted({"a", "z"}.difference(odd)))),
        ("symmetric_difference", _answer(lambda: sorted({"a", "z"}.symmetric_difference(odd)))),
        ("issubset", _answer(lambda: {"a"}.issubset(odd))),
        ("issuperset", _answer(lambda: {"a"}.issuperset(odd))),
        ("isdisjoint", _answer(lambda: {"a"}.isdisjoint(odd))),
        ("in", _answer(lambda: ("a" in odd, "z" in odd, "all of it" in odd))),
        ("contains", _answer(lambda: (operator.contains(odd, "a"), operator.contains(odd, "all of it")))),
    ]


def looks_of_dicts(odd):
    """The same of what looks for keys."""
    return [
        ("dict", _answer(lambda: dict(odd))),
        ("OrderedDict", _answer(lambda: dict(OrderedDict(odd)))),
        ("update of a dict", _answer(lambda: _updated({"z": 1}, odd))),
        ("stars", _answer(lambda: {**odd})),
        ("or in place", _answer(lambda: operator.ior({"z": 1}, odd))),
    ]


def looks_of_plain_dicts(odd):
    """The same of operators, which make an OrderedDict of a class of one's own of such a one."""
    return [
        ("or", _answer(lambda: {"z": 1} | odd)),
        ("or of it", _answer(lambda: dict(odd | {"z": 1}))),
    ]


def looks_of_shared(items, keys, odd):
    """The same of methods of a list and a set, which may be shared."""
    return [
        ("extend", _answer(lambda: _extended(items, odd))),
        ("update of a set", _answer(lambda: _updated(keys, odd))),
        ("union", _answer(lambda: sorted(keys.union(odd)))),
        ("intersection", _answer(lambda: sorted(keys.intersection(odd)))),
        ("isdisjoint", _answer(lambda: keys.isdisjoint(odd))),
        ("slice", _answer(lambda: operator.setitem(items, slice(0, 1), odd) or list(items))),
    ]


def _answer(look):
    try:
        return repr(look())
    except (TypeError, KeyError, ValueError) as error:
        return type(error).__name__


def answers(odd):
    found = looks(odd)
    if isinstance(odd, dict):
        found += looks_of_dicts(odd)
    if isinstance(odd, dict) and not isinstance(odd, OrderedDict):
        found += looks_of_plain_dicts(odd)
    return _told(found)


def answers_of_shared(items, keys, odd):
    return _told(looks_of_shared(items, keys, odd))


def _told(found):
    return "; ".join(f"{name}: {answer}" for name, answer in found)


def seen(kind):
    """What is seen of one that nobody shares."""
    return answers(kind()), answers_of_shared([1], {"a", "z"}, kind()), answers(kind())


@mcr.program
def shared(p, kind="OddList"):
    """The same of one that threads share; two more are shared that look into it."""
    odd, items, keys = p.share(KINDS[kind]()), p.share([1]), p.share({"a", "z"})
    one, two = p.thread(answers, odd), p.thread(answers_of_shared, items, keys, odd)

    @p.final
    def outcome():
        return one.join(), two.join(), answers(odd)


@mcr.program
def joined(p):
    """An OrderedDict with an `__iter__` of its own, and a dict."""
    odd = p.share(OddOrderedDict())
    p.thread(lambda: len(odd | {}))
    p.thread(odd.clear)


KINDS = {kind.__name__: kind for kind in (OddList, OddDict, OddOrderedDict, OddSet, OddDeque, Sized, Contains)}
