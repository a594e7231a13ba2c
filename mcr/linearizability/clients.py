"""Clients: what threads may call, and those that are contained in one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb

from mcr.linearizability.subject import Calls, Clients


def largest(operations: int, threads: int, calls: int) -> Clients:
    """All clients of so many threads with so many calls each.

    They are enough: whatever a client with fewer calls does, one of these does first.
    """
    return Clients(((tuple(range(operations)),) * calls,) * threads)


def how_many(operations: int, threads: int, calls: int) -> int:
    """How many clients these are; those that differ by the order of their threads are one."""
    return comb(operations**calls + threads - 1, threads)


def contained(client: Clients) -> Iterator[Clients]:
    """What is left of a client if calls are left out, those with fewest calls first; the client itself last."""
    found: dict[Clients, None] = {}
    for before, after, *threads in product(*map(_subsequences, (client.before, client.after, *client.threads))):
        found[Clients(tuple(sorted(calls for calls in threads if calls)), before, after)] = None
    yield from sorted((each for each in found if each.threads), key=lambda each: (sum(map(len, each.all)), each))


def _subsequences(calls: Calls) -> Iterator[Calls]:
    for length in range(len(calls) + 1):
        yield from dict.fromkeys(combinations(calls, length))
