"""Three independent answers and brute force, on random instances; `campaign` is the long run."""

from __future__ import annotations

import random

import pytest

from replay.world.memory_models import MODELS
from tests.amount import amount
from tests.consistency.agreement import disagreements
from tests.consistency.instances import random_good_instance, random_instance

INSTANCES = amount(300, 1000)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_all_procedures_agree_with_brute_force_on_reads_from(model):
    counts = {True: 0, False: 0}
    for number in range(INSTANCES):
        instance = random_instance(random.Random(f"test {number}"), model)
        expected, wrong = disagreements(instance, model, ("minisat22", "z3") if number % 10 == 0 else ("minisat22",))
        assert not wrong, (number, wrong, instance)
        counts[expected] += 1
    assert min(counts.values()) > INSTANCES / 10, "both kinds must be tried"


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_all_procedures_agree_with_brute_force_on_good_writes(model):
    for number in range(INSTANCES // 5):
        instance = random_good_instance(random.Random(f"good {number}"), model)
        _, wrong = disagreements(instance, model, ("minisat22",))
        assert not wrong, (number, wrong, instance)
