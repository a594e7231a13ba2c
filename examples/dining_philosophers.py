"""Dijkstra's dining philosophers: each needs the two forks beside the plate, and shares them with the neighbours."""

import mcr


def dine(p, n, first_fork, second_fork):
    """Philosopher i takes the forks with these numbers, in this order, and eats."""
    forks = [p.mutex(f"fork {i}") for i in range(n)]

    def philosopher(i):
        with forks[first_fork(i)], forks[second_fork(i)]:
            pass

    for i in range(n):
        p.thread(philosopher, i)


@mcr.program
def dining_philosophers(p, n=3):
    """All take the left fork first, and wait for the right one for ever.

    Fails under: SC, TSO, PSO
    """
    dine(p, n, first_fork=lambda i: i, second_fork=lambda i: (i + 1) % n)


@mcr.program
def dining_philosophers_ordered(p, n=3):
    """All take the fork with the smaller number first: nobody waits in a circle.

    Fails under: nothing
    """
    dine(p, n, first_fork=lambda i: min(i, (i + 1) % n), second_fork=lambda i: max(i, (i + 1) % n))
