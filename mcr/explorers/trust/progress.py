"""How many execution graphs are left, as far as those that were visited can tell.

What is put aside is the root of a part of all graphs. Parts that were visited
to the end say how large the others may be: a part grows with the number of
events that its root lacks, by a factor for each, so their logarithms lie on a
line. The first guesses are too low, as small parts end first; since they are
made again and again, whoever trusts them spends what they said and no more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from mcr.explorers.trust.explorer import Fork
from mcr.explorers.trust.graph import Graph
from mcr.explorers.trust.part import Part


class Progress:
    """events: how many events the graphs had that were visited, which is what they cost."""

    def __init__(self) -> None:
        self.events = 0
        self._left: float = math.inf
        self._waiting = Counter({0: 1})
        self._visited: Counter[int] = Counter()
        self._cost: Counter[int] = Counter()

    def take(self, work: Graph | Fork) -> Part:
        """A graph is taken up."""
        part = Part(_size(work), work.part)
        self._waiting[part.size] -= 1
        return part

    def note(self, part: Part, taken: Graph | Fork, aside: Sequence[Graph | Fork], full: Graph | None) -> None:
        """Others were put aside; `full` is what became of it, if it became one."""
        part.events = max(1, part.size if full is None else len(full.events))
        self.events += part.events
        for other in aside:
            if other is not taken:
                other.part = part
                part.open += _options(other)
                self._waiting[_size(other)] += _options(other)
        self._end(part)

    def _end(self, part: Part) -> None:
        """A part was visited to its end, if nothing of it is open; perhaps those that it belongs to were, too."""
        while not part.open:
            self._visited[part.size] += 1
            self._cost[part.size] += part.events
            whole = part.whole
            if whole is None:
                return
            whole.events += part.events
            whole.open -= 1
            part = whole

    def mark(self) -> None:
        """Time to guess again, if any part was visited to its end."""
        if not self._visited:
            return
        growth = self._growth()
        known = sorted(self._visited)
        self._left = 0.0
        for size, parts in self._waiting.items():
            nearest = next((other for other in known if other >= size), None)
            if parts and nearest is not None:
                mean = self._cost[nearest] / self._visited[nearest]
                self._left += parts * mean * growth ** (nearest - size)

    def _growth(self) -> float:
        """By which factor a part is larger whose root lacks one more event: least squares over logarithms."""
        points = [(size, math.log(self._cost[size] / parts), math.sqrt(parts)) for size, parts in self._visited.items()]
        weight = sum(w for _, _, w in points)
        middle = sum(w * size for size, _, w in points) / weight
        height = sum(w * cost for _, cost, w in points) / weight
        spread = sum(w * (size - middle) ** 2 for size, _, w in points)
        slope = sum(w * (size - middle) * (cost - height) for size, cost, w in points) / spread if spread else 0.0
        return math.exp(max(0.0, -slope))

    def left(self) -> float:
        """How many events the graphs that are left may have; infinite before the first guess."""
        return self._left


def _size(work: Graph | Fork) -> int:
    return len(work.graph.events if isinstance(work, Fork) else work.events)


def _options(work: Graph | Fork) -> int:
    return len(work.options) if isinstance(work, Fork) else 1
