"""Litmus tests: the smallest programs that tell memory models apart.

Each asks whether its threads can read, or leave behind, values that no
interleaving of the threads produces.
"""

import mcr


def never(p, outcome, *threads):
    """Declare that these threads do not return these values."""

    @p.final
    def check():
        returned = tuple(thread.join() for thread in threads)
        assert returned != outcome, f"the threads read {outcome}"


def store_and_look(p, fence=lambda: None):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(1)
        fence()
        return other.load()

    never(p, (0, 0), p.thread(thread, x, y), p.thread(thread, y, x))


@mcr.program
def store_buffering(p):
    """Both threads miss the other's store, since both stores wait in buffers while the loads run.

    Fails under: TSO, PSO
    """
    store_and_look(p)


@mcr.program
def store_buffering_fenced(p):
    """A full fence empties the buffer before the load.

    Fails under: nothing
    """
    store_and_look(p, fence=p.fence)


def send(p, store_fence=lambda: None):
    message, flag = p.var("message", None), p.var("flag", False)

    def sender():
        message.store("hello")
        store_fence()
        flag.store(True)

    def receiver():
        return flag.load(), message.load()

    p.thread(sender)
    never(p, ((True, None),), p.thread(receiver))


@mcr.program
def message_passing(p):
    """The flag arrives without the message: stores to two locations swap under PSO.

    Fails under: PSO
    """
    send(p)


@mcr.program
def message_passing_fenced(p):
    """A store fence keeps the message before the flag.

    Fails under: nothing
    """
    send(p, store_fence=p.store_fence)


@mcr.program
def load_buffering(p):
    """Each thread reads what the other stores later; no store-buffer model lets a store overtake a load.

    Fails under: nothing
    """
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        seen = mine.load()
        other.store(1)
        return seen

    never(p, (1, 1), p.thread(thread, x, y), p.thread(thread, y, x))


@mcr.program
def iriw(p):
    """Independent reads of independent writes: with one memory, all readers see one order of the two stores.

    Fails under: nothing
    """
    x, y = p.var("x", 0), p.var("y", 0)

    def reader(first, second):
        return first.load(), second.load()

    p.thread(x.store, 1)
    p.thread(y.store, 1)
    never(p, ((1, 0), (1, 0)), p.thread(reader, x, y), p.thread(reader, y, x))


def store_and_look_twice(p, fence=lambda: None):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(1)
        fence()
        return mine.load(), other.load()

    never(p, ((1, 0), (1, 0)), p.thread(thread, x, y), p.thread(thread, y, x))


@mcr.program
def store_forwarding(p):
    """Each thread reads its own store out of its buffer, while the other's is still on its way to memory.

    Fails under: TSO, PSO
    """
    store_and_look_twice(p)


@mcr.program
def store_forwarding_fenced(p):
    """After a full fence each thread reads its own store from memory, where both can see it.

    Fails under: nothing
    """
    store_and_look_twice(p, fence=p.fence)


@mcr.program
def coherence(p):
    """Two loads of one location never see its stores in the wrong order.

    Fails under: nothing
    """
    x = p.var("x", 0)

    def reader():
        return x.load(), x.load()

    p.thread(x.store, 1)
    never(p, ((1, 0),), p.thread(reader))


def store_crosswise(p, store_fence=lambda: None):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(first, second):
        first.store(1)
        store_fence()
        second.store(2)

    p.thread(thread, x, y)
    p.thread(thread, y, x)

    @p.final
    def one_of_the_last_stores_stays():
        assert (x.load(), y.load()) != (1, 1), "both first stores came last"


@mcr.program
def two_plus_two_writes(p):
    """2+2W: of two threads that store to x and y crosswise, both first stores come last.

    Fails under: PSO
    """
    store_crosswise(p)


@mcr.program
def two_plus_two_writes_fenced(p):
    """A store fence in each thread makes the order of the stores one for all.

    Fails under: nothing
    """
    store_crosswise(p, store_fence=p.store_fence)
