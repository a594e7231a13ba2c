"""Configurations of the store-buffer machine as tuples of numbers, with tables of the steps of each thread.

The next steps of a thread with its store buffer depend on one value in memory. The machine takes such a step once, for
each local state, buffer and value (`LocalConfiguration`); from then on it changes a few numbers of a tuple.

A tuple holds a value for each location, NOTHING for its initial one, and then a `LocalConfiguration` for each thread,
the last thread first: so a new location or thread shifts no number of another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from replay.code.terminals import Ended, Failed
from replay.machine.machine import Buffered, Choice, Machine, Past, contents
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind
from replay.world.values import ValueId

Configuration = tuple[int, ...]


@dataclass(slots=True, eq=False)
class LocalConfiguration:
    """A thread in a local state, with its store buffer.

    loc       the location whose value decides about the next step; NOTHING if none does
    is_final  whether it is the final function before it runs
    waits     whether it stopped in a wait whose condition failed
    runs      by that value, the steps that the thread may take
    commits   the stores that may reach memory
    """

    number: int
    thread: int
    state: State
    buffer: tuple[Buffered, ...]
    epoch: int
    loc: LocationId
    is_final: bool
    waits: bool
    runs: dict[ValueId, tuple[ConfigurationMove, ...]] = field(default_factory=dict)
    commits: tuple[ConfigurationMove, ...] = ()

    @property
    def failure(self) -> Failed | None:
        """The exception that has ended the thread, if one did."""
        return self.state.terminal if isinstance(self.state.terminal, Failed) else None


class ConfigurationMove(NamedTuple):
    """A step that may happen next.

    local   number of the `LocalConfiguration` in which it leaves the thread
    writes  locations with their new values
    edge    the step of the thread that runs; None if a store reaches memory, or a wait is tried again
    store   the store that reaches memory
    undone  how many of the thread's latest steps are taken back, where a wait that failed is tried again
    """

    number: int
    thread: int
    local: int
    writes: tuple[tuple[LocationId, ValueId], ...]
    edge: Edge | None = None
    store: Buffered | None = None
    undone: int = 0

    def takes(self, choice: Choice) -> bool:
        """Returns whether it is the step that a schedule asks for."""
        if self.thread != choice.thread:
            return False
        if choice.commit != NOTHING:
            return self.store is not None and self.store.location == choice.commit
        return self.edge is not None and choice.chosen in (NOTHING, self.edge.read)


class Wider(Exception):
    """A step has met locations or threads for which configurations have no room (`Tables.widen`)."""


class Tables:
    """The locals and moves of a program that were met. Explorations give configurations, and get those that follow."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self._unfolding, self._model = unfolding, model
        self.locals: list[LocalConfiguration] = []
        self.moves: list[ConfigurationMove] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._known: dict[tuple[object, ...], ConfigurationMove] = {}
        self._room = (0, 0)

    def first(self) -> Configuration:
        """Returns the configuration in which the program begins."""
        begun = Machine(self._unfolding, self._model)
        configuration = [*self.widen()(())]
        for location, value in begun.memory.items():
            configuration[location] = self._written(location, value)
        return tuple(configuration)

    def widen(self) -> Callable[[Configuration], Configuration]:
        """Make room for the locations and threads that are known now; the result does so in a configuration."""
        locations, threads = self._room
        self._room = len(self._unfolding.locations), len(self._unfolding.threads)
        more = (NOTHING,) * (self._room[0] - locations)
        unborn = tuple(
            self._local(info.index, info.root, (), 0) for info in reversed(self._unfolding.threads[threads:])
        )
        return lambda configuration: (*configuration[:locations], *more, *unborn, *configuration[locations:])

    @property
    def threads(self) -> int:
        return self._room[1]

    def local(self, configuration: Configuration, thread: int) -> LocalConfiguration:
        return self.locals[configuration[-1 - thread]]

    def memory(self, configuration: Configuration) -> list[tuple[LocationId, ValueId]]:
        """The locations that do not hold their initial value, with the values that they hold."""
        written = enumerate(configuration[: self._room[0]])
        return [(location, value) for location, value in written if value != NOTHING]

    def machine(self, configuration: Configuration, pasts: Mapping[int, Past | None]) -> Machine:
        """Returns the machine of a configuration; of the past of its threads it knows what is given."""
        parts = [self.local(configuration, thread) for thread in range(self.threads)]
        memory = dict(self.memory(configuration))
        machine = Machine.at_rest(self._unfolding, self._model, [part.state for part in parts], memory)
        for thread, part in enumerate(parts):
            machine.buffers[thread] = [*part.buffer]
            machine.epochs[thread] = part.epoch
            if part.buffer:  # whose end nobody sees before its stores are in memory
                machine.memory.pop(self._unfolding.threads[thread].end, None)
            machine.pasts[thread] = pasts.get(thread)
        return machine

    # -- steps ---------------------------------------------------------------------

    def follow(self, configuration: Configuration) -> list[ConfigurationMove]:
        """The steps of threads and then of buffers that may happen now. Raises Wider; ask again then."""
        runs: list[ConfigurationMove] = []
        commits: list[ConfigurationMove] = []
        final = None
        for number in configuration[: -1 - self.threads : -1]:
            local = self.locals[number]
            value = configuration[local.loc] if local.loc != NOTHING else NOTHING
            if local.is_final:
                final = local
            elif value in local.runs:
                runs += local.runs[value]
            else:
                runs += self._learn(configuration, local, value)
            commits += local.commits
        if final is not None and not runs and not commits and self.machine(configuration, {}).can_run(final.thread):
            runs += self._run(configuration, final)
        if self._room != (len(self._unfolding.locations), len(self._unfolding.threads)):
            raise Wider
        return runs + commits

    def after(self, configuration: Configuration, move: ConfigurationMove) -> Configuration:
        """Returns the configuration after a step."""
        after = [*configuration]
        after[-1 - move.thread] = move.local
        for location, value in move.writes:
            after[location] = value
        return tuple(after)

    def again(self, local: LocalConfiguration, begin: State, undone: int) -> ConfigurationMove:
        """Returns the step with which a wait that failed begins again."""
        return self._move(local.thread, self._local(local.thread, begin, local.buffer, local.epoch), (), undone=undone)

    def _learn(
        self, configuration: Configuration, local: LocalConfiguration, value: ValueId
    ) -> tuple[ConfigurationMove, ...]:
        """Find out which steps a thread may take where it finds a value."""
        can_run = self.machine(configuration, {}).can_run(local.thread)
        found = local.runs[value] = self._run(configuration, local) if can_run else ()
        return found

    def _run(self, configuration: Configuration, local: LocalConfiguration) -> tuple[ConfigurationMove, ...]:
        found = []
        for chosen in local.state.inputs or (NOTHING,):
            machine = self.machine(configuration, {})
            edge = machine.run(local.thread, chosen)
            is_buffered = len(machine.buffers[local.thread]) > len(local.buffer)
            wrote = edge.wrote != NOTHING and not is_buffered
            found.append(self._made(machine, local, [(local.state.loc, edge.wrote)] if wrote else [], edge=edge))
        return tuple(found)

    def _commits(self, local: LocalConfiguration) -> tuple[ConfigurationMove, ...]:
        """The stores of a buffer that may reach memory next."""
        machine = Machine(self._unfolding, self._model)
        machine.states[local.thread] = local.state
        machine.buffers[local.thread], machine.epochs[local.thread] = [*local.buffer], local.epoch
        found = []
        for location in machine.committable(local.thread):
            after = machine.copy()
            store = after.commit(local.thread, location)
            found.append(self._made(after, local, [(location, store.value)], store=store))
        return tuple(found)

    def _made(
        self,
        machine: Machine,
        local: LocalConfiguration,
        writes: list[tuple[LocationId, ValueId]],
        *,
        edge: Edge | None = None,
        store: Buffered | None = None,
    ) -> ConfigurationMove:
        """The step that a machine has just made."""
        thread, state = local.thread, machine.states[local.thread]
        if isinstance(state.terminal, Ended) and not machine.buffers[thread]:
            writes.append((self._unfolding.threads[thread].end, self._unfolding.returned(state)))
        after = self._local(thread, state, tuple(machine.buffers[thread]), machine.epochs[thread])
        shown = tuple((location, self._written(location, value)) for location, value in writes)
        return self._move(thread, after, shown, edge, store)

    def _written(self, location: LocationId, value: ValueId) -> ValueId:
        return NOTHING if value == self._unfolding.initial[location] else value

    def _move(
        self,
        thread: int,
        local: int,
        writes: tuple[tuple[LocationId, ValueId], ...],
        edge: Edge | None = None,
        store: Buffered | None = None,
        undone: int = 0,
    ) -> ConfigurationMove:
        key = (thread, local, writes, edge and id(edge), store, undone)
        if key not in self._known:
            self._known[key] = ConfigurationMove(len(self.moves), thread, local, writes, edge, store, undone)
            self.moves.append(self._known[key])
        return self._known[key]

    def _local(self, thread: int, state: State, buffer: tuple[Buffered, ...], epoch: int) -> int:
        """The number of a thread with its buffer: those with the same future are one."""
        key = (thread, state.number, contents([*buffer], epoch))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.locals)
            is_final = state.operation is not None and state.operation.kind is Kind.FINAL
            loc = state.loc if state.reads else NOTHING
            local = LocalConfiguration(number, thread, state, buffer, epoch, loc, is_final, state.is_waiting)
            self.locals.append(local)
            local.commits = self._commits(local)
        return number
