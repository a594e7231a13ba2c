"""Shared containers given to what is written in C, which would look past their methods: it sees what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ordinary.test_objects import outcomes
from tests.ordinary.twins import loaded

SOURCE = """\
import bisect
import collections
import copy
import functools
import heapq
import itertools
import json
import operator
import random
import statistics
from collections import OrderedDict, defaultdict, deque

import mcr


class Tags(set):
    def add_both(self, one, two):
        super().add(one)
        self.add(two)


class Holder:
    def __init__(self):
        self.items = [3, 1, 2]
        self.words = ["b", "a"]
        self.rows = [[1, 2], [3, 4]]
        self.pairs = [("k", 1), ("l", 2)]
        self.table = {{"b": 1, "a": 2}}
        self.other = {{"a": 5, "c": 3}}
        self.members = {{1, 2, 3}}
        self.tags = Tags(["x", "y"])
        self.line = deque([3, 1, 2], maxlen=5)
        self.order = OrderedDict(b=1, a=2)
        self.groups = defaultdict(list, {{"g": [1]}})


def given(*values, **names):
    return values, names


def words(value):
    # the same for a shared container and a plain one, and for each order of a set
    if isinstance(value, (set, frozenset)):
        return f"{{value.__class__.__name__}} of {{sorted([words(each) for each in value])}}"
    if isinstance(value, dict):
        return f"{{value.__class__.__name__}} of {{[(words(key), words(value[key])) for key in value]}}"
    if isinstance(value, (list, tuple, deque)):
        return f"{{value.__class__.__name__}} of {{[words(each) for each in value]}}"
    return repr(value)

{functions}

ALL = [{names}]


def everything(holders):
    found = []
    for place, each in enumerate(ALL):
        it = holders[place]
        try:
            found.append(words(each(it)))
        except (TypeError, ValueError, LookupError, AttributeError, RuntimeError) as error:
            found.append(repr(error))
    return tuple(found)


@mcr.program
def generated(p):
    holders = p.share([Holder() for _ in ALL])
    thread = p.thread(everything, holders)
    p.final(lambda: thread.join())
"""

EXPRESSIONS = [line for line in Path(__file__).with_name("given_to_c.txt").read_text().splitlines() if line]
"""Of `it`, a holder."""

AT_ONCE = 20
"""So many of them are one program."""


def program_of(expressions):
    functions = "".join(f"\n\ndef case_{number}(it):\n    return {each}\n" for number, each in enumerate(expressions))
    names = ", ".join(f"case_{number}" for number in range(len(expressions)))
    return loaded(SOURCE.format(functions=functions, names=names), "given_to_c")


def expected_of(program):
    plain = program.function.__globals__
    return {repr(plain["everything"]([plain["Holder"]() for _ in plain["ALL"]]))}


@pytest.mark.parametrize("first", range(0, len(EXPRESSIONS), AT_ONCE))
def test_it_sees_what_is_in_them(first):
    program = program_of(EXPRESSIONS[first : first + AT_ONCE])
    assert outcomes(program, algorithm="exhaustive") == expected_of(program)  # of one thread, so there is one way


def test_an_operator_in_place_changes_the_plain_set():
    source = SOURCE.format(
        functions="""

def in_place(it):
    plain = same = {9, 1}
    plain |= it.members
    same &= it.members
    plain -= {3}
    plain ^= it.members
    one, two, three = it.items
    return plain, same, plain is same, one, two, three
""",
        names="in_place",
    )
    program = loaded(source, "in_place")
    assert outcomes(program) == expected_of(program)
