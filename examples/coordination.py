"""Semaphores, events, barriers, queues and the like: the library at work, with the names that Python has for it."""

import mcr


@mcr.program
def connection_pool(p, clients=3, connections=2):
    """A semaphore lets as many in as there are connections; each takes one that nobody else has.

    Fails under: nothing
    """
    free = p.semaphore(connections)
    taken = [p.mutex() for _ in range(connections)]

    def client():
        with free:
            mine = next(connection for connection in taken if connection.acquire(blocking=False))
            mine.release()

    for _ in range(clients):
        p.thread(client)


@mcr.program
def connection_pool_in_a_hurry(p, clients=2):
    """The place is given back before the connection is: who comes in finds none that is free.

    Fails under: SC, TSO, PSO
    """
    free, connection = p.semaphore(1), p.mutex()

    def client():
        with free:
            assert connection.acquire(blocking=False), "no connection is free"
        connection.release()

    for _ in range(clients):
        p.thread(client)


@mcr.program
def start_signal(p, runners=2):
    """What was prepared before an event is set is there for who waits for it.

    Fails under: nothing
    """
    start, track = p.event(), p.var(None)

    def judge():
        track.store("ready")
        start.set()

    def runner():
        start.wait()
        assert track.load() == "ready"

    p.thread(judge)
    for _ in range(runners):
        p.thread(runner)


@mcr.program
def phases(p, n=2):
    """Everybody has written before anybody reads what the others wrote, and the action of the barrier adds it up.

    Fails under: nothing
    """
    cells, total = p.array([0] * n), p.var(0)
    written = p.barrier(n, lambda: total.store(sum(cell.load() for cell in cells)))

    def worker(me):
        cells[me].store(me + 1)
        written.wait()
        assert total.load() == n * (n + 1) // 2

    for me in range(n):
        p.thread(worker, me)


@mcr.program
def cache(p, readers=2):
    """Many read under a lock for readers and writers, and see both parts of what one wrote.

    Fails under: nothing
    """
    lock, key, value = p.rwlock(), p.var(0), p.var(0)

    def refresh():
        with lock.writer:
            key.store(1)
            value.store(1)

    def look_up():
        with lock.reader:
            assert key.load() == value.load()

    p.thread(refresh)
    for _ in range(readers):
        p.thread(look_up)


@mcr.program
def cache_written_by_a_reader(p):
    """Who writes has to say so: under the readers' side of the lock nobody else is kept out.

    Fails under: SC, TSO, PSO
    """
    lock, hits = p.rwlock(), p.var(0)

    def look_up():
        with lock.reader:
            hits.store(hits.load() + 1)

    threads = [p.thread(look_up), p.thread(look_up)]

    @p.final
    def all_are_counted():
        assert hits.load() == len(threads)


@mcr.program
def lazy_initialisation(p):
    """Two threads need the same object: one makes it, the other waits for it.

    Fails under: nothing
    """
    instance = p.once()

    def make():
        made = p.record("instance", ready=False)
        made.ready.store(True)
        return made

    def user():
        assert instance.do(make).ready.load()

    p.thread(user)
    p.thread(user)


@mcr.program
def pipeline(p, items=2):
    """A bounded queue between two threads, and a future for the result.

    Fails under: nothing
    """
    work, total = p.queue(maxsize=1), p.future()

    def source():
        for item in range(1, items + 1):
            work.put(item)
        work.put(None)

    def sink():
        numbers = []
        while (item := work.get()) is not None:
            numbers.append(item)
        total.set_result(sum(numbers))

    p.thread(source)
    p.thread(sink)
    reader = p.thread(total.result)

    @p.final
    def everything_arrived():
        assert reader.join() == items * (items + 1) // 2
