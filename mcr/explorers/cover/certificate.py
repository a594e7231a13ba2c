"""A certificate of the local states that were covered, with a proof that no execution leaves them.

The formula is that of the program which confirms certificates: what it is told is a proof, and nothing of the formula
by which local states were covered.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from mcr.exploration.certificates import local_graphs
from mcr.exploration.context import ExplorationContext
from replay.certify.executions import TRUE, Executions
from replay.certify.form import EXECUTIONS, Rejected
from replay.certify.local_graphs import LocalGraphs
from replay.code.terminals import Blocked
from replay.code.user_code import exploring
from replay.machine.spinning import turn_of
from replay.machine.state import Edge, State
from solvers.refutation import refute


def certificate(context: ExplorationContext) -> dict[str, Any] | None:
    """docs/certificates.md has the fields. None if the formula leaves open what has been proved otherwise."""
    said = {"format": EXECUTIONS, **local_graphs(context.unfolding, _after)}
    graphs = LocalGraphs(context.program, said)
    try:
        with exploring(context.program.place):
            graphs.confirm()
        formula = Executions(graphs, context.model.name, deadlocks=context.goals.deadlocks)
    except Rejected:
        return None
    fixed = []
    for one, other in combinations(sorted(formula.events, key=lambda event: event.depth), 2):
        if one.thread == other.thread and one.depth < other.depth:
            while_ = formula.kept(one, other)
            if while_ != -TRUE:
                fixed.append((one.number, other.number, 0 if while_ == TRUE else while_))
    happens = [event.done for event in formula.events]
    found = refute(formula.clauses, happens, fixed, formula.orders, formula.forbidden, context.limits.check)
    if found is None:
        return None
    said["cycles"], said["proof"] = found
    return said


def _after(edge: Edge) -> State:
    """Returns where a step leads: a wait that fails begins again, and so does the turn of a loop that only looks."""
    end = edge.after.terminal
    if isinstance(end, Blocked) and 0 <= end.wait_from < edge.after.depth:
        return turn_of(edge)[0].before
    return edge.after
