"""Random Python code for threads: expressions and the small pieces that need no block of their own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace


@dataclass
class Scope:
    """What the code at one place may use.

    cells      expressions for shared cells that hold numbers
    numbers    locals that hold numbers
    others     locals that hold anything
    yields     whether this is a generator thread, which yields its operations
    loops      how many loops there are around this place
    declared   the expression for the declarations
    within     whether this is inside the program function, where the mutex and the head are known
    leaves     whether `return`, `break` and `continue` are allowed (they are not in `except*`)
    """

    cells: list[str]
    numbers: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    yields: bool = False
    loops: int = 0
    declared: str = "p"
    within: bool = True
    leaves: bool = True

    def inner(self) -> Scope:
        """The scope of a block that may not be executed: names it binds are not known after it."""
        return replace(self, numbers=self.numbers[:], others=self.others[:])


class Writer:
    """Lines of a program, indented, and the random choices that make them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.depth = 0
        self._names: dict[str, int] = {}

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def write(self, text: str) -> None:
        """Lines of a text, each indented as this place is."""
        for line in text.splitlines():
            self.line(line)

    def name(self, stem: str) -> str:
        """A name that nothing has yet."""
        self._names[stem] = self._names.get(stem, -1) + 1
        return f"{stem}{self._names[stem]}"

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    # -- expressions -------------------------------------------------------------

    def constant(self) -> str:
        return self.rng.choice(("0", "1", "1", "2", "True", "False", "1.0", "2", "0", "1"))

    def number(self, scope: Scope) -> str:
        """A number without an access."""
        if scope.numbers and self.chance(0.5):
            name = self.rng.choice(scope.numbers)
            return self.pick(name, name, name, f"{name} + 1", f"1 - {name}", f"int({name})")
        return self.constant()

    def cell(self, scope: Scope) -> str:
        return self.rng.choice(scope.cells)

    def take(self, scope: Scope, operation: str, cell: str | None = None) -> str:
        """An operation on a cell as an expression."""
        cell = cell or self.cell(scope)
        return f"(yield {cell}.op.{operation})" if scope.yields else f"{cell}.{operation}"

    def load(self, scope: Scope) -> str:
        return self.take(scope, "load()")

    def reading(self, scope: Scope, budget: int) -> tuple[str, int]:
        """An expression for a number that performs up to `budget` accesses, and how many."""
        if budget >= 2 and self.chance(0.45):
            return self._reading_two(scope), 2
        load = self.load(scope)
        number = self.number(scope)
        options = [load] * 6 + [
            f"{load} + {number}",
            f"1 - {load}",
            f"[{number}, 1, 2][int({load}) % 3]",
            f"(lambda v={load}: v + {number})()",
            f"{number} if {load} else {self.constant()}",
            f"len(str({load}))",
            f"int(f'{{{load}}}' != '1')",
            f"abs({load})",
        ]
        if not scope.yields:
            options += [
                f"(lambda c: c.load() + {number})({self.cell(scope)})",
                f"functools.partial({self.cell(scope)}.load)()",
            ]
        return self.rng.choice(options), 1

    def _reading_two(self, scope: Scope) -> str:
        first, second, number = self.load(scope), self.load(scope), self.number(scope)
        options = [
            f"{first} + {second}",
            f"{first} - {second}",
            f"int({first} < {second})",
            f"int({number} <= {first} <= {second})",
            f"int({first} == {number} != {second})",
            f"({first} or {second})",
            f"({first} and {second})",
            f"({first} if {second} else {number})",
            f"len(f'{{{first}}}{{{second}}}')",
            f"max({first}, {second})",
            f"max([{first}, {second}])",
            f"sum(({first}, {second}))",
            f"divmod({first} + 2, int({second}) + 1)[1]",
            f"{{0: {first}, 1: 2}}.get({second}, {number})",
            f"len({{{first}, {second}}})",
            f"min({first}, key=lambda _: 0, *[{second}])",
        ]
        if not scope.yields:
            pair = f"({self.cell(scope)}, {self.cell(scope)})"
            options += [
                f"max(c.load() for c in {pair})",
                f"sum(c.load() for c in {pair})",
                f"sum([c.load() for c in {pair}])",
                f"int(any(c.load() == {number} for c in {pair}))",
                f"int(all(c.load() for c in {pair}))",
                f"sum(map(lambda c: c.load(), {pair}))",
                f"functools.reduce(lambda v, c: v + c.load(), {pair}, {number})",
                f"sum({{c.load(): 1 for c in {pair}}}.values())",
                f"len({{c.load() for c in {pair}}})",
                f"sum(i * c.load() for i, c in enumerate({pair}))",
                f"sum(v * c.load() for v, c in zip(({number}, 1), {pair}))",
                f"next((i for i, c in enumerate({pair}) if c.load()), 2)",
                f"len(sorted({pair}, key=lambda c: c.load()))",
                f"sum(1 for c in filter(lambda c: c.load() == {number}, {pair}))",
                f"sum([*(c.load() for c in {pair})])",
                f"len([c for c in reversed({pair}) if c.load()])",
                f"sum(c.load() + v for c, v in itertools.product({pair}, ({number},)))",
                f"list(itertools.accumulate(c.load() for c in {pair}))[-1]",
                f"(lambda *vs: vs[1] - vs[0])(*[c.load() for c in {pair}])",
                f"(lambda c, *, v={first}: c.load() + v)({self.cell(scope)})",
                f"operator.methodcaller('load')({self.cell(scope)}) + {first}",
            ]
        return self.rng.choice(options)

    def condition(self, scope: Scope, budget: int) -> tuple[str, int]:
        """Something to branch on, and how many accesses it performs."""
        if budget >= 1 and self.chance(0.6 if scope.numbers else 1):
            if self.chance(0.2):
                name = self.name("w")
                text = f"({name} := {self.load(scope)}) == {self.constant()}"
                scope.numbers.append(name)
                return text, 1
            text, cost = self.reading(scope, budget)
            return self.pick(text, f"{text} == {self.constant()}", f"not {text}", f"{text} in (0, True, None)"), cost
        number = self.number(scope)
        return self.pick(f"{number} == {self.constant()}", f"type({number}) is bool", f"isinstance({number}, float)"), 0

    def update(self, scope: Scope) -> str:
        """A function for `update`."""
        number = self.number(scope)
        return self.pick(
            "lambda v: v + 1",
            f"lambda v: v * {number}",
            f"lambda v, n={number}: n",
            f"lambda v: {number}",
            "lambda v: mcr.UNWRITTEN if v else 1",
            "lambda v: 1 // v",
            "lambda v: {0: 2, 1: 0}[v]",
            f"lambda v: fails_if(v == {number}, v)",
            "functools.partial(fails_if, False)",
            "functools.partial(operator.add, 1)",
            "lambda v: v if v < 2 else sys.exit(v)",
            "Increment(1)",
            "operator.neg",
            "bool",
            "float",
        )

    def failing(self, scope: Scope, budget: int) -> tuple[str, int]:
        """A line that may raise, and how many accesses it performs."""
        number = self.number(scope)
        options = [
            f"raise ValueError({number})",
            f"raise Oops({number}, 'oops')",
            f"assert {number} != {self.constant()}, {number}",
            f"fails_if({number} == {self.constant()}, {number})",
            "next(iter(()))",
            "raise KeyboardInterrupt",
            f"sys.exit({number})",
            f"raise ExceptionGroup('both', [ValueError({number}), KeyError(1)])",
            f"raise GeneratorExit({number})",
        ]
        weights = [4, 3, 4, 3, 1, 0.3, 0.5, 0.7, 0.2]
        if budget >= 1:
            load = self.load(scope)
            options += [
                f"1 // {load}",
                f"{{0: 1}}[{load}]",
                f"[{number}][int({load})]",
                f"assert {load} != {self.constant()}, 'seen'",
                f"raise ValueError({load})",
                f"fails_if({load} == {number}, {number})",
                self.take(scope, f"update({self.update(scope)})"),
                self.take(scope, f"update({self.update(scope)})"),
                self.take(scope, "fetch_add('a')"),
                self.take(scope, "fetch_add(None)"),
                f"(None if {load} else {self.cell(scope)}).load",
            ]
            weights += [3, 3, 3, 3, 2, 3, 4, 4, 1, 1, 1]
        text = self.rng.choices(options, weights)[0]
        return text, int(options.index(text) >= len(options) - 11) if budget >= 1 else 0

    def errors(self) -> str:
        """What an `except` names, a bare one included."""
        return self.rng.choice(
            (
                "Exception",
                "Exception",
                "ValueError",
                "ZeroDivisionError",
                "(KeyError, IndexError)",
                "LookupError",
                "(TypeError, ZeroDivisionError, Oops)",
                "Oops",
                "AssertionError",
                "BaseException",
                "RuntimeError",
                "SystemExit",
                "ArithmeticError",
                "",
            )
        )


def listed(names: Sequence[str]) -> str:
    """A tuple display."""
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"
