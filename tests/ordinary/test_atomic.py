"""What is one step and what is several: each method of the containers, beside CPython under every schedule.

One thread does something to a container, the other one changes it once.
CPython's outcomes over all schedules of instructions, and those that the
checker finds, are the same: nothing that is one step is taken for two, and
nothing that is two for one. Of several changes the one counts with which CPython
shows most; with MCR_SLOW=1 they all do. Where CPython without its global lock takes no lock
of the object either, and the one that runs here has no switch, it runs the loop
that this is instead.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.amount import amount
from tests.ordinary import threadsafety
from tests.ordinary.real import runner_of
from tests.ordinary.twins import found, loaded, seen

SOURCE = """\
from collections import deque

import mcr


class Shared:
    def __init__(self):
        self.it = {initial}

    def thread_0(self):
        r = None
        try:
            {operation}
        except (AttributeError, LookupError, RuntimeError, ValueError) as error:
            r = type(error).__name__
        return r

    def thread_1(self):
        try:
            {disturbance}
        except (AttributeError, LookupError, ValueError):
            pass


def seen(shared):
    return ({look},)


@mcr.program
def generated(p):
    shared = p.share(Shared())
    threads = [p.thread(shared.thread_0), p.thread(shared.thread_1)]

    @p.final
    def outcome():
        return (*[thread.join() for thread in threads], *seen(shared))
