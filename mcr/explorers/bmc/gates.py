"""Logic as statements of a solver: each gate is a statement that is tied to those it is made of.

What is known is not asked of the solver: gates of constants, of equals and of
opposites are none, and equal gates are one.
"""

from __future__ import annotations

from collections.abc import Iterable

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
        """Whether all of them hold."""
        found = set(inputs) - {self.true}
        if -self.true in found or any(-each in found for each in found):
            return -self.true
        if len(found) < 2:
            return found.pop() if found else self.true
        ordered = tuple(sorted(found))
        gate = self._known.get(("and", ordered))
        if gate is None:
            gate = self._known["and", ordered] = self.solver.statement()
            for each in ordered:
                self.solver.require((-gate, each))
            self.solver.require((gate, *(-each for each in ordered)))
        return gate

    def any_of(self, inputs: Iterable[Statement]) -> Statement:
        """Whether one of them holds."""
        return -self.all_of(-each for each in inputs)

    def differ(self, one: Statement, other: Statement) -> Statement:
        """Whether exactly one of two holds."""
        if abs(one) == self.true:
            return -other if one > 0 else other
        if abs(other) == self.true:
            return -one if other > 0 else one
        if abs(one) == abs(other):
            return self.constant(one != other)
        sign = 1 if (one > 0) == (other > 0) else -1
        one, other = sorted((abs(one), abs(other)))
        gate = self._known.get(("xor", one, other))
        if gate is None:
            gate = self._known["xor", one, other] = self.solver.statement()
            require = self.solver.require
            require((-gate, one, other))
            require((-gate, -one, -other))
            require((gate, -one, other))
            require((gate, one, -other))
        return sign * gate

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
        gate = self._known.get(("if", condition, one, other))
        if gate is None:
            gate = self._known["if", condition, one, other] = self.solver.statement()
            require = self.solver.require
            require((-condition, -one, gate))
            require((-condition, one, -gate))
            require((condition, -other, gate))
            require((condition, other, -gate))
            require((-one, -other, gate))
            require((one, other, -gate))
        return gate

    def sum_of_three(self, one: Statement, other: Statement, carry: Statement) -> tuple[Statement, Statement]:
        """The two digits of a sum of three bits: sum and carry."""
        return self.differ(self.differ(one, other), carry), self._two_of(one, other, carry)

    def _two_of(self, *inputs: Statement) -> Statement:
        """Whether at least two of three hold."""
        for position, each in enumerate(inputs):
            first, second = (other for place, other in enumerate(inputs) if place != position)
            if abs(each) == self.true:
                return self.any_of((first, second)) if each > 0 else self.all_of((first, second))
            if first == second:
                return first
            if first == -second:
                return each
        ordered = tuple(sorted(inputs))
        gate = self._known.get(("two", ordered))
        if gate is None:
            gate = self._known["two", ordered] = self.solver.statement()
            for first, second in ((0, 1), (0, 2), (1, 2)):
                self.solver.require((-ordered[first], -ordered[second], gate))
                self.solver.require((ordered[first], ordered[second], -gate))
        return gate
