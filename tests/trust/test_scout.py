"""The process that goes ahead, and the one that follows it, never wait for each other to listen."""

from __future__ import annotations

import multiprocessing
import threading

from mcr.explorers.trust.scout import Saying

LONG = "x" * 10_000_000
MANY = 20_000
"""More than a line holds that nobody listens to."""


def test_it_hears_what_is_said_while_it_ends():
    here, there = multiprocessing.Pipe()
    saying = Saying(there)
    saying.say(LONG)
    ending = threading.Thread(target=saying.end, daemon=True)
    ending.start()

    def talk():
        for number in range(MANY):
            here.send(number)

    talking = threading.Thread(target=talk, daemon=True)
    talking.start()
    talking.join(300)
    assert not talking.is_alive()
    assert here.recv() == LONG
    ending.join(300)
    assert not ending.is_alive()
