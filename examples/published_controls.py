"""Public reports that need a weaker memory model: real on ARM, and rightly verified under SC, TSO and PSO.

Loads stay in order here, and every atomic update is a full fence. `--set reordered=True` swaps by hand what ARM may
swap: then each of these fails. See also `exchange_on_both_sides` in published_bugs.py.
"""

import mcr

# -- to announce oneself by an atomic update, and to look at another cell -------------------------


@mcr.program
def park_and_spawn(p, reordered=False):
    """affinitypool PR 22: a queue of tasks and a queue of sleepers, each right on its own, with no fence between.

    The spawner pushes a task and wakes a sleeper; a worker becomes a sleeper and looks for a task once more.

    Fails under: nothing
    """
    tasks, sleepers, permit = p.var("tasks", 0), p.var("sleepers", 0), p.var("permit", False)

    def spawner():
        tasks.fetch_add(1)
        if sleepers.compare_exchange(1, 0):
            permit.store(True)

    def worker():
        while not tasks.compare_exchange(1, 0):
            seen_early = tasks.load() if reordered else None
            sleepers.fetch_add(1)
            seen = seen_early if reordered else tasks.load()
            if not seen or not sleepers.compare_exchange(1, 0):
                p.wait_until(permit.load)

    p.thread(spawner)
    p.thread(worker)


@mcr.program
def notify_searching_worker(p, reordered=False):
    """tokio PR 1788: a task is pushed under a mutex, then a plain load asks if a worker searches.

    The last worker that searches ceases to, and looks at the queue once more. The mended version adds zero in place of
    the load.

    Fails under: nothing
    """
    lock, tasks = p.mutex("queue"), p.var("tasks", 0)
    searching, notified = p.var("searching", 1), p.var("notified", False)

    def pusher():
        searching_early = searching.load() if reordered else None
        with lock:
            tasks.store(tasks.load() + 1)
        if (searching_early if reordered else searching.load()) == 0:
            notified.store(True)

    def worker():
        searching.fetch_add(-1)
        if not tasks.load():
            p.wait_until(notified.load)

    p.thread(pusher)
    p.thread(worker)


# -- to load two cells in order --------------------------------------------------------------------


@mcr.program
def ring_indices(p, reordered=False):
    """oneTBB PR 782 and ODP PR 636: a consumer loads the head of a ring, then its tail, which must not be smaller.

    Fails under: nothing
    """
    head, tail = p.var("head", 0), p.var("tail", 0)

    def producer():
        for written in range(2):
            tail.store(written + 1)

    def consumer():
        if reordered:
            last, first = tail.load(), head.load()
        else:
            first, last = head.load(), tail.load()
        assert first <= last, f"{last - first} entries in the ring"
        if first < last:
            head.compare_exchange(first, first + 1)

    p.thread(producer)
    for _ in range(2):
        p.thread(consumer)


@mcr.program
def type_cache(p, reordered=False):
    """CPython PR 121388: a reader loads the sequence of a seqlock, the entry, and the sequence again.

    Fails under: nothing
    """
    sequence, entry = p.var("sequence", 0), p.array("entry", ["old name", "old value"])

    def writer():
        if sequence.compare_exchange(0, 1):
            entry[0].store("new name")
            entry[1].store("new value")
            p.store_fence()
            sequence.store(2)

    def reader():
        before = sequence.load()
        after_early = sequence.load() if reordered else None
        name, value = entry[0].load(), entry[1].load()
        after = after_early if reordered else sequence.load()
        if before % 2 == 0 and after == before:
            assert name[:3] == value[:3], f"{name} has {value}"

    p.thread(writer)
    p.thread(reader)


# -- to read what a pointer leads to ---------------------------------------------------------------


@mcr.program
def second_dequeue(p, reordered=False):
    """libcds#186: the second of two dequeues reads a node that the first one made the head, without acquiring it.

    Fails under: nothing
    """
    values, following = p.array("values", [None, None, None]), p.array("following", [None, None, None])
    head = p.var("head", 0)

    def enqueuer():
        for node in (1, 2):
            if reordered:
                following[node - 1].compare_exchange(None, node)
            values[node].store(f"value {node}")
            if not reordered:
                following[node - 1].compare_exchange(None, node)

    def dequeuer():
        while (node := following[first := head.load()].load()) is not None:
            if head.compare_exchange(first, node):
                assert values[node].load() is not None, "the node was not initialised yet"
                return

    p.thread(enqueuer)
    for _ in range(2):
        p.thread(dequeuer)
