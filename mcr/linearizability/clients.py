"""Clients: what threads may call, and those that call less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import comb, prod

from mcr.linearizability.subject import Calls, Clients, Operation


def largest(operations: Sequence[Operation], calls: Sequence[int], only: Mapping[str, int]) -> Clients:
    """All clients whose threads make so many calls each; some methods `only` that thread calls.

    They are enough: whatever a client with fewer calls does, one of these does first.
    """
    of = [
        tuple(number for number, each in enumerate(operations) if only.get(each.method, thread) == thread)
        for thread in range(len(calls))
    ]
    return Clients(tuple((each,) * (count if each else 0) for each, count in zip(of, calls, strict=True)))


def how_many(clients: Clients) -> int:
    """How many clients these are; those that differ by the order of their threads are one."""
    found = Counter(clients.threads).items()
    return prod(comb(prod(map(len, calls)) + threads - 1, threads) for calls, threads in found)


def smaller(clients: Clients, calls: int, known: int) -> Iterator[Clients]:
    """Those of these clients that make fewer calls than so many, the fewest first: many at a time, by how many calls
    each thread makes. Those whose threads make up to `known` calls each, and none alone, are left out."""
    found: dict[Clients, int] = {}
    for before, after, *threads in product(*map(_beginnings, (clients.before, clients.after, *clients.threads))):
        each = Clients(tuple(sorted(calls for calls in threads if calls)), before, after)
        if each.threads and (before or after or max(map(len, threads)) > known):
            found[each] = sum(map(len, each.all))
    yield from sorted((each for each in found if found[each] < calls), key=lambda each: (found[each], each))


def _beginnings(calls: Calls) -> Iterator[Calls]:
    return (calls[:length] for length in range(len(calls) + 1))
