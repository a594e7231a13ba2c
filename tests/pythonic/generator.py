"""Random programs whose threads are ordinary Python, as text. A seed determines the program."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.pythonic.writer import Scope, Writer, listed

PRELUDE = '''"""Generated from seed {seed}."""
import contextlib
import functools
import itertools
import operator
import sys

import mcr


class Oops(Exception):
    def __init__(self, value, text):
        super().__init__(value)
        self.text = text


class Increment:
    def __init__(self, by):
        self.by = by

    def __call__(self, value):
        return value + self.by


def fails_if(condition, value):
    if condition:
        raise Oops(value, "failed")
    return value
'''


def generate(seed: int) -> str:
    """The text of a program called `generated`."""
    return _Generator(random.Random(seed)).program(seed)


class _Generator(Writer):
    """Writes one program.

    A statement is a method that takes the scope and a budget of accesses, and
    returns how many the written code may perform, or -1 if it does not fit.
    """

    def program(self, seed: int) -> str:
        self.helpers: list[tuple[str, int, int]] = []  # name, cells that it takes, accesses
        self.yielders: list[tuple[str, int, int]] = []
        budgets = self.rng.choice(((5, 5), (5, 4), (4, 4), (6, 3), (4, 3, 2), (3, 3, 2), (3, 2, 2)))
        self.mutex = self.chance(0.35)
        self.head = self.chance(0.3)
        self.lines += PRELUDE.format(seed=seed).splitlines()
        cells = self.rng.choice((["x", "y"], ["x", "a[0]", "a[1]"], ["x", "r.f"], ["x", "y", "z"]))
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            self._helper(self.rng.randint(1, 2))
        if self.chance(0.3):
            self._yielder(self.rng.randint(1, 2))
        if self.chance(0.3):
            self._class_of_guards()
        self.lines += ["", "", "@mcr.program", "def generated(p):"]
        self.depth = 1
        self._declare(cells)
        threads = [self._thread(cells, budget) for budget in budgets]
        self._final(cells, threads)
        return "\n".join(self.lines) + "\n"

    # -- what is shared ----------------------------------------------------------

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
        loads = self.pick("x.load()", f"tuple(c.load() for c in {listed(cells)})", f"f'{{x.load()}}{{{cells[1]}.load()}}'")
        self.line(f"return {loads}, returned" if joined else f"return {loads}")
        self.depth -= 1

    # -- functions ---------------------------------------------------------------

    def _helper(self, budget: int) -> None:
        """A function of the module that accesses cells it is given, perhaps by way of an earlier one."""
        name, cells = self.name("helper"), ["c", "d"][: self.rng.randint(1, 2)]
        self.lines += ["", ""]
        if self.chance(0.15):
            self.line(f"def {name}(p, {', '.join(cells)}, n=2):")
            self.line("    if n == 0:")
            self.line(f"        return {self.constant()}")
            self.line(f"    return {cells[0]}.load() + {name}(p, {', '.join(cells)}, n - 1)")
            self.helpers.append((name, len(cells), 2))
            return
        self.line(f"def {name}(p, {', '.join(cells)}, n={self.constant()}):")
        self.depth += 1
        cost = self._body(Scope(cells, ["n"], within=False), budget)
        self.depth -= 1
        self.helpers.append((name, len(cells), cost))

    def _yielder(self, budget: int) -> None:
        """A generator that yields operations, for `yield from`."""
        name = self.name("yielder")
        self.lines += ["", ""]
        self.line(f"def {name}(p, c, n={self.constant()}):")
        self.depth += 1
        cost = self._body(Scope(["c"], ["n"], yields=True, within=False), budget)
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

    def _body(self, scope: Scope, budget: int) -> int:
        """Statements and a return."""
        begin = len(self.lines)
        cost = self.block(scope, budget, 0)
        if scope.yields and not any("yield" in line for line in self.lines[begin:]):
            self.line(f"yield {self.cell(scope)}.op.load()")
            cost += 1
        if self.chance(0.85):
            self.line(f"return {self._result(scope)}")
        return cost

    def _result(self, scope: Scope) -> str:
        names = [*scope.numbers, *scope.others]
        if not names:
            return self.constant()
        return self.pick(self.rng.choice(names), listed(names), listed(names[-2:]))

    # -- threads -----------------------------------------------------------------

    def _thread(self, cells: list[str], budget: int) -> str:
        """Declare a thread of one of many shapes; returns the name of its handle."""
        handle = self.name("t")
        self.line("")
        shape = self.rng.choice(("function",) * 4 + ("generator",) * 2 + ("method", "callable", "partial", "lambda", "parameters"))
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
        return handle

    def _own_order(self, cells: list[str]) -> list[str]:
        return self.rng.sample(cells, len(cells))

    def _function(
        self, parameters: list[str], budget: int, yields: bool, first: str, cells: list[str] | None = None
    ) -> str:
        name = self.name("thread")
        self.line(f"def {name}({first}{', '.join(parameters)}):")
        self.depth += 1
        self._body(Scope(cells or parameters, yields=yields), budget)
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
        self._body(scope, budget)
        self.depth -= 2
        made = f"{kind}(p, {cells[0]}, {cells[1]})"
        self.line(f"{handle} = p.thread({made}.run)" if shape == "method" else f"{handle} = p.thread({made})")

    # -- statements --------------------------------------------------------------

    def block(self, scope: Scope, budget: int, level: int) -> int:
        """Statements that perform at most `budget` accesses; returns how many. Never empty."""
        spent, written = 0, 0
        while spent < budget or not written:
            options = _SIMPLE + (_COMPOUND if level < 3 else [])
            weights = [weight for weight, _ in options]
            statement: Callable[..., int] = self.rng.choices([each for _, each in options], weights)[0]
            lines, depth = len(self.lines), self.depth
            cost = statement(self, scope, budget - spent, level)
            if cost < 0:
                del self.lines[lines:]
                self.depth = depth
                continue
            spent += cost
            written += len(self.lines) - lines
            if written > 14 or (written and self.chance(0.08)):
                break
        return spent

    def inside(self, header: str, scope: Scope, budget: int, level: int) -> int:
        """A header and an indented block."""
        self.line(header)
        self.depth += 1
        cost = self.block(scope, budget, level + 1)
        self.depth -= 1
        return cost

    def _load(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 1:
            return -1
        name = self.name("v")
        text, cost = self.reading(scope, budget)
        self.line(f"{name} = {text}")
        scope.numbers.append(name)
        return cost

    def _store(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 1:
            return -1
        if budget >= 2 and self.chance(0.3):
            text, cost = self.reading(scope, budget - 1)
        else:
            text, cost = self.number(scope), 0
        self.line(self.take(scope, f"store({text})"))
        return cost + 1

    def _rmw(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 1:
            return -1
        number, name = self.number(scope), self.name("v")
        operation = self.pick(
            f"fetch_add({number})",
            f"exchange({number})",
            f"compare_exchange({number}, {self.constant()})",
            f"compare_exchange({self.constant()}, {number})",
            f"update({self.update(scope)})",
        )
        self.line(f"{name} = {self.take(scope, operation)}")
        scope.numbers.append(name)
        return 1

    def _fence(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 1:
            return -1
        self.line(f"{scope.declared}.{self.pick('fence', 'store_fence')}()")
        return 1

    def _choose(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 1:
            return -1
        name = self.name("v")
        self.line(f"{name} = {scope.declared}.choose({self.pick('0, 1', '1, True', '1, 2', '0, 0.0')})")
        scope.numbers.append(name)
        return 1

    def _assume(self, scope: Scope, budget: int, level: int) -> int:
        text, cost = self.condition(scope, budget)
        self.line(f"{scope.declared}.assume({text})")
        return cost

    def _fail(self, scope: Scope, budget: int, level: int) -> int:
        if level == 0:
            text, cost = self.condition(scope, budget)
            self.line(f"assert {text}, {self.number(scope)}")
            return cost
        text, cost = self.failing(scope, budget)
        self.line(text)
        return cost

    def _return(self, scope: Scope, budget: int, level: int) -> int:
        if not scope.leaves:
            return -1
        text, cost = self.condition(scope, budget)
        self.line(f"if {text}:")
        self.line(f"    return {self._result(scope)}")
        return cost

    def _break(self, scope: Scope, budget: int, level: int) -> int:
        if not scope.loops or not scope.leaves:
            return -1
        text, cost = self.condition(scope, budget)
        self.line(f"if {text}:")
        self.line(f"    {self.pick('break', 'continue')}")
        return cost

    def _wait(self, scope: Scope, budget: int, level: int) -> int:
        """A wait on one cell or two, whose condition may raise."""
        if budget < 1:
            return -1
        name, plain = self.name("v"), Scope(scope.cells, scope.numbers)
        first, second, number = self.load(plain), self.load(plain), self.constant()
        one = [f"{first} == {number}", first, f"1 // {first}", f"{{0: 0, 1: 1}}[{first}]", f"fails_if({first} == 1, 0)"]
        two = [f"{first} == {second}", f"{first} or {second}", f"1 // {first} == {second}", f"all(c.load() for c in ({self.cell(plain)}, {self.cell(plain)}))"]
        cost = 2 if budget >= 2 and self.chance(0.3) else 1
        self.line(f"{name} = {scope.declared}.wait_until(lambda: {self.rng.choice(two if cost == 2 else one)})")
        scope.numbers.append(name)
        return cost

    def _lists(self, scope: Scope, budget: int, level: int) -> int:
        """Lists and dictionaries of the thread's own, one with two names or two that are equal."""
        if budget < 1:
            return -1
        one, other = self.name("l"), self.name("l")
        self.line(self.pick(f"{one} = {other} = [0]", f"{one}, {other} = [0], [0]", f"{other} = {one} = [[0]] * 2"))
        cost = 1
        load = self.load(scope)
        self.line(self.pick(f"{one}.append({load})", f"{one}[0] += {load}", f"{one} += [{load}]", f"{one}[int({load}) % 2:] = [5]"))
        if budget >= 2 and self.chance(0.5):
            self.line(f"{other}.append({self.load(scope)})")
            cost += 1
        name = self.name("v")
        self.line(f"{name} = {self.pick(f'len({other})', f'repr({other})', f'{other}[-1]', f'int({one} is {other}) + len({one})')}")
        scope.others.append(name)
        return cost

    def _dict(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 2:
            return -1
        name, value = self.name("d"), self.name("v")
        self.line(f"{name} = {{1: 0}}")
        self.line(f"{name}[{self.load(scope)}] = {self.load(scope)}")
        self.line(f"{value} = tuple({name}.items())")
        scope.others.append(value)
        return 2

    def _closure(self, scope: Scope, budget: int, level: int) -> int:
        """A counter in a closure."""
        if budget < 1 or scope.yields:
            return -1
        count, bump, value = self.name("n"), self.name("bump"), self.name("v")
        owner = "nonlocal"
        outer = self.name("counter")
        self.line(f"def {outer}():")
        self.line(f"    {count} = {self.constant()}")
        self.line(f"    def {bump}(c):")
        self.line(f"        {owner} {count}")
        self.line(f"        {count} {self.pick('+=', '=')} c.load()")
        self.line(f"        return {count}")
        self.line(f"    return {bump}")
        self.line(f"{bump} = {outer}()")
        calls = min(budget, self.rng.randint(1, 2))
        self.line(f"{value} = {' + '.join(f'{bump}({self.cell(scope)})' for _ in range(calls))}")
        scope.numbers.append(value)
        return calls

    def _iterator(self, scope: Scope, budget: int, level: int) -> int:
        """An iterator or a generator that is kept between accesses."""
        if budget < 2 or scope.yields:
            return -1
        kept, value = self.name("it"), self.name("v")
        pair = f"({self.cell(scope)}, {self.cell(scope)})"
        source = self.pick(f"(c.load() for c in {pair})", f"map(lambda c: c.load(), {pair})", f"iter([c.load for c in {pair}])")
        self.line(f"{kept} = {source}")
        first = f"next({kept})" + ("()" if source.startswith("iter") else "")
        self.line(f"{value} = {first}")
        scope.numbers.append(value)
        if self.chance(0.6):
            second = self.name("v")
            self.line(f"{second} = {value} + {first}")
            scope.numbers.append(second)
        return 2

    def _call(self, scope: Scope, budget: int, level: int) -> int:
        """A call of a helper: direct, by keywords, as a partial, through a lambda."""
        fitting = [each for each in self.helpers if each[2] <= budget]
        if not fitting:
            return -1
        helper, count, cost = self.rng.choice(fitting)
        cells = ", ".join(self.cell(scope) for _ in range(count))
        name, number, p = self.name("v"), self.number(scope), scope.declared
        text = self.pick(
            f"{helper}({p}, {cells})",
            f"{helper}({p}, {cells}, n={number})",
            f"functools.partial({helper}, {p})({cells})",
            f"(lambda *cs: {helper}({p}, *cs))({cells})",
            f"{helper}(*({p}, {cells}), **{{'n': {number}}})",
        ).replace("n=2)", "n=1)")
        self.line(f"{name} = {text}")
        scope.others.append(name)
        return cost if "n=" not in text and "'n'" not in text else max(cost, 2)

    def _delegate(self, scope: Scope, budget: int, level: int) -> int:
        """`yield from`, or a list of operations yielded one by one."""
        if not scope.yields or budget < 1:
            return -1
        name = self.name("v")
        fitting = [each for each in self.yielders if each[2] <= budget]
        if not fitting or self.chance(0.3):
            self.line(f"for {name} in [{self.cell(scope)}.op.load(), {self.cell(scope)}.op.store(1)][:{min(budget, 2)}]:")
            self.line(f"    {name} = yield {name}")
            scope.others.append(name)
            return min(budget, 2)
        helper, _, cost = self.rng.choice(fitting)
        self.line(f"{name} = yield from {helper}({scope.declared}, {self.cell(scope)})")
        scope.others.append(name)
        return cost

    def _record(self, scope: Scope, budget: int, level: int) -> int:
        """A record is published, or what was published is followed."""
        if not self.head or budget < 2 or not scope.within:
            return -1
        name = self.name("node")
        if self.chance(0.5):
            self.line(f'{name} = {scope.declared}.record("node", v={self.number(scope)}, next=None)')
            if budget >= 3:
                self.line(self.take(scope, f"store({self.number(scope)})", f"{name}.v"))
            self.line(self.take(scope, f"store({name})", "head"))
            return min(budget, 2)
        value = self.name("v")
        self.line(f"{name} = {self.take(scope, 'load()', 'head')}")
        self.line(f"{value} = -1 if {name} is None else {self.take(scope, 'load()', name + '.v')}")
        scope.numbers.append(value)
        scope.others.append(name)
        return 2

    def _spawn(self, scope: Scope, budget: int, level: int) -> int:
        """A child that is joined, or not."""
        if scope.loops or budget < 3 or scope.declared != "p":
            return -1
        child, handle = self.name("child"), self.name("h")
        yields = self.chance(0.2)
        self.line(f"def {child}(n=0):")
        self.depth += 1
        cost = self._body(Scope(scope.cells, ["n"], yields=yields), 1)
        self.depth -= 1
        self.line(f"{handle} = p.spawn({self.pick(child, f'functools.partial({child}, 1)')})")
        cost += 2
        if self.chance(0.6):
            value = self.name("v")
            if budget > 3:
                cost += max(self._store(scope, 1, level), 0)
            self.line(f"{value} = {handle}.join()")
            scope.others.append(value)
        return max(cost, budget - 1)

    # -- statements with blocks --------------------------------------------------

    def _if(self, scope: Scope, budget: int, level: int) -> int:
        text, cost = self.condition(scope, budget)
        then = self.inside(f"if {text}:", scope.inner(), budget - cost, level)
        otherwise = self.inside("else:", scope.inner(), budget - cost, level) if self.chance(0.4) else 0
        return cost + max(then, otherwise)

    def _match(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 2:
            return -1
        text, cost = self.reading(scope, budget - 1)
        pair = self.chance(0.3)
        self.line(f"match ({text}, {self.number(scope)}):" if pair else f"match {text}:")
        self.depth += 1
        name, inner = self.name("v"), scope.inner()
        cases = ["(0, _)", f"({name}, 1)", "(True, _) | (_, 2)", "[_, *_]"] if pair else ["0", "1 | 2", "True", f"int({name})", f"float() as {name}"]
        first = self.inside(f"case {self.rng.choice(cases)}:", scope.inner(), budget - cost, level)
        second = self.inside(f"case {name} if {name} != {self.constant()}:", inner, budget - cost, level)
        third = self.inside("case _:", scope.inner(), budget - cost, level) if self.chance(0.5) else 0
        self.depth -= 1
        return cost + max(first, second, third)

    def _for(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 2:
            return -1
        index, cell, inner = self.name("i"), self.name("c"), scope.inner()
        inner.loops += 1
        pair = f"({self.cell(scope)}, {self.cell(scope)})"
        over_cells = self.chance(0.6)
        if over_cells:
            header = self.pick(
                f"for {cell} in {pair}:",
                f"for {cell} in [*{pair}]:",
                f"for {index}, {cell} in enumerate({pair}):",
                f"for {cell}, {index} in zip({pair}, ({self.constant()}, {self.constant()})):",
                f"for {index}, {cell} in {{0: {self.cell(scope)}, 1: {self.cell(scope)}}}.items():",
                f"for {cell} in reversed({pair}):",
            )
            inner.cells = [cell]
        else:
            header = self.pick(f"for {index} in range(2):", f"for {index} in (1, True):", f"for {index} in [0, 2]:")
        if index in header:
            inner.numbers.append(index)
        cost = 2 * self.inside(header, inner, budget // 2, level)
        if self.chance(0.25):
            cost += self.inside("else:", scope.inner(), max(budget - cost, 0), level)
        return cost

    def _while(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 2:
            return -1
        count, inner = self.name("n"), scope.inner()
        inner.loops += 1
        self.line(f"{count} = 0")
        condition, cost = self.pick("", f" and {self.load(scope)} != {self.constant()}"), 0
        cost = 2 if condition else 0
        self.line(f"while {count} < 2{condition}:")
        self.depth += 1
        self.line(f"{count} += 1")
        inner.numbers.append(count)
        cost += 2 * self.block(inner, max(budget - cost, 0) // 2, level + 1)
        self.depth -= 1
        if self.chance(0.4):
            cost += self.inside("else:", scope.inner(), max(budget - cost, 0), level)
        scope.numbers.append(count)
        return cost

    def _compare_exchange_loop(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 3:
            return -1
        old, cell = self.name("v"), self.cell(scope)
        loop = self.pick("for _ in range(2)", "while True")
        self.line(f"{loop}:")
        self.line(f"    {old} = {self.take(scope, 'load()', cell)}")
        self.line(f"    if {self.take(scope, f'compare_exchange({old}, {old} + 1)', cell)}:")
        self.line("        break")
        if loop == "while True":
            self.line(f"    {scope.declared}.assume({old} < 1)")
        elif self.chance(0.5):
            self.line("else:")
            self.line(f"    {old} = -1")
        scope.numbers.append(old)
        return 3

    def _with(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 3 or not self.mutex or not scope.within:
            return -1
        shape = self.rng.choice(("with", "with", "try_lock", "finally"))
        if shape == "with":
            return 2 + self.inside("with m:", scope, budget - 2, level)
        if shape == "try_lock":
            self.line("if m.try_lock():")
        else:
            self.line("m.lock()")
        self.line(f"{'    ' * (shape == 'try_lock')}try:")
        self.depth += shape == "try_lock"
        self.depth += 1
        cost = self.block(scope.inner(), budget - 2, level + 1)
        self.depth -= 1
        self.line("finally:")
        self.line("    m.unlock()")
        self.depth -= shape == "try_lock"
        return cost + 2

    def _guarded(self, scope: Scope, budget: int, level: int) -> int:
        if budget < 3 or scope.yields or not getattr(self, "guard", ""):
            return -1
        name, inner = self.name("v"), scope.inner()
        inner.numbers.append(name)
        return 2 + self.inside(f"with {self.guard}({self.cell(scope)}) as {name}:", inner, budget - 2, level)

    def _try(self, scope: Scope, budget: int, level: int) -> int:
        """A block that may raise, with handlers, `else` and `finally`."""
        if budget < 1:
            return -1
        self.line("try:")
        self.depth += 1
        inner = scope.inner()
        spent = 0
        if self.chance(0.6):
            spent += self.block(inner, self.rng.randint(1, budget), level + 1)
        if not spent or spent < budget or self.chance(0.5):
            text, cost = self.failing(inner, budget - spent)
            self.line(text)
            spent += cost
        self.depth -= 1
        rest, most = budget - spent, 0
        handled = self.chance(0.85)
        star = self.chance(0.04)
        if handled:
            for _ in range(self.rng.choice((1, 1, 2))):
                errors = self.errors()
                if star and errors in ("", "BaseException"):
                    errors = "Exception"
                most = max(most, self._handler(scope, errors, star, rest, level))
                if errors == "":
                    break
            if self.chance(0.2):
                most = max(most, self.inside("else:", inner, rest, level))
        if not handled or self.chance(0.3):
            rest -= most
            outer = scope.inner()
            if self.chance(0.2) and scope.leaves:
                self.line("finally:")
                self.line(f"    return {self._result(outer)}")
            else:
                most += self.inside("finally:", outer, max(rest, 0), level)
        return spent + most

    def _handler(self, scope: Scope, errors: str, star: bool, budget: int, level: int) -> int:
        inner, error, name = scope.inner(), self.name("e"), self.name("v")
        named = bool(errors) and self.chance(0.6)
        self.line(f"except{'*' if star else ''} {errors}{f' as {error}' if named else ''}:".replace(" :", ":"))
        self.depth += 1
        if named:
            self.line(f"{name} = {self.pick(f'type({error}).__name__', f'len({error}.args)', f'str({error})', f'{error}.args', f'type({error}.__context__).__name__')}")
            inner.others.append(name)
            scope_is_new = self.chance(0.3)
            if scope_is_new:
                self.line(self.take(inner, "store(2)") if budget > 0 else "pass")
        end = self.rng.random()
        inner.leaves = scope.leaves and not star
        cost = self.block(inner, max(budget - 1, 0), level + 1) if budget > 0 or not named else 0
        if end < 0.15:
            self.line("raise")
        elif end < 0.22:
            self.line(f"raise RuntimeError('again'){f' from {error}' if named else ''}")
        elif end < 0.3 and inner.leaves:
            self.line(f"return {self._result(inner)}")
        self.depth -= 1
        return min(cost + 1, max(budget, 0))


_G = _Generator
_SIMPLE: list[tuple[float, Callable[..., int]]] = [
    (9, _G._load),
    (9, _G._store),
    (6, _G._rmw),
    (1.5, _G._fence),
    (1.2, _G._choose),
    (1, _G._assume),
    (1.5, _G._fail),
    (1, _G._return),
    (2, _G._break),
    (1.5, _G._wait),
    (1.2, _G._lists),
    (0.8, _G._dict),
    (1.5, _G._closure),
    (1.5, _G._iterator),
    (4, _G._call),
    (4, _G._delegate),
    (4, _G._record),
    (1, _G._spawn),
]
_COMPOUND: list[tuple[float, Callable[..., int]]] = [
    (3, _G._if),
    (1.5, _G._match),
    (3, _G._for),
    (1.5, _G._while),
    (1.5, _G._compare_exchange_loop),
    (5, _G._with),
    (3, _G._guarded),
    (5, _G._try),
]
