"""Histories that were merged: the code of one is run from its beginning before a bug is claimed that it leads to.

A key that leaves something out makes one local state of two (docs/local-states.md), and what only one of them can do
may be claimed of the other. Where a history differs from what is known, both are left apart, and all begins again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replay.code.thread_run import Position, ThreadRun
from replay.errors import ModelError, NondeterminismError
from replay.machine.code_runner import CodeRunner
from replay.machine.spinning import continues_in, ends_turn, turn_of
from replay.machine.state import NOTHING, Edge, Known, State, describe, same_future, source
from replay.sentences import counted
from replay.world.operation import UNWRITTEN, UPDATES
from replay.world.shown import shown
from replay.world.values import same

ROUNDS = 8
"""Explorations after which nothing is merged any more."""

_TWO = "two histories were taken for one local state"


class Difference(NamedTuple):
    """Histories that were taken for one local state, and do not go on alike.

    where      "file:line" of what their thread asks for in that state
    why        a sentence that says what differs
    positions  where the code stands, in either history
    """

    where: str
    why: str
    positions: frozenset[Position]


class WrongMerge(Exception):
    """Histories were merged that differ: what was explored so far need not be everything, nor possible."""

    def __init__(self, differences: Sequence[Difference]) -> None:
        super().__init__("; ".join(difference.why for difference in differences))
        self.differences = tuple(differences)

    def __reduce__(self) -> tuple[type[WrongMerge], tuple[tuple[Difference, ...]]]:
        """It may be raised in one process and told by another."""
        return type(self), (self.differences,)


@dataclass
class ToldApart:
    """Histories that were found to differ, in all unfoldings of one exploration, which begins again for each.

    differences  those that were found; where their code stands, nothing is merged, and no loop is cut
    """

    differences: list[Difference] = field(default_factory=list)
    _rounds: int = 0
    _positions: set[Position] = field(default_factory=set)

    def add(self, differences: Iterable[Difference]) -> None:
        """More were found; the exploration begins again."""
        found = tuple(differences)
        self.differences += found
        self._positions.update(*(difference.positions for difference in found))
        self._rounds += 1

    def forbids(self, run: ThreadRun) -> bool:
        """Returns whether the local state of a suspended thread is not to be compared with others."""
        return self._rounds > 0 and (self._rounds >= ROUNDS or run.position() in self._positions)


class Merges:
    """The merged histories of one unfolding."""

    def __init__(self, code: CodeRunner, threads: Known) -> None:
        self._code = code
        self._threads = threads

    def confirm_alike(self, root: State, way: Sequence[Edge]) -> None:
        """Run the code of a thread that begins at `root` along the steps of one that it was taken for.

        Raises WrongMerge if it differs.
        """
        thread = self._threads.thread_name(root.thread)
        with self._code.apart():
            steps, wrong = self._along(way, thread)
        if wrong:
            like = way[0].before
            what = f"it was taken for thread {self._threads.thread_name(like.thread)}, which does the same"
            why = f"thread {thread}: {what}, but after {counted(steps, 'operation')} its code {wrong}"
            where = source(continues_in(way[steps]).operation or continues_in(way[steps]).terminal)
            positions = frozenset((self._code.position(root), self._code.position(like)))
            raise WrongMerge([Difference(str(where or ""), why, positions)])

    def confirm(self, way: Sequence[Edge]) -> None:
        """Run the code of a history that leads across merges. Raises WrongMerge if it differs by one of them.

        Where it ends with a turn of a loop, that is run up to the bound on operations.
        """
        if way and ends_turn(way[-1]):
            way = [*way, *_round_and_round(way[-1], self._threads.options.bound)]
        with self._code.apart():
            found = self._look_along(way)
        if found:
            raise WrongMerge(found)

    def _look_along(self, way: Sequence[Edge]) -> list[Difference]:
        """The merges on a way that are wrong; none if its code does what is known, or differs whatever is merged."""
        steps, _ = self._along(way)
        if steps == len(way):
            return []
        way = way[: steps + 1]
        for number in range(steps, -1, -1):  # the last step whose history differs from that of the state behind it
            if way[number].joins or ends_turn(way[number]):
                rest = way[number:]
                steps, wrong = self._along(rest)
                if steps < len(rest):
                    return [self._difference(rest[0], steps, wrong)]
        return []

    def _along(self, way: Sequence[Edge], thread: str = "") -> tuple[int, str]:
        """How many steps the code takes as is known, and what it does in place of the next one."""
        steps = 0
        try:
            for run in self._code.along(way, thread):
                wrong = self._wrong(way[steps], run)
                if wrong:
                    break
                steps += 1
            else:
                return steps, ""
        except NondeterminismError:
            raise
        except ModelError as error:
            wrong = f"is refused: {error.message}"
        return steps, wrong

    def _wrong(self, edge: Edge, run: ThreadRun) -> str:
        """Says what a thread does in place of what is known, "" if it does that."""
        state = continues_in(edge)
        if edge.before.asked.kind in UPDATES:
            wrote = UNWRITTEN if edge.wrote == NOTHING else self._threads.values[edge.wrote]
            if not same(wrote, run.wrote):
                return f"writes {shown(run.wrote)} in place of {shown(wrote)}"
        if not same_future(state, run.pending, run.thread.performed - state.depth):
            return f"comes to '{describe(run.pending)}' in place of '{describe(state.operation or state.terminal)}'"
        return ""

    def _difference(self, edge: Edge, steps: int, wrong: str) -> Difference:
        state = continues_in(edge)
        run = next(self._code.along([edge]))
        thread, where = self._threads.thread_name(state.thread), source(state.operation or state.terminal)
        what = "a turn of a loop was taken for one that repeats" if ends_turn(edge) else _TWO
        when = f"{counted(steps, 'operation')} later" if steps else "at once"
        why = f"thread {thread}: {what}, but {when} the code {wrong}"
        return Difference(str(where or ""), why, frozenset((run.position(), self._code.position(edge.after))))


def _round_and_round(last: Edge, bound: int) -> Iterator[Edge]:
    """The steps of a turn, again and again until a thread has so many operations; `last` ends the turn."""
    turn = turn_of(last)
    for number in range(bound - last.after.depth):
        yield turn[number % len(turn)]
