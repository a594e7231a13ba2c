"""Preserved program order of one thread as reports name it: po or ppo, and fence."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import combinations

from mcr.consistency.instance import Action
from mcr.executions.relations import Pair, preceding
from replay.world.memory_model import Access, MemoryModel


class ThreadOrder:
    """ppo of a thread between its actions other than fences, by position.

    pairs      as few as imply the rest
    shortcuts  pairs that others imply, and that are preserved by themselves or by a fence
    """

    def __init__(self, line: Sequence[Action], model: MemoryModel, awaited: Set[int]) -> None:
        """`awaited` are the ends of threads that others wait for; they are no fences."""
        self._line = line
        self._model = model
        self._fences = {place for place, action in enumerate(line) if _is_fence(action) and action.id not in awaited}
        self.pairs: list[Pair] = []
        self.shortcuts: list[Pair] = []
        before: list[int] = []
        kept = {pair for pair in combinations(range(len(line)), 2) if self._is_preserved(*pair)}
        for later in range(len(line)):
            ordered = [earlier for earlier in range(later - 1, -1, -1) if (earlier, later) in kept]
            direct, implied = preceding(before, ordered.__contains__)
            self.pairs.extend((earlier, later) for earlier in direct)
            self.shortcuts.extend((earlier, later) for earlier in ordered if earlier not in direct)
            before.append(implied)

    def name(self, earlier: int, later: int) -> str:
        """The relation of a pair: fence where the model by itself does not preserve it."""
        if not self._keeps(earlier, later):
            return "fence"
        return "ppo" if self._model.buffers else "po"

    def _is_preserved(self, earlier: int, later: int) -> bool:
        if earlier in self._fences or later in self._fences:
            return False
        return self._keeps(earlier, later) or any(
            self._keeps(earlier, fence) and self._keeps(fence, later)
            for fence in sorted(self._fences)
            if earlier < fence < later
        )

    def _keeps(self, earlier: int, later: int) -> bool:
        one, two = self._line[earlier], self._line[later]
        return self._model.keeps(one.access, two.access, one.where, two.where)


def _is_fence(action: Action) -> bool:
    """A fence; a join, which waits for other threads, is none."""
    if action.reads or action.writes or action.after:
        return False
    return action.access in (Access.BARRIER, Access.STORE_BARRIER)
