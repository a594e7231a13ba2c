"""A program under a memory model as automata (`processes.py`), one for each thread, that look at each other's work.

What an action means is computed once for each value that it may find, so memory models have no part in anything above
this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce

from mcr.explorers.stateful.buffers import Contents, StoreBuffers
from mcr.explorers.stateful.layout import Component, InterchangeableThreads, StateLayout, interchangeable
from mcr.explorers.stateful.outcomes import ActionOutcome, Outcomes, Reopened
from mcr.explorers.stateful.processes import CellValues, Process, ProcessAction, Row, Steps, ThreadProcesses
from replay.code.terminals import at_once
from replay.machine.local_graphs import LocalGraphs
from replay.machine.machine import Choice, make_choice
from replay.machine.state import NOTHING, LocationId, State
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import Kind
from replay.world.values import ValueId

THREAD_BITS, CELL_BITS = 8, 4
"""Bits of a component at first."""


class System:
    """All processes and cells that were met so far.

    buffers  what the memory model makes of store buffers
    outcomes  the effects of actions
    layout   where in a global state is what
    news     processes that came to their end and were met since somebody cleared this list
    met      all processes, of threads that are alike those of one
    entries  how many entries the tables of all actions have
    """

    def __init__(
        self,
        graphs: LocalGraphs,
        model: MemoryModel,
        longest_buffer: int,
        *,
        takes_unseen: bool = True,
        joins_notes: bool = False,
        symmetry: bool = True,
    ) -> None:
        """`takes_unseen`: steps that no other thread sees are taken at once; `joins_notes`: what an observer is
        told belongs to the step beside it; `symmetry`: interchangeable threads are."""
        self.graphs = graphs
        self.one_by_one = graphs.program.global_lock
        self.buffers = StoreBuffers(model, graphs.locations)
        self.outcomes = Outcomes(
            graphs, self.buffers, longest_buffer, self._check_alike, takes_unseen=takes_unseen, joins_notes=joins_notes
        )
        self._symmetry = symmetry
        self._told_apart: set[int] = set()
        self.met_longest_loop = False
        self._forget()

    def begin(self) -> None:
        """Let all declared threads begin; again, if something was taken for constant that is not."""
        while True:
            self._forget()
            try:
                self._welcome()
                return
            except Reopened:
                continue

    def _forget(self) -> None:
        """Forget all processes and cells, and so what global states mean, but not who writes where."""
        self.layout = StateLayout()
        self.threads: list[ThreadProcesses] = []
        self.groups: list[InterchangeableThreads] = []
        self.cells: list[CellValues] = []
        self._cells: dict[LocationId, CellValues] = {}
        self.news: list[Process] = []
        self.met: list[Process] = []
        self.entries = 0

    # -- global states -----------------------------------------------------

    def sorting(self) -> Callable[[int], int] | None:
        """Returns a function that maps a global state to the one that stands for it; None if each stands for itself."""
        functions = [group.sorted for group in self.groups]
        if len(functions) <= 1:
            return functions[0] if functions else None
        return lambda state: reduce(lambda state, sort: sort(state), functions, state)

    def processes(self, state: int) -> list[Process]:
        """Returns the process of each thread in a global state."""
        return [thread.process(state) for thread in self.threads]

    def may_be_deadlock(self, processes: Iterable[Process], state: int) -> bool:
        """Returns False if all threads have ended, or some step changes memory: a filter before `is_deadlock`."""
        return not all(process.has_ended for process in processes) and not any(
            (state + added) & action.looks_at.component.mask != value
            for process in processes
            for action in process.actions
            if isinstance(action.looks_at, CellValues) and (added := action.table.get(value := action.found_in(state)))
        )

    def moving(self, state: int) -> list[Process]:
        """The processes of a global state that may do something: one alone where it keeps the global lock."""
        processes = self.processes(state)
        if self.one_by_one:
            return [process for process in processes if at_once(process.state.operation)] or processes
        return processes

    def memory(self, state: int) -> dict[LocationId, ValueId]:
        """Returns what each location that was met holds in a global state."""
        ended = (process for process in self.processes(state) if process.has_ended)
        ends = {self.graphs.threads[process.thread.index].end: self.graphs.returned(process.state) for process in ended}
        return ends | {cell.location: cell.value(state) for cell in self.cells}

    def actions(self, state: int) -> Iterator[tuple[ProcessAction, int, int]]:
        """The actions of all processes of a global state, with what they look at and what they add."""
        for process in self.moving(state):
            for action in process.actions:
                value = action.found_in(state)
                added = action.table.get(value)
                yield action, value, self.add(action, value) if added is None else added

    def steps(self, state: int) -> Iterator[tuple[Steps, int]]:
        """Yields the steps from a global state, each with the state to which it leads."""
        for process in self.moving(state):
            yield from self._steps(state, process.actions, ())

    def taken_steps(self, state: int) -> Iterator[tuple[Steps, int]]:
        """Steps from a global state that were taken, here or elsewhere, by the thread or by one like it.

        So nothing becomes known by looking, and `news` stays as it is.
        """
        for process in self.moving(state):
            twins = [each.held[each.component.written(process.number)] for each in process.thread.group]
            for place, action in enumerate(process.actions):
                value = action.found_in(state)
                if any(value in twin.actions[place].table for twin in twins):
                    yield from self._steps(state, (action,), ())

    def onward(self, state: int, thread: ThreadProcesses, steps: Steps = ()) -> list[tuple[Steps, int]]:
        """The rest of a step that has come to a state where its thread goes on at once.

        Where it has to wait, it stops: so it is seen to wait. But if it may only have to wait for its own buffers, the
        whole step can as well be taken later.
        """
        process = thread.process(state)
        found = self._steps(state, process.operations, steps)
        if not found and (process.state.operation is None or not process.contents):
            return [(steps, state)]
        return found

    def _steps(self, state: int, actions: Iterable[ProcessAction], before: Steps) -> list[tuple[Steps, int]]:
        found = []
        for action in actions:
            value = action.found_in(state)
            added = action.table.get(value)
            if added is None:
                added = self.add(action, value)
            if added:
                found.append(((*before, (action, value)), state + added))
            elif value in action.onward:
                after = state + action.onward[value]
                found += self.onward(after, action.process.thread, (*before, (action, value)))
        return found

    def begin_final(self, state: int) -> int:
        """Returns what the final function adds to a global state in which it may begin; 0 if it may not, or there
        is none."""
        final = self.graphs.final
        if final is None:
            return 0
        if self.processes(state)[final.index].number or not all(each.has_ended for each in self.taking_part(state)):
            return 0
        begun = self.outcomes.of_final()
        return self._process(self.threads[final.index], begun.after, begun.contents).written

    def choices(self, action: ProcessAction, value: int) -> list[Choice]:
        """An action as steps of a schedule, with those that no other thread sees."""
        outcome = self.outcomes.of(action, value)
        assert outcome is not None
        return [action.choice, *_unseen(outcome, action.process.thread)]

    def unseen_at_first(self, thread: ThreadProcesses) -> list[Choice]:
        """Returns the steps of a thread before anything that others can see."""
        return _unseen(self.outcomes.of_beginning(thread), thread)

    def choices_of_final(self) -> list[Choice]:
        """The steps with which the final function begins."""
        assert self.graphs.final is not None
        thread = self.threads[self.graphs.final.index]
        return [make_choice(thread.index), *_unseen(self.outcomes.of_final(), thread)]

    def taking_part(self, state: int) -> list[Process]:
        """The processes of a global state that are declared or were spawned, the final function aside."""
        return [process for process in self.processes(state) if self._takes_part(process, state)]

    def _takes_part(self, process: Process, state: int) -> bool:
        info = self.graphs.threads[process.thread.index]
        if info.is_final or info.is_declared or process.number:
            return not info.is_final
        return self.graphs.accepts(process.state, self.cell(process.state.loc).value(state))

    # -- actions ---------------------------------------------------------------

    def add(self, action: ProcessAction, value: int) -> int:
        """Computes what an action adds to a global state where it finds `value`, and notes it in the action's table."""
        outcome = self.outcomes.of(action, value)
        added = 0
        if outcome is not None:
            before, cell = action.process, action.looks_at
            if outcome.wrote != NOTHING:
                assert isinstance(cell, CellValues)
                added = self._written_to(cell, outcome.wrote) - value
            added += self._process(before.thread, outcome.after, outcome.contents).written - before.written
            if self.outcomes.goes_on(action, outcome):
                action.onward[value], added = added, 0
        action.table[value] = added
        self.entries += 1
        return added

    def _check_alike(self, thread: int) -> None:
        """A thread takes a step. Raises Reopened if it may know who it is, and others are taken for like it."""
        if len(self.threads[thread].group) > 1 and self.graphs.may_know_itself(self.graphs.threads[thread]):
            self.tell_apart(thread)

    def tell_apart(self, thread: int) -> None:
        """A thread is not like others. Raises Reopened if it was taken for such."""
        if thread < len(self.threads) and len(self.threads[thread].group) > 1:
            for each in self.threads[thread].group:
                self._told_apart.add(each.index)
                self.graphs.threads[each.index].like = self.graphs.threads[each.index]
            raise Reopened

    # -- processes and cells -----------------------------------------------------

    def _welcome(self) -> None:
        """Make room for threads that the unfolding has met, at first those that are declared."""
        if not self.threads:
            self._welcome_groups()
        for info in self.graphs.threads[len(self.threads) :]:
            self.threads.append(ThreadProcesses(self.layout.add(THREAD_BITS), info.index))
        for thread in self.threads:
            if not thread.held:
                begun = self.outcomes.of_beginning(thread)
                self._process(thread, begun.after, begun.contents)

    def _welcome_groups(self) -> None:
        """Make room for the declared threads, interchangeable ones first."""
        found = interchangeable(self.graphs, self._told_apart) if self._symmetry else []
        threads: dict[int, ThreadProcesses] = {}
        for members in found:
            components = [self.layout.add(THREAD_BITS) for _ in members]
            self.groups.append(InterchangeableThreads(members, components))
            for index, component in zip(members, components, strict=True):
                threads[index] = ThreadProcesses(component, index, threads.get(members[0]))
                self.graphs.threads[index].like = self.graphs.threads[members[0]]
        self.threads = [
            threads.get(info.index) or ThreadProcesses(self.layout.add(THREAD_BITS), info.index)
            for info in self.graphs.threads
        ]

    def _process(self, thread: ThreadProcesses, state: State, contents: Contents) -> Process:
        """The process of a thread in that state, a new one if there is none."""
        if len(self.threads) < len(self.graphs.threads):
            self._welcome()
        process = thread.known.get((state.number, contents))
        if process is not None:
            return process
        number = len(thread.held)
        if number >> thread.component.bits:
            self._widen([each.component for each in thread.group])
        for each in thread.group:
            process = Process(each, number, state, contents)
            each.known[state.number, contents] = each.held[process.written] = process
            process.actions = tuple(self._actions(process))
            process.operations = tuple(action for action in process.actions if action.choice.commit == NOTHING)
            each.rows[process.written] = self._row(process)
        process = thread.known[state.number, contents]
        self.met.append(process)
        if state.terminal is not None:
            self.news.append(process)
        return process

    def _actions(self, process: Process) -> Iterator[ProcessAction]:
        thread, state, contents = process.thread, process.state, process.contents
        operation = state.operation
        if operation is not None and operation.kind is not Kind.FINAL and not self._is_delayed(process):
            looks_at = self._looks_at(process)
            for chosen in state.inputs or (NOTHING,):
                yield ProcessAction(process, looks_at, make_choice(thread.index, NOTHING, chosen))
        for store, _ in self.buffers.commits(contents):
            yield ProcessAction(process, self.cell(store.location), make_choice(thread.index, store.location))

    def _is_delayed(self, process: Process) -> bool:
        """Returns whether the operation of a process waits for stores of its own thread."""
        operation, contents = process.state.operation, process.contents
        assert operation is not None
        if operation.access is Access.LOAD:
            return self.buffers.delay(contents, operation.where)
        return process.state.drains and bool(contents)

    def _looks_at(self, process: Process) -> CellValues | ThreadProcesses | None:
        """Returns the cell or thread on which the operation of a process depends, or which it overwrites at once."""
        state = process.state
        operation = state.operation
        assert operation is not None
        target = next((info for info in self.graphs.threads if info.end == state.loc), None)
        if target is not None:  # a join, or a look whether it has ended
            self.tell_apart(target.index)
            return self.threads[target.index]
        if operation.kind is Kind.STORE and self.buffers.exist:
            return None
        if operation.kind is Kind.LOAD and self.buffers.forwarded(process.contents, state.loc) != NOTHING:
            return None
        return None if state.loc == NOTHING else self.cell(state.loc)

    def cell(self, location: LocationId) -> CellValues:
        """The cell of a location."""
        found = self._cells.get(location)
        if found is None:
            found = CellValues(self.layout.add(CELL_BITS), location, self.graphs.initial[location])
            self._cells[location] = found
            self.cells.append(found)
        return found

    def _written_to(self, cell: CellValues, value: ValueId) -> int:
        """How a global state has it that a cell holds a value."""
        written = cell.written.get(value)
        if written is None:
            if len(cell.held) >> cell.component.bits:
                self._widen([cell.component])
            written = cell.written[value] = cell.component.written(len(cell.held))
            cell.held[written] = value
        return written

    # -- tables --------------------------------------------------------------------

    def _row(self, process: Process) -> Row:
        """The actions of a process as they are looked up."""
        return tuple(
            (0 if action.looks_at is None else action.looks_at.component.mask, action.table, action)
            for action in process.actions
        )

    def _widen(self, components: Iterable[Component]) -> None:
        """Give components more bits. What tables say stays right: where the new bits are 0, all is as it was."""
        for component in components:
            self.layout.widen(component)
        for group in self.groups:
            group.look_at_bits()
        for thread in self.threads:
            thread.rows.update((written, self._row(process)) for written, process in thread.held.items())


def _unseen(outcome: ActionOutcome, thread: ThreadProcesses) -> list[Choice]:
    return [make_choice(thread.index)] * len(outcome.unseen)
