"""Random statements without blocks.

A statement is a method that takes the scope and a budget of accesses, and
returns how many the written code may perform, or -1 if it does not fit.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.pythonic.idioms import IDIOMS
from tests.pythonic.object_idioms import BOXES
from tests.pythonic.sharing import Sharing
from tests.pythonic.writer import Scope, Writer, listed


class Statements(Writer):
    """What is there for statements to use: helpers are (name, cells that it takes, accesses)."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.helpers: list[tuple[str, int, int]] = []
        self.yielders: list[tuple[str, int, int]] = []
        self.guard = ""
        self.mutex = self.chance(0.35)
        self.head = self.chance(0.3)
        self.box = self.rng.choice(BOXES) if self.chance(0.25) else None
        self.declared_threads: list[str] = []
        self.sharing: Sharing | None = None

    def result(self, scope: Scope) -> str:
        names = [*scope.numbers, *scope.others]
        if not names:
            return self.constant()
        return self.pick(self.rng.choice(names), listed(names), listed(names[-2:]))

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
        self.line(f"    return {self.result(scope)}")
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
        two = [
            f"{first} == {second}",
            f"{first} or {second}",
            f"1 // {first} == {second}",
            f"all(c.load() for c in ({self.cell(plain)}, {self.cell(plain)}))",
        ]
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
        self.line(
            self.pick(
                f"{one}.append({load})", f"{one}[0] += {load}", f"{one} += [{load}]", f"{one}[int({load}) % 2:] = [5]"
            )
        )
        if budget >= 2 and self.chance(0.5):
            self.line(f"{other}.append({self.load(scope)})")
            cost += 1
        name = self.name("v")
        seen = self.pick(f"len({other})", f"repr({other})", f"{other}[-1]", f"int({one} is {other}) + len({one})")
        self.line(f"{name} = {seen}")
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
        source = self.pick(
            f"(c.load() for c in {pair})", f"map(lambda c: c.load(), {pair})", f"iter([c.load for c in {pair}])"
        )
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
            self.line(
                f"for {name} in [{self.cell(scope)}.op.load(), {self.cell(scope)}.op.store(1)][:{min(budget, 2)}]:"
            )
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

    def _idiom(self, scope: Scope, budget: int, level: int) -> int:
        """One of `IDIOMS`."""
        table = self.box if self.box and scope.within and self.chance(0.3) else IDIOMS
        if budget < 1 or scope.yields:
            return -1
        cost = min(budget, self.rng.choice((1, 2)))
        name, index = self.name("v"), self.name("")
        text = self.rng.choice(table[cost]).strip("\n")
        text = text.format(
            v=name, c=self.cell(scope), d=self.cell(scope), n=self.number(scope), p=scope.declared, i=index
        )
        self.write(text)
        if name in text:
            scope.others.append(name)
        return cost

    def share(self, scope: Scope) -> None:
        """Change or use what is shared behind the model."""
        if self.sharing is not None and scope.within:
            name = self.name("v")
            text = self.rng.choice(self.sharing.uses).format(v=name)
            self.write(text)
            if name in text:
                scope.numbers.append(name)

    def _join(self, scope: Scope, budget: int, level: int) -> int:
        """Join a thread that was declared before."""
        if budget < 2 or not scope.within or not self.declared_threads:
            return -1
        name = self.name("v")
        self.line(f"{name} = {self.rng.choice(self.declared_threads)}.join()")
        scope.others.append(name)
        return 1


_S = Statements
SIMPLE: list[tuple[float, Callable[..., int]]] = [
    (9, _S._load),
    (9, _S._store),
    (6, _S._rmw),
    (1.5, _S._fence),
    (1.2, _S._choose),
    (1, _S._assume),
    (1.5, _S._fail),
    (1, _S._return),
    (2, _S._break),
    (1.5, _S._wait),
    (1.2, _S._lists),
    (0.8, _S._dict),
    (1.5, _S._closure),
    (1.5, _S._iterator),
    (4, _S._call),
    (4, _S._delegate),
    (4, _S._record),
    (6, _S._idiom),
    (0.3, _S._join),
]
"""With weights."""
