"""Proofs that requirements have no solution whose orders have no cycle, for whoever checks them without a solver."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from solvers.interface import Check, Event, Statement, unchecked
from solvers.registry import DEFAULT_SOLVER
from solvers.sat import SatSolver

Clause = Sequence[Statement]
Step = tuple[list[Statement], list[int]]
"""A clause, and the numbers of those that show it, each of which then leaves one literal at most (LRAT)."""


def refute(
    requirements: Sequence[Clause],
    happens: Sequence[Statement],
    fixed: Iterable[tuple[Event, Event, Statement]],
    decided: Mapping[tuple[Event, Event], Statement],
    forbidden: Callable[[list[Event]], Clause],
    check: Check = unchecked,
) -> tuple[list[list[Event]], list[Step]] | None:
    """Cycles, and a proof that the requirements have no solution with none of these; None if they have one.

    The requirements and what forbids the cycles are numbered from 1, and so are the steps after them.

    happens    for each event the statement that it does; others are in no order
    fixed      events, the earlier first, with a statement while which that holds, 0 for always
    decided    the statement that decides which of two others is earlier, in both directions
    forbidden  the clause that forbids a cycle
    """
    cycles: list[list[Event]] = []
    steps = _prove(requirements)
    if steps is None:
        search = _CycleSearch(check)
        for _ in happens:
            search.event()
        pairs = {statement: pair for pair, statement in decided.items()}
        for statement in range(1, 1 + max(abs(literal) for clause in requirements for literal in clause)):
            if statement in pairs:
                search.order(*pairs[statement])
            else:
                search.statement()
        for each in fixed:
            search.precedes(*each)
        for clause in requirements:
            search.require(clause)
        while search.propose():
            if search.sort([event for event, does in enumerate(happens) if search.holds(does)]) is not None:
                return None
        cycles = search.met
        steps = _prove([*requirements, *map(forbidden, cycles)])
        assert steps is not None, "what a search has refuted has no proof"
    return _trimmed(len(requirements), cycles, steps)


class _CycleSearch(SatSolver):
    """Keeps the cycles that it meets."""

    def __init__(self, check: Check) -> None:
        super().__init__(DEFAULT_SOLVER, check)
        self.met: list[list[Event]] = []

    def _forbid(self, cycle: list[Event]) -> None:
        self.met.append(cycle)
        super()._forbid(cycle)


def _prove(clauses: Sequence[Clause]) -> list[tuple[int, list[Statement], list[int]]] | None:
    """The steps of a proof, each with its number, up to the empty clause; None if there is a solution."""
    import pysolvers
    from pysat.solvers import Cadical195

    if [] in clauses:
        return [(len(clauses) + 1, [], [1 + list(clauses).index([])])]
    solver: Any = Cadical195()
    solver.configure({"lrat": 1, "binary": 0})
    solver.prfile = tempfile.TemporaryFile()  # noqa: SIM115 - the solver closes it
    solver.prfp = pysolvers.cadical195_tracepr(solver.cadical, solver.prfile)
    try:
        solver.append_formula(clauses)
        if solver.solve():
            return None
        pysolvers.flushpr(solver.prfp)
        solver.prfile.seek(0)
        lines: list[bytes] = solver.prfile.read().splitlines()
    finally:
        solver.delete()
    read = [list(map(int, line.split())) for line in lines if b"d" not in line]
    # What a clause that is added makes known is a step with a number of its own, between those of clauses.
    steps = {number for number, *_ in read}
    free = (number for number in count(1) if number not in steps)
    names = dict(zip(free, range(1, len(clauses) + 1), strict=False))
    found = []
    for place, (number, *rest) in enumerate(read, len(clauses) + 1):
        end = rest.index(0)
        names[number] = place
        found.append((place, rest[:end], [names[hint] for hint in rest[end + 1 : -1]]))
        if not end:
            return found
    raise AssertionError("a proof without end")


def _trimmed(
    requirements: int, cycles: list[list[Event]], steps: list[tuple[int, list[Statement], list[int]]]
) -> tuple[list[list[Event]], list[Step]]:
    """Returns what the last step of a proof needs, numbered anew."""
    needed = {steps[-1][0]}
    for number, _, hints in reversed(steps):
        if number in needed:
            needed.update(hints)
    axioms = sorted(number for number in needed if requirements < number <= requirements + len(cycles))
    left = [step for step in steps if step[0] in needed]
    new = {old: requirements + place for place, old in enumerate([*axioms, *(number for number, _, _ in left)], 1)}
    proof = [(clause, [new.get(hint, hint) for hint in hints]) for _, clause, hints in left]
    return [cycles[number - requirements - 1] for number in axioms], proof
