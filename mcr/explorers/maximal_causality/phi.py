"""The conjuncts of the formula, one function each ([huang-2016] 2.3 and 4.1).

    Phi = Phi_mem and Phi_sync and Phi_lock and Phi_validity and Phi_state

Deviations from the paper, each with its reason:

* An event may be absent from the prefix, and constraints bind only what
  happens; the paper says the same of Phi_validity by its recursion over writes.
* A store has the moment of its commit, and a load may be served from the
  buffer before that (docs/semantics.md 4); the paper gives a store one position,
  which misses behaviours. `encoding="paper"` keeps the paper's rule.
* The initial value counts as a write that precedes everything.

Constraints are over order variables, and small enough to be printed and read.
Every event e of a trace has one order variable O_e: the moment at which it
executes or, if it is a plain store, commits to memory. An event *happens* if
it belongs to the prefix that the constraints describe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from mcr.executions.relations import preceding
from mcr.explorers.maximal_causality.recording import Observation, Observed, access
from replay.machine.state import LocationId, State
from replay.world.memory_model import Access, Loads, MemoryModel
from replay.world.operation import LOCK, Kind

EventId = int


@dataclass(frozen=True, slots=True)
class Before:
    """O_first < O_second."""

    first: EventId
    second: EventId


@dataclass(frozen=True, slots=True)
class Happens:
    """The event belongs to the prefix."""

    event: EventId


@dataclass(frozen=True, slots=True)
class Absent:
    """The event does not belong to the prefix; it may be thought of as coming after all of it."""

    event: EventId


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All parts; true without any."""

    parts: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """At least one part; false without any."""

    parts: tuple[Constraint, ...]


Constraint = Before | Happens | Absent | Conjunction | Disjunction


def all_of(parts: Iterable[Constraint]) -> Conjunction:
    return Conjunction(tuple(parts))


def any_of(parts: Iterable[Constraint]) -> Constraint:
    """The disjunction, without parts that are never true; true if a part always is."""
    found = tuple(part for part in parts if part != Disjunction(()))
    return Conjunction(()) if Conjunction(()) in found else Disjunction(found)


Namer = Callable[[EventId], str]


def show(constraint: Constraint, name: Namer = str) -> str:
    """The constraint as the paper writes it, e.g. "O3 < O2 and (O1 < O3 or O2 < O1)"."""
    match constraint:
        case Before(first, second):
            return f"O{name(first)} < O{name(second)}"
        case Happens(event):
            return f"e{name(event)}"
        case Absent(event):
            return f"not e{name(event)}"
        case Conjunction(parts):
            return _joined(parts, " and ", "true", name)
        case Disjunction(parts):
            return _joined(parts, " or ", "false", name)


def _joined(parts: tuple[Constraint, ...], sign: str, empty: str, name: Namer) -> str:
    """The parts with a sign between them; parts that have a sign of their own get brackets."""
    if len(parts) == 1:
        return show(parts[0], name)
    texts = (show(part, name) for part in parts)
    return sign.join(f"({text})" if " and " in text or " or " in text else text for text in texts) or empty


PAPER = "paper"
COMPLETE = "complete"
"""The two ways to order a store and a later load of the same location under TSO and PSO.

complete  not at all: the load may be served from the store buffer (docs/semantics.md 4)
paper     as [huang-2016] rule Phi_addr says: the store commits first
"""


class Predecessors(NamedTuple):
    """Predecessors of an operation in its thread.

    memory  depths of those directly before it by Phi_mem: two plain accesses
    sync    the same by Phi_sync: one of the two is a fence, an rmw or a synchronisation
    plain   depths of all before it by Phi_mem, as bits
    all     depths of all before it, as bits
    """

    memory: tuple[int, ...]
    sync: tuple[int, ...]
    plain: int
    all: int


