"""The order in which the events of threads are added to graphs."""

from __future__ import annotations

from replay.machine.unfolding import ThreadInfo, Unfolding


class ThreadOrder:
    """The threads of an unfolding in an order that their names decide: as declared, then children, then theirs.

    Numbers of spawned threads depend on who was met first, so they may differ in two processes, and the algorithm needs
    that everybody adds events in one order.
    """

    def __init__(self, unfolding: Unfolding) -> None:
        self._unfolding = unfolding
        self._threads: list[int] = []
        self._ranks: dict[int, int] = {}

    def threads(self) -> list[int]:
        """The numbers of the threads that are known, the final function last."""
        if len(self._threads) < len(self._unfolding.threads):
            self._threads = [info.index for info in sorted(self._unfolding.threads, key=_by_name)]
            self._ranks = {thread: rank for rank, thread in enumerate(self._threads)}
        return self._threads

    def first(self, threads: tuple[int, ...]) -> int:
        """The first of some threads, one at least."""
        self.threads()
        return min(threads, key=self._ranks.__getitem__)


def _by_name(info: ThreadInfo) -> tuple[bool, int, list[int]]:
    path = [] if info.is_final else [int(part) for part in info.name.split(".")]
    return info.is_final, len(path), path
