"""Hard questions: pigeons that each want a hole of their own."""

from __future__ import annotations

from itertools import combinations

from solvers import OrderSolver
from solvers.interface import Statement


def pigeons(solver: OrderSolver, holes: int) -> list[Statement]:
    """A statement that as good as says: one pigeon more than there are holes has a hole of its own each.

    From twelve holes on, no solver here finds the contradiction in our lifetime.
    """
    wanted = solver.statement()
    places = [[solver.statement() for _ in range(holes)] for _ in range(holes + 1)]
    for place in places:
        solver.require((-wanted, *place))
    for hole in range(holes):
        for one, two in combinations(places, 2):
            solver.require((-one[hole], -two[hole]))
    return [wanted]