class ProgramOrder:
    """Preserved program order under one memory model and encoding, transitively reduced ([huang-2016] 4.1).

    What precedes an operation depends on its local state only, so it is computed
    once per state of the unfolding and shared by all traces that pass it.
    """

    def __init__(self, model: MemoryModel, encoding: str = COMPLETE) -> None:
        self.model = model
        self._known: dict[int, Predecessors] = {}
        self._order = model
        if encoding == PAPER and model.buffers is not None and model.forwards:
            self._order = replace(model, buffers=replace(model.buffers, loads=Loads.AFTER_OWN))

    def before(self, state: State) -> Predecessors:
        """Returns the predecessors of the operation that `state` asks for (of the thread's end, if it asks for
        none)."""
        found = self._known.get(state.number)
        if found is None:
            *earlier, _ = state.path()
            found = self._known[state.number] = self._compute(earlier, state)
        return found

    def _compute(self, earlier: list[State], state: State) -> Predecessors:
        """Plain accesses are ordered among themselves alone, all else with everything."""
        known = [self.before(each) for each in earlier]
        plain = [is_plain(each) and is_plain(state) for each in earlier]
        kept = [self._keeps(each, state) for each in earlier]
        memory, all_plain = preceding([each.plain for each in known], lambda depth: plain[depth] and kept[depth])
        direct, everything = preceding([each.all for each in known], kept.__getitem__)
        sync = tuple(depth for depth in direct if not plain[depth])
        return Predecessors(tuple(memory), sync, all_plain, everything)

    def _keeps(self, earlier: State, later: State) -> bool:
        return self._order.keeps(access(earlier), access(later), _where(earlier), _where(later))


def _where(state: State) -> str:
    return state.operation.where if state.operation else ""


def is_plain(state: State) -> bool:
    return access(state) in (Access.LOAD, Access.STORE)


BY_ORDER = frozenset({Kind.START, Kind.JOIN})
"""Kinds that read what Phi_sync makes them read."""


def phi_mem(trace: Observation, order: ProgramOrder) -> Conjunction:
    """Phi_mem = Phi_ww, Phi_rr, Phi_rw, Phi_addr (4.1): plain accesses of a thread, as far as the model orders them."""
    return all_of(
        Before(trace.threads[event.thread][depth].id, event.id)
        for event in trace.events.values()
        for depth in order.before(event.before).memory
    )


def phi_sync(trace: Observation, order: ProgramOrder) -> Conjunction:
    """Phi_sync (4.1): fences and synchronisations stay in order with all of their thread;
    a thread begins after its spawn, and is joined after its end."""
    within: list[Constraint] = [
        Before(trace.threads[event.thread][depth].id, event.id)
        for event in trace.events.values()
        for depth in order.before(event.before).sync
    ]
    return all_of((*within, *_between_threads(trace)))


def _between_threads(trace: Observation) -> Iterator[Constraint]:
    """An event that waits for another thread comes after the end of that thread, and cannot happen without it."""
    for event in trace.events.values():
        if event.kind in BY_ORDER:
            awaited = [w for w in trace.writes.get(event.before.loc, ()) if w.wrote == event.read]
            complete = bool(awaited)
        elif event.kind is Kind.FINAL:
            lasts = [events[-1] for thread, events in trace.threads.items() if thread != event.thread]
            awaited = [last for last in lasts if last.kind is None]
            complete = len(awaited) == len(lasts)
        else:
            continue
        yield from (Before(other.id, event.id) for other in awaited)
        if not complete:
            yield Absent(event.id)


def phi_lock(trace: Observation) -> Conjunction:
    """Phi_lock (2.3): two regions of one mutex exclude each other; a region cut by the end of the trace comes last.

    A thread that has the mutex and asks for it again waits for ever.
    """
    regions = list(_regions(trace))
    return all_of(
        Absent(lock.id)
        if lock.thread == other_lock.thread
        else any_of((Absent(lock.id), Absent(other_lock.id), *_one_first(lock, unlock, other_lock, other_unlock)))
        for number, (lock, unlock) in enumerate(regions)
        for other_lock, other_unlock in regions[:number]
        if lock.before.loc == other_lock.before.loc
        and (lock.thread != other_lock.thread or other_unlock is None or other_unlock.depth > lock.depth)
    )


def _one_first(
    lock: Observed, unlock: Observed | None, other_lock: Observed, other_unlock: Observed | None
) -> Iterator[Constraint]:
    if unlock is not None:
        yield all_of((Happens(unlock.id), Before(unlock.id, other_lock.id)))
    if other_unlock is not None:
        yield all_of((Happens(other_unlock.id), Before(other_unlock.id, lock.id)))


def _regions(trace: Observation) -> Iterator[tuple[Observed, Observed | None]]:
    """Each lock with the unlock that ends its region, if the trace has it."""
    for events in trace.threads.values():
        for lock in events:
            if lock.tag == LOCK:
                rest = events[lock.depth + 1 :]
                same = (e for e in rest if e.kind is Kind.UNLOCK and e.before.loc == lock.before.loc)
                yield lock, next(same, None)


