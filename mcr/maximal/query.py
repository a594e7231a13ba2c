"""One question to the solver: a prefix in which some loads read other values, or the proof that there is none."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mcr.maximal.constraints import Absent, And, Happens, any_of
from mcr.maximal.observation import Event, Observation
from mcr.maximal.phi import phi_lock, phi_mem, phi_prefix, phi_state, phi_sync, phi_validity
from mcr.maximal.program_order import ProgramOrder
from mcr.maximal.stuck import phi_stuck, with_pending
from mcr.maximal.translation import Translation
from replay.state import LocationId, State
from solvers.registry import make_solver


@dataclass
class Tally:
    """What the solver did, in questions, proposals and seconds."""

    asked: int = 0
    satisfiable: int = 0
    proposals: int = 0
    cycles: int = 0
    solving: float = 0.0
    encoding: float = 0.0


@dataclass(frozen=True)
class Query:
    """Whether `goals` can read the values that `trace` (retargeted) gives them, with the `frozen` events before them.

    frozen    the frozen prefix, or the last event of it in each thread
    absent    an event that must not happen
    in_order  whether the frozen events keep their order
    """

    trace: Observation
    goals: frozenset[int]
    frozen: list[Event] = field(default_factory=list)
    absent: Event | None = None
    in_order: bool = False

    @property
    def forced(self) -> list[Event]:
        return [*self.frozen, *(self.trace.events[goal] for goal in sorted(self.goals))]


class Solving:
    """Answers queries with one kind of solver."""

    def __init__(self, order: ProgramOrder, solver: str) -> None:
        self.order = order
        self.tally = Tally()
        self._solver = solver

    def shortest_prefix(self, query: Query) -> list[Event] | None:
        """The events of a seed, ordered: no prefix that is part of this one satisfies the query. None if none does."""
        started = time.perf_counter()
        self.tally.asked += 1
        translation = self._encode(query)
        self.tally.encoding += time.perf_counter() - started
        found = self._propose(translation)
        prefix = None
        while found is not None:
            prefix = self._needed(query, found)
            if not self._demand_less(query, translation, prefix):
                break
            found = self._propose(translation)
        self.tally.satisfiable += prefix is not None
        return prefix

    def _encode(self, query: Query) -> Translation:
        """Phi = Phi_mhb, Phi_lock, Phi_validity, Phi_state (2.3), and the frozen prefix."""
        translation = self._base(query.trace, query.goals)
        translation.require(phi_state(query.trace, query.goals, brief=True))
        translation.require(phi_prefix(query.frozen, query.in_order))
        if query.absent is not None:
            translation.require(Absent(query.absent.id))
        return translation

    def _base(self, trace: Observation, goals: frozenset[int] = frozenset()) -> Translation:
        translation = Translation(make_solver(self._solver), trace)
        translation.fix(phi_mem(trace, self.order), phi_sync(trace, self.order))
        translation.require(phi_lock(trace))
        translation.require(phi_validity(trace, goals, brief=True))
        return translation

    def stuck_prefixes(self, trace: Observation, stuck: list[State]) -> Iterator[list[Event]]:
        """Executions made of a trace's events that end with threads waiting for ever, one for each way to stop."""
        extended, pending = with_pending(trace, stuck)
        self.tally.asked += 1
        translation = self._base(extended)
        translation.require(phi_stuck(extended, pending))
        while (prefix := self._propose(translation)) is not None:
            yield prefix
            done = {event.id for event in prefix}
            translation.require(any_of(Absent(n) if n in done else Happens(n) for n in extended.events))

    def _propose(self, translation: Translation) -> list[Event] | None:
        started = time.perf_counter()
        found = None
        while found is None:
            self.tally.proposals += 1
            if not translation.solver.propose():
                break
            found = translation.prefix()
            self.tally.cycles += found is None
        self.tally.solving += time.perf_counter() - started
        return found

    def _demand_less(self, query: Query, translation: Translation, prefix: list[Event]) -> bool:
        """Require that only events of `prefix` happen, and not all; False if all of them have to."""
        forced = self._closure(query, query.forced)
        optional = [event for event in prefix if event.id not in forced]
        if not optional:
            return False
        kept = {event.id for event in prefix}
        translation.require(And(tuple(Absent(number) for number in query.trace.events if number not in kept)))
        translation.require(any_of(Absent(event.id) for event in optional))
        return True

    # -- what a prefix needs (design.md 3.3) -----------------------------------

    def _needed(self, query: Query, prefix: list[Event]) -> list[Event]:
        """The part of a prefix that its goals and frozen events depend on, through program order and reads-from."""
        sources = sources_in(query.trace, prefix)
        needed = self._closure(query, query.forced, sources)
        return [event for event in prefix if event.id in needed]

    def _closure(
        self, query: Query, events: Iterable[Event], sources: dict[int, list[Event]] | None = None
    ) -> dict[int, None]:
        needed: dict[int, None] = {}
        todo = list(events)
        while todo:
            event = todo.pop()
            if event.id in needed:
                continue
            needed[event.id] = None
            before = self.order.before(event.before)
            todo.extend(query.trace.threads[event.thread][depth] for depth in (*before.memory, *before.sync))
            if sources is not None:
                todo.extend(sources.get(event.id, ()))
        return needed


def sources_in(trace: Observation, prefix: list[Event]) -> dict[int, list[Event]]:
    """For each event of an ordered prefix the events of other threads, and the commits, that it reads from."""
    memory: dict[LocationId, Event] = {}
    committed: set[int] = set()
    found: dict[int, list[Event]] = {}
    for event in prefix:
        if event.before.reads:
            own = _own_store(trace, event)
            if own is None or own.id in committed:
                sources = [source for source in (own, memory.get(event.before.loc)) if source is not None]
                found[event.id] = sources
        elif event.kind is not None and event.kind.value == "final":
            found[event.id] = [e for e in prefix if e.kind is None and e.thread != event.thread]
        if event.wrote >= 0:
            memory[trace.location(event)] = event
            committed.add(event.id)
    return found


def _own_store(trace: Observation, reader: Event) -> Event | None:
    """The plain store by which the reader's own thread hides memory from it until it commits."""
    for earlier in reversed(trace.threads[reader.thread][: reader.depth]):
        if earlier.before.loc == reader.before.loc and earlier.wrote >= 0:
            return earlier if earlier.is_store else None
    return None
