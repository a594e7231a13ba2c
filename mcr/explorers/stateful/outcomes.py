"""The effect of an action: what a thread's operation, or a commit of a store of its, does where it finds a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mcr.explorers.stateful.buffers import EMPTY, Contents, StoreBuffers, WaitingStore, size
from mcr.explorers.stateful.processes import Process, ProcessAction, ThreadProcesses
from replay.machine.local_graphs import LocalGraphs
from replay.machine.spinning import looks_only
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.world.operation import Kind
from replay.world.values import ValueId

MOST_UNSEEN = 200
"""Steps that no other thread sees, which are taken at once."""


class ActionOutcome(NamedTuple):
    """The effect of an action.

    after     the local state in which the thread is then
    contents  what waits in its buffers then
    edge      the step in the unfolding; None for a commit
    wrote     what memory holds then where the action looks; NOTHING if that does not change
    unseen    the steps after it that nobody sees (`Outcomes`)
    """

    after: State
    contents: Contents
    edge: Edge | None
    wrote: ValueId
    unseen: tuple[Edge, ...] = ()

    @property
    def only_looked(self) -> bool:
        """True if it left memory alone, and no other thread could see it."""
        return self.edge is not None and all(
            looks_only(edge.before, edge.read, edge.wrote) for edge in (self.edge, *self.unseen)
        )


class Reopened(Exception):
    """The exploration has to begin again.

    Somebody writes to a cell that was taken for one that nobody does, or threads that were taken for interchangeable
    are not.
    """


class Outcomes:
    """The effects of actions, for one program under one memory model.

    takes_loads         loads of what nobody writes are taken at once, too
    met_longest_buffer  a store had to wait as its buffer had no room
    """

    def __init__(
        self,
        graphs: LocalGraphs,
        buffers: StoreBuffers,
        longest_buffer: int,
        on_step: Callable[[int], None],
        *,
        takes_unseen: bool,
        joins_notes: bool,
    ) -> None:
        """`on_step` is given the thread of each step, and may raise Reopened; the others are parameters of `System`."""
        self._graphs = graphs
        self._buffers = buffers
        self._longest_buffer = longest_buffer
        self._on_step = on_step
        self._takes_unseen = self.takes_loads = takes_unseen
        self._one_by_one = graphs.program.global_lock
        self._joins_notes = joins_notes and not self._one_by_one
        self._written: set[LocationId] = set()
        self._taken_for_constant: set[LocationId] = set()
        self.met_longest_buffer = False

    @property
    def constant(self) -> frozenset[LocationId]:
        """The locations that are taken for constant."""
        return frozenset(self._taken_for_constant)

    def of(self, action: ProcessAction, value: int) -> ActionOutcome | None:
        """Returns the effect of an action that finds `value` where it looks; None if it has to wait."""
        process = action.process
        if action.choice.commit != NOTHING:
            return self._on(self._committed(process, action.choice.commit))
        read = self._read(action, value)
        if read is None:
            return None
        outcome = self._run(process.state, process.contents, read)
        return None if outcome is None else self._on(outcome)

    def of_beginning(self, thread: ThreadProcesses) -> ActionOutcome:
        """Returns the effect of the steps that a thread takes before anything that others can see."""
        return self._on(ActionOutcome(self._graphs.threads[thread.alike.index].root, EMPTY, None, NOTHING))

    def of_final(self) -> ActionOutcome:
        """Returns the effect of beginning the final function."""
        assert self._graphs.final is not None
        edge = self._graphs.step(self._graphs.final.root)
        return self._on(ActionOutcome(self._graphs.after(edge), EMPTY, edge, NOTHING))

    def goes_on(self, action: ProcessAction, outcome: ActionOutcome) -> bool:
        """Returns whether an action and the next one of its thread are one step: what observers are told is told as
        early as possible when a call ends, and as late as possible when it begins.

        To tell it takes no part in what threads do to each other, so the end of a call may be told right after the
        last operation before it, and its beginning, with the choice of what is called, right before the first
        operation after it: in each run they can be moved there, and all else stays as it is. Calls are only shorter
        then, so an order of them that was allowed may be no more, but none is allowed that was not: if what a call
        returned cannot be explained in a run, it cannot be in that in which they were moved
        (`mcr.linearizability.observers`: `RealTime` and `Quiescence` allow fewer orders of shorter calls, the others do
        not look at times). A call that waits before its first operation has begun as soon as it waits.
        """
        operation, following = action.process.state.operation, outcome.after.operation
        if not self._joins_notes or following is None or operation is None or action.choice.commit != NOTHING:
            return False
        if following.kind is Kind.NOTE and following.at_once:
            return True
        begins = operation.begins_call or (operation.kind is Kind.CHOOSE and following.begins_call)
        return begins and outcome.contents == action.process.contents

    def _run(self, state: State, contents: Contents, read: ValueId) -> ActionOutcome | None:
        """Returns the effect of a thread's operation; None if its buffers are full."""
        kind = state.operation and state.operation.kind
        if kind is Kind.STORE:
            self._note_write(state.loc)
        if kind is Kind.STORE and self._buffers.exist:
            if size(contents) == self._longest_buffer:
                self.met_longest_buffer = True
                return None
            edge = self._step(state, read)
            return ActionOutcome(
                self._graphs.after(edge),
                self._buffers.add(contents, WaitingStore(state.loc, edge.wrote)),
                edge,
                NOTHING,
            )
        edge = self._step(state, read)
        if edge.wrote != NOTHING:
            self._note_write(state.loc)
        if kind is Kind.STORE_FENCE:
            contents = self._buffers.fence(contents)
        return ActionOutcome(self._graphs.after(edge), contents, edge, edge.wrote)

    def _step(self, state: State, read: ValueId) -> Edge:
        edge = self._graphs.step(state, read)
        self._on_step(state.thread)
        return edge

    def _note_write(self, location: LocationId) -> None:
        """Note a write to a location. Raises Reopened if the location was taken for constant."""
        self._written.add(location)
        if location in self._taken_for_constant:
            self._taken_for_constant.remove(location)
            raise Reopened

    # -- steps that no other thread sees ----------------------------------------------

    def _on(self, outcome: ActionOutcome) -> ActionOutcome:
        """Extends an outcome by the steps behind it that no other thread can see.

        A store into the own buffer, a store fence, a fence where the buffers are empty, and a load of what nobody
        writes: nobody else sees them, they change nothing that others do, and nothing can keep the thread from taking
        them, whatever comes first; a commit of the thread itself leaves the same, before and after. So all that can be
        reached can be reached if they are taken at once. That nobody writes to a location is taken for granted until
        somebody is met who does: the first who does has seen nobody do it, so the exploration meets him. A thread that
        only takes such steps for ever stops where it was before or, if it is never there again, as it counts its turns,
        after so many: no step of others is put off for ever.
        """
        passed = {(outcome.after.number, outcome.contents)}
        while len(outcome.unseen) < MOST_UNSEEN and self._is_unseen(outcome.after, outcome.contents):
            step = self._run(outcome.after, outcome.contents, self._constant(outcome.after))
            if step is None or (step.after.number, step.contents) in passed:
                break
            passed.add((step.after.number, step.contents))
            assert step.edge is not None
            outcome = outcome._replace(after=step.after, contents=step.contents, unseen=(*outcome.unseen, step.edge))
        return outcome

    def _constant(self, state: State) -> ValueId:
        """Returns the value of a load that no other thread can see."""
        if not state.reads:
            return NOTHING
        self._taken_for_constant.add(state.loc)
        return self._graphs.initial[state.loc]

    def _is_unseen(self, state: State, contents: Contents) -> bool:
        """Returns whether other threads cannot see the next operation of a thread."""
        if not self._takes_unseen or state.operation is None:
            return False
        if self._one_by_one and not state.operation.at_once:
            return False  # others may run before it, and perhaps not after
        kind = state.operation.kind
        return (
            (kind is Kind.STORE and self._buffers.exist and size(contents) < self._longest_buffer)
            or kind is Kind.STORE_FENCE
            or (kind is Kind.FENCE and not contents)
            or (
                kind is Kind.LOAD
                and self.takes_loads
                and state.loc not in self._written
                and all(state.loc != info.end for info in self._graphs.threads)
                and not self._buffers.delay(contents, state.operation.where)
            )
        )

    # -- what a thread finds ----------------------------------------------------------

    def _committed(self, process: Process, location: LocationId) -> ActionOutcome:
        store, rest = next(each for each in self._buffers.commits(process.contents) if each[0].location == location)
        return ActionOutcome(process.state, rest, None, store.value)

    def _read(self, action: ProcessAction, value: int) -> ValueId | None:
        """Returns what the operation reads; None if it has to wait."""
        state, looks_at = action.process.state, action.looks_at
        if isinstance(looks_at, ThreadProcesses):
            joined = looks_at.held[value]
            left = self._graphs.returned(joined.state) if joined.has_ended else self._graphs.initial[state.loc]
            return left if self._graphs.accepts(state, left) else None
        if not state.reads:
            return action.choice.chosen
        if looks_at is None:
            return self._buffers.forwarded(action.process.contents, state.loc)
        read = looks_at.held[value]
        return read if self._graphs.accepts(state, read) else None
