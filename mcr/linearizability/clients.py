"""Clients: what threads may call, and those that call less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import comb, prod

from mcr.linearizability.specification import Specification
from mcr.linearizability.subject import Calls, Clients, Subject, SubjectCall


def quiet_operations(subject: Subject, check: Callable[[], None]) -> tuple[int, ...]:
    """The operations that write nothing if they are called on a fresh object, and end; as far as that is known.

    A client that makes only such calls is linearizable if the class is its own specification. By induction on the
    steps of a run: nobody has written anything, so whatever a thread reads is what it reads if it is alone, and so it
    does what it does alone. One call after the other, in the order in which they end, they return the same.
    """

    def writes_nothing(operation: int) -> bool:
        specification = Specification(
            subject, check
        )  # a fresh one, as it knows whether code has asked which thread runs
        touched = specification.asked(lambda: specification.touched(specification.first, operation))
        return touched is not None and not touched.written

    return tuple(filter(writes_nothing, range(len(subject.operations))))


def largest(
    operations: Sequence[SubjectCall], calls: Sequence[int], only: Mapping[str, int], quiet: tuple[int, ...] = ()
) -> Clients:
    """All clients whose threads make so many calls each; some methods `only` that thread calls.

    They are enough: whatever a client with fewer calls does, one of these does first. Clients that make only `quiet`
    calls are left out, if threads may call the same and there are others: the last thread makes one of the others then.
    """
    of = [
        tuple(number for number, each in enumerate(operations) if only.get(each.method, thread) == thread)
        for thread in range(len(calls))
    ]
    threads = tuple((each,) * (count if each else 0) for each, count in zip(of, calls, strict=True))
    leaves_out = len(set(threads)) == 1 and not set(of[0]) <= set(quiet)
    return Clients(threads, quiet=quiet if leaves_out else ())


def how_many(clients: Clients) -> int:
    """How many clients these are, those that are left out among them; those that differ by the order of their threads
    are one."""
    return prod(_multisets(prod(map(len, calls)), threads) for calls, threads in Counter(clients.threads).items())


def how_many_are_left_out(clients: Clients) -> int:
    """How many of them make only quiet calls."""
    return _multisets(len(clients.quiet) ** len(clients.threads[0]), len(clients.threads)) if clients.quiet else 0


def _multisets(each: int, threads: int) -> int:
    """In how many ways threads may make so many sequences of calls each, whichever of them makes which."""
    return comb(each + threads - 1, threads)


def smaller(clients: Clients, calls: int, known: int) -> Iterator[Clients]:
    """Yields clients with fewer calls than so many, the fewest first: many at a time, by how many calls each thread
    makes. Those whose threads make up to `known` calls each, and none alone, are left out."""
    found: dict[Clients, int] = {}
    for before, after, *threads in product(*map(_beginnings, (clients.before, clients.after, *clients.threads))):
        each = Clients(tuple(sorted(calls for calls in threads if calls)), before, after)
        if each.threads and (before or after or max(map(len, threads)) > known):
            found[each] = sum(map(len, each.all))
    yield from sorted((each for each in found if found[each] < calls), key=lambda each: (found[each], each))


def _beginnings(calls: Calls) -> Iterator[Calls]:
    return (calls[:length] for length in range(len(calls) + 1))
