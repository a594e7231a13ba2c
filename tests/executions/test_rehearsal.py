"""Schedules that are tried on what is known before they are run."""

import mcr
from mcr.executions.schedule import rehearse, remaining
from replay.machine.machine import Choice
from replay.machine.unfolding import Unfolding
from replay.world.memory_models.sc import SC


@mcr.program
def message(p):
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.thread(x.load)


STORE, LOAD = Choice(0), Choice(1)


def test_a_rehearsal_ends_before_what_is_new_and_runs_no_code():
    unfolding = Unfolding(message)
    unfolding.step(unfolding.threads[0].root)
    before = len(unfolding.states)
    found = rehearse(unfolding, SC, [STORE, LOAD])
    assert (found.played, found.new) == (1, unfolding.threads[1].root)
    assert len(unfolding.states) == before


def test_a_rehearsal_ends_before_what_is_impossible():
    unfolding = Unfolding(message)
    unfolding.step(unfolding.threads[0].root)
    found = rehearse(unfolding, SC, [STORE, STORE, LOAD])
    assert (found.played, found.new) == (1, None)
    assert rehearse(unfolding, SC, [Choice(7)]).played == 0


def test_what_remains_of_a_schedule():
    commit = Choice(0, 3)
    assert list(remaining([STORE, LOAD, commit, STORE], [LOAD, STORE])) == [commit, STORE]
