"""A random program while it is written: its lines, the names in scope, and the random numbers that decide."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.interpreter.grammar import ANY, ATOMS, COMPOUND, DICT, EXPRESSIONS, LIST, NUMBER, SIMPLE, TEXT

DATA = (NUMBER, TEXT, LIST, DICT, ANY)
"""Kinds of values that variables hold."""

DEEPEST = 3
"""Expressions within an expression."""

LONGEST = 80
"""Lines after which no statement with blocks begins."""

CODE = ("function", "generator", "coroutine", "async generator")
"""Kinds of scopes with local variables that inner scopes can reach."""


@dataclass
class Scope:
    """A function, class, lambda or comprehension being written, and the names that it binds, each with its kind."""

    kind: str
    parent: Scope | None = None
    names: dict[str, str] = field(default_factory=dict)
    outer: dict[str, str] = field(default_factory=dict)  # names declared global or nonlocal
    loops: int = 0
    may_leave: bool = True  # `return`, `break` and `continue` are allowed

    def readable(self) -> Iterator[dict[str, str]]:
        """Names that an expression here can read; what a class binds is seen in its body alone."""
        yield self.names
        yield self.outer
        above = self.parent
        while above is not None:
            if above.kind != "class":
                yield above.names
            above = above.parent

    def writable(self) -> list[tuple[str, str]]:
        return [*self.names.items(), *self.outer.items()]


class Writer:
    def __init__(self, seed: int, version: tuple[int, ...] = sys.version_info[:2]) -> None:
        self.random = random.Random(seed)
        self.version = version
        self.lines: list[str] = []
        self.scope = Scope("function")
        self._indentation = 0
        self._nesting = 0
        self._numbers: dict[str, int] = {}

    # -- random choices ------------------------------------------------------------

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def some(self, options: list[str], least: int, most: int) -> list[str]:
        """A sample without repetition, of a random size, in the order in which it is drawn."""
        return self.random.sample(options, min(len(options), self.random.randint(least, most)))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def count(self, least: int, most: int) -> range:
        return range(self.random.randint(least, most))

    # -- names -----------------------------------------------------------------------

    def new(self, prefix: str) -> str:
        """A name that the program does not have yet."""
        number = self._numbers[prefix] = self._numbers.get(prefix, 0) + 1
        return f"{prefix}{number}"

    def named(self, kind: str) -> list[str]:
        """Names of a kind that can be read here, of any kind of data for ANY."""
        kinds = DATA if kind == ANY else (kind,)
        return [name for names in self.scope.readable() for name, of in names.items() if of in kinds]

    def target(self, kind: str) -> str:
        """A variable to assign a value of that kind to: now and then one of another kind, or a new one."""
        held = [name for name, of in self.scope.writable() if of == kind or (of in DATA and self.chance(0.05))]
        if held and (len(held) > 6 or self.chance(0.7)):
            return self.random.choice(held)
        return self.bind(self.new(kind[0]), kind)

    def bind(self, name: str, kind: str) -> str:
        self.scope.names[name] = kind
        return name

    @contextmanager
    def within(self, scope: Scope) -> Iterator[Scope]:
        """Writes what follows in an inner scope."""
        scope.parent, self.scope = self.scope, scope
        nesting, self._nesting = self._nesting, 0 if scope.kind in (*CODE, "class") else self._nesting
        try:
            yield scope
        finally:
            self.scope = scope.parent
            self._nesting = nesting

    # -- lines -----------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self._indentation + text)

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        """Indents what is written inside, which must be a line at least."""
        self.line(header)
        self._indentation += 1
        try:
            yield
        finally:
            self._indentation -= 1

    def source(self) -> str:
        return "\n".join(self.lines) + "\n"

    # -- productions -----------------------------------------------------------------

    def expression(self, kind: str = ANY) -> str:
        """An expression whose value is of a kind, or, rarely, of any."""
        if self.chance(0.03):
            kind = ANY
        if self._nesting >= DEEPEST or self.chance(0.2):
            return self.atom(kind)
        self._nesting += 1
        try:
            return EXPRESSIONS[kind](self)
        finally:
            self._nesting -= 1

    def small(self, kind: str = ANY) -> str:
        """An expression with at most one operation."""
        nesting, self._nesting = self._nesting, max(self._nesting, DEEPEST - 1)
        try:
            return self.expression(kind)
        finally:
            self._nesting = nesting

    def atom(self, kind: str = ANY) -> str:
        if self.chance(0.65):
            names = self.named(kind)
            if names:
                return self.random.choice(names)
        return ATOMS[kind](self)

    def data_kind(self) -> str:
        return self.pick(NUMBER, NUMBER, NUMBER, TEXT, LIST, LIST, DICT, ANY)

    def statement(self) -> None:
        if self._indentation > 6 or len(self.lines) > LONGEST or self.chance(0.45):
            SIMPLE(self)
        else:
            COMPOUND(self)

    def body(self, header: str, least: int = 1, most: int = 3) -> None:
        """A block of statements, which may not run."""
        with self.block(header), self.perhaps():
            for _ in self.count(least, most):
                self.statement()

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """What is bound inside is most often not read afterwards: it may be unbound."""
        names = dict(self.scope.names)
        yield
        if self.chance(0.95):
            self.scope.names = names

    def loop(self, header: str) -> None:
        self.scope.loops += 1
        self.body(header)
        self.scope.loops -= 1
