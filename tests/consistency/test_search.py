"""The purpose of the heuristics: guidance, greedy extension, closure, and the limit on prefixes."""

from __future__ import annotations

import random

import pytest

from mcr.consistency.closure import closure
from mcr.consistency.instance import Instance, SearchOptions
from mcr.consistency.verify import decided, realize
from replay.world.memory_models import MODELS
from replay.world.memory_models.pso import PSO
from replay.world.memory_models.sc import SC
from replay.world.memory_models.tso import TSO
from tests.consistency.brute_force import is_realizable, random_run
from tests.consistency.instances import candidates, random_actions, random_good_instance, random_instance
from tests.consistency.litmus import instance
from tests.consistency.naive import LimitReachedError, PatientSC, at_most, realize_naively
from tests.consistency.test_growth import worst


def run_in_order(seed):
    """An instance that SC shows in the order of its ids, thread by thread."""
    actions = random_actions(random.Random(seed), 30, 3, 3, fences=False)
    memory: dict[int, int] = {}
    good = {}
    for action in actions.actions:
        if action.reads:
            good[action.id] = (memory.get(action.location, -1),)
        if action.writes:
            memory[action.location] = action.id
    return Instance(actions.actions, good)


@pytest.mark.parametrize("seed", range(5))
def test_a_right_guide_leads_straight_to_the_witness(seed):
    """[agarwal-2021] section 4.2, 3."""
    shown = run_in_order(seed)
    guide = tuple(action.id for action in shown.actions)
    answer = decided(PatientSC, shown, SC, SearchOptions(closure=False, guide=guide))
    assert [move.action for move in answer.witness] == list(guide)
    assert answer.explored == len(guide) + 1


def test_greedy_extension_explores_less():
    """[agarwal-2021] section 4.2, 1."""
    hard = worst(2, 10)
    plain = decided(PatientSC, hard, SC, SearchOptions(closure=False)).explored
    assert realize(hard, SC, SearchOptions(closure=False)).explored < plain * 2 / 3


@pytest.mark.parametrize("model", [TSO, PSO], ids=str)
def test_fewer_prefixes_than_the_naive_search(model):
    hard = worst(2, 6)
    how = SearchOptions(closure=False)
    assert realize(hard, model, how).explored < realize_naively(hard, model, how).explored / 4


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_closure_is_complete_for_two_threads(model):
    """[bui-2021] section 4.3: it exists if and only if there is a witness."""
    rng = random.Random(7)
    answers = {True: 0, False: 0}
    for _ in range(200):
        actions = random_actions(rng, 10, 2, 2, fences=False)
        sources = random_run(actions, model, rng)
        for read in rng.sample(sorted(sources), min(2, len(sources))):
            sources[read] = rng.choice(candidates(actions, read))
        tried = Instance(actions.actions, {read: (write,) for read, write in sources.items()})
        expected = is_realizable(tried, model)
        assert (closure(tried, model) is not None) == expected
        answers[expected] += 1
    assert min(answers.values()) > 20


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_one_extension_of_the_closure_is_nearly_always_a_witness(model):
    """Where it is, nothing is searched."""
    rng = random.Random(7)
    found = [realize(random_instance(rng, model, size=12), model, SearchOptions(extends=True)) for _ in range(200)]
    searched = sum(answer.is_realizable and answer.explored > 0 for answer in found)
    assert sum(answer.is_realizable for answer in found) > 60
    assert searched <= 3


def test_the_limit_stops_the_search():
    with pytest.raises(LimitReachedError):
        realize(worst(3, 20), TSO, SearchOptions(closure=False, watch=at_most(100)))


def test_good_writes_are_decided_under_every_model():
    several = Instance(instance("Wx:a Wx:b\nRx=a").actions, {2: (0, 1)})
    assert realize(several, SC).is_realizable
    assert realize(several, TSO).is_realizable


def test_good_writes_need_fewer_states_than_their_products():
    rng = random.Random(3)
    for _ in range(20):
        several = random_good_instance(rng, SC, size=14)
        assert realize(several, SC, SearchOptions(closure=False)).explored < 2000
