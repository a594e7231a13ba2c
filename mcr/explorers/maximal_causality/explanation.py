"""The constraints for one load and one other value, to be read ([huang-2016] figures 4 and 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mcr.explorers.maximal_causality.constraints import And, Before, Constraint, all_of, show
from mcr.explorers.maximal_causality.enforce import Seed, seed_of
from mcr.explorers.maximal_causality.observation import Observation, Observed
from mcr.explorers.maximal_causality.phi import phi_lock, phi_mem, phi_state, phi_sync, phi_validity
from mcr.explorers.maximal_causality.program_order import ProgramOrder
from mcr.explorers.maximal_causality.query import Goal, Query, Solving
from mcr.explorers.maximal_causality.translation import Translation
from replay.world.memory_model import MemoryModel
from replay.world.shown import shown
from solvers.registry import make_solver

HAPPENS_BEFORE = ("Phi_mem", "Phi_sync")
"""The groups that together are Phi_mhb."""


@dataclass(frozen=True)
class Explanation:
    """Why a load can, or cannot, read a value.

    trace     the trace with the other value in it, after which the load's thread stops
    goal      the load, an event of this trace
    groups    the constraints by name, in the paper's order
    seed      a shortest seed that reads the value; None if there is none
    conflict  constraints that cannot hold together, none of them superfluous, by group; empty if there is a seed
    """

    trace: Observation
    goal: Observed
    groups: dict[str, And]
    seed: Seed | None
    conflict: dict[str, And]


def group_lines(groups: dict[str, And]) -> list[str]:
    """The groups, one line for each constraint; orders that follow each other are drawn as one chain."""
    found: list[str] = []
    for name, group in groups.items():
        texts = chains(group.parts) if name in HAPPENS_BEFORE else map(show, group.parts)
        texts = [text for text in texts if text != "true"]
        found.extend(f"{name if number == 0 else '':<13}{text}" for number, text in enumerate(texts or ["true"]))
    return found


def explain(trace: Observation, goal: Goal, model: MemoryModel, order: ProgramOrder, solver: str) -> Explanation:
    """Set up and solve the constraints for one goal."""
    query = Query(trace, goal)
    changed = query.changed()
    event = changed.event_at(goal[0])
    groups = {
        "Phi_mem": phi_mem(changed, order),
        "Phi_sync": phi_sync(changed, order),
        "Phi_lock": phi_lock(changed),
        "Phi_validity": phi_validity(changed, event),
        "Phi_state": phi_state(changed, event),
    }
    prefix = Solving(order, solver).shortest_prefix(query)
    seed = None if prefix is None else seed_of(changed, prefix, model)
    conflict = {} if prefix is not None else minimal_conflict(changed, groups, solver)
    return Explanation(changed, event, groups, seed, conflict)


def minimal_conflict(trace: Observation, groups: dict[str, And], solver: str) -> dict[str, And]:
    """An unsatisfiable core: first groups, then constraints are left out, for good where the conflict remains."""
    core = dict(groups)
    for name in groups:
        rest = {other: group for other, group in core.items() if other != name}
        if not is_satisfiable(trace, rest, solver):
            core = rest
    for name, group in list(core.items()):
        for part in group.parts:
            rest = {**core, name: all_of(other for other in core[name].parts if other is not part)}
            if not is_satisfiable(trace, rest, solver):
                core = rest
    return core


def is_satisfiable(trace: Observation, groups: dict[str, And], solver: str) -> bool:
    """Whether some prefix satisfies these groups."""
    translation = Translation(make_solver(solver), trace)
    translation.fix(*(group for name, group in groups.items() if name in HAPPENS_BEFORE))
    for name, group in groups.items():
        if name not in HAPPENS_BEFORE:
            translation.require(group)
    while translation.solver.propose():
        if translation.prefix() is not None:
            return True
    return False


def chains(parts: Iterable[Constraint]) -> list[str]:
    """Orders as chains "O1 < O2 < O3", each order in one of them; other constraints as they are."""
    found: list[list[int]] = []
    others = []
    for part in parts:
        if not isinstance(part, Before):
            others.append(show(part))
            continue
        chain = next((chain for chain in found if chain[-1] == part.first), None)
        if chain is None:
            found.append([part.first, part.second])
        else:
            chain.append(part.second)
    return [" < ".join(f"O{event}" for event in chain) for chain in found] + others


def describe(event: Observed, trace: Observation) -> str:
    """One event as a line of an explanation."""
    unfolding, operation = trace.unfolding, event.before.operation
    what = operation.describe() if operation else "end"
    value = (
        f" reads {shown(unfolding.values[event.read])}" if event.read >= 0 and operation and operation.location else ""
    )
    return f"e{event.id:<4} thread {unfolding.thread_name(event.thread)}: {what}{value}"
