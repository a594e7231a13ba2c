"""Kinds of random programs, and a program with things of every kind, for the explorers of published papers."""

import mcr

FAMILIES = {
    "accesses": ("load", "load", "store", "store", "copy"),
    "fences": ("load", "store", "copy", "fence", "store_fence"),
    "updates": ("load", "store", "rmw", "rmw"),
    "locks": ("load", "store", "lock", "try_lock"),
    "nested locks": ("nested", "assume_in_lock", "lock", "store"),
    "taken locks": ("try_lock", "lock", "rmw"),
    "conditions": ("wait", "notify", "lock"),
    "signals": ("wait", "notify", "notify", "try_lock", "load"),
    "waits": ("wait_until", "store", "load", "copy", "rmw"),
    "threads": ("spawn", "load", "store", "choose", "copy", "rmw"),
    "all": (
        *("load", "store", "copy", "rmw", "lock", "try_lock", "wait", "notify", "wait_until", "spawn", "choose"),
        "fence",
    ),
}
"""Kinds of operations for `tests.maximal.random_programs`."""


@mcr.program
def everything(p):
    """Records, spawned threads that are joined, inputs, and a final function that looks at memory."""
    pair = p.record("pair", left=0, right=0)
    done = p.var("done", 0)
    mutex = p.mutex("mutex")

    def child():
        with mutex:
            pair.left.store(pair.left.load() + 1)
        done.store(1)

    def parent():
        spawned = p.spawn(child)
        pair.right.store(p.choose(1, 2))
        with mutex:
            pair.left.store(pair.left.load() + 2)
        spawned.join()
        return pair.left.load()

    p.thread(parent)
    p.thread(lambda: p.wait_until(lambda: done.load() == 1))

    @p.final
    def total():
        return pair.left.load() + pair.right.load()
