"""Small random threads that let C code call Python code: every kind of callable, iterator and place.

A program is a text, determined by its seed.
"""

from __future__ import annotations

import random
from types import CodeType
from typing import Any

from replay.frontend.declarations import Declarations
from replay.frontend.program import Program
from tests.callables import things

_SOURCES = (
    "(x.load() for _ in range({n}))", "numbers(x, {n})", "guarded(x, {n})", "delegating(x, {n})", "Count(x, {n})",
    "Again(x, {n})", "Cells(x, {n})", "Slow(x, {n})", "Subscripts(x, {n})", "iter(Subscripts(x, {n}))",
    "reversed(Subscripts(x, {n}))", "[0, 1]", "(1, 0)", "{1: 0, 0: 1}", "{0: 1, 1: 0}.items()",
    "{'a': 0, 'b': 1}.values()", "{0, 1}", "range({n})", "iter([1, 0])", "reversed([1, 0])", "deque([0, 1])",
    "[Item(x, 0), Item(x, 1)]", "[x.load(), Item(x, 0)]", "iter(x.load, 1)", "iter(lambda: x.load() + k, 1)", "g", "g",
    "it", "OrderedDict(a=0, b=1).values()", "defaultdict(int, {1: 0})", "Counter([0, 1, 1])",
)  # fmt: skip
"""What is iterated."""

_CHAINS = (
    "map({f}, {s})", "map({f}, {s})", "map({b}, {s}, {t})", "filter({f}, {s})", "filter(None, {s})", "zip({s})",
    "zip({s}, {t})", "zip(g, g)", "zip(g, enumerate(g))", "enumerate({s})", "enumerate(zip({s}, {t}), 1)",
    "itertools.chain({s}, {t})", "itertools.chain.from_iterable([{s}, {t}])", "itertools.islice({s}, 2)",
    "itertools.accumulate({s}, {b})", "itertools.takewhile({f}, {s})", "itertools.dropwhile({f}, {s})",
    "itertools.filterfalse({f}, {s})", "itertools.starmap({b}, zip({s}, {t}))", "itertools.tee({s})[1]",
    "itertools.pairwise({s})", "itertools.compress({s}, {t})", "itertools.zip_longest({s}, {t})",
    "(k for k, _ in itertools.groupby({s}, {f}))", "itertools.islice(itertools.cycle({s}), 3)",
    "itertools.product({s}, [0])", "(v + k for v in {s})", "({f}(v) for v in {s} if v != 1)", "reversed(list({s}))",
    "heapq.merge({s}, [1])", "iter({s})",
)  # fmt: skip
"""Iterators over iterators."""

_ONE = (
    "seen", "seen", "plus", "Item(x, 0)", "functools.partial(two, 1)", "operator.not_", "bool", "str", "abs", "other",
    "functools.partial(seen)", "Item(x, 1).__add__", "operator.attrgetter('real')", "[].append",
    "functools.cache(seen)",
)  # fmt: skip
"""Functions of one argument."""

_TWO = ("two", "two", "max", "operator.add", "operator.eq", "(lambda a, b: x.load())", "functools.partial(two)")
"""Functions of two."""

_TAKING = (
    "list({s})", "tuple({s})", "set({s})", "frozenset({s})", "sorted({s}, key={f})", "sorted({s})", "sum({s})",
    "max({s}, key={f}, default=0)", "min({s}, default=1)", "any({s})", "all({s})", "any(map({f}, {s}))",
    "all({f}(v) for v in {s})", "next({s}, 7)", "next(iter({s}), 7)", "next(zip(g, g), 7)", "next(g, 7)",
    "functools.reduce({b}, {s}, 0)", "dict.fromkeys({s}, x.load())", "dict(zip({s}, {t}))", "dict(enumerate({s}))",
    "Counter({s})", "deque({s}, 2)", "deque({s}, maxlen=0)", "OrderedDict(enumerate({s}))",
    "defaultdict(int, enumerate({s}))",
    "heapq.nsmallest(2, {s}, key={f})", "heapq.nlargest(1, {s})", "bisect.bisect([0, 1], x.load(), key={f})",
    "bisect.bisect_left(sorted({s}), 1)", "bisect.insort(kept, x.load(), key={f})", "operator.countOf({s}, 1)",
    "operator.indexOf(list({s}), 0)", "operator.contains({s}, 1)", "1 in {s}", "Item(x, 0) in [1, 0]",
    "[Item(x, 0), 1].index(1)", "[1, Item(x, 1)].count(1)", "[Item(x, 0)] == [Item(x, 1)]", "(0, Item(x, 0)) < (0, 1)",
    "','.join(map(str, {s}))", "len(Item(x, 1))", "len(Slow(x, 1))", "bool(Item(x, 0))", "hash(Item(x, 0))",
    "str(Item(x, 0))", "f'{Item(x, 0)}{x.load()}'", "Item(x, 0) + Item(x, 1)", "2 + Item(x, 1)",
    "Item(x, 0) == Item(x, 1) == 1", "getattr(Item(x, 0), 'value')", "Item(x, 0).value + x.load()", "range(Item(x, 0))",
    "[5, 6, 7][Item(x, 0)]", "{Item(x, 0): 1, Item(x, 1): 2}", "{Item(x, 0)}", "{0: x.load()}.get(Item(x, 0), 3)",
    "operator.attrgetter('value', 'number')(Item(x, 0))", "operator.methodcaller('seen')(Item(x, 0))",
    "operator.itemgetter(0)(Subscripts(x, 1))", "{f}(x.load())", "{b}(x.load(), {f}(1))", "isinstance(x.load(), int)",
    "[v for v in {s}]", "{v for v in {s}}", "{v: {f}(v) for v in {s}}", "[*{s}]", "(*{s}, x.load())", "[*g, *{s}]",
    "it.__next__()", "g.send(None)", "g.__next__()", "(lambda *a: a)(*{s})", "(lambda *a: x.load())(*{s})",
    "itertools.islice(g, 1)", "list(itertools.islice(g, 1))", "heapq.heappushpop(kept, x.load())",
    "sum(v for v in {s})",
    "sorted([1, 0], key=lambda v: -v * x.load())", "max(x.load(), x.load())", "kept.sort(key={f})", "kept.extend({s})",
    "kept.append(x.load())", "divmod(x.load() + 2, 2)", "[w for v in {s} for w in (v, x.load())]",
)  # fmt: skip
"""Calls and other expressions."""

