"""The execution of a schedule is that of its recorded trace, whoever derives it; so are its classes and schedules."""

from __future__ import annotations

from itertools import combinations

import pytest

from examples import litmus, reference
from mcr.executions.causal_past import observe
from mcr.executions.class_keys import Named, class_key
from mcr.executions.equivalence import EQUIVALENCES, history
from mcr.executions.schedule import interleaved
from replay.frontend.program import Program
from replay.machine.machine import Choice
from replay.machine.unfolding import Unfolding
from replay.traces.player import record
from replay.world.memory_models import MODELS
from tests.executions.running import random_run

PROGRAMS = [
    reference.sb(n=2, check=False),
    reference.casrot(n=3),
    reference.fastmutex(check=False),
    litmus.store_forwarding,
]
CASES = [pytest.param(program, model, id=f"{program.title}-{model}") for program in PROGRAMS for model in MODELS]


def some_runs(unfolding: Unfolding, model: str) -> list[list[Choice]]:
    return [random_run(unfolding, MODELS[model], seed) for seed in range(12)]


@pytest.mark.parametrize(("program", "model"), CASES)
def test_a_schedule_and_its_trace_have_the_same_relations(program: Program, model: str) -> None:
    unfolding = Unfolding(program)
    for choices in some_runs(unfolding, model):
        execution = observe(unfolding, MODELS[model], choices)
        named = Named(record(unfolding, MODELS[model], choices))

        def place(found, unfolding=unfolding):
            return found and (unfolding.thread_name(found[0]), found[1])

        assert {place(read): place(source) for read, source in execution.sources.items()} == named.sources
        coherence = {unfolding.locations[loc].name: list(map(place, w)) for loc, w in execution.coherence.items()}
        assert coherence == named.coherence


@pytest.mark.parametrize(("program", "model"), CASES)
def test_numbers_and_names_tell_the_same_classes_apart(program: Program, model: str) -> None:
    unfolding = Unfolding(program)
    seen = some_runs(unfolding, model)
    for equivalence in EQUIVALENCES:
        numbers = [equivalence.key(observe(unfolding, MODELS[model], choices)) for choices in seen]
        names = [class_key(record(unfolding, MODELS[model], each), equivalence.name) for each in seen]
        for one, two in combinations(range(len(seen)), 2):
            assert (numbers[one] == numbers[two]) is (names[one] == names[two])


def test_history_follows_reads() -> None:
    sources = {(1, 0): (0, 1), (2, 1): (1, 2), (0, 0): None}
    assert history(sources, 2, 1) == {2: 1}
    assert history(sources, 2, 2) == {2: 2, 1: 3, 0: 2}


def test_steps_come_at_their_moments_and_the_rest_in_the_end() -> None:
    lines = ["abc", "xyz"]
    assert interleaved(lines, [(1, 2, "!"), (0, 1, None), (1, 1, "?")]) == list("xy!a?bcz")
