"""Python state that threads share behind the model: run directly it works, checked thread by thread it would not.

Each way has lines for the module, lines for the program function, and
statements that change or use it; {v} is the name that takes a number.
"""

from __future__ import annotations

from typing import NamedTuple


class Sharing(NamedTuple):
    module: str
    program: str
    uses: tuple[str, ...]


SHARINGS = (
    Sharing("", "log = []", ("log.append(1)", "{v} = len(log)")),
    Sharing("", "log = {}", ("log['n'] = 1", "{v} = log.get('n', 0)", "{v} = log.setdefault('n', 2)")),
    Sharing("", "log = set()", ("log.add(1)", "{v} = len(log)")),
    Sharing("", "log = bytearray(1)", ("log[0] = 1", "{v} = log[0]")),
    Sharing("import array", 'log = array.array("i", [0])', ("log[0] += 1", "{v} = log[0]")),
    Sharing("import collections", "log = collections.deque()", ("log.append(1)", "{v} = len(log)")),
    Sharing("", "numbers = itertools.count()", ("{v} = next(numbers)",)),
    Sharing("", "numbers = iter([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])", ("{v} = next(numbers)",)),
    Sharing("", "numbers = (n for n in range(100))", ("{v} = next(numbers)",)),
    Sharing(
        "",
        """\
class Counter:
    total = 0
    def bump(self):
        Counter.total += 1
        return Counter.total
counter = Counter()""",
        ("counter.bump()", "{v} = counter.total", "{v} = Counter().bump()"),
    ),
    Sharing(
        "",
        """\
class Counter:
    def __init__(self):
        self.log = []
    def bump(self):
        self.log.append(1)
        return len(self.log)
counter = Counter()""",
        ("counter.bump()", "{v} = counter.bump()", "{v} = len(counter.log)", "{v} = functools.partial(counter.bump)()"),
    ),
    Sharing(
        "",
        """\
class Counter:
    def __init__(self):
        self.n = 0
    def __call__(self):
        self.n += 1
        return self.n
counter = Counter()""",
        ("counter()", "{v} = counter()", "{v} = counter.n"),
    ),
    Sharing(
        "",
        "def bump():\n    bump.n += 1\n    return bump.n\nbump.n = 0",
        ("bump()", "{v} = bump()", "{v} = bump.n"),
    ),
    Sharing("", "def bump(*, log=[]):\n    log.append(1)\n    return len(log)", ("bump()", "{v} = bump()")),
    Sharing("", "def bump(log=[]):\n    log.append(1)\n    return len(log)", ("bump()", "{v} = bump()")),
    Sharing(
        "",
        """\
def counting():
    n = 0
    def bump():
        nonlocal n
        n += 1
        return n
    return bump
bump = counting()""",
        ("bump()", "{v} = bump()"),
    ),
    Sharing(
        "",
        "bump = functools.partial(lambda log: log.append(1) or len(log), [])",
        ("bump()", "{v} = bump()"),
    ),
    Sharing(
        "class Counter:\n    total = 0",
        "Counter.total = 0",
        ("Counter.total += 1", "{v} = Counter.total"),
    ),
    Sharing("", "log = functools.cache(list)", ("log().append(1)", "{v} = len(log())")),
    Sharing(
        "",
        "@functools.lru_cache(maxsize=2)\ndef log(n):\n    return {'n': n}",
        ("log(1)['n'] = 2", "{v} = log(1)['n']", "{v} = log(1).setdefault('m', 2)"),
    ),
    Sharing(
        "",
        """\
class Lazy:
    @functools.cached_property
    def log(self):
        return []
lazy = Lazy()""",
        ("lazy.log.append(1)", "{v} = len(lazy.log)"),
    ),
    Sharing("total = [0]", "total[0] = 0", ("total[0] += 1", "{v} = total[0]")),
    Sharing(
        "class Cell:\n    def __init__(self):\n        self.n = 0",
        'box = p.var("box", Cell())',
        ("box.load().n += 1", "{v} = box.load().n"),
    ),
)
