"""Values that stand for whatever they will be: what thread code is given for numbers when it runs on terms.

A `Number` takes part in arithmetic and comparisons, a `Truth` in logic, and
more of their kind come of it. Where the code needs to know (an `if`, an index,
a key, a text), the thread decides, which splits its path: `decide` gives the
decision of the path that is being run (`replay.code.running_thread`).
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Any

from replay.code.running_thread import current_run, is_symbol, is_whole
from replay.interpreter.natives import natively, shows_as
from replay.world.terms import Part, Symbol, Term, apply
from replay.world.values import same

HANDING_ON: dict[int, object] = {}
"""Functions of this package that run natively and may get symbols, by identity."""


def let_hand_on(*functions: object) -> None:
    """Say of functions that run natively that they do nothing with symbols but keep or show them, or hand them on."""
    HANDING_ON.update((id(each), each) for each in functions)


@natively
def term_of(value: object) -> Part:
    """A symbol's term, and a number or a truth itself; NotImplemented for anything else."""
    if isinstance(value, Symbol):
        return value.term
    return value if type(value) in (int, bool) else NotImplemented


@natively
def as_number(part: Part) -> Part:
    if isinstance(part, Term):
        return apply("if", part, 1, 0) if part.is_truth else part
    return int(part)


@natively
def as_truth(part: Part) -> Part:
    if isinstance(part, Term):
        return part if part.is_truth else apply("not", apply("==", part, 0))
    return bool(part)


@natively
def is_truth(part: Part) -> bool:
    return part.is_truth if isinstance(part, Term) else type(part) is bool


class _Everything:
    """All terms."""

    def __contains__(self, _: object) -> bool:
        return True


EVERYTHING: Container[Term] = _Everything()

_settled: list[Container[Term]] = [()]
"""Terms that code is not given: it is told what they are."""


def knows_all() -> bool:
    """Returns whether code is told what all terms are, and so is given no symbols."""
    return _settled[-1] is EVERYTHING


@contextmanager
def settling(terms: Container[Term]) -> Iterator[None]:
    """In the block, thread code decides what these terms are before it is given them."""
    _settled.append(terms)
    try:
        yield
    finally:
        _settled.pop()


def symbol(part: Part) -> Any:
    """Returns what thread code is given for a term: a symbol, or the constant that it is."""
    made = unsettled(part)
    return settled(made) if is_symbol(made) else made


@natively
def unsettled(part: Part) -> Any:
    """As `symbol`, though the code should be told what the term is."""
    if not isinstance(part, Term):
        return part
    return Truth(part) if part.is_truth else Number(part)


def settled(value: Symbol) -> Any:
    """A symbol, or what it is if that has to be known."""
    return decide(value) if is_settled(value) else value


@natively
def is_settled(value: Symbol) -> bool:
    """Returns whether code is to be told what a symbol is before it gets it."""
    return value.term in _settled[-1]


def decide(value: Symbol) -> Any:
    """Returns the value on the path that is being run."""
    return current_run().decide(value.term)


def concrete(value: object) -> Any:
    """The value, decided if it is a symbol."""
    return decide(value) if is_symbol(value) else value  # type: ignore[arg-type]


def _arithmetic(name: str, op: str, logical: str = "", *, divides: bool = False) -> tuple[Callable[..., Any], ...]:
    """A binary method and its reflection.

    logical  what it is between two truths, "" if nothing else
    divides  it is impossible by 0: the path is split, and one side raises what Python raises
    """
    plain = getattr(operator, name)

    def made(one: Part, other: Part) -> Any:
        if logical and is_truth(one) and is_truth(other):
            return symbol(apply(logical, one, other))
        if divides and symbol(apply("==", as_number(other), 0)):
            return plain(1, 0)
        return symbol(apply(op, as_number(one), as_number(other)))

    def forward(self: Symbol, other: object) -> Any:
        part = term_of(other)
        return plain(decide(self), other) if part is NotImplemented else made(self.term, part)

    def backward(self: Symbol, other: object) -> Any:
        part = term_of(other)
        return plain(other, decide(self)) if part is NotImplemented else made(part, self.term)

    return forward, backward


