"""Random programs whose threads are ordinary Python, as text. A seed determines the program."""

from __future__ import annotations

import random

from tests.pythonic.blocks import Blocks
from tests.pythonic.sharing import SHARINGS
from tests.pythonic.writer import Scope, listed

MODULES = ("contextlib", "dataclasses", "functools", "itertools", "operator", "sys")

PRELUDE = {
    "Oops": """
class Oops(Exception):
    def __init__(self, value, text):
        super().__init__(value)
        self.text = text
""",
    "Pair": """
@dataclasses.dataclass(frozen=True)
class Pair:
    left: object
    right: object
""",
    "Increment": """
class Increment:
    def __init__(self, by):
        self.by = by

    def __call__(self, value):
        return value + self.by
""",
    "fails_if": """
def fails_if(condition, value):
    if condition:
        raise Oops(value, "failed")
    return value
""",
}
"""What a program may use, as far as it does."""


SHARE = 20
"""Of so many programs, one shares Python state behind the model."""


def generate(seed: int) -> str:
    """The text of a program called `generated`."""
    return _Generator(random.Random(seed)).program(seed)


def shares(source: str) -> bool:
    """Whether a program was made to share Python state behind the model."""
    return "# shared behind the model\n" in source


class _Generator(Blocks):
    """Writes one program."""

    def program(self, seed: int) -> str:
        budgets = self.rng.choice(((5, 5), (5, 4), (4, 4), (6, 3), (4, 3, 2), (3, 3, 2), (3, 2, 2)))
        cells = self.rng.choice((["x", "y"], ["x", "a[0]", "a[1]"], ["x", "r.f"], ["x", "y", "z"]))
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            self._helper(self.rng.randint(1, 2))
        if self.chance(0.3):
            self._yielder(self.rng.randint(1, 2))
        if self.chance(0.3):
            self._class_of_guards()
        if seed % SHARE == 0:
            self.sharing = self.rng.choice(SHARINGS)
            self.write(self.sharing.module)
        self.lines += ["", "", "@mcr.program", "def generated(p):"]
        self.depth = 1
        self._declare(cells)
        if self.sharing:
            self.line("# shared behind the model")
            self.write(self.sharing.program)
        threads = [self._thread(cells, budget) for budget in budgets]
        self._final(cells, threads)
        text = "\n".join(self.lines) + "\n"
        return _beginning(seed, text) + text

    def _declare(self, cells: list[str]) -> None:
        initial = ("0", "0", "0", "0", "1", "False", "0.0")
        for name in cells:
            if name.isalpha():
                self.line(f'{name} = p.var("{name}", {self.pick(*initial)})')
        if "a[0]" in cells:
            self.line(f'a = p.array("a", [{self.pick(*initial)}, 0])')
        if "r.f" in cells:
            self.line(f'r = p.record("r", f={self.pick(*initial)}, g=0)')
        if self.mutex:
            self.line('m = p.mutex("m")')
        if self.head:
            self.line('head = p.var("head", None)')
        if self.box:
            self.line('box = p.var("box", None)')

    def _final(self, cells: list[str], threads: list[str]) -> None:
        if self.chance(0.15):
            return
        self.line("")
        self.line("@p.final")
        self.line("def finally_():")
        self.depth += 1
        scope = Scope(cells)
        joined = self.chance(0.8)
        if joined:
            self.line(f"returned = tuple(t.join() for t in {listed(threads)})")
        if self.chance(0.3):
            text, _ = self.failing(scope, 0)
            self.line(f"if {self.load(scope)} == {self.constant()}:")
            self.line(f"    {text}")
        loads = self.pick(
            "x.load()", f"tuple(c.load() for c in {listed(cells)})", f"f'{{x.load()}}{{{cells[1]}.load()}}'"
        )
        self.line(f"return {loads}, returned" if joined else f"return {loads}")
        self.depth -= 1

    def _helper(self, budget: int) -> None:
        """A function of the module that accesses cells it is given, perhaps by way of an earlier one."""
        name, cells = self.name("helper"), ["c", "d"][: self.rng.randint(1, 2)]
        self.lines += ["", ""]
        if self.chance(0.15):
            self.line(f"def {name}(p, {', '.join(cells)}, n=2):")
            self.line("    if n <= 0:")
            self.line(f"        return {self.constant()}")
            self.line(f"    return {cells[0]}.load() + {name}(p, {', '.join(cells)}, n - 1)")
            self.helpers.append((name, len(cells), 2))
            return
        self.line(f"def {name}(p, {', '.join(cells)}, n={self.constant()}):")
        self.depth += 1
        cost = self.body(Scope(cells, ["n"], within=False), budget)
        self.depth -= 1
        self.helpers.append((name, len(cells), cost))

    def _yielder(self, budget: int) -> None:
        """A generator that yields operations, for `yield from`."""
        name = self.name("yielder")
        self.lines += ["", ""]
        self.line(f"def {name}(p, c, n={self.constant()}):")
        self.depth += 1
        cost = self.body(Scope(["c"], ["n"], yields=True, within=False), budget)
        self.depth -= 1
        self.yielders.append((name, 1, cost))

    def _class_of_guards(self) -> None:
        """A context manager that accesses a cell, and may swallow exceptions."""
        self.guard = self.name("Guard")
        swallowed = self.pick("ZeroDivisionError", "Exception", "Oops", "()", "AssertionError")
        self.lines += ["", ""]
        if self.chance(0.5):
            self.line("@contextlib.contextmanager")
            self.line(f"def {self.guard}(c):")
            self.line(f"    v = {self.pick('c.load()', 'c.fetch_add()', 'c.exchange(1)')}")
            self.line("    try:")
            self.line("        yield v")
            if self.chance(0.5):
                self.line(f"    except {swallowed}:")
                self.line(f"        {self.pick('pass', 'c.store(2)', 'raise')}")
            self.line("    finally:")
            self.line(f"        {self.pick('pass', 'c.store(v)', 'c.load()')}")
            return
        self.line(f"class {self.guard}:")
        self.line("    def __init__(self, c):")
        self.line("        self.c = c")
        self.line("")
        self.line("    def __enter__(self):")
        self.line(f"        return self.c.{self.pick('load()', 'exchange(1)')}")
        self.line("")
        self.line("    def __exit__(self, kind, error, traceback):")
        self.line(f"        self.c.{self.pick('store(0)', 'load()', 'fetch_add()')}")
        self.line(f"        return kind is not None and issubclass(kind, {swallowed})")

    def _thread(self, cells: list[str], budget: int) -> str:
        """Declare a thread of one of many shapes; returns the name of its handle."""
        handle = self.name("t")
        self.line("")
        shape = self.rng.choice(
            ("function",) * 4 + ("generator",) * 2 + ("method", "callable", "partial", "lambda", "parameters")
        )
        cells = self._own_order(cells)
        if shape in ("method", "callable"):
            self._object_thread(handle, shape, cells, budget)
        elif shape == "partial":
            name = self._function(["c", "d"], budget, False, "p, ")
            self.line(f"{handle} = p.thread(functools.partial({name}, p, d={cells[1]}), {cells[0]})")
        elif shape == "lambda":
            name = self._function(["c", "d"], budget, False, "p, ")
            self.line(f"{handle} = p.thread(lambda c={cells[0]}: {name}(p, c, {cells[1]}))")
        elif shape == "parameters":
            name = self._function(["c", "d"], budget, self.chance(0.2), "")
            self.line(f"{handle} = p.thread({name}, {cells[0]}, {cells[1]})")
        else:
            name = self._function([], budget, shape == "generator", "", cells)
            self.line(f"{handle} = p.thread({name})")
        self.declared_threads.append(handle)
        return handle

    def _own_order(self, cells: list[str]) -> list[str]:
        return self.rng.sample(cells, len(cells))

    def _function(
        self, parameters: list[str], budget: int, yields: bool, first: str, cells: list[str] | None = None
    ) -> str:
        name = self.name("thread")
        self.line(f"def {name}({first}{', '.join(parameters)}):")
        self.depth += 1
        self.body(Scope(cells or parameters, yields=yields), budget)
        self.depth -= 1
        return name

    def _object_thread(self, handle: str, shape: str, cells: list[str], budget: int) -> None:
        """A thread that is a method of an object with cells and numbers of its own."""
        kind = self.name("Worker")
        method = "run" if shape == "method" else "__call__"
        self.line(f"class {kind}:")
        self.depth += 1
        self.line("def __init__(self, p, c, d):")
        self.line("    self.p, self.c, self.d, self.n, self.log = p, c, d, 0, []")
        self.line("")
        self.line("def note(self, c, v):")
        self.line("    self.log.append(c.load() + v)")
        self.line(f"    self.n {self.pick('+= 1', '= self.log[-1]', '= len(self.log)')}")
        self.line("    return self.log[-1]")
        self.line("")
        self.line(f"def {method}(self):")
        self.depth += 1
        scope = Scope(["self.c", "self.d"], ["self.n"], declared="self.p", yields=self.chance(0.15))
        if not scope.yields and self.chance(0.7):
            self.line(f"v = self.note({self.cell(scope)}, {self.constant()})")
            scope.numbers.append("v")
            budget -= 1
        self.body(scope, budget)
        self.depth -= 2
        made = f"{kind}(p, {cells[0]}, {cells[1]})"
        self.line(f"{handle} = p.thread({made}.run)" if shape == "method" else f"{handle} = p.thread({made})")


def _beginning(seed: int, text: str) -> str:
    """What stands before the text of a program that uses these names."""
    used = [
        f"\n{prelude}" for name, prelude in PRELUDE.items() if name in text or (name == "Oops" and "fails_if" in text)
    ]
    before = "".join(used)
    modules = [name for name in MODULES if f"{name}." in text + before]
    imports = "".join(f"import {name}\n" for name in modules)
    return f'"""Generated from seed {seed}."""\n{imports}\nimport mcr\n{before}'
