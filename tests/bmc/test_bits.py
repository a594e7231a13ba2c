"""Terms as bits are what Python computes, and never leave their range."""

from __future__ import annotations

import random

import pytest

from mcr.explorers.bmc.circuits import Circuits, Gates
from mcr.explorers.bmc.numbers import Range, range_of
from replay.world.terms import NUMBERS, Part, Term, apply, evaluate, given, text, variable
from solvers.registry import make_solver


def _number(rng: random.Random, leaves: list[Term], depth: int) -> Part:
    if depth <= 0:
        return rng.choice(leaves) if rng.random() < 0.7 else rng.randint(-9, 9)
    op = rng.choice(list(NUMBERS))
    if op == "<<":
        return apply(op, _number(rng, leaves, depth - 1), rng.randint(-2, 2))
    parts = [_number(rng, leaves, depth - 1) for _ in range(2)]
    return apply(op, _truth(rng, leaves, depth - 1), *parts) if op == "if" else apply(op, *parts)


def _truth(rng: random.Random, leaves: list[Term], depth: int) -> Part:
    op = rng.choice(["==", "<", "not", "and", "or", "xor"])
    if depth <= 0 or op in ("==", "<"):
        return apply("<" if op == "<" else "==", _number(rng, leaves, depth - 1), _number(rng, leaves, depth - 1))
    parts = [_truth(rng, leaves, depth - 1) for _ in range(1 if op == "not" else 2)]
    return apply(op, *parts)


@pytest.mark.parametrize("solver", ["minisat22", "z3"])
def test_random_terms(solver: str) -> None:
    rng = random.Random(7)
    for _ in range(300 if solver == "minisat22" else 30):
        ranges = {
            variable(f"v{number}"): Range(*sorted((rng.randint(-20, 20), rng.randint(-20, 20)))) for number in range(3)
        }
        leaves = [*ranges, given("input", -2, 5)]
        part = (_truth if rng.random() < 0.4 else _number)(rng, leaves, 3)
        values = {leaf: rng.randint(*ranges.get(leaf, Range(-2, 5))) for leaf in leaves}
        expected = evaluate(part, values.__getitem__)
        known: dict[Term, Range] = {}
        assert range_of(part, ranges, known).low <= expected <= range_of(part, ranges, known).high, text(part)
        asked = make_solver(solver)
        circuits = Circuits(Gates(asked), lambda term: range_of(term, ranges, known))  # noqa: B023
        statement = circuits.truth(part) if type(expected) is bool else circuits.equal(part, expected)
        for leaf, value in values.items():
            circuits.equate(leaf, value, ())
        assert asked.propose(), text(part)
        assert asked.holds(statement) is (expected if type(expected) is bool else True), (text(part), values)


def test_numbers_have_as_many_bits_as_they_need() -> None:
    assert [Range(low, high).width for low, high in ((0, 0), (0, 1), (0, 8), (-1, 0), (-8, 7), (-9, 2))] == [
        *(0, 1, 4, 1, 4, 5)
    ]