def _shift(name: str, sign: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """As `_arithmetic`, for shifts, whose distance has to be known: a number may grow without bound by it."""
    forward, _ = _arithmetic(name, "<<")
    plain = getattr(operator, name)

    def shifted(self: Symbol, other: object) -> Any:
        distance = concrete(other)
        if type(distance) is not int or not 0 <= distance <= MOST:
            return plain(decide(self), distance)
        return forward(self, sign * distance)

    def distance_of(self: Symbol, other: object) -> Any:
        return plain(other, decide(self))

    return shifted, distance_of


COMPARED: dict[str, Callable[[Part, Part], Part]] = {
    "eq": lambda one, other: apply("==", one, other),
    "ne": lambda one, other: apply("not", apply("==", one, other)),
    "lt": lambda one, other: apply("<", one, other),
    "gt": lambda one, other: apply("<", other, one),
    "le": lambda one, other: apply("not", apply("<", other, one)),
    "ge": lambda one, other: apply("not", apply("<", one, other)),
}
"""What comparisons make of two numbers."""


def _comparison(name: str) -> Callable[..., Any]:
    less = natively(COMPARED[name])
    HANDING_ON[id(less)] = less
    plain = getattr(operator, name)

    def compare(self: Symbol, other: object) -> Any:
        part = term_of(other)
        if part is NotImplemented:
            return plain(decide(self), other)
        return symbol(less(as_number(self.term), as_number(part)))

    return compare


def _of_decided(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that needs to know the number."""
    return lambda self, *given: function(decide(self), *given)


MOST = 64
"""Exponents and distances of shifts up to which a term is made: beyond, what it may be grows out of all proportion."""


class Number(Symbol):
    """A whole number that is not known yet."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class for `isinstance`: it stands for a number of Python."""
        return bool if self.term.is_truth else int

    def __bool__(self) -> bool:
        found = symbol(as_truth(self.term))
        return bool(decide(found) if is_symbol(found) else found)

    def __eq__(self, other: object) -> Any:
        part = term_of(other)
        if part is NotImplemented:
            # what is neither a whole number nor a truth may be a number of another type
            return decide(self) == other if isinstance(other, numbers.Number) else NotImplemented
        return symbol(apply("==", as_number(self.term), as_number(part)))

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return symbol(apply("not", equal.term)) if is_symbol(equal) else not equal

    __index__ = __int__ = __trunc__ = __floor__ = __ceil__ = _of_decided(int)
    __float__, __complex__, __hash__ = _of_decided(float), _of_decided(complex), _of_decided(hash)
    __str__ = __repr__ = _of_decided(str)
    __format__, __getattr__ = _of_decided(format), _of_decided(getattr)
    """That is what else numbers have: `bit_length`, `real`."""

    def __round__(self, *digits: Any) -> Any:
        return round(decide(self), *digits) if digits else self + 0

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> Any:
        return symbol(as_number(self.term))

    def __invert__(self) -> Any:
        return -1 - self

    def __abs__(self) -> Any:
        number = as_number(self.term)
        return symbol(apply("if", apply("<", number, 0), apply("-", 0, number), number))

    def __divmod__(self, other: object) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> Any:
        return other // self, other % self

    def __pow__(self, other: object, modulus: object = None) -> Any:
        exponent = concrete(other)
        if type(exponent) is not int or not 0 <= exponent <= MOST or modulus is not None:
            return pow(decide(self), exponent, concrete(modulus))
        power: Any = 1
        for _ in range(exponent):
            power = power * self
        return power

    def __rpow__(self, other: Any, modulus: object = None) -> Any:
        return pow(other, decide(self), modulus)

    def __truediv__(self, other: Any) -> Any:
        return decide(self) / concrete(other)

    def __rtruediv__(self, other: Any) -> Any:
        return other / decide(self)

    __add__, __radd__ = _arithmetic("add", "+")
    __sub__, __rsub__ = _arithmetic("sub", "-")
    __mul__, __rmul__ = _arithmetic("mul", "*")
    __floordiv__, __rfloordiv__ = _arithmetic("floordiv", "//", divides=True)
    __mod__, __rmod__ = _arithmetic("mod", "%", divides=True)
    __and__, __rand__ = _arithmetic("and_", "&", "and")
    __or__, __ror__ = _arithmetic("or_", "|", "or")
    __xor__, __rxor__ = _arithmetic("xor", "^", "xor")
    __lshift__, __rlshift__ = _shift("lshift", 1)
    __rshift__, __rrshift__ = _shift("rshift", -1)
    __lt__, __gt__ = _comparison("lt"), _comparison("gt")
    __le__, __ge__ = _comparison("le"), _comparison("ge")


class Truth(Number):
    """True or False, and not known yet."""

    __slots__ = ()


SYMBOLS = frozenset({Number, Truth})

for _kind, _native in ((Number, int), (Truth, bool)):
    shows_as(_native)(_kind)


def equals(one: Any, other: Any) -> Any:
    """Returns whether memory holds two values as one, a `Truth` where that depends on what they will be."""
    if not isinstance(one, Symbol):
        if not isinstance(other, Symbol):
            return _equal_parts(one, other) if type(one) is type(other) is tuple else same(one, other)
        one, other = other, one
    part = term_of(other)
    if part is NotImplemented or is_truth(one.term) != is_truth(part):
        return False
    op = "xor" if is_truth(part) else "=="
    found = apply(op, one.term, part)
    return unsettled(apply("not", found)) if op == "xor" else unsettled(found)


def _equal_parts(one: tuple[Any, ...], other: tuple[Any, ...]) -> Any:
    if len(one) != len(other):
        return False
    whole: Part = True
    for found in map(equals, one, other):
        whole = apply("and", whole, term_of(found))
    return unsettled(whole)


let_hand_on(equals, natively(apply), natively(is_symbol), natively(is_whole))


def better(best: Any, value: Any, chooses_other: str) -> Any:
    """The greater ("gt") or lesser ("lt") of two values, the first one if they are equal."""
    one, other = term_of(best), term_of(value)
    compare = getattr(operator, chooses_other)
    if one is NotImplemented or other is NotImplemented or is_truth(one) or is_truth(other):
        return value if compare(value, best) else best
    condition = compare(symbol(other), symbol(one))
    return symbol(apply("if", term_of(condition), other, one))
