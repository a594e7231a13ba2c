"""Runs without end: none of those that a certificate is about is one that its objective forbids (docs/semantics.md 6).

A *ranking* gives each global state a number. No step of the runs that an objective asks about leads to a higher one, so
such a run has one number from some moment on: it stays among the states of one *level*. For each level the steps that
stay in it show why no run that stays there is forbidden: it is not fair, or nobody is left who is expected to get on.
That needs no search, and how the numbers were found does not matter.

The final function begins at most once in a run, so its begin is no step of a level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from replay.certify.form import LOCK, OBSTRUCTION, PROGRESS, WAIT, Rejected
from replay.certify.local_graphs import ASSUMED, END, NONE, Edge, LocalGraphs, Node
from replay.certify.states import Action, Invariant
from replay.frontend.threads import FINAL

SHOWN = {
    PROGRESS: "every fair run comes to its end, daemons apart",
    OBSTRUCTION: "a thread that runs alone completes its calls",
    LOCK: "as long as threads go on, calls complete, whichever threads are stopped",
    WAIT: "a thread that goes on completes its calls, whatever others do",
}

Mover = tuple[int, int | None]
"""Who takes a step: a thread, and None; or one of its store buffers, and the location of that under PSO."""


class Runs:
    """Global states as steps lead from one to the other."""

    def __init__(self, graphs: LocalGraphs, invariant: Invariant, model: str) -> None:
        """The invariant is one that was confirmed, and leaves nothing out."""
        self._graphs, self._invariant, self._model = graphs, invariant, model

    def confirm(self, objective: str, rankings: list[list[int]]) -> None:
        """Confirms that no run is forbidden, by a ranking for each thread that is asked about, or one for all. Raises
        Rejected."""
        threads = [None] if objective in (PROGRESS, LOCK) else [*self._invariant.threads]
        states = self._invariant.states
        if [*map(len, rankings)] != [len(states)] * len(threads):
            raise Rejected(f"{objective} needs {len(threads)} rankings of {len(states)} states")
        if objective != PROGRESS:
            for state in states:
                self._check_nobody_waits(state)
        for thread, numbers in zip(threads, rankings, strict=True):
            ranks = dict(zip(states, numbers, strict=True))
            for rank, level in groupby(sorted(states, key=ranks.__getitem__), ranks.__getitem__):
                if self._may_be_forbidden(objective, thread, ranks, level):
                    of = "" if thread is None else f" of thread {self._graphs.threads[thread].name}"
                    raise Rejected(f"{objective}{of}: a run may go on for ever among the states of rank {rank}")

    def _may_be_forbidden(self, objective: str, asked: int | None, ranks: dict[int, int], level: Iterable[int]) -> bool:
        """Returns whether a run that stays in a level may be forbidden, as far as its steps tell."""
        always: set[Mover] | None = None
        moved, only_look, concerns = set[Mover](), True, False
        for state in level:
            able = set[Mover]()
            for action, edge, after in self._steps(state):
                if not self._counts(objective, asked, action):
                    continue
                able.add(mover := self._mover(action))
                if ranks[after] > ranks[state]:
                    raise Rejected(f"{objective}: a step leads from state {state} to a higher rank")
                if ranks[after] == ranks[state]:
                    moved.add(mover)
                    only_look &= edge is not None and edge.only_looks
            always = able if always is None else always & able
            concerns |= self._concerns(objective, state)
        owed = {mover for mover in always or () if objective == PROGRESS or mover[1] is not None}
        if not moved or not concerns or not owed <= moved:
            return False
        if objective == PROGRESS:
            return not only_look  # that is the end of a run, and was looked at as such
        return any(buffer is None and asked in (None, thread) for thread, buffer in moved)

    def _steps(self, state: int) -> Iterator[tuple[Action, Edge | None, int]]:
        """The steps from a state: the edge of a thread, None for a commit, and the state then."""
        for number, part in self._invariant.threads.items():
            for at, looked, table, action in self._invariant.rows[number][part.number(state)][1]:
                value = (state >> at) & looked
                if (added := table[value]) is not None:
                    node, commits = action.process.node, action.commit is not None
                    edge = None if commits else self._graphs.step(node, self._invariant.read_by(action, value))
                    yield action, edge, state + added

    def _counts(self, objective: str, asked: int | None, action: Action) -> bool:
        """Returns whether a run that is asked about may take a step again and again: of `asked`, or of any thread."""
        if objective == PROGRESS or action.commit is not None:
            return True
        if asked in (None, action.thread):
            return not action.process.node.request.completes
        return objective == WAIT

    def _mover(self, action: Action) -> Mover:
        if action.commit is None:
            return action.thread, None
        return action.thread, action.commit[0] if self._model == "pso" else NONE

    def _left(self, state: int) -> dict[int, Node]:
        """Returns the threads that have begun and not ended, the final function among them."""
        found = {number: process.node for number, process in self._invariant.begun(state).items()}
        for number, part in self._invariant.threads.items():
            thread, node = self._graphs.threads[number], part.of(state).node
            if thread.name == FINAL and node is not thread.root:
                found[number] = node
        return {number: node for number, node in found.items() if node.kind != END}

    def _concerns(self, objective: str, state: int) -> bool:
        """Returns whether a run through a state may be forbidden: not if a thread stopped at an assumption, nor, for
        progress, if all that have not ended are daemons."""
        left = self._left(state)
        if any(node.kind == ASSUMED for node in left.values()):
            return False
        return objective != PROGRESS or not all(self._graphs.threads[number].is_daemon for number in left)

    def _check_nobody_waits(self, state: int) -> None:
        """Raises Rejected if a thread waits for others, with nothing left in any buffer: they may have been stopped."""
        left = self._left(state)
        if any(part.of(state).buffers for part in self._invariant.threads.values()):
            return
        if any(node.kind == ASSUMED for node in left.values()):
            return
        able = {action.thread for action, _, _ in self._steps(state)}
        for number in left.keys() - able:
            raise Rejected(f"in state {state} thread {self._graphs.threads[number].name} waits for others")


def confirm_runs(graphs: LocalGraphs, invariant: Invariant, said: dict[str, Any]) -> str:
    """Confirms what a certificate shows of runs without end; returns that as the end of a sentence."""
    runs = Runs(graphs, invariant, said["model"])
    for objective, rankings in said["rankings"]:
        runs.confirm(objective, rankings)
    return "".join(f"; {objective}: {SHOWN[objective]}" for objective, _ in said["rankings"])
