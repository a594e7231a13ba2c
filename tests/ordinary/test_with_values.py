"""Shared objects of classes made from values: the interpreter and CPython agree."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import mcr
from tests.ordinary import with_values

RIGHT = {name: each for name, each in vars(with_values).items() if name.startswith("right_")}


@pytest.mark.parametrize("name", RIGHT)
def test_what_cpython_does_is_verified(name: str) -> None:
    """CPython comes last: it has objects of modules once for all runs."""
    assert mcr.check(RIGHT[name]).verdict.value == "verified"
    RIGHT[name]()


def test_a_class_that_compares_in_a_way_of_its_own_is_refused() -> None:
    with pytest.raises(mcr.ModelError, match="of class Compared, made from int: it can be shared if"):
        mcr.check(with_values.refused_compared)


class _HashedTuple(tuple):
    """As cachetools has it: the attribute is what follows from the items."""

    __hashed = None

    def __hash__(self):
        if self.__hashed is None:
            self.__hashed = tuple.__hash__(self)
        return self.__hashed


class Cache:
    def __init__(self):
        self.held = {}

    def get(self):
        key = _HashedTuple((3,))
        if key not in self.held:
            self.held[key] = 1
        return self.held[key]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_class_that_is_known_only_to_remember_its_hash_can_be_a_key(monkeypatch, is_known):
    if is_known:
        (module := ModuleType("cachetools.keys"))._HashedTuple = _HashedTuple
        monkeypatch.setitem(sys.modules, "cachetools.keys", module)

    @mcr.program
    def program(p):
        cache = p.share(Cache())
        cache.get()
        p.thread(cache.get)
        p.thread(cache.get)

    if is_known:
        assert mcr.check(program, "sc").verdict is mcr.Verdict.VERIFIED
    else:
        with pytest.raises(mcr.ModelError, match="_HashedTuple, made from tuple"):
            mcr.check(program, "sc")
