"""Enumerates cycles of relations up to rotation.

A cycle is a violation of sequential consistency that a test can ask for. Left
out are cycles that say no more than shorter ones: Rfe Fre and Fre Coe are
coherence or from-read steps themselves, two steps of program order are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcr.litmus.diy.relations import Relation

Cycle = tuple[Relation, ...]

_COMPOSED = {("Rf", "Fr"), ("Co", "Co"), ("Fr", "Co")}
"""Pairs of communications that compose to another one."""


def cycles(vocabulary: Sequence[Relation], threads: int, edges: int) -> Iterator[Cycle]:
    """Every cycle with 2 to `threads` threads and at most `edges` relations, shortest first."""
    words = sorted(set(vocabulary), key=str)
    for length in range(2, edges + 1):
        for start in words:
            yield from _extended((start,), words, threads, length)


def _extended(path: Cycle, words: Sequence[Relation], threads: int, length: int) -> Iterator[Cycle]:
    if sum(relation.external for relation in path) > threads:
        return
    if len(path) == length:
        if fits(path[-1], path[0]) and _is_cycle(path) and path == _first_rotation(path):
            yield path
        return
    for word in words:
        if str(word) >= str(path[0]) and fits(path[-1], word):
            yield from _extended((*path, word), words, threads, length)


def fits(first: Relation, second: Relation) -> bool:
    """Whether `second` can follow `first`: they share an event, and together say more than one relation."""
    if first.target != second.source or first.atoms[1] != second.atoms[0]:
        return False
    if first.is_communication and second.is_communication:
        return first.external != second.external or (first.kind, second.kind) not in _COMPOSED
    return first.is_communication or second.is_communication


def _is_cycle(path: Cycle) -> bool:
    """At least two threads, and no walk that would end at another location than it began."""
    changes = sum(not relation.same_location for relation in path)
    return sum(relation.external for relation in path) >= 2 and changes != 1


def rotations(path: Cycle) -> Iterator[Cycle]:
    return (path[place:] + path[:place] for place in range(len(path)))


def _first_rotation(path: Cycle) -> Cycle:
    return min(rotations(path), key=lambda rotation: [str(relation) for relation in rotation])
