"""Few graphs that show as much as many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from mcr.explorers.trust.graph import Graph


def shown(graph: Graph, known: Set[int] = frozenset()) -> set[int]:
    """Numbers of the local states that the threads of a graph pass, without known ones."""
    found = {event.state.number for event in graph.events}
    found.update(end.number for end in graph.ends)
    return found - known


def cover(sets: Sequence[Set[int]]) -> list[int]:
    """Indices of sets that have together what all have; few, though not always the fewest possible.

    What is rare comes first: some set has to have it, and the largest of these is taken. On reference programs this is
    at most one more than the fewest possible, and less than the largest set first gives (results/engine-tuning.md).
    It depends on which sets share what, and not on how elements are numbered.
    """
    having: dict[int, list[int]] = {}
    for index, one in enumerate(sets):
        for element in one:  # in whichever order: it is sorted below
            having.setdefault(element, []).append(index)
    covered: set[int] = set()
    chosen: list[int] = []
    for element in sorted(having, key=lambda element: (len(having[element]), having[element])):
        if element not in covered:
            best = max(having[element], key=lambda index: len(sets[index] - covered))
            chosen.append(best)
            covered |= sets[best]
    return _without_needless(sets, chosen)


def _without_needless(sets: Sequence[Set[int]], chosen: Iterable[int]) -> list[int]:
    """Leave out what the others have as well, the first first."""
    left = list(chosen)
    times: dict[int, int] = {}
    for index in left:
        for element in sets[index]:
            times[element] = times.get(element, 0) + 1
    for index in left[:]:
        if all(times[element] > 1 for element in sets[index]):
            left.remove(index)
            for element in sets[index]:
                times[element] -= 1
    return left
