"""Every algorithm of the registry keeps the contract: its verdicts are the oracle's, its bugs replay, its counts hold.

An algorithm that is added is tested here without a word.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

import mcr
from examples import reference
from mcr.api import open_session
from mcr.exploration.goals import DEADLOCKS, OUTCOMES, RACES, STATES, Goals, objectives
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from mcr.explorers.registry import ALGORITHMS, check_supports, names, parse
from replay.errors import CheckerError
from replay.world.memory_models import MODELS
from tests import support
from tests.amount import amount, one_of
from tests.maximal.random_programs import random_program

WHOLE = {name: name for name in ALGORITHMS}
"""Algorithms without a variant: a variant may be published with less than the whole truth (mcr:paper)."""


def weakest(algorithm: str) -> str:
    """The model that allows most, of those under which the algorithm explores."""
    return ALGORITHMS[algorithm].models[-1]


FAMILIES = {
    "accesses": ("load", "load", "store", "store", "copy"),
    "locks": ("load", "store", "lock", "try_lock"),
    "updates": ("load", "store", "rmw", "rmw"),
    "waits": ("wait_until", "store", "load", "copy"),
    "threads": ("spawn", "load", "store", "choose", "copy"),
}

each_algorithm = pytest.mark.parametrize("algorithm", WHOLE)
each_algorithm_and_model = pytest.mark.parametrize(
    ("algorithm", "model"), [(name, model) for name in WHOLE for model in ALGORITHMS[name].models]
)


@pytest.mark.parametrize("family", FAMILIES)
@each_algorithm
def test_what_it_finds_is_what_the_oracle_finds(algorithm: str, family: str) -> None:
    """Local states, failures with traces that replay, verdicts, and whatever else it looks for."""
    able = ALGORITHMS[algorithm].objectives
    looked_for = (
        [OUTCOMES, "values", DEADLOCKS] if ALGORITHMS[algorithm].on_terms else [STATES, OUTCOMES, "values", DEADLOCKS]
    )
    asked = [name for name in looked_for if name in able and not _counts_more(algorithm, name)]
    models = one_of(ALGORITHMS[algorithm].models, f"{algorithm} {family}")
    for seed, model in itertools.product(range(amount(1, 3)), models):
        program = random_program(seed, FAMILIES[family], length=2)
        found = support.compare(
            program,
            MODELS[model],
            [*one_of(asked, f"{algorithm} {family} {model}"), "failures"],
            max_machine_states=20_000,
            algorithm=algorithm,
        )
        assert found.decided
        assert not found.differences, found.differences


def _counts_more(algorithm: str, objective: str) -> bool:
    """What the final function reads belongs to the classes of maximal causality; the oracle leaves it out."""
    return algorithm == "mcr" and objective == "values"


@each_algorithm_and_model
def test_a_bug_is_a_replay_that_fails(algorithm: str, model: str) -> None:
    result = mcr.check(reference.dekker(), model, algorithm=algorithm)
    expected = Verdict.VERIFIED if model == "sc" else Verdict.BUG
    assert result.verdict is expected
    for trace in result.failures:
        assert mcr.replay(reference.dekker(), trace).failure == trace.failure


@pytest.mark.parametrize("limit", [{"max_executions": 2}, {"timeout": 1e-9}])
@each_algorithm
def test_a_limit_makes_it_incomplete(algorithm: str, limit: dict[str, float]) -> None:
    model, program = weakest(algorithm), reference.sb(n=2, check=False)
    objective = (
        OUTCOMES if OUTCOMES in ALGORITHMS[algorithm].objectives else STATES
    )  # one execution may prove the latter
    result = mcr.check(program, model, objective=objective, algorithm=algorithm, options=Options(**limit))
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert result.statistics.executions <= 2


@each_algorithm
def test_the_same_again(algorithm: str) -> None:
    def told() -> tuple[object, ...]:
        schedules: list[object] = []
        model, watch = MODELS[weakest(algorithm)], [lambda run: schedules.append(run.choices)]
        session = open_session(reference.peterson(), model, algorithm=algorithm, observers=watch)
        result = session.explore()
        return schedules, result.failures, result.figures, result.statistics.local_states

    assert told() == told()


@pytest.mark.parametrize("objective", ["values", "rf", "traces"])
@each_algorithm_and_model
def test_where_classes_are_the_objective_each_is_run_once(algorithm: str, model: str, objective: str) -> None:
    """Optimality, where it is claimed: by cover and trust for every equivalence, by mcr for values."""
    if objective not in ALGORITHMS[algorithm].objectives or algorithm == "exhaustive":
        return
    for program in (reference.ttas(n=2, b=1, check=False), reference.exp_mem(n=4), reference.mp(check=False)):
        result = mcr.check(program, model, objective=objective, algorithm=algorithm, options=support.WHOLE)
        (count, *_) = result.classes
        assert result.statistics.redundant == 0
        assert result.statistics.executions == count.complete + count.blocked


# -- the registry ------------------------------------------------------------------


@pytest.mark.parametrize(("name", "objective"), [*itertools.product(ALGORITHMS, objectives())])
def test_what_an_algorithm_does_not_look_for_is_refused(name: str, objective: str) -> None:
    """Over the whole table: it does what it says, or says which others do."""
    goals = Goals.parse(objective)
    if objective in ALGORITHMS[name].objectives:
        found = mcr.check(reference.mp(check=False), ALGORITHMS[name].models[0], objective=objective, algorithm=name)
        assert found.verdict is (Verdict.BUG if objective == RACES else Verdict.VERIFIED)
        return
    with pytest.raises(
        CheckerError, match=f"algorithm {name} does not look for {objective}, only for .*; these do: auto"
    ):
        check_supports(name, goals)


@pytest.mark.parametrize(("name", "model"), [*itertools.product(ALGORITHMS, MODELS)])
def test_every_algorithm_explores_under_every_model(name: str, model: str) -> None:
    assert mcr.check(reference.mp(check=False), model, algorithm=name).verdict is Verdict.VERIFIED


def test_models_under_which_an_algorithm_does_not_explore_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plug-in may have some of them."""
    monkeypatch.setitem(ALGORITHMS, "trust", replace(ALGORITHMS["trust"], only_models=("sc", "tso")))
    program = reference.mp(check=False)
    assert mcr.check(program, "tso", algorithm="trust").verdict is Verdict.VERIFIED
    said = "algorithm trust does not explore under pso, only under sc, tso; these do: auto"
    with pytest.raises(CheckerError, match=said):
        check_supports("trust", Goals.parse(STATES), ["pso"])
    with pytest.raises(CheckerError, match=said):
        mcr.check(program, "pso", algorithm="trust")


