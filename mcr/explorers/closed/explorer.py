"""Graphs of threads in which every value has its step that may have been written before.

Each thread is explored alone, and reads whatever others may have written. What it can have read is told by *notes*:
with each value that is written goes how deep every thread was by then at least. Whoever reads it has come so deep, and
learns how deep the others are. So a value that was made of what a thread writes later is none that this thread reads.
More is read than in any execution, as nothing tells which value is the latest: a failure found so means nothing, and
ends it. But if there is none, the program is verified, in the time that code takes, and the graphs are the proof
(`replay.certify.closed`, which shares no code with this module).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from operator import le
from typing import Any

from mcr.exploration.certificates import local_graphs
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, GoOn, News, Work
from mcr.exploration.evidence import new_places
from mcr.exploration.verdict import Stop
from replay.certify.form import CLOSED
from replay.code.terminals import Blocked, Ended
from replay.errors import ModelError, TakenForConstant
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.world.operation import Kind
from replay.world.values import ValueId

SLICE = 200_000
"""What a solver propagates in the time that one piece of work takes."""

LOOK, STEP = 30, 1_500
"""What a solver propagates in the time that it takes to look at a step, and to run the code of a new one."""

Depths = tuple[int, ...]
"""By thread, how deep it is at least."""

Own = dict[LocationId, set[ValueId]]
"""By location, what a thread may have written there last."""

WROTE_NOTHING = NOTHING
"""Stands for no value among those that a thread may have written last."""


class _Open(Exception):
    """The graphs are not closed, or whether threads wait for ever is not known of them."""


class Closed:
    """Explores threads alone, until no new step is read off what was written."""

    def __init__(self, context: ExplorationContext) -> None:
        self._context = context
        self.unfolding = context.new_unfolding(merges=context.merges)
        self._stop: Stop | None = None
        self._knows: dict[State, list[Depths]] = {}
        self._todo = deque[tuple[State, Depths]]()
        self._own: dict[State, Own] = {}
        self._written: dict[LocationId, dict[tuple[int, ValueId], list[Depths]]] = {}
        self._news: dict[tuple[LocationId, int, ValueId], list[Depths]] = {}
        """Notes that readers have not been told yet."""
        self._readers: dict[LocationId, dict[State, None]] = {}
        self._looked_at = 0

    def begin(self) -> Iterable[Work]:
        for info in self.unfolding.threads:
            self._add_thread(info.root)
        return (GoOn(),)

    def expand(self, work: Work) -> Iterator[News]:
        before = self._effort
        try:
            while self._effort - before < SLICE and self._has_work:
                self._work()
        except TakenForConstant:
            raise
        except (_Open, ModelError) as why:  # code that is wrong only on values that it never reads is no failure
            self._stop = Stop(f"threads alone do not show it: {why}", "use another algorithm")
        self._context.spend(self._effort - before)
        yield from ()

    @property
    def threads(self) -> int:
        """How many threads are known, without the final function."""
        return sum(not info.is_final for info in self.unfolding.threads)

    @property
    def _effort(self) -> int:
        return len(self.unfolding.edges) * STEP + self._looked_at * LOOK

    @property
    def _has_work(self) -> bool:
        return bool(self._todo or self._news)

    def remaining(self) -> Work | None:
        if self._stop is None and self._has_work:
            return GoOn()
        if self._stop is None:
            self.unfolding.audit([(state, state.way()) for state in new_places(self.unfolding.states, set())])
        return None

    def claim(self) -> Claim:
        notes = sum(len(notes) for values in self._written.values() for notes in values.values())
        return Claim(
            "closed", self._stop, deadlocks=True, figures=(("notes on values", notes),), certificate=self._certificate
        )

    def _certificate(self) -> dict[str, Any]:
        return {"format": CLOSED, **local_graphs(self.unfolding, lambda edge: edge.after)}

    # -- what threads come to ----------------------------------------------------------

    def _work(self) -> None:
        """Look at what a thread has come to; at what was written, if there is nothing of the kind."""
        if self._todo:
            state, depths = self._todo.popleft()
            if depths in self._knows[state]:
                self._look(state, depths)
        else:
            self._tell(*self._news.popitem())

    def _add_thread(self, root: State) -> None:
        self._own.setdefault(root, {})
        self._learn(root, ())

    def _look(self, state: State, depths: Depths) -> None:
        """A thread is in a local state, and knows how deep others are."""
        end, operation = state.terminal, state.operation
        if isinstance(end, Ended):
            self._write(self.unfolding.threads[state.thread].end, state, self.unfolding.returned(state), depths)
            return
        if operation is None:
            if not isinstance(end, Blocked) or end.wait_from >= 0:
                raise _Open(f"it may come to {end}")
            return
        waits = operation.kind is Kind.JOIN or (operation.ready is not None and operation.kind is not Kind.START)
        if waits and self._context.goals.deadlocks:
            raise _Open(f"a thread may wait at {operation.source}")
        if not state.reads:
            for value in state.inputs or (NOTHING,):
                self._step(state, value, (depths,))
            return
        self._readers.setdefault(state.loc, {})[state] = None
        self._read_own(state, depths)
        for writer, value in [*self._written.get(state.loc, ())]:
            self._read_of(state, depths, writer, value, self._written[state.loc][writer, value])

    def _read_own(self, state: State, depths: Depths) -> None:
        """A thread reads what it may have written last itself, or the first value if it wrote nothing."""
        for value in [*self._own[state].get(state.loc, (WROTE_NOTHING,))]:
            self._read(state, self.unfolding.initial[state.loc] if value == WROTE_NOTHING else value, (depths,))

    def _read_of(self, state: State, depths: Depths, writer: int, value: ValueId, notes: list[Depths]) -> None:
        """A thread reads a value that another thread may have written before this thread was deeper than it is now.

        `notes` are the depths of all threads at each such write.
        """
        if writer == state.thread:
            return
        mine, depth = state.thread, state.depth
        earlier = [each for each in notes if _at(each, mine) <= depth]
        learnt = dict.fromkeys(_with(_later(depths, each), mine, 0) for each in earlier)  # most come to the same
        self._looked_at += len(earlier) - len(learnt)
        if learnt:
            self._read(state, value, learnt)

    def _read(self, state: State, value: ValueId, every: Iterable[Depths]) -> None:
        if self.unfolding.accepts(state, value) or state.asked.ready is None:
            self._step(state, value, every)

    def _step(self, state: State, value: ValueId, every: Iterable[Depths]) -> None:
        """A thread takes a step, once for each of the depths that it then knows of the others."""
        edge = state.edges.get(value)
        if edge is None:
            threads = len(self.unfolding.threads)
            edge = self.unfolding.step(state, value)
            for info in self.unfolding.threads[threads:]:
                self._add_thread(info.root)
            self._pass_on(edge)
        for depths in every:
            self._looked_at += 1
            if edge.wrote != NOTHING:
                self._write(state.loc, state, edge.wrote, depths)
            self._learn(edge.after, depths)

    def _write(self, loc: LocationId, state: State, value: ValueId, depths: Depths) -> None:
        notes = self._written.setdefault(loc, {}).setdefault((state.thread, value), [])
        if _is_new(notes, note := _with(depths, state.thread, state.depth + 1)):
            self._news.setdefault((loc, state.thread, value), []).append(note)

    def _tell(self, written: tuple[LocationId, int, ValueId], news: list[Depths]) -> None:
        """Let what was written be read wherever it can be, by notes of which readers were not told."""
        loc, writer, value = written
        known = self._written[loc][writer, value]
        news = [note for note in news if note in known]  # else another one says less
        for state in [*self._readers.get(loc, ())]:
            for depths in [*self._knows[state]]:
                self._read_of(state, depths, writer, value, news)

    def _learn(self, state: State, depths: Depths) -> None:
        if _is_new(self._knows.setdefault(state, []), depths):
            self._todo.append((state, depths))

    # -- what a thread wrote last ------------------------------------------------------

    def _pass_on(self, first: Edge) -> None:
        """Note what a thread may have written last by location, after a new step and those that follow it."""
        todo = [first]
        while todo:
            edge = todo.pop()
            mine = self._own[edge.before]
            if edge.wrote != NOTHING:
                mine = {**mine, edge.before.loc: {edge.wrote}}
            known = self._own.get(edge.after)
            found = mine if known is None else {loc: _either(known, mine, loc) for loc in known.keys() | mine.keys()}
            if found != known:
                self._own[edge.after] = found
                todo += edge.after.edges.values()
                if edge.after.reads:
                    for depths in [*self._knows.get(edge.after, ())]:
                        self._todo.append((edge.after, depths))


def _either(
    one: dict[LocationId, set[ValueId]], other: dict[LocationId, set[ValueId]], loc: LocationId
) -> set[ValueId]:
    return one.get(loc, {WROTE_NOTHING}) | other.get(loc, {WROTE_NOTHING})


# -- how deep threads are ----------------------------------------------------------------


def _at(depths: Depths, thread: int) -> int:
    """Threads that were met later are not there yet, and as deep as they begin."""
    return depths[thread] if thread < len(depths) else 0


def _with(depths: Depths, thread: int, depth: int) -> Depths:
    if thread >= len(depths):
        if not depth:
            return depths
        depths += (0,) * (thread + 1 - len(depths))
    return depths if depths[thread] == depth else (*depths[:thread], depth, *depths[thread + 1 :])


def _later(one: Depths, other: Depths) -> Depths:
    if len(one) < len(other):
        one, other = other, one
    return (*map(max, one, other), *one[len(other) :])


def _says_less(one: Depths, other: Depths) -> bool:
    """Returns whether one says nothing that the other does not say, too."""
    return len(one) <= len(other) and all(map(le, one, other))


def _is_new(known: list[Depths], depths: Depths) -> bool:
    """Adds depths to those of which none says more than another; False if they follow from one of these."""
    if depths in known or any(_says_less(each, depths) for each in known):
        return False
    known[:] = [each for each in known if not _says_less(depths, each)]
    known.append(depths)
    return True
