"""Ping-pong: a shared reference that is None while somebody holds the player."""

import mcr


def hit(player):
    """Use the player, then take it away for a moment."""
    player.load().hits.load()
    taken = player.load()
    player.store(None)
    player.store(taken)


@mcr.program
def ping_pong(p, n=3):
    """A thread follows the reference while another one has set it to None: an exception in thread code.

    Fails under: SC, TSO, PSO
    """
    player = p.var("player", p.record("player", hits=0))
    for _ in range(n):
        p.thread(hit, player)


@mcr.program
def ping_pong_locked(p, n=3):
    """One thread at a time uses the player.

    Fails under: nothing
    """
    player, mutex = p.var("player", p.record("player", hits=0)), p.mutex("mutex")

    def hit_locked():
        with mutex:
            hit(player)

    for _ in range(n):
        p.thread(hit_locked)
