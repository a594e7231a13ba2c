"""Runs of programs that nobody chose."""

from __future__ import annotations

import random

from replay.machine.machine import Choice, Machine
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel


def random_run(unfolding: Unfolding, model: MemoryModel, seed: int) -> list[Choice]:
    """A schedule until nothing can run any more."""
    generator = random.Random(seed)
    machine = Machine(unfolding, model)
    choices: list[Choice] = []
    while possible := machine.choices():
        choices.append(generator.choice(possible))
        machine.apply(choices[-1])
    return choices
