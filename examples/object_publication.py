"""Publication of an object: the bug of an electron microscope that cost 12 million dollars.

Figures 1 and 6 of Huang and Huang, "Maximal causality reduction for TSO and PSO", OOPSLA 2016.
A consumer checks that every point it sees satisfies x + 1 == y.
"""

import mcr


def move_and_watch(p, n, store_fence=lambda: None):
    """Figure 1: one thread replaces the current point n times, another one looks at it n times."""
    current = p.var("current", p.record("point", x=1, y=2))

    def mover():
        for _ in range(n):
            here = current.load()
            point = p.record("point", x=0, y=0)
            point.x.store(here.x.load() + 1)
            point.y.store(here.y.load() + 1)
            store_fence()
            current.store(point)

    def watcher():
        for _ in range(n):
            point = current.load()
            x, y = point.x.load(), point.y.load()
            assert x + 1 == y, f"a half-made point was seen: {x}, {y}"

    p.thread(mover)
    p.thread(watcher)


@mcr.program
def microscope(p, n=2):
    """Under PSO the reference to a new point may reach memory before its fields do.

    Fails under: PSO
    """
    move_and_watch(p, n)


@mcr.program
def microscope_fenced(p, n=2):
    """With a store fence before the reference is stored.

    Fails under: nothing
    """
    move_and_watch(p, n, store_fence=p.store_fence)


def publish_and_use(p, n, store_fence=lambda: None):
    """Figure 6: the object is in x and y, and z says that it is made."""
    x, y, z = p.var("x", 1), p.var("y", 2), p.var("z", 0)

    def publisher():
        for _ in range(n):
            x.store(0)
            y.store(0)
            x.store(2)
            y.store(3)
            store_fence()
            z.store(1)

    def consumer():
        for _ in range(n):
            if z.load() == 1:
                seen = x.load(), y.load()
                assert seen[0] + 1 == seen[1], f"a half-made object was seen: {seen}"

    p.thread(publisher)
    p.thread(consumer)


@mcr.program
def object_publication(p, n=1):
    """Under PSO z may be 1 before the fields are stored; from n=2 on the object changes in use, a bug everywhere.

    Fails under: PSO
    """
    publish_and_use(p, n)


@mcr.program
def object_publication_fenced(p, n=1):
    """With a store fence before z is set.

    Fails under: nothing
    """
    publish_and_use(p, n, store_fence=p.store_fence)