_STATEMENTS = (
    "for v in {s}:\n    x.load()",
    "for v in {s}:\n    if x.load():\n        break",
    "for v in {s}:\n    out.append(v)",
    "for v in {s}:\n    pass",
    "for v in {s}:\n    v = None\n    x.load()\nelse:\n    out.append(9)",
    "for a, *b in zip({s}, {t}):\n    x.load()",
    "out.append({e})",
    "out.append({e})",
    "out.append({e})",
    "out.append(({e}, x.load()))",
    "take({e}, x.load())",
    "take(x.load(), {e})",
    "use({s})",
    "{e}",
    "x.load()",
    "it = iter({s})\nx.load()\nout.append(next(it, 8))",
    "held = {s}\nx.load()\nout.append(next(iter(held), 8))",
    "kept = sorted(map(int, map(bool, {s})))\nx.load()",
    "with Item(x, 0) as v:\n    x.load()\n    1 / 0",
    "try:\n    out.append({e})\nexcept (TypeError, ValueError) as error:\n    x.load()\n    out.append(1)",
    "while not {e}:\n    x.load()\n    break",
    "if {e}:\n    x.load()",
    "g = numbers(x, 3)",
)  # fmt: skip

_BODY = """def body(p):
    x = p.var("x", 0)
    k = 0

    def seen(v):
        x.load()
        return v

    def other(v):
        return x.load()

    def plus(v):
        return v + x.load()

    def two(a, b):
        return (x.load(), a)[0]

    def take(one, other):
        x.load()
        return one

    def use(values):
        for v in values:
            x.load()

    def reader():
        out, kept, held = [], [0, 1], None
        g = {g}
        it = Count(x, 3)
{statements}
        return plain(out), plain(kept)

    p.thread(reader)
"""


class _Writer:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        statements = "\n".join(self._statement() for _ in range(self._random.choice((1, 1, 2, 2, 3))))
        lines = (f"        {line}" for line in statements.splitlines())
        first = self._random.choice(
            ("numbers(x, 3)", "guarded(x, 3)", "(x.load() for _ in range(4))", "delegating(x, 3)")
        )
        return _BODY.format(g=first, statements="\n".join(lines))

    def _statement(self) -> str:
        return self._filled(self._random.choice(_STATEMENTS), 0)

    def _filled(self, pattern: str, depth: int) -> str:
        """The pattern with something for each of its places; a source at most, where it is nested deeply."""
        makers = {
            "{n}": lambda: str(self._random.choice((1, 2, 3))),
            "{s}": lambda: self._iterable(depth),
            "{t}": lambda: self._iterable(depth + 1),
            "{f}": lambda: self._random.choice(_ONE),
            "{b}": lambda: self._random.choice(_TWO),
            "{e}": lambda: self._filled(self._random.choice(_TAKING), depth + 1),
        }
        for place, make in makers.items():
            while place in pattern:
                pattern = pattern.replace(place, make(), 1)
        return pattern

    def _iterable(self, depth: int) -> str:
        if depth < _DEEPEST and self._random.random() < 0.5:
            return self._filled(self._random.choice(_CHAINS), depth + 1)
        return self._filled(self._random.choice(_SOURCES), depth)


_DEEPEST = 3


def text_of(seed: int) -> str:
    """The text of a program: a function that declares it."""
    return _Writer(seed).text()


def program_of(text: str, seed: int) -> Program:
    """The program that a text declares."""
    code: CodeType = compile(text, f"<callables {seed}>", "exec")
    found: dict[str, Any] = {}
    exec(code, vars(things), found)

    def declare(p: Declarations) -> None:
        found["body"](p)

    return Program(declare)
