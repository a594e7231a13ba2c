"""Terms as bits, and bits as statements of a solver.

A gate is a statement that is tied to those it is made of (`Gates`). What is known is not asked of the solver: gates of
constants, of equals and of opposites are none, and equal gates are one. Numbers are in two's complement, each with as
many bits as its range needs (`Circuits`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mcr.explorers.bmc.numbers import Range
from replay.world.terms import INPUT, VARIABLE, Part, Term, apply
from solvers.interface import OrderSolver, Statement


class Gates:
    """The gates of one solver. `true` is a statement that always holds."""

    def __init__(self, solver: OrderSolver) -> None:
        self.solver = solver
        self.true: Statement = solver.statement()
        self._known: dict[tuple[object, ...], Statement] = {}
        solver.require((self.true,))

    def constant(self, value: object) -> Statement:
        return self.true if value else -self.true

    def all_of(self, inputs: Iterable[Statement]) -> Statement:
        """Returns a statement that holds if all of the inputs hold."""
        found = set(inputs) - {self.true}
        if -self.true in found or any(-each in found for each in found):
            return -self.true
        if len(found) < 2:
            return found.pop() if found else self.true
        ordered = tuple(sorted(found))
        return self._gate(
            ("and", ordered), lambda gate: [*((-gate, each) for each in ordered), (gate, *(-each for each in ordered))]
        )

    def _gate(self, name: tuple[object, ...], tie: Callable[[Statement], Iterable[Sequence[Statement]]]) -> Statement:
        """The gate of that name; `tie` says what is required of it when it is new."""
        gate = self._known.get(name)
        if gate is None:
            gate = self._known[name] = self.solver.statement()
            for alternatives in tie(gate):
                self.solver.require(alternatives)
        return gate

    def any_of(self, inputs: Iterable[Statement]) -> Statement:
        """Returns a statement that holds if one of the inputs holds."""
        return -self.all_of(-each for each in inputs)

    def differ(self, one: Statement, other: Statement) -> Statement:
        """Returns a statement that holds if exactly one of two holds."""
        if abs(one) == self.true:
            return -other if one > 0 else other
        if abs(other) == self.true:
            return -one if other > 0 else one
        if abs(one) == abs(other):
            return self.constant(one != other)
        sign = 1 if (one > 0) == (other > 0) else -1
        one, other = sorted((abs(one), abs(other)))
        return sign * self._gate(
            ("xor", one, other),
            lambda gate: ((-gate, one, other), (-gate, -one, -other), (gate, -one, other), (gate, one, -other)),
        )

    def choose(self, condition: Statement, one: Statement, other: Statement) -> Statement:
        """`one` if the condition holds, else `other`."""
        if abs(condition) == self.true:
            return one if condition > 0 else other
        if one == other:
            return one
        if abs(one) == self.true:
            return self.any_of((condition, other)) if one > 0 else self.all_of((-condition, other))
        if abs(other) == self.true:
            return self.any_of((-condition, one)) if other > 0 else self.all_of((condition, one))
        if one == -other:
            return -self.differ(condition, one)
        if condition < 0:
            condition, one, other = -condition, other, one
        return self._gate(
            ("if", condition, one, other),
            lambda gate: (
                *((-condition, -one, gate), (-condition, one, -gate)),
                *((condition, -other, gate), (condition, other, -gate)),
                *((-one, -other, gate), (one, other, -gate)),
            ),
        )

    def sum_of_three(self, one: Statement, other: Statement, carry: Statement) -> tuple[Statement, Statement]:
        """The two digits of a sum of three bits: sum and carry."""
        return self.differ(self.differ(one, other), carry), self._two_of(one, other, carry)

    def _two_of(self, *inputs: Statement) -> Statement:
        """Returns a statement that holds if at least two of three hold."""
        for position, each in enumerate(inputs):
            first, second = (other for place, other in enumerate(inputs) if place != position)
            if abs(each) == self.true:
                return self.any_of((first, second)) if each > 0 else self.all_of((first, second))
            if first == second:
                return first
            if first == -second:
                return each
        a, b, c = sorted(inputs)
        pairs = ((a, b), (a, c), (b, c))
        return self._gate(
            ("two", a, b, c),
            lambda gate: [each for x, y in pairs for each in ((-x, -y, gate), (x, y, -gate))],
        )


Bits = Sequence[Statement]
"""The bits of a number, the lowest first; the last one is its sign, and is worth -2**(len - 1)."""


class Circuits:
    """The bits of terms, made when they are asked for."""

    def __init__(
        self,
        gates: Gates,
        range_of: Callable[[Part], Range],
        only: Callable[[Term], Part | None] = lambda _: None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """`range_of` says what a term may be. It must not grow for a variable once its bits were asked for.

        `only` says what a variable must be, None if it may vary; `check` ends what takes too long, by raising.
        """
        self.gates = gates
        self.variables: dict[Term, Bits] = {}
        """The bits of the variables that were asked for, in that order."""
        self.inputs: dict[Term, Bits] = {}
        """Those of the inputs."""
        self._range_of = range_of
        self._only = only
        self._check = check
        self._known: dict[Term, Bits] = {}
        self._divisions: dict[tuple[Part, Part], tuple[Bits, Bits]] = {}

    def truth(self, part: Part) -> Statement:
        """The statement that a truth is."""
        if not isinstance(part, Term):
            return self.gates.constant(part)
        self._make(part)
        return self._known[part][0]

    def bits(self, part: Part) -> Bits:
        """The bits of a number."""
        if not isinstance(part, Term):
            return self._constant(int(part))
        self._make(part)
        return self._known[part]

    def equal(self, one: Part, other: Part) -> Statement:
        """The statement that two numbers are the same."""
        return self._equal(self.bits(one), self.bits(other))

    def equate(self, one: Part, other: Part, unless: Iterable[Statement]) -> None:
        """Require that two numbers are the same, unless one of these statements holds."""
        first, second = self._same_width((self.bits(one), self.bits(other)))
        escape = tuple(unless)
        true, require = self.gates.true, self.gates.solver.require
        for a, b in zip(first, second, strict=True):
            if a != b:
                for clause in ((-a, b), (a, -b)):
                    if true not in clause:
                        require((*escape, *(each for each in clause if each != -true)))

    def value(self, term: Term, holds: Callable[[Statement], bool]) -> int:
        """The number that an assignment gives to a variable or an input."""
        if term not in self._known:
            return int(term.parts[1])
        *digits, sign = self._known[term]
        return sum(holds(digit) << place for place, digit in enumerate(digits)) - (holds(sign) << len(digits))

    # -- from the leaves up ---------------------------------------------------------

    def _make(self, part: Term) -> None:
        todo = [part]
        while todo:
            term = todo[-1]
            if term in self._known:
                todo.pop()
                continue
            missing = [each for each in self._below(term) if isinstance(each, Term) and each not in self._known]
            if missing:
                todo += missing
            else:
                self._known[term] = self._made(term)

    def _below(self, term: Term) -> Iterable[Part]:
        """Returns the parts from which the bits of a term are computed."""
        if term.op != VARIABLE:
            return term.parts
        only = self._only(term)
        return () if only is None else (only,)

    def _made(self, term: Term) -> Bits:
        if term.op == VARIABLE and (only := self._only(term)) is not None:
            return self.bits(only)
        if term.op in (VARIABLE, INPUT):
            return self._variable(term)
        parts = [self._known[each] if isinstance(each, Term) else self._of_constant(each) for each in term.parts]
        if term.is_truth:
            return (self._truth(term.op, parts),)
        return self._fitted(self._number(term, parts), self._range_of(term))

    def _of_constant(self, value: int | bool) -> Bits:
        return (self.gates.constant(value),) if type(value) is bool else self._constant(value)

    def _truth(self, op: str, parts: Sequence[Bits]) -> Statement:
        gates = self.gates
        match op:
            case "==":
                return self._equal(*parts)
            case "<":
                return self._less(*parts)
            case "not":
                return -parts[0][0]
            case "and":
                return gates.all_of(each[0] for each in parts)
            case "or":
                return gates.any_of(each[0] for each in parts)
        return gates.differ(parts[0][0], parts[1][0])

    def _number(self, term: Term, parts: Sequence[Bits]) -> Bits:
        match term.op:
            case "+":
                return self._plus(parts[0], parts[1])
            case "-":
                return self._minus(*parts)
            case "*":
                return self._times(*parts)
            case "//":
                return self._divided(term, *parts)[0]
            case "%":
                return self._divided(term, *parts)[1]
            case "<<":
                return self._shifted(parts[0], term.parts[1])
            case "if":
                condition = parts[0][0]
                pairs = zip(*self._same_width(parts[1:]), strict=True)
                return [self.gates.choose(condition, one, other) for one, other in pairs]
        pairs = zip(*self._same_width(parts), strict=True)
        return [self._bitwise(term.op, one, other) for one, other in pairs]

    def _bitwise(self, op: str, one: Statement, other: Statement) -> Statement:
        if op == "^":
            return self.gates.differ(one, other)
        return self.gates.all_of((one, other)) if op == "&" else self.gates.any_of((one, other))

    # -- numbers ----------------------------------------------------------------------

    def _constant(self, value: int) -> Bits:
        width = max(value.bit_length(), (-value - 1).bit_length() if value < 0 else 0) + 1
        return [self.gates.constant(value >> place & 1) for place in range(width)]

    def _variable(self, term: Term) -> Bits:
        found = self._fresh(self._range_of(term))
        if term.op == VARIABLE:
            self.variables[term] = found
            return found
        self.inputs[term] = found
        low, high = (self._constant(bound) for bound in term.parts[1:])
        for wrong in (self._less(found, low), self._less(high, found)):
            self.gates.solver.require((-wrong,))
        return found

    def _fresh(self, of: Range) -> list[Statement]:
        """The bits of a number of which only the range is known."""
        bits = [self.gates.solver.statement() for _ in range(of.width)]
        return bits if of.low < 0 else [*bits, -self.gates.true]

    def _fitted(self, bits: Bits, into: Range) -> Bits:
        """Returns the same number without the bits that its range does not need."""
        found = list(bits[: into.width + (into.low >= 0)])
        if into.low >= 0:
            found[-1] = -self.gates.true
        return found

    def _same_width(self, numbers: Sequence[Bits], more: int = 0) -> list[list[Statement]]:
        width = max(map(len, numbers)) + more
        return [[*number, *[number[-1]] * (width - len(number))] for number in numbers]

    def _plus(self, one: Bits, other: Bits, carry: Statement | None = None) -> Bits:
        carry = -self.gates.true if carry is None else carry
        total: list[Statement] = []
        for a, b in zip(*self._same_width((one, other), 1), strict=True):
            digit, carry = self.gates.sum_of_three(a, b, carry)
            total.append(digit)
        return total

    def _minus(self, one: Bits, other: Bits) -> Bits:
        one, other = self._same_width((one, other))
        return self._plus(one, [-each for each in other], self.gates.true)

    def _times(self, one: Bits, other: Bits) -> Bits:
        """Row by row; the row of the sign counts against the others."""
        if sum(abs(each) != self.gates.true for each in one) < sum(abs(each) != self.gates.true for each in other):
            one, other = other, one
        total: Bits = [-self.gates.true]
        for place, digit in enumerate(other):
            if digit == -self.gates.true:
                continue
            self._check()
            row = [*[-self.gates.true] * place, *(self.gates.all_of((digit, each)) for each in one)]
            total = self._minus(total, row) if place == len(other) - 1 else self._plus(total, row)
        return total

    def _shifted(self, bits: Bits, distance: int) -> Bits:
        if distance >= 0:
            return [*[-self.gates.true] * distance, *bits]
        return bits[-distance:] or bits[-1:]

    def _divided(self, term: Term, one: Bits, other: Bits) -> tuple[Bits, Bits]:
        """Quotient and remainder: new numbers of which the law of division holds, and 0 where there is none."""
        dividend, divisor = term.parts
        known = self._divisions.get((dividend, divisor))
        if known is not None:
            return known
        quotient, rest = (self._fresh(self._range_of(apply(op, dividend, divisor))) for op in ("//", "%"))
        zero = self._equal(other, self._constant(0))
        negative = other[-1]
        law = self._equal(self._plus(self._times(quotient, other), rest), one)
        small = self.gates.choose(negative, self._less(other, rest), self._less(rest, other))
        sign = self.gates.choose(negative, -self._less(self._constant(0), rest), -rest[-1])
        for needed in (law, small, sign):
            self.gates.solver.require((zero, needed))
        for nothing in (quotient, rest):
            for each in nothing:
                if each != -self.gates.true:
                    self.gates.solver.require((-zero, -each))
        self._divisions[dividend, divisor] = quotient, rest
        return quotient, rest

    def _equal(self, one: Bits, other: Bits) -> Statement:
        pairs = zip(*self._same_width((one, other)), strict=True)
        return self.gates.all_of(-self.gates.differ(a, b) for a, b in pairs)

    def _less(self, one: Bits, other: Bits) -> Statement:
        """From the lowest bit up: what is higher decides, unless it is equal. The sign counts the other way."""
        first, second = self._same_width((one, other))
        less = -self.gates.true
        for a, b in zip(first[:-1], second[:-1], strict=True):
            less = self.gates.choose(self.gates.differ(a, b), b, less)
        return self.gates.choose(self.gates.differ(first[-1], second[-1]), first[-1], less)
