"""The oracle: every maximal execution of the store-buffer machine, one configuration at a time."""

from mcr.explorers.maximal_causality.explorer import class_of
from replay.frontend.program import Program
from replay.machine.machine import Machine
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from tests.maximal.exploring import Exploration, explored


def values_classes(unfolding: Unfolding, model: MemoryModel, limit: int = 10**6) -> set[bytes] | None:
    """The values classes of all maximal executions; grows the unfolding as far as it goes. None above the limit."""
    start = Machine(unfolding, model)
    seen = {start.key()}
    todo = [start]
    classes = set()
    while todo:
        machine = todo.pop()
        choices = machine.choices()
        if not choices:
            classes.add(class_of(machine))
        for choice in choices:
            after = machine.copy()
            after.apply(choice)
            key = after.key()
            if key not in seen:
                seen.add(key)
                todo.append(after)
        if len(seen) > limit:
            return None
    return classes


def compare(program: Program, model: MemoryModel, limit: int) -> Exploration | None:
    """Explore to the end, and assert that the classes are those of brute force, each of them run at least once.

    Returns the exploration; None where brute force meets more configurations than `limit`.
    """
    explorer = explored(program, model)
    if explorer.context.program.changing:  # executions from before it knew these are no classes
        explorer = explored(explorer.context.program, model)
    truth = values_classes(explorer.unfolding, model, limit)
    if truth is None:
        return None
    assert truth == explorer.classes
    assert explorer.statistics.executions == len(explorer.classes) + explorer.statistics.redundant
    return explorer