def is_data_read(trace: Observation, event: Observed) -> bool:
    """Returns whether Phi_validity constrains the event: it reads memory, and neither Phi_sync nor Phi_lock settles
    what."""
    if not event.before.reads or event.kind in BY_ORDER:
        return False
    return event.tag != LOCK or not _is_pure_mutex(trace, event.before.loc)


def _is_pure_mutex(trace: Observation, location: LocationId) -> bool:
    """Returns whether only locks and unlocks write a mutex, so that Phi_lock says it all; a try_lock may interfere."""
    return all(write.kind is Kind.UNLOCK or write.tag == LOCK for write in trace.writes.get(location, ()))


def phi_validity(trace: Observation, goal: Observed) -> Conjunction:
    """Phi_validity (2.3): every read that happens reads what it read in the trace, the goal excepted."""
    reads = (event for event in trace.events.values() if is_data_read(trace, event))
    return all_of(phi_read(trace, event) for event in reads if event.id != goal.id)


def phi_read(trace: Observation, event: Observed, brief: bool = False) -> Constraint:
    """Returns the constraint of Phi_validity for one read; `brief` as for `phi_value`."""
    return any_of((Absent(event.id), phi_value(trace, event, brief)))


def phi_state(trace: Observation, goal: Observed) -> Conjunction:
    """Phi_state (2.3): the goal happens and reads its new value."""
    value = (phi_value(trace, goal),) if is_data_read(trace, goal) else ()
    return all_of((Happens(goal.id), *value))


def phi_prefix(frozen: Sequence[Observed]) -> Conjunction:
    """The frozen prefix (2.2): these events happen in this order, and with them all that their threads did before."""
    happen = (Happens(event.id) for event in frozen)
    return all_of((*happen, *(Before(first.id, second.id) for first, second in pairwise(frozen))))


def phi_value(trace: Observation, reader: Observed, brief: bool = False) -> Constraint:
    """Phi_value(r, v) (2.3): the last write before the reader wrote the value that it reads.

    For a load with an own earlier store that may still wait in the buffer:
    either it does, and has the value; or it has committed and some last write,
    by whatever thread, has the value. `brief` leaves out what Phi_mem implies,
    as every model keeps the writes of one thread to one location in order.
    """
    writes = [w for w in trace.writes.get(reader.before.loc, ()) if not _comes_later(w, reader)]
    own = max((w for w in writes if w.thread == reader.thread), key=lambda w: w.depth, default=None)
    from_memory = list(_from_memory(trace, reader, writes, brief))
    if own is None or not own.is_store or reader.access is Access.BARRIER:
        return any_of((*_from_start(trace, reader, own), *(source for _, source in from_memory)))
    committed = (Happens(own.id), Before(own.id, reader.id))
    sources: list[Constraint] = [
        source if write is own else all_of((*committed, *source.parts)) for write, source in from_memory
    ]
    if own.wrote == reader.read:
        sources.insert(0, Before(reader.id, own.id))
    return any_of(sources)


def _comes_later(write: Observed, reader: Observed) -> bool:
    """Returns whether the write is the reader's own or follows it in program order."""
    return write.thread == reader.thread and write.depth >= reader.depth


def _from_start(trace: Observation, reader: Observed, own: Observed | None) -> Iterator[Constraint]:
    """The initial value, if it is the right one: the reader comes before all writes."""
    if own is None and trace.unfolding.initial[reader.before.loc] == reader.read:
        others = trace.writes.get(reader.before.loc, ())
        yield all_of(Before(reader.id, other.id) for other in others if other is not reader)


def _from_memory(
    trace: Observation, reader: Observed, writes: list[Observed], brief: bool
) -> Iterator[tuple[Observed, Conjunction]]:
    """For each write of the right value: it happens before the reader, and no other comes between."""
    for write in writes:
        if write.wrote == reader.read:
            rest = (
                any_of((Before(other.id, write.id), Before(reader.id, other.id)))
                for other in _others(trace, write, brief)
                if other is not reader
            )
            yield write, all_of((Happens(write.id), Before(write.id, reader.id), *rest))


def _others(trace: Observation, write: Observed, brief: bool) -> Iterator[Observed]:
    """The other writes to the location; in brief only the next one of the write's own thread."""
    following = False
    for other in trace.writes[trace.location(write)]:
        own = brief and other.thread == write.thread
        if other is not write and not (own and (following or other.depth < write.depth)):
            following |= own
            yield other
