"""python-socketio: rooms (a case study of frontrun).

Package: python-socketio==5.13.0
"""

import threading

from bidict import bidict
from socketio.base_manager import BaseManager

import mcr


@mcr.program
def rooms(p):
    """Two clients enter rooms of one name space: one of them is nowhere.

    Fails: KeyError
    """
    p.share(bidict)
    manager = p.share(BaseManager())
    p.thread(manager.basic_enter_room, "sid_a", "/chat", "room_a", "eio_a")
    p.thread(manager.basic_enter_room, "sid_b", "/chat", "room_b", "eio_b")

    @p.final
    def both_are_there():
        found = manager.rooms["/chat"]
        assert "sid_a" in found.get("room_a", ()) and "sid_b" in found.get("room_b", ())


@mcr.program
def rooms_with_lock(p):
    """With a lock around it.

    Verified
    """
    p.share(bidict)
    manager, lock = p.share(BaseManager()), p.share(threading.Lock())

    def enter(*given):
        with lock:
            manager.basic_enter_room(*given)

    p.thread(enter, "sid_a", "/chat", "room_a", "eio_a")
    p.thread(enter, "sid_b", "/chat", "room_b", "eio_b")

    @p.final
    def both_are_there():
        found = manager.rooms["/chat"]
        assert "sid_a" in found.get("room_a", ()) and "sid_b" in found.get("room_b", ())
