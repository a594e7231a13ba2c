"""All procedures on one instance: do they agree with brute force, and are their witnesses right?"""

from __future__ import annotations

from mcr.consistency.cycle import ActionCycle
from mcr.consistency.explain import explain
from mcr.consistency.instance import Instance, Realization, SearchOptions
from mcr.consistency.verify import decided, realize
from mcr.consistency.witness import why_not
from replay.world.memory_model import MemoryModel
from tests.consistency.brute_force import is_realizable
from tests.consistency.encoding import solve
from tests.consistency.naive import PatientSC, realize_naively

SOLVERS = ("minisat22", "z3")


def answers(instance: Instance, model: MemoryModel, solvers: tuple[str, ...] = SOLVERS) -> dict[str, Realization]:
    """The answer of every procedure that decides such an instance."""
    found: dict[str, Realization] = {f"encoding ({name})": solve(instance, model, name) for name in solvers}
    guide = tuple(action.id for action in instance.actions)
    for closure in (True, False):
        found[f"verify, closure={closure}"] = realize(instance, model, SearchOptions(closure=closure))
    found["verify, extension first"] = realize(instance, model, SearchOptions(extends=True))
    found["verify, guided"] = realize(instance, model, SearchOptions(guide=guide, closure=False))
    if model.buffers is None:
        found["verify, patient"] = decided(PatientSC, instance, model, SearchOptions(closure=False))
    if instance.is_rf:
        for closure in (True, False):
            found[f"naive, closure={closure}"] = realize_naively(instance, model, SearchOptions(closure=closure))
    return found


def disagreements(instance: Instance, model: MemoryModel, solvers: tuple[str, ...] = SOLVERS) -> tuple[bool, list[str]]:
    """Whether the instance is realizable, and who says otherwise or shows a wrong witness."""
    expected = is_realizable(instance, model)
    wrong: list[str] = []
    for name, answer in answers(instance, model, solvers).items():
        if answer.is_realizable != expected:
            wrong.append(f"{name} says {answer.is_realizable}, brute force {expected}")
        elif answer.witness is not None and (problem := why_not(instance, model, answer.witness)):
            wrong.append(f"{name} shows a wrong witness: {problem}")
    if instance.is_rf and expected == has_cycles(instance, model):
        wrong.append("the axioms disagree: " + ("a cycle" if expected else "no cycle"))
    return expected, wrong


def has_cycles(instance: Instance, model: MemoryModel) -> bool:
    """Whether the axioms forbid the instance whatever the order of its writes, as `explain` tells it."""
    explanation = explain(instance, model)
    return explanation is not None and all(is_cycle(cycle) for cycle in explanation.cycles)


def is_cycle(cycle: ActionCycle) -> bool:
    edges = cycle.edges
    return all(one.target == two.source for one, two in zip(edges, edges[1:] + edges[:1], strict=True))
