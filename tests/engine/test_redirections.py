"""Seeds read off executions: each does what it says, and the solver alone finds the same states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase

import mcr
from examples.reference import lastzero
from mcr.api import open_session
from mcr.exploration.options import Options
from mcr.explorers.cover.redirections import Redirection, Redirections
from replay.machine.machine import Choice, Machine
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from replay.world.memory_models.pso import PSO
from tests.amount import one_of
from tests.random_programs import PROFILES, RandomProgram, programs

some_programs = hypothesis.settings(
    max_examples=10,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


def explore(program: mcr.Program, model: MemoryModel) -> Unfolding:
    session = open_session(
        program, model, algorithm="cover", options=Options(keep_going=True, merge=False, shorten=False)
    )
    session.explore()
    return session.context.unfolding


def histories(unfolding: Unfolding) -> set[tuple[object, ...]]:
    """Every local state that an exploration saw, as thread and values read."""

    def history(state: State) -> tuple[object, ...]:
        spawned = state.path()[0].operation is not None and "." in unfolding.thread_name(state.thread)
        steps = state.way()[1:] if spawned else state.way()  # what a spawn passes on names a state by its number
        return (
            unfolding.thread_name(state.thread),
            *(repr(unfolding.values[s.read]) if s.read >= 0 else "-" for s in steps),
        )

    return {history(state) for state in unfolding.states}


class Checked(Redirections):
    """Tries each redirection on a machine before the explorer gets it."""

    def of(self, choices: Sequence[Choice]) -> Iterator[Redirection]:
        for found in super().of(choices):
            *past, last = found.seed()
            machine = Machine(self._unfolding, self._model)
            for choice in past:
                machine.apply(choice)
            assert machine.states[last.thread] is found.state
            assert machine.can_run(last.thread)
            assert found.value == (last.chosen if found.state.inputs else machine.visible(last.thread))
            assert found.is_news()
            yield found


@pytest.mark.parametrize("profile", PROFILES)
def test_a_redirected_read_reads_what_it_should_and_the_solver_alone_finds_the_same_states(profile: str) -> None:
    @some_programs
    @hypothesis.given(programs(profile))
    def check(program: RandomProgram) -> None:
        for model in one_of(list(MODELS.values()), repr(program)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("mcr.explorers.cover.states.Redirections", Checked)
                expected = histories(explore(program.build(), model))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Redirections, "of", lambda self, choices: iter(()))
                assert histories(explore(program.build(), model)) == expected

    check()


def test_many_seeds_need_no_solver() -> None:
    statistics = mcr.check(lastzero(n=7), PSO.name, algorithm="cover").statistics
    assert statistics.redirected > statistics.executions / 3
