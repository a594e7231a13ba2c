"""An airline that sells tickets at several counters, and sells too many."""

import mcr


class Flight:
    def __init__(self, p, seats):
        self.seats = seats
        self.sold = p.var("sold", 0)
        self.mutex = p.mutex("mutex")

    def sell(self):
        """Whether a ticket was sold; two counters may both find the last seat free."""
        sold = self.sold.load()
        if sold < self.seats:
            self.sold.store(sold + 1)
        return sold < self.seats

    def sell_locked(self):
        with self.mutex:
            return self.sell()


def sell_out(p, counters, seats, sell):
    """Each counter sells one ticket, if there is a seat left."""
    threads = [p.thread(sell) for _ in range(counters)]

    @p.final
    def a_seat_for_everybody():
        tickets = sum(thread.join() for thread in threads)
        assert tickets == seats, f"{tickets} tickets were sold for {seats} seats"


@mcr.program
def airline(p, counters=3, seats=2):
    """Looking for a seat and taking it are two steps, and another counter comes between.

    Fails under: SC, TSO, PSO
    """
    sell_out(p, counters, seats, Flight(p, seats).sell)


@mcr.program
def airline_locked(p, counters=3, seats=2):
    """The two steps are one critical section.

    Fails under: nothing
    """
    sell_out(p, counters, seats, Flight(p, seats).sell_locked)
