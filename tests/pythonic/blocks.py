"""Random statements that hold blocks."""

from __future__ import annotations

from collections.abc import Callable

from tests.pythonic.statements import SIMPLE, Statements
from tests.pythonic.writer import Scope


class Blocks(Statements):
    """Blocks of statements, as deep as the budget of accesses goes."""

    def body(self, scope: Scope, budget: int) -> int:
        """Statements and a return."""
        begin = len(self.lines)
        cost = self.block(scope, budget, 0)
        if scope.yields and not any("yield" in line for line in self.lines[begin:]):
            self.line(f"yield {self.cell(scope)}.op.load()")
            cost += 1
        if self.chance(0.85):
            self.line(f"return {self.result(scope)}")
        return cost

    def block(self, scope: Scope, budget: int, level: int) -> int:
        """Statements that perform at most `budget` accesses; returns how many. Never empty."""
        spent, written = 0, 0
        while spent < budget or not written:
            options = SIMPLE + (COMPOUND if level < 3 else [])
            weights = [weight for weight, _ in options]
            statement: Callable[..., int] = self.rng.choices([each for _, each in options], weights)[0]
            lines, depth = len(self.lines), self.depth
            cost = statement(self, scope, budget - spent, level)
            if cost < 0:
                del self.lines[lines:]
                self.depth = depth
                continue
            if self.sharing and self.chance(0.35):
                self.share(scope)
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

    def _spawn(self, scope: Scope, budget: int, level: int) -> int:
        """A child that is joined, or not."""
        if scope.loops or budget < 3 or scope.declared != "p":
            return -1
        child, handle = self.name("child"), self.name("h")
        yields = self.chance(0.2)
        self.line(f"def {child}(n=0):")
        self.depth += 1
        cost = self.body(Scope(scope.cells, ["n"], yields=yields), 1)
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
        cases = (
            ["(0, _)", f"({name}, 1)", "(True, _) | (_, 2)", "[_, *_]"]
            if pair
            else ["0", "1 | 2", "True", f"int({name})", f"float() as {name}"]
        )
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
                self.line(f"    return {self.result(outer)}")
            else:
                most += self.inside("finally:", outer, max(rest, 0), level)
        return spent + most

    def _handler(self, scope: Scope, errors: str, star: bool, budget: int, level: int) -> int:
        inner, error, name = scope.inner(), self.name("e"), self.name("v")
        named = bool(errors) and self.chance(0.6)
        self.line(f"except{'*' if star else ''} {errors}{f' as {error}' if named else ''}:".replace(" :", ":"))
        self.depth += 1
        if named:
            seen = self.pick(
                f"type({error}).__name__",
                f"len({error}.args)",
                f"str({error})",
                f"tuple(map(str, {error}.args))",
                f"type({error}.__context__).__name__",
            )
            self.line(f"{name} = {seen}")
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
            self.line(f"return {self.result(inner)}")
        self.depth -= 1
        return min(cost + 1, max(budget, 0))


_B = Blocks
COMPOUND: list[tuple[float, Callable[..., int]]] = [
    (3, _B._if),
    (1.5, _B._match),
    (3, _B._for),
    (1.5, _B._while),
    (1.5, _B._compare_exchange_loop),
    (5, _B._with),
    (3, _B._guarded),
    (5, _B._try),
    (1, _B._spawn),
]
"""With weights."""
