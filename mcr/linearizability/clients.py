"""Clients: what threads may call, and those that are contained in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
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


def contained(client: Clients) -> Iterator[Clients]:
    """What is left of a client if calls are left out, those with fewest calls first; the client itself last."""
    found: dict[Clients, None] = {}
    for before, after, *threads in product(*map(_subsequences, (client.before, client.after, *client.threads))):
        found[Clients(tuple(sorted(calls for calls in threads if calls)), before, after)] = None
    yield from sorted((each for each in found if each.threads), key=lambda each: (sum(map(len, each.all)), each))


def _subsequences(calls: Calls) -> Iterator[Calls]:
    for length in range(len(calls) + 1):
        yield from dict.fromkeys(combinations(calls, length))
