"""All that a program rests on has a name: whatever of it changes, certificates and answers that were kept say which."""

from __future__ import annotations

import collections
import datetime
import decimal
import functools
import importlib
import itertools
import operator
import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from replay.frontend.foundations import foundations
from replay.traces.loader import find_programs
from tests.desk import Desk

SETTINGS = """
import os

VALUE = os.environ.get("VALUE", "1")
"""

DEEPER = """
from rests_on.settings import VALUE

FIRST, LIMIT = 0, int(VALUE)
"""

HELPER = """
import functools
from rests_on.settings import VALUE

def double(x):
    return x.load() * 2

def triple(x):
    return x.load() * 3

class Kind:
    bound = 1

Kind.bound = int(VALUE)
chosen = double if VALUE == "1" else triple
container = list if VALUE == "1" else tuple
table = {"call": chosen}

def made(bound):
    class Made:
        limit = bound
    return Made

one, other = made(1), made(int(VALUE))
remembering = functools.lru_cache(made(int(VALUE)))

def by_default(x, bound=int(VALUE)):
    return x.load() < bound
"""

PROGRAMS = """
import mcr
import programs
import rests_on.deeper, rests_on.helper as helper
from rests_on.settings import VALUE

N = int(VALUE)

def called(x, function):
    function(x)

@mcr.program
def initial(p):
    x = p.var("x", N)
    p.thread(lambda: x.load())

@mcr.program
def cells(p):
    row = p.array("row", [0, N])
    p.thread(lambda: row[1].load())

@mcr.program
def own(p):
    x, mine = p.var("x", 0), p.local(bound=N)
    p.thread(lambda: x.load() < mine.bound)

@mcr.program
def closure(p):
    x, bound = p.var("x", 0), N
    p.thread(lambda: x.load() < bound)

@mcr.program
def ends(p):
    x, bound = p.var("x", 0), N
    p.thread(lambda: x.store(1))
    @p.final
    def final():
        assert x.load() <= bound

@mcr.program
def dotted(p):
    x = p.var("x", 0)
    p.thread(lambda: x.load() < rests_on.deeper.LIMIT)

@mcr.program
def dotted_again(p):
    x = p.var("x", 0)
    p.thread(lambda: rests_on.deeper.FIRST)
    p.thread(lambda: programs.rests_on.deeper.LIMIT)

@mcr.program
def asked_by_text(p):
    x = p.var("x", 0)
    p.thread(lambda: x.load() < getattr(rests_on.deeper, "LI" + "MIT"))

@mcr.program
def of_class(p):
    x = p.var("x", 0)
    p.thread(lambda: x.load() < helper.Kind.bound)

@mcr.program
def alias(p):
    x = p.var("x", 0)
    p.thread(lambda: helper.double(x) + helper.triple(x) + helper.chosen(x))

@mcr.program
def alias_of_class(p):
    x = p.var("x", 0)
    p.thread(lambda: helper.container([x.load()]))

@mcr.program
def called_back(p):
    p.thread(called, p.var("x", 0), helper.table["call"])

@mcr.program
def made_classes(p):
    x = p.var("x", 0)
    p.thread(lambda: x.load() < helper.one.limit + helper.other.limit)

@mcr.program
def default(p):
    x = p.var("x", 0)
    p.thread(lambda: helper.by_default(x))
"""

NAMED = {
    **dict.fromkeys(("initial", "cells", "own", "closure"), "thread 0"),
    "ends": "final",
    **dict.fromkeys(("dotted", "dotted_again", "asked_by_text"), "rests_on.deeper.LIMIT"),
    "of_class": "rests_on.helper.Kind.bound",
    "alias": "rests_on.helper.chosen",
    "alias_of_class": "rests_on.helper.container",
    "called_back": "thread 0",
    "made_classes": "rests_on.helper.made.<locals>.Made.limit",
    "default": "rests_on.helper.by_default",
}
"""By program, a name whose digest differs where the environment has another VALUE."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the programs, and modules which no other test knows, before or after."""
    package = tmp_path / "rests_on"
    package.mkdir()
    for name, text in (("__init__", ""), ("settings", SETTINGS), ("deeper", DEEPER), ("helper", HELPER)):
        (package / f"{name}.py").write_text(text)
    (tmp_path / "programs.py").write_text(PROGRAMS)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in ("rests_on", "programs")]:
        del sys.modules[name]
    importlib.invalidate_caches()