def test_names_and_variants() -> None:
    assert names()[0] == "auto"
    assert [parse(name)[0].name for name in names()] == [name.partition(":")[0] for name in names()]
    for algorithm in ALGORITHMS.values():
        assert algorithm.title
        assert algorithm.guarantee
        for variant in algorithm.variants:
            result = mcr.check(reference.mp(check=False), "sc", algorithm=f"{algorithm.name}:{variant}")
            assert result.verdict is Verdict.VERIFIED


def test_auto_says_which_it_took() -> None:
    assert mcr.check(reference.readers(n=10), "tso").algorithm == "stateful"
    assert mcr.check(reference.readers(n=10), "tso", objective="values").algorithm == "cover"


@pytest.mark.parametrize("objective", objectives())
@pytest.mark.parametrize("algorithm", names())
def test_merging_is_forbidden_only_where_something_would_be_merged(algorithm: str, objective: str) -> None:
    found, goals = parse(algorithm)[0], Goals.parse(objective)
    if objective not in found.objectives:
        return
    program, model = reference.sb(n=2, check=False), MODELS[found.models[0]]
    if found.merges and goals.equivalence is None:
        session = open_session(program, model, objective=objective, algorithm=algorithm, options=Options(merge=False))
        assert not session.context.merges
        return
    assert not open_session(program, model, objective=objective, algorithm=algorithm).context.merges
    with pytest.raises(CheckerError, match="leave out --no-merge"):
        open_session(program, model, objective=objective, algorithm=algorithm, options=Options(merge=False))


@pytest.mark.parametrize("option", [{"buffer": 3}, {"reduce": False}, {"symmetry": False}, {"native": False}], ids=str)
@pytest.mark.parametrize("algorithm", names())
def test_options_of_global_states_are_refused_where_none_are_explored(algorithm: str, option: dict[str, Any]) -> None:
    found = parse(algorithm)[0]
    program, model = reference.sb(n=2, check=False), MODELS[found.models[0]]
    if found.name in ("auto", "stateful"):
        open_session(program, model, algorithm=algorithm, options=Options(**option))
    else:
        with pytest.raises(CheckerError, match="explores no global states: leave out"):
            open_session(program, model, algorithm=algorithm, options=Options(**option))
