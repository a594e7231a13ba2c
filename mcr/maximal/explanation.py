"""The constraints for one load and one other value, to be read ([huang-2016] figures 4 and 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mcr.maximal.constraints import And, Before, Constraint, show
from mcr.maximal.enforce import Seed, schedule
from mcr.maximal.observation import Event, Observation
from mcr.maximal.phi import phi_lock, phi_mem, phi_state, phi_sync, phi_validity
from mcr.maximal.program_order import ProgramOrder
from mcr.maximal.query import Query, Solving
from mcr.maximal.questions import Goal
from mcr.maximal.translation import Translation
from replay.memory_model import MemoryModel
from solvers.registry import make_solver

HAPPENS_BEFORE = ("Phi_mem", "Phi_sync")
"""The groups that together are Phi_mhb."""


@dataclass(frozen=True)
class Explanation:
    """Why a load can, or cannot, read a value.

    trace     the trace with the other value in it
    groups    the constraints by name, in the paper's order
    seed      a shortest seed that reads the value; None if there is none
    conflict  names of groups that cannot hold together, none of them superfluous; empty if there is a seed
    """

    trace: Observation
    groups: dict[str, And]
    seed: Seed | None
    conflict: tuple[str, ...]

    def lines(self) -> list[str]:
        """The groups, one line for each constraint; orders that follow each other are drawn as one chain."""
        found: list[str] = []
        for name, group in self.groups.items():
            texts = chains(group.parts) if name in HAPPENS_BEFORE else list(map(show, group.parts))
            found.extend(f"{name if number == 0 else '':<13}{text}" for number, text in enumerate(texts or ["true"]))
        return found


def explain(trace: Observation, goal: Goal, model: MemoryModel, order: ProgramOrder, solver: str) -> Explanation:
    """Set up and solve the constraints for one goal."""
    changed = trace.retargeted(*goal, known_ways=False)
    goals = frozenset({changed.event_at(goal[0]).id})
    groups = {
        "Phi_mem": phi_mem(changed, order),
        "Phi_sync": phi_sync(changed, order),
        "Phi_lock": phi_lock(changed),
        "Phi_validity": phi_validity(changed, goals),
        "Phi_state": phi_state(changed, goals),
    }
    prefix = Solving(order, solver).shortest_prefix(Query(changed, goals))
    seed = None if prefix is None else schedule(changed, prefix, model)
    conflict = () if prefix is not None else minimal_conflict(changed, groups, solver)
    return Explanation(changed, groups, seed, conflict)


def minimal_conflict(trace: Observation, groups: dict[str, And], solver: str) -> tuple[str, ...]:
    """An unsatisfiable core: groups are left out one by one, for good where the conflict remains."""
    core = dict(groups)
    for name in groups:
        rest = {other: group for other, group in core.items() if other != name}
        if not is_satisfiable(trace, rest, solver):
            core = rest
    return tuple(core)


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


def describe(event: Event, trace: Observation) -> str:
    """One event as a line of an explanation."""
    unfolding, operation = trace.unfolding, event.before.operation
    what = operation.describe() if operation else "end"
    value = f" reads {unfolding.values[event.read]!r}" if event.read >= 0 and operation and operation.location else ""
    return f"e{event.id:<4} thread {unfolding.thread_name(event.thread)}: {what}{value}"
