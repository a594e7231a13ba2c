"""All clients of a class within bounds, and those that are contained in one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product

from mcr.linearizability.subject import Client, ThreadOfCalls


def largest(operations: int, threads: int, calls: int) -> Iterator[Client]:
    """The clients of so many threads with so many calls each, one of those that differ by the order of their threads.

    They are enough: whatever a client with fewer calls does, one of these does first.
    """
    one = list(product(range(operations), repeat=calls))
    return combinations_with_replacement(one, threads)


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