"""

LIST = ("[1, 2]", ("self.it.insert(0, 3)", "self.it.append(1)", "self.it.pop(0)"), "tuple(shared.it)")
LISTS = (
    "self.it.append(4)",
    "self.it.extend([4, 5])",
    "self.it.insert(1, 4)",
    "r = self.it.pop()",
    "r = self.it.pop(0)",
    "self.it.remove(1)",
    "self.it.clear()",
    "self.it.sort()",
    "self.it.reverse()",
    "r = tuple(self.it.copy())",
    "r = len(self.it)",
    "r = bool(self.it)",
    "r = not self.it",
    "r = self.it[0]",
    "r = self.it[-1]",
    "r = tuple(self.it[0:2])",
    "self.it[0] = 4",
    "self.it[0:1] = [4, 5]",
    "r = tuple(self.it * 2)",
    "self.it *= 2",
    "del self.it[0]",
    "del self.it[:]",
    "r = tuple(self.it + [4])",
    "r = self.it == [1, 2]",
    "self.it += [4]",
    "self.it[0] += 4",
    "self.it[0], self.it[1] = self.it[1], self.it[0]",
    "self.it = [*self.it, 4]",
    "for each in self.it: r = (r, each)",
    "for each in reversed(self.it): r = (r, each)",
    "for place, each in enumerate(self.it): r = (r, each)",
    "r = tuple([each for each in self.it])",
    "for each in self.it: self.it.remove(each)",
    "r = next(iter(self.it))",
)

DICT = ("{1: 1, 2: 2}", ("self.it[3] = 3", "del self.it[1]", "self.it[1] = 3"), "tuple(shared.it.items())")
DICTS = (
    "r = self.it[1]",
    "self.it[1] = 4",
    "del self.it[1]",
    "r = self.it.get(1)",
    "r = self.it.get(3, 4)",
    "r = self.it.pop(1)",
    "r = self.it.pop(1, None)",
    "r = self.it.popitem()",
    "r = self.it.setdefault(3, 4)",
    "self.it.update({3: 4, 5: 5})",
    "self.it.update(a=4)",
    "self.it.clear()",
    "r = tuple(self.it.copy())",
    "r = tuple(dict(self.it).items())",
    "r = tuple({0: 0, **self.it}.values())",
    "table = {0: 0}; table.update(self.it); r = tuple(table)",
    "r = (lambda **names: tuple(names))(**{'a': 1}, **dict.fromkeys(map(str, self.it)))",
    "r = tuple(frozenset(self.it))",
    "r = tuple(dict.fromkeys(self.it))",
    "self.it.update([(3, 4), (5, 5)])",
    "r = len(self.it)",
    "r = bool(self.it)",
    "r = 1 in self.it",
    "r = 3 not in self.it",
    "self.it |= {4: 4}",
    "r = tuple(self.it | {4: 4})",
    "r = self.it == {1: 1, 2: 2}",
    "self.it[1] += 4",
    "self.it[3] = self.it.get(3, 0) + 1",
    "if 3 not in self.it: self.it[3] = 4",
    "for each in self.it: r = (r, each)",
    "for each in self.it.values(): r = (r, each)",
    "for key, each in self.it.items(): r = (r, each)",
    "r = tuple([each for each in self.it])",
    "r = next(iter(self.it))",
    "r = len(self.it.keys())",
    "r = tuple(list(self.it.values()))",
    "r = tuple(sorted(self.it.items()))",
    "r = tuple([*self.it.keys()])",
)

DEQUE = ("deque([1, 2])", ("self.it.appendleft(3)", "self.it.append(1)", "self.it[0] = 3"), "tuple(shared.it)")
DEQUES = (
    "self.it.append(4)",
    "self.it.appendleft(4)",
    "r = self.it.pop()",
    "r = self.it.popleft()",
    "self.it.extend([4, 5])",
    "self.it.extendleft([4, 5])",
    "self.it.insert(1, 4)",
    "self.it.remove(1)",
    "self.it.rotate(1)",
    "self.it.reverse()",
    "self.it.clear()",
    "r = self.it.count(1)",
    "r = self.it.index(2)",
    "r = tuple(self.it.copy())",
    "r = len(self.it)",
    "r = bool(self.it)",
    "r = self.it[0]",
    "self.it[0] = 4",
    "del self.it[0]",
    "r = 3 in self.it",
    "self.it += [4]",
    "for each in self.it: r = (r, each)",
    "while self.it: r = self.it.popleft()",
)

SET = ("{1, 2}", ("self.it.add(3)", "self.it.discard(1)"), "tuple(sorted(shared.it))")
SETS = (
    "self.it.add(4)",
    "self.it.discard(2)",
    "self.it.remove(1)",
    "self.it.clear()",
    "self.it.update([3, 4])",
    "self.it.difference_update([1, 3])",
    "self.it.intersection_update([2, 3])",
    "self.it.symmetric_difference_update([1, 3])",
    "self.it |= {4}",
    "self.it &= {2, 3}",
    "self.it -= {2, 3}",
    "r = tuple(sorted(self.it | {4}))",
    "r = tuple(sorted(self.it & {1, 3}))",
    "r = tuple(sorted(self.it.union([4])))",
    "r = self.it.issubset([1, 2, 3])",
    "r = self.it.isdisjoint([3])",
    "r = self.it == {1, 2}",
    "r = len(self.it)",
    "r = bool(self.it)",
    "r = 3 in self.it",
    "r = len(self.it.copy())",
    "r = tuple(sorted(set(self.it)))",
    "r = len({0, *self.it})",
    "r = frozenset([1, 3]).issubset(self.it)",
    "r = tuple(sorted({3, 4} & self.it))",
    "plain = {4}; plain |= self.it; r = tuple(sorted(plain))",
    "for each in self.it: r = (r, each)",
    "if 3 not in self.it: self.it.add(3); r = True",
)

BYTES = (
    "bytearray(b'ab')",
    ("self.it.insert(0, 99)", "self.it += b'a'", "del self.it[0]", "self.it[0] = 99"),
    "bytes(shared.it)",
)
ALL_BYTES = (
    "self.it.append(100)",
    "self.it.extend(b'de')",
    "self.it.extend([100, 101])",
    "self.it.insert(1, 100)",
    "r = self.it.pop()",
    "r = self.it.pop(0)",
    "self.it.remove(97)",
    "self.it.reverse()",
    "self.it.clear()",
    "self.it[0] = 100",
    "self.it[0:1] = b'de'",
    "self.it[:1] = [100, 101]",
    "del self.it[0]",
    "del self.it[:]",
    "self.it += b'de'",
    "self.it *= 2",
    "r = self.it[0]",
    "r = self.it[-1]",
    "r = bytes(self.it[0:2])",
    "r = len(self.it)",
    "r = bool(self.it)",
    "r = not self.it",
    "r = bytes(self.it)",
    "r = bytes(self.it.copy())",
    "r = bytes(bytearray(self.it))",
    "r = bytes(self.it + b'd')",
    "r = b'd' + self.it",
    "r = bytes(self.it * 2)",
    "r = self.it == b'ab'",
    "r = b'ab' != self.it",
    "r = self.it < b'b'",
    "r = self.it == 'ab'",
    "r = 97 in self.it",
    "r = b'b' in self.it",
    "r = self.it in b'cab'",
    "r = self.it in [b'ab', 1]",
    "r = self.it.find(b'b')",
    "r = self.it.index(b'b', 1)",
    "r = self.it.count(b'a')",
    "r = self.it.startswith(b'a')",
    "r = self.it.endswith((b'b', b'c'))",
    "r = b'abc'.startswith(bytes(self.it))",
    "r = b'abc'.find(self.it)",
    "r = self.it.startswith((b'x', bytearray(b'a')))",
    "r = b'abc'.startswith((b'x', self.it))",
    "r = bytearray(b'ab').endswith((b'x', self.it))",
    "import io; out = io.BytesIO(); out.writelines([b'x', self.it]); r = out.getvalue()",
    "r = str(ValueError(self.it, 1))",
    "r = self.it.decode()",
    "r = str(self.it, 'ascii')",
    "r = str(self.it)",
    "r = repr(self.it)",
    "r = f'{self.it!r:>20}'",
    "r = '%s' % self.it",
    "r = b'%b-' % self.it",
    "r = b'%b-%b' % (self.it, b'x')",
    "r = b'-'.join([self.it, b'x'])",
    "r = bytes(self.it.join([b'x', b'y']))",
    "r = self.it.hex()",
    "r = bytes(self.it.replace(b'a', b'dd'))",
    "r = tuple(map(bytes, self.it.split(b'b')))",
    "r = tuple(map(bytes, self.it.partition(b'b')))",
    "r = bytes(self.it.upper())",
    "r = int.from_bytes(self.it, 'big')",
    "r = tuple(self.it)",
    "r = sorted(self.it)[-1]",
    "r = bytes([*self.it])",
    "self.it[0] += 1",
    "for each in self.it: r = (r, each)",
    "for each in reversed(self.it): r = (r, each)",
    "for place, each in enumerate(self.it): r = (r, each)",
    "first, *rest = self.it; r = (first, *rest)",
    "it = iter(self.it); r = (next(it), next(it, None))",
    "own = bytearray(b'x'); own += self.it; r = bytes(own)",
    "own = bytearray(b'xyz'); own[1:2] = self.it; r = bytes(own)",
    "own = [b'x']; own.append(self.it); r = own == [b'x', b'ab']",
    "own = [b'x', self.it]; r = (own.index(b'ab'), str(own))",
    "own = {1: self.it}; r = own == {1: b'ab'}",
    "own = (1, self.it); r = own == (1, b'ab')",
    "try:\n    hash(self.it)\nexcept TypeError as error: r = str(error)",
    "try:\n    {self.it: 1}\nexcept TypeError as error: r = str(error)",
    "try:\n    self.it.append(300)\nexcept ValueError as error: r = str(error)",
    "try:\n    self.it += [1]\nexcept TypeError as error: r = str(error)",
    "try:\n    self.it.extend('a')\nexcept TypeError as error: r = str(error)",
    "try:\n    self.it + 'a'\nexcept TypeError as error: r = str(error)",
    "try:\n    self.it.index(b'x')\nexcept ValueError as error: r = str(error)",
    "import copy; r = bytes(copy.deepcopy([self.it])[0])",
    "import re; r = re.match(b'a', self.it) is not None",
    "import zlib; r = zlib.crc32(self.it)",
    "import struct; r = struct.unpack_from('B', self.it)",
    "import io; out = io.BytesIO(); out.write(self.it); r = out.getvalue()",
)

ATTRIBUTE = ("1", ("self.it = 2", "self.it += 1", "del self.it"), "getattr(shared, 'it', None)")
ATTRIBUTES = (
    "r = self.it",
    "self.it = 4",
    "self.it += 4",
    "self.it = self.it * self.it",
    "del self.it",
    "r = getattr(self, 'it', 4)",
    "r = hasattr(self, 'it')",
    "setattr(self, 'it', 4)",
    "r = self.it; r = (r, self.it)",
    "r = self.it < self.it",
    "del self.it; self.it = 4",
)

CASES = {
    f"{name}: {operation}": (operation.replace("\n", "\n" + " " * 12), *container)
    for name, container, operations in (
        ("list", LIST, LISTS),
        ("dict", DICT, DICTS),
        ("deque", DEQUE, DEQUES),
        ("set", SET, SETS),
        ("bytearray", BYTES, ALL_BYTES),
        ("attribute", ATTRIBUTE, ATTRIBUTES),
    )
    for operation in operations
}

ALL = 100_000
"""More schedules than any of these has."""

MOST = amount(1, 3)
"""How many disturbances of each operation the checker is asked about: those with which CPython shows most outcomes."""


def shown(texts: Iterable[str], constant: frozenset[str] = frozenset()) -> list[tuple[str, frozenset[str]]]:
    """The texts of which CPython shows most under every schedule, and what it shows; some attributes never change."""
    found = []
    for text in texts:
        real = runner_of(text, constant).every_schedule(ALL)
        assert real.complete
        found.append((text, seen(real)))
    return sorted(found, key=lambda each: (-len(each[1]), zlib.crc32(each[0].encode())))[:MOST]


def texts(operation: str, initial: str, disturbances: Iterable[str], look: str, source: str = SOURCE) -> list[str]:
    """The operation beside each disturbance."""
    asked = {"operation": operation, "initial": initial, "look": look}
    return [source.format(disturbance=disturbance, **asked) for disturbance in disturbances]


@pytest.mark.usefixtures("nobody_looks_between")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_as_cpython_does(case: tuple[str, str, tuple[str, ...], str]) -> None:
    for text, expected in shown(texts(*case)):
        assert found(loaded(text, "ordinary"), "sc") == expected, text


OF_LISTS = {name: case for name, case in CASES.items() if name.startswith("list")}


@pytest.mark.parametrize("case", OF_LISTS.values(), ids=OF_LISTS)
def test_who_may_look_between_finds_all_that_cpython_shows(case: tuple[str, str, tuple[str, ...], str]) -> None:
    for text, expected in shown(texts(*case)):
        assert found(loaded(text, "ordinary"), "sc") >= expected, text


LOOPS = (
    ("r = 3 in self.it", "r = False\nfor each in self.it:\n if each == 3: r = True; break"),
    ("r = 3 not in self.it", "r = True\nfor each in self.it:\n if each == 3: r = False; break"),
    ("r = self.it.count(1)", "r = 0\nfor each in self.it: r += each == 1"),
    ("r = self.it.index(2)", "for r, each in enumerate(self.it):\n if each == 2: break\nelse: r = 'ValueError'"),
    (
        "r = self.it.index(2, -1)",
        "r = max(len(self.it) - 1, 0)\nwhile True:\n try:\n  if self.it[r] == 2: break\n  r += 1\n"
        " except IndexError: r = 'ValueError'; break",
    ),
    ("r = sum(self.it)", "r = 0\nfor each in self.it: r += each"),
    ("r = max(self.it, default=0)", "r = 0\nfor each in self.it: r = max(r, each)"),
    ("r = tuple(set(self.it))", "r = set()\nfor each in self.it: r.add(each)\nr = tuple(r)"),
    ("r = any(self.it)", "r = False\nfor each in self.it:\n if each: r = True; break"),
)
"""What takes no lock of a list in free-threaded CPython ("Thread safety for list objects"), and the loop that it is."""
OF_VALUES = (
    ("r = sum(self.it.values())", "r = 0\nfor each in self.it.values(): r += each"),
    ("r = 3 in self.it.values()", "r = False\nfor each in self.it.values():\n if each == 3: r = True; break"),
)

STEPWISE = {
    f"{name}: {operation}": (operation, loop, *container)
    for name, container, loops in (("list", LIST, LOOPS), ("dict", DICT, OF_VALUES))
    for operation, loop in loops
}


@pytest.mark.usefixtures("nobody_looks_between")
@pytest.mark.parametrize("case", STEPWISE.values(), ids=STEPWISE)
def test_as_the_loop_does_that_it_is(case: tuple[str, str, str, tuple[str, ...], str]) -> None:
    operation, loop, *rest = case
    written_out = loop.replace("\n", "\n" + " " * 12)
    for text, expected in shown(texts(written_out, *rest)):
        assert found(loaded(text.replace(written_out, operation), "ordinary"), "sc") == expected, text


@pytest.mark.parametrize("row", threadsafety.ROWS, ids=lambda row: f"{row.kind}: {row.page}")
def test_what_cpythons_page_says_is_tested(row: threadsafety.Row) -> None:
    for operation in row.operations:
        assert f"{row.kind}: {operation}" in {**CASES, **STEPWISE}


def test_the_table_of_what_cpythons_page_says_is_this_one() -> None:
    assert threadsafety.table() in Path("results/threadsafety.md").read_text(encoding="utf-8")


OF_CLASS = {
    name: case
    for name, case in CASES.items()
    if name.startswith("attribute") or any(each in name for each in ("append(4)", "self.it[0] += 4", "= {4}", "pop(1)"))
}


@pytest.mark.parametrize("case", OF_CLASS.values(), ids=OF_CLASS)
def test_as_cpython_does_what_a_class_holds(case: tuple[str, str, tuple[str, ...], str]) -> None:
    of_class = [text.replace("self.it", "Shared.it").replace("shared.it", "Shared.it") for text in texts(*case)]
    for text, expected in shown(of_class):
        assert found(loaded(text, "ordinary"), "sc") == expected, text