def _digests(home: Path, value: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """Digests of all that each program rests on, and its fingerprint, where the environment has this VALUE."""
    monkeypatch.setenv("VALUE", value)
    _forget()
    programs = find_programs(str(home / "programs.py"))
    return {each.name: foundations(each).digests() | {"fingerprint": each.fingerprint()} for each in programs}


def test_a_setting_is_named_wherever_it_goes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is kept goes by the fingerprint, a certificate by the names."""
    once, again, changed = (_digests(home, value, monkeypatch) for value in ("1", "1", "2"))
    assert once == again
    assert once.keys() == NAMED.keys()
    for program, name in NAMED.items():
        before, after = once[program], changed[program]
        differs = {each for each in before | after if before.get(each) != after.get(each)}
        assert {name, "fingerprint"} <= differs, program


FIRST = """
import os, mcr

@mcr.program
def first(p):
    x = p.var("x", int(os.environ["VALUE"]))
    p.thread(lambda: 1 // (2 - x.load()))
"""


def test_an_answer_that_was_kept_is_none_for_other_first_values(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("first.py", FIRST)
    for value, status in (("1", 0), ("2", 1)):
        monkeypatch.setenv("VALUE", value)
        assert desk.mcr("check", "first.py", "--model", "sc", "--resume", "kept").status == status


class Row(list[int]):
    """A class made from a container."""


class Text(str):
    """A class made from a value."""


VALUES: dict[str, Callable[[int], Any]] = {
    "OrderedDict": lambda n: collections.OrderedDict(a=n),
    "Counter": lambda n: collections.Counter(a=n),
    "ChainMap": lambda n: collections.ChainMap({"a": n}),
    "deque": lambda n: collections.deque([n]),
    "maxlen": lambda n: collections.deque(maxlen=n),
    "defaultdict": lambda n: collections.defaultdict(lambda: n),
    "bytearray": lambda n: bytearray([n]),
    "memoryview": lambda n: memoryview(bytes([n])),
    "slice": slice,
    "SimpleNamespace": lambda n: types.SimpleNamespace(a=[n]),
    "mappingproxy": lambda n: types.MappingProxyType({"a": n}),
    "keys": lambda n: {n: 0}.keys(),
    "flags of a pattern": lambda n: re.compile("a", re.I if n == 1 else re.M),
    "Decimal": decimal.Decimal,
    "date": lambda n: datetime.date(2000, 1, n),
    "method of a list": lambda n: [n].append,
    "itemgetter": operator.itemgetter,
    "methodcaller": lambda n: operator.methodcaller("a" * n),
    "partial": lambda n: functools.partial(int, n),
    "lru_cache": lambda n: functools.lru_cache(lambda: n),
    "cached_property": lambda n: functools.cached_property(lambda _: n),
    "iterator": lambda n: iter([n]),
    "repeat": itertools.repeat,
    "exception": ValueError,
    "alias": lambda n: list[int] if n == 1 else list[str],
    "union": lambda n: int | str if n == 1 else int | bytes,
    "builtin": lambda n: len if n == 1 else sum,
    "class": lambda n: int if n == 1 else str,
    "module": lambda n: re if n == 1 else types,
    "class of a list": lambda n: Row([n]),
    "class of a text": lambda n: Text("a" * n),
}  # fmt: skip


@pytest.mark.parametrize("of", VALUES)
def test_values_differ_by_what_they_hold(of: str, tmp_path: Path) -> None:
    (tmp_path / "reads.py").write_text(
        "import mcr\n\n@mcr.program\ndef reads(p):\n    x = p.var('x', 0)\n    p.thread(lambda: (x.load(), HELD))\n"
    )
    digests = []
    for value in (VALUES[of](1), VALUES[of](1), VALUES[of](2)):
        [program] = find_programs(str(tmp_path / "reads.py"))
        program.function.__globals__["HELD"] = value
        digests.append(foundations(program).digests()["HELD"])
    assert digests[0] == digests[1] != digests[2]
