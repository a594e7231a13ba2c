"""transitions: Machine and LockedMachine.

Package: transitions==0.9.3
"""

from transitions import Machine
from transitions.extensions import LockedMachine

import mcr


class Door:
    def __init__(self):
        self.opened = 0

    def on_enter_open(self):
        self.opened += 1


def _door(kind):
    door = Door()
    machine = kind(door, states=["shut", "open"], initial="shut", auto_transitions=False)
    machine.add_transition("push", "shut", "open")
    machine.add_transition("push", "open", None)
    return door


@mcr.program
def transitions_machine(p):
    """Two push a door: it is opened twice.

    Fails: AssertionError
    """
    door = p.share(_door(Machine))
    p.thread(door.push)
    p.thread(door.push)

    @p.final
    def once():
        assert door.opened == 1


@mcr.program
def transitions_locked(p):
    """A locked machine opens once.

    Verified
    """
    door = p.share(_door(LockedMachine))
    p.thread(door.push)
    p.thread(door.push)

    @p.final
    def once():
        assert door.opened == 1
