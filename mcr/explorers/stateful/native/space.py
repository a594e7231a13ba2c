"""The space of global states in C (core.c): the states of `Space`, in the same order, from the same predecessors.

`Space` begins, as most programs have few states, and this goes on with what it has seen. The core knows of threads
what `System` has told it, and asks when it comes to something that is not in its tables.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping

from mcr.explorers.stateful.layout import Component
from mcr.explorers.stateful.native.library import Said, integers
from mcr.explorers.stateful.processes import CellValues, Process, ThreadProcesses
from mcr.explorers.stateful.space import Cycles, Space
from mcr.explorers.stateful.system import System
from replay.code.terminals import at_once

_DONE, _MISS, _LAST, _NO_MEMORY = range(4)
_UNKNOWN, _NOTHING, _STEP, _ONWARD, _STAY = range(5)
_MAY_BE_STUCK, _HAS_ENDED, _AT_ONCE, _STOPS = 1, 2, 4, 8
"""Why `core_run` returns, what an entry says, and flags of a process, as core.c has them."""

_FIRST = 0xFFFFFFFF
"""The predecessor of the first state."""

_MARGIN = 100_000
"""States that a slice may find: before them, memory for the hash table is asked for."""


class NativeSpace(Space):
    """The graph of global states, as far as it was explored."""

    def __init__(self, library: ctypes.CDLL, begun: Space) -> None:
        """Go on from where another space is, which has just come to the end of a level."""
        super().__init__(begun.system)
        self._library = library
        self.levels, self.last, self._in_vain = begun.levels, begun.last, begun._in_vain
        self._core = Core(library, self.system, [thread for thread, *_ in self._threads()])
        place = {state: number for number, state in enumerate(begun.before)}
        for state, before in begun.before.items():
            self._core.see(state, place.get(before, _FIRST))
        self._level_end = len(place)
        self._core.go_to(len(place) - begun.frontier)

    @property
    def before(self) -> Mapping[int, int]:
        return self._core

    @property
    def may_be_handed_over(self) -> bool:
        return False

    @property
    def frontier(self) -> int:
        return len(self._core) - self._core.here

    @property
    def growth(self) -> int:
        more: int = self._library.core_growth(self._core.space, _MARGIN + len(self._core) // 16)
        return more

    def _expand(self, most: int) -> Iterator[tuple[int, int]]:
        core = self._core
        end = min(core.here + most, self._level_end)
        while (said := core.run(end)) != _DONE:
            place = core.said.state
            if said == _MISS:
                yield from self._learn(core.state(place))
            else:
                yield from self._look_at_last(core.state(place))
                core.go_to(place + 1)

    def _end_level(self) -> None:
        if self._core.here == self._level_end:
            self.levels.append(len(self._core) - self._level_end)
            self._level_end = len(self._core)

    def _learn(self, state: int) -> Iterator[tuple[int, int]]:
        """Find out what an action leads to, as the loop does when it first comes to it; then the core knows."""
        said = self._core.said
        thread, number, place, value = self._core.threads[said.thread], said.process, said.action, said.value
        first = thread.process(state).actions[said.outer]
        found = first.found_in(state)
        if found not in first.table:
            added = self.system.add(first, found)
            if self.system.news:
                yield state, state + added
        if found in first.onward:
            yield from self._onward(state, first, found, self.system.sorting())
        process = thread.held[thread.component.written(number)]
        looks_at = process.actions[place].looks_at
        self._core.enter(process, place, 0 if looks_at is None else looks_at.component.written(value))

    def suspects(self, ask: Cycles) -> list[list[int]] | None:
        """Returns the suspects that the core finds; None if there are more movers than a word has bits."""
        core, actions = self._core, [action for process in self.system.met for action in process.actions]
        movers = {each: 1 << number for number, each in enumerate(dict.fromkeys(map(ask.mover, actions)))}
        if len(movers) > 64:
            return None
        bits = [movers[ask.mover(action)] if ask.takes(action) else 0 for action in actions]
        found = core.cycles(bits, sum(bit for each, bit in movers.items() if ask.wants(each)), ask.fair)
        return [[*map(core.state, places)] for places in found if ask.concerns(core.state(places[0]))]

    def _see(self, before: int, after: int) -> None:
        self._core.see(after, self._core.place(before))

    def _forget(self) -> None:
        self._core = Core(self._library, self.system, [thread for thread, *_ in self._threads()])
        self._core.see(0, _FIRST)
        self._level_end = 1


class Core(Mapping[int, int]):
    """The states that were seen, in C, with their predecessors; and what the core knows of a `System`.

    said     where the search has stopped
    threads  in the order of `Space._threads`
    space    the core's own pointer
    """

    def __init__(self, library: ctypes.CDLL, system: System, threads: list[ThreadProcesses]) -> None:
        self.said = Said()
        self.threads = threads
        self.space = library.core_new(system.one_by_one)
        if not self.space:
            raise MemoryError
        self._library = library
        self._system = system
        self._place: dict[ThreadProcesses, int] = {}
        self._numbers: dict[Component, int] = {}
        self._bits: dict[Component, int] = {}
        self._known_bits = self._processes = 0
        self._tell_components()
        for group in system.groups:
            components = [self._numbers[component] for component in group.components]
            library.core_group(self.space, len(components), integers(components))
        self._tell()

    def __del__(self) -> None:
        self._library.core_free(self.space)

    # -- what it is told -------------------------------------------------------------

    def run(self, end: int) -> int:
        """Look at the states before `end`, as far as all is known. Raises MemoryError."""
        self._tell()
        said: int = self._library.core_run(self.space, end, ctypes.byref(self.said))
        if said == _NO_MEMORY:
            raise MemoryError
        return said

    def enter(self, process: Process, place: int, value: int, *, for_cycles: bool = False) -> None:
        """Say what the action at a place of a process leads to where it finds a value; for cycles, whether it only
        looks, and whether it happens where it changes nothing."""
        self._tell()
        action, component = process.actions[place], process.thread.component
        looks_at, added = action.looks_at, action.table[value]
        outcome = self._system.outcomes.of(action, value) if for_cycles else None
        kind = _STEP if added else _ONWARD if value in action.onward else _NOTHING if outcome is None else _STAY
        after = (process.written | value) + (added or action.onward.get(value, 0))
        if not self._library.core_entry(
            self.space, self._place[process.thread], process.number, place,
            0 if looks_at is None else looks_at.component.read(value),
            kind, outcome is not None and outcome.only_looked, component.read(after),
            looks_at.component.read(after) if isinstance(looks_at, CellValues) else -1,
        ):  # fmt: skip
            raise MemoryError

    def cycles(self, movers: list[int], wanted: int, fair: bool) -> list[list[int]]:
        """The components that may have a run that is asked about, by places (`core_cycles`)."""
        for process in self._system.met:
            for place, action in enumerate(process.actions):
                for value in action.table:
                    self.enter(process, place, value, for_cycles=True)
        component = (ctypes.c_uint32 * len(self))()
        words = (ctypes.c_uint64 * len(movers))(*movers)
        count = self._library.core_cycles(self.space, words, wanted, fair, component)
        if count < 0:
            raise MemoryError
        found: list[list[int]] = [[] for _ in range(count)]
        for place, number in enumerate(component if count else ()):
            if number:
                found[number - 1].append(place)
        return found

    def see(self, state: int, before: int) -> None:
        """See a state, from that at a place."""
        self._tell()
        if not self._library.core_see(self.space, self._words(state), before):
            raise MemoryError

    def _tell(self) -> None:
        """Tell the core of components, threads and processes that were met since it was told last."""
        system = self._system
        if self._known_bits != system.layout.bits:
            self._tell_components()
        if len(self._place) < len(system.threads):
            self.threads += system.threads[len(self.threads) :]  # which were spawned, and are like no others
            for thread in self.threads[len(self._place) :]:
                self._tell_thread(thread)
        for process in system.met[self._processes :]:
            self._tell_process(process)
        self._processes = len(system.met)

    def _tell_components(self) -> None:
        layout = self._system.layout
        for number, component in enumerate(layout.components):
            if self._bits.get(component) != component.bits:
                self._numbers[component], self._bits[component] = number, component.bits
                pieces = component.pieces()
                flat = integers([each for piece in pieces for each in piece])
                self._library.core_component(self.space, number, len(pieces), flat)
        self._known_bits = layout.bits
        self._size = (layout.bits + 63) // 64 * 8
        self._buffer = ctypes.create_string_buffer(self._size)

    def _tell_thread(self, thread: ThreadProcesses) -> None:
        place = self._place[thread] = len(self._place)
        groups = self._system.groups
        group = next((number for number, each in enumerate(groups) if thread.index in each.members), -1)
        inside = groups[group].members.index(thread.index) if group >= 0 else 0
        alike = self._place[thread.alike]
        self._library.core_thread(self.space, self._numbers[thread.component], group, inside, alike)
        assert self.threads[place] is thread

    def _tell_process(self, process: Process) -> None:
        place = self._place[process.thread]
        looks_at = [
            -1 if action.looks_at is None else self._numbers[action.looks_at.component] for action in process.actions
        ]
        self._library.core_process(
            self.space, place, _flags(process), len(process.operations), len(looks_at), integers(looks_at)
        )
        final = self._system.graphs.final
        if final is not None and final.index == process.thread.index and process.number <= 1:
            self._library.core_final(self.space, place, process.number)

    # -- states ---------------------------------------------------------------------

    def go_to(self, place: int) -> None:
        """Go on with the state at a place: those before it were explored."""
        self._library.core_go_to(self.space, place)

    @property
    def here(self) -> int:
        """How many states were explored."""
        count: int = self._library.core_here(self.space)
        return count

    def state(self, place: int) -> int:
        """The state at a place, as `Layout` writes it."""
        self._library.core_state(self.space, place, self._buffer, self._size // 8)
        return int.from_bytes(self._buffer.raw, "little")

    def place(self, state: int) -> int:
        """Returns the place of a state. Raises KeyError if it was not seen."""
        place: int = self._library.core_find(self.space, self._words(state))
        if place < 0:
            raise KeyError(state)
        return place

    def _words(self, state: int) -> bytes:
        return state.to_bytes(self._size, "little")

    def __getitem__(self, state: int) -> int:
        before: int = self._library.core_before(self.space, self.place(state))
        return -1 if before == _FIRST else self.state(before)

    def __iter__(self) -> Iterator[int]:
        return map(self.state, range(len(self)))

    def __len__(self) -> int:
        count: int = self._library.core_count(self.space)
        return count


def _flags(process: Process) -> int:
    stops = process.state.operation is None or not process.contents
    return (
        _MAY_BE_STUCK * process.may_be_stuck
        | _HAS_ENDED * process.has_ended
        | _AT_ONCE * at_once(process.state.operation)
        | _STOPS * stops
    )
