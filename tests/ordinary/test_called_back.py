"""Native code that calls Python code back, or looks into what is shared: as CPython does, or refused. Never a bug."""

from __future__ import annotations

import array
import bisect
import cmath
import collections
import datetime
import decimal
import functools
import gc
import json
import math
import operator
import os
import re
import signal
import string
import struct
import sys
import threading
import types
from typing import Any

import pytest

import mcr
from replay.frontend.ownership.called_back import run_natively

_USED = (
    array,
    bisect,
    cmath,
    collections,
    datetime,
    decimal,
    functools,
    json,
    math,
    operator,
    os,
    re,
    string,
    struct,
    types,
)


class Index:
    def __init__(self, held: Any) -> None:
        self.held = held

    def __index__(self) -> int:
        return len(self.held)


class Number(Index):
    def __float__(self) -> float:
        return float(len(self.held))


class Place(Index):
    def __fspath__(self) -> str:
        return "/".join(map(str, self.held))


class Zone(datetime.tzinfo):
    def __init__(self, held: Any) -> None:
        self.held = held

    def utcoffset(self, moment: Any) -> datetime.timedelta:
        return datetime.timedelta(hours=len(self.held))

    def dst(self, moment: Any) -> None:
        return None


class Named:
    def __init__(self, held: Any) -> None:
        self.held = held

    def keys(self) -> list[str]:
        return ["a"]

    def __getitem__(self, key: Any) -> str:
        return str(len(self.held))


class Shared:
    def __init__(self) -> None:
        self.numbers = [1, 2]
        self.texts = ["a", "b"]
        self.table: dict[Any, Any] = {97: "b", "a": 1}
        self.members = {1}
        self.parts = [0, (1, 2), 0]
        self.count = 0


SEEN = """
[1, 2, 3][Index(it.numbers)] == 3
"a" * Index(it.numbers) == "aa" and [0] * Index(it.numbers) == [0, 0] and Index(it.numbers) * "a" == "aa"
[1, 2, 3].pop(Index(it.numbers)) == 3
re.sub("a", lambda match: it.table[97], "a") == "b"
re.compile("a").subn(lambda match: None, "xax", count=1) == ("xx", 1)
re.compile(b"a").sub(lambda match: bytes(it.numbers), b"xa") == b"x\\1\\2"
string.Template("$a").substitute({"a": it.texts}) == "['a', 'b']"
string.Template("$a").substitute(Named(it.texts)) == "2"
"abc".translate(it.table) == "bbc" and str.translate("a", Named(it.texts)) == "2"
it.members in {frozenset({1})} and {frozenset({1})}.remove(it.members) is None
decimal.Decimal(it.parts) == 12
json.dumps({"a": it.numbers}) == '{"a": [1, 2]}'
functools.partial(len, it.numbers)() == 2
float(Number(it.numbers)) == 2.0 and int(Index(it.numbers)) == 2
"%(a)s" % Named(it.texts) == "2"
"""
"""What threads may do: it is what CPython makes of it."""

REFUSED = """
math.sqrt(Number(it.numbers)) == 2**0.5
cmath.sqrt(Number(it.numbers)) == cmath.sqrt(2)
math.gcd(Index(it.numbers), 4) == 2
struct.pack("i", Index(it.numbers)) == struct.pack("i", 2)
"a".center(Index(it.numbers)) == "a "
collections.deque([1, 2, 3])[Index(it.numbers)] == 3
array.array("i", [Index(it.numbers)])[0] == 2
datetime.date(2020, 1, Index(it.numbers)).day == 2
datetime.datetime(2020, 1, 1, tzinfo=Zone(it.numbers)).isoformat().endswith("+02:00")
datetime.datetime(2020, 1, 1, tzinfo=Zone(it.numbers)) < datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
os.fspath(Place(it.numbers)) == "1/2"
"%d" % Index(it.numbers) == "2"
re.split("a", "xaxax", maxsplit=Index(it.numbers)) == ["x", "x", "x"]
json.loads('{"a": 1}', object_hook=lambda found: len(it.numbers)) == 2
json.dumps(Index(1), default=lambda value: list(it.numbers)) == "[1, 2]"
types.MappingProxyType(it.table)["a"] == 1
decimal.getcontext().create_decimal(it.parts) == 12
"""
"""What nobody could see: it is refused, and told to nobody as a failure that Python may have."""


def _checked(expression: str) -> mcr.Result:
    holds = eval(f"lambda it: {expression}", globals())

    def program() -> None:
        it = Shared()

        def work() -> None:
            it.count += 1
            assert holds(it)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return mcr.check(program, "sc")


@pytest.mark.parametrize("expression", SEEN.strip().splitlines())
def test_it_is_seen(expression: str) -> None:
    assert eval(expression, {**globals(), "it": Shared()})
    assert _checked(expression).verdict is mcr.Verdict.VERIFIED


@pytest.mark.parametrize("expression", REFUSED.strip().splitlines())
def test_it_is_refused(expression: str) -> None:
    with pytest.raises(mcr.ModelError, match=r"is written in C, and (calls|looks into)"):
        _checked(expression)


def test_what_handles_a_signal_meanwhile_is_not_called_by_native_code() -> None:
    seen = []

    def handle(*_: Any) -> None:
        seen.append("handled")

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        run_natively(signal.raise_signal, [signal.SIGUSR1], {})
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == ["handled"]
    assert gc.isenabled()
    assert sys.getprofile() is None
