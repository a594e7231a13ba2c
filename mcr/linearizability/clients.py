"""Clients: what threads may call, and those that are contained in one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb

from mcr.linearizability.subject import Client, Clients, ThreadOfCalls


def largest(operations: int, threads: int, calls: int) -> Clients:
    """All clients of so many threads with so many calls each.

    They are enough: whatever a client with fewer calls does, one of these does first.
    """
    return ((tuple(range(operations)),) * calls,) * threads


def how_many(operations: int, threads: int, calls: int) -> int:
    """How many clients these are; those that differ by the order of their threads are one."""
    return comb(operations**calls + threads - 1, threads)


def only(client: Client) -> Clients:
    """One client."""
    return tuple(tuple((operation,) for operation in calls) for calls in client)


def contained(client: Client) -> Iterator[Client]:
    """What is left of a client if calls are left out, those with fewest calls first; the client itself last."""
    found: dict[Client, None] = {}
    parts = [list(_subsequences(calls)) for calls in client]
    for each in product(*parts):
        found[tuple(sorted(calls for calls in each if calls))] = None
    yield from sorted((each for each in found if each), key=lambda each: (sum(map(len, each)), len(each), each))


def _subsequences(calls: ThreadOfCalls) -> Iterator[ThreadOfCalls]:
    for length in range(len(calls) + 1):
        yield from dict.fromkeys(combinations(calls, length))
