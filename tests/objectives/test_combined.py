"""Several objectives in one exploration, what each of them decides, and what is refused."""

from __future__ import annotations

import pytest

import mcr
from examples import lost_wakeup, reference
from replay.world.memory_models import MODELS

each_model = pytest.mark.parametrize("model", MODELS)


def check(program: mcr.Program, objective: str, model: str = "tso", algorithm: str = "auto") -> mcr.Result:
    return mcr.check(
        program, model, objective=objective, algorithm=algorithm, options=mcr.Options(keep_going=True, shorten=False)
    )


@pytest.mark.parametrize(("model", "outcomes"), [("sc", 3), ("tso", 4), ("pso", 4)])
def test_outcomes_of_store_buffering(model: str, outcomes: int) -> None:
    result = check(reference.sb(n=2, check=False), "outcomes", model)
    assert len(result.outcomes) == outcomes
    assert tuple(outcome for outcome, _ in result.witnesses) == result.outcomes


@each_model
def test_readers_have_many_classes_and_few_states(model: str) -> None:
    assert check(reference.readers(n=10), "rf", model).classes == (("rf", 1024, 0), ("values", 1024, 0))
    assert check(reference.readers(n=10), "states", model, algorithm="cover").statistics.executions == 2


@each_model
def test_traces_count_coarser_classes(model: str) -> None:
    program = reference.bakery(n=2, check=False)
    traces = check(program, "traces", model)
    alone = [check(program, name, model) for name in ("traces", "rf", "values")]
    assert traces.classes == tuple(result.classes[0] for result in alone)
    assert check(program, "values,rf,traces", model).classes == traces.classes


@each_model
def test_traces_show_all_outcomes(model: str) -> None:
    program = reference.fib(n=2)
    together = check(program, "traces,outcomes", model)
    assert together.outcomes == check(program, "outcomes", model).outcomes
    assert together.classes == check(program, "traces", model).classes
    assert together.statistics.executions == together.classes[0].complete
    assert together.complete


@each_model
def test_states_show_the_outcomes_of_a_final_function(model: str) -> None:
    program = reference.fib(n=2)
    assert check(program, "states", model).outcomes == check(program, "outcomes", model).outcomes


@pytest.mark.parametrize("objective", ["deadlocks", "states,deadlocks", "outcomes,deadlocks", "rf,deadlocks"])
def test_deadlocks_are_one_more_question(objective: str) -> None:
    program = lost_wakeup.lost_wakeup
    assert check(program, objective, "sc").verdict is mcr.Verdict.VERIFIED
    found = check(program, objective, "tso")
    assert [trace.failure.error for trace in found.failures if trace.failure] == ["Deadlock"]


@pytest.mark.parametrize("objective", ["states,values", "outcomes,rf", "rf,states,deadlocks"])
def test_what_does_not_fit_is_refused(objective: str) -> None:
    with pytest.raises(mcr.CheckerError, match="do not go together"):
        check(reference.mp(), objective)


def test_unknown_objective_is_refused() -> None:
    with pytest.raises(mcr.CheckerError, match="there are failures, states, outcomes, values, rf, traces, deadlocks"):
        check(reference.mp(), "rf,gold")


# -- what a result says about the final function -------------------------------


@mcr.program
def final_depends_on_coherence(p) -> None:
    """Nobody reads x but the final function: one class of values, two values in the end."""
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.thread(x.store, 2)

    @p.final
    def last() -> None:
        assert x.load() == 1, "thread 1 was last"


@pytest.mark.parametrize("objective", ["values", "rf", "deadlocks"])
def test_no_claim_about_what_final_may_see(objective: str) -> None:
    assert not check(final_depends_on_coherence, objective, algorithm="cover").complete


@pytest.mark.parametrize("objective", ["states", "traces"])
def test_final_is_decided(objective: str) -> None:
    result = check(final_depends_on_coherence, objective)
    assert result.verdict is mcr.Verdict.BUG
    assert result.complete


def test_values_decide_a_final_that_only_joins() -> None:
    assert check(reference.sb(n=2), "values", "sc").complete


# -- a failed wait blocks like an assumption -----------------------------------


@mcr.program
def handshake(p) -> None:
    ready = p.var("ready", False)
    p.thread(ready.store, True)
    p.thread(p.wait_until, ready.load)


@each_model
def test_a_failed_wait_is_a_blocked_class(model: str) -> None:
    assert check(handshake, "values", model).classes == (("values", 1, 1),)
    assert check(handshake, "deadlocks", model).verdict is mcr.Verdict.VERIFIED


# -- limits ----------------------------------------------------------------------


def test_limit_makes_it_incomplete() -> None:
    result = mcr.check(reference.readers(n=10), "sc", objective="rf", options=mcr.Options(max_executions=100))
    assert result.verdict is mcr.Verdict.INCOMPLETE
    assert result.classes[0].complete == result.statistics.executions == 100
