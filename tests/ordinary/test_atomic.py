"""What is one step and what is several: each method of the containers, beside CPython under every schedule.

One thread does something to a container, the other one changes it once.
CPython's outcomes over all schedules of instructions, and those that the
checker finds, are the same: nothing that is one step is taken for two, and
nothing that is two for one. The checker is asked about several operations by
one program, whose threads choose what they do. Where CPython without its
global lock takes no lock of the object either, and the one that runs here has
no switch, it runs the loop that this is instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

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
{methods}

def seen(shared):
    return ({look},)


@mcr.program
def generated(p):
    shared = p.share(Shared())
    threads = [p.thread({operations}), p.thread({disturbances})]

    @p.final
    def outcome():
        return (*[thread.join() for thread in threads], *seen(shared))
"""

OPERATION = """
    def {method}(self):
        r = None
        try:
            {text}
        except (AttributeError, LookupError, RuntimeError, ValueError) as error:
            r = type(error).__name__
        return {name!r}, r
"""

DISTURBANCE = """
    def {method}(self):
        try:
            {text}
        except (AttributeError, LookupError, ValueError):
            pass
        return {text!r}
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

CONTAINERS = {
    "list": (LIST, LISTS),
    "dict": (DICT, DICTS),
    "deque": (DEQUE, DEQUES),
    "set": (SET, SETS),
    "bytearray": (BYTES, ALL_BYTES),
    "attribute": (ATTRIBUTE, ATTRIBUTES),
}

ALL = 100_000
"""More schedules than any of these has."""

MOST = amount(2, 4)
"""So many changes meet each operation."""

TOGETHER = 8
"""So many operations are one program."""


class Asked(NamedTuple):
    """Operations on a container, by the names that outcomes have them by, and what changes it once beside them."""

    operations: dict[str, str]
    initial: str
    disturbances: tuple[str, ...]
    look: str
    source: str = SOURCE

    def alone(self) -> list[str]:
        """A text for each operation and each disturbance, with methods as `real.py` runs them."""
        return [
            self._text({"thread_0": operation}, {"thread_1": disturbance})
            for operation in self.operations
            for disturbance in self.disturbances
        ]

    def together(self) -> str:
        """The text of one program, which chooses among them."""
        return self._text(
            {f"operation_{number}": name for number, name in enumerate(self.operations)},
            {f"disturbance_{number}": text for number, text in enumerate(self.disturbances)},
        )

    def _text(self, operations: dict[str, str], disturbances: dict[str, str]) -> str:
        """A class with these methods: for each operation its name, for each disturbance its text."""
        texts = {name: text.replace("\n", "\n" + " " * 12) for name, text in self.operations.items()}
        methods = [
            *(OPERATION.format(method=method, name=name, text=texts[name]) for method, name in operations.items()),
            *(DISTURBANCE.format(method=method, text=text) for method, text in disturbances.items()),
        ]
        return self.source.format(
            initial=self.initial,
            look=self.look,
            methods="".join(methods),
            operations=_one_of(operations),
            disturbances=_one_of(disturbances),
        )


def _one_of(methods: Iterable[str]) -> str:
    """A function that calls one of the methods, whichever."""
    names = (*methods,)
    return f"lambda: getattr(shared, p.choose{names})()" if len(names) > 1 else f"shared.{names[0]}"


def groups(containers: dict[str, tuple[tuple[str, tuple[str, ...], str], Sequence[str]]], source: str) -> list[Any]:
    """So many operations as one program has, by the first of them."""
    found = []
    for kind, ((initial, disturbances, look), operations) in containers.items():
        for first in range(0, len(operations), TOGETHER):
            some = {each: each for each in operations[first : first + TOGETHER]}
            asked = Asked(some, initial, disturbances[:MOST], look, source)
            found.append(pytest.param(asked, id=f"{kind}: {operations[first]}"))
    return found


def shown(texts: Iterable[str], constant: frozenset[str] = frozenset()) -> frozenset[str]:
    """Outcomes that CPython shows of programs under every schedule; some attributes never change."""
    return frozenset().union(*(_shown(text, constant) for text in texts))


@cache
def _shown(text: str, constant: frozenset[str]) -> frozenset[str]:
    real = runner_of(text, constant).every_schedule(ALL)
    assert real.complete
    return seen(real)


@pytest.mark.usefixtures("nobody_looks_between")
@pytest.mark.parametrize("asked", groups(CONTAINERS, SOURCE))
def test_as_cpython_does(asked: Asked) -> None:
    assert found(loaded(asked.together(), "ordinary"), "sc") == shown(asked.alone())


@pytest.mark.parametrize("asked", groups({"list": CONTAINERS["list"]}, SOURCE))
def test_who_may_look_between_finds_all_that_cpython_shows(asked: Asked) -> None:
    assert found(loaded(asked.together(), "ordinary"), "sc") >= shown(asked.alone())


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
OF_BYTES = (
    (
        "first, *rest = self.it; r = (first, *rest)",
        "it = iter(self.it); r = (next(it),)\nfor each in it: r = (*r, each)",
    ),
)

STEPWISE = {"list": (LIST, dict(LOOPS)), "dict": (DICT, dict(OF_VALUES)), "bytearray": (BYTES, dict(OF_BYTES))}


@pytest.mark.usefixtures("nobody_looks_between")
@pytest.mark.parametrize("kind", STEPWISE)
def test_as_the_loop_does_that_it_is(kind: str) -> None:
    container, loops = STEPWISE[kind]
    of_operations = Asked({each: each for each in loops}, *container).together()
    assert found(loaded(of_operations, "ordinary"), "sc") == shown(Asked(loops, *container).alone())


@pytest.mark.parametrize("row", threadsafety.ROWS, ids=lambda row: f"{row.kind}: {row.page}")
def test_what_cpythons_page_says_is_tested(row: threadsafety.Row) -> None:
    assert {*row.operations} <= {*CONTAINERS[row.kind][1], *STEPWISE.get(row.kind, ((), ()))[1]}


def test_the_table_of_what_cpythons_page_says_is_this_one() -> None:
    assert threadsafety.table() in Path("results/threadsafety.md").read_text(encoding="utf-8")


SOME = ("append(4)", "self.it[0] += 4", "= {4}", "pop(1)")
OF_CLASS = {
    kind: (container, chosen)
    for kind, (container, operations) in CONTAINERS.items()
    if (chosen := [each for each in operations if kind == "attribute" or any(part in each for part in SOME)])
}


@pytest.mark.parametrize("asked", groups(OF_CLASS, SOURCE))
def test_as_cpython_does_what_a_class_holds(asked: Asked) -> None:
    def of_class(text: str) -> str:
        return text.replace("self.it", "Shared.it").replace("shared.it", "Shared.it")

    assert found(loaded(of_class(asked.together()), "ordinary"), "sc") == shown(map(of_class, asked.alone()))
