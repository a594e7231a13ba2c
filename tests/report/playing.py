"""Traces of schedules that a test writes down itself, so that reports do not depend on what an engine finds."""

from __future__ import annotations

import mcr
from replay.frontend.program import Program
from replay.machine.machine import Choice
from replay.machine.unfolding import Unfolding
from replay.traces.player import Player
from replay.traces.trace import Trace
from replay.world.memory_models import memory_model


@mcr.program
def store_buffering(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(1)
        return other.load()

    p.thread(thread, x, y)
    p.thread(thread, y, x)


def play(program: Program, model: str, schedule: str) -> Trace:
    """Play a schedule such as "0 0 1 ~0:x final": thread names, and commits as ~thread:location."""
    unfolding = Unfolding(program)
    player = Player(unfolding, memory_model(model))
    for word in schedule.split():
        thread, _, location = word.removeprefix("~").partition(":")
        info = unfolding.thread(thread)
        assert info is not None
        if not location:
            player.play(Choice(info.index))
            continue
        committable = player.machine.committable(info.index)
        player.play(Choice(info.index, next(at for at in committable if unfolding.locations[at].name == location)))
    return player.trace()
