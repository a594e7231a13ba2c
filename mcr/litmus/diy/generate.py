"""From a cycle to the text of a litmus test.

The events of the cycle get their threads, locations and values as in diy7: along a location the relations of the
cycle say in which order its writes come: they write 1, 2, 3, ... in that order, and a read sees the last value before
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from mcr.litmus.diy.names import name_of, oriented
from mcr.litmus.diy.relations import Cycle
from mcr.litmus.write import REGISTERS, litmus_text

_NAMES = "xyzabcdefghijklmnopqrstuvw"


class UnpinnedError(Exception):
    """No final state tells whether the execution had this cycle."""


@dataclass
class CycleEvent:
    """The source of the relation at the same place of the cycle."""

    direction: str
    atomic: bool
    thread: int = 0
    location: str = ""
    value: int = 0


def events_of(cycle: Cycle) -> list[CycleEvent]:
    """The events of a cycle that begins with the first event of a thread.

    Raises UnpinnedError if the order of some writes cannot be read off the final state.
    """
    events = [CycleEvent(relation.source, relation.atoms[0]) for relation in cycle]
    _set_threads(cycle, events)
    _set_locations(cycle, events)
    _set_values(cycle, events)
    return events


def _set_threads(cycle: Cycle, events: list[CycleEvent]) -> None:
    thread = 0
    for relation, event in zip(cycle, events, strict=True):
        event.thread = thread
        thread += relation.external


def _set_locations(cycle: Cycle, events: list[CycleEvent]) -> None:
    """Every change of location goes to a fresh one, the last one back to the first."""
    changes = sum(not relation.same_location for relation in cycle)
    location = 0
    for relation, event in zip(cycle, events, strict=True):
        event.location = _NAMES[location]
        if not relation.same_location:
            location = (location + 1) % changes


def _set_values(cycle: Cycle, events: list[CycleEvent]) -> None:
    start = _start_of_a_location(cycle)
    order = [*range(start, len(cycle)), *range(start)]
    writers: dict[str, list[CycleEvent]] = {}
    for place in order:
        event = events[place]
        writes = writers.setdefault(event.location, [])
        if event.direction == "W":
            writes.append(event)
        event.value = len(writes)
    for writes in writers.values():
        _check_pinned(writes)


def _start_of_a_location(cycle: Cycle) -> int:
    """The place of the first event of some location: the one after a change, or else after program order."""
    for same_location in (False, True):
        for place, relation in enumerate(cycle):
            if not relation.is_communication and relation.same_location is same_location:
                return (place + 1) % len(cycle)
    raise UnpinnedError


def _check_pinned(writes: list[CycleEvent]) -> None:
    """The final value shows which write is last; program order shows the order within a thread."""
    for earlier, later in pairwise(writes[:-1]):
        if earlier.thread != later.thread:
            raise UnpinnedError


@dataclass(frozen=True)
class Generated:
    """A test: its name, the cycle it asks for, and the text of its file."""

    name: str
    cycle: str
    text: str


def generate(cycle: Cycle) -> Generated:
    """The test that asks whether a cycle is allowed, in any rotation. Raises UnpinnedError if no test can tell."""
    return generate_oriented(oriented(cycle))


def generate_oriented(cycle: Cycle) -> Generated:
    """The test for a cycle whose first relation begins thread P0."""
    events = events_of(cycle)
    code: list[list[str]] = [[] for _ in range(events[-1].thread + 1)]
    registers = [iter(REGISTERS) for _ in code]
    reads: list[str] = []
    for before, relation, event in zip((cycle[-1], *cycle), cycle, events, strict=False):
        thread = event.thread
        if event.direction == "R":
            register = next(registers[thread])
            code[thread].append(f"MOV {register},[{event.location}]")
            if before.is_communication or relation.is_communication:
                reads.append(f"{thread}:{register}={event.value}")
        elif event.atomic:
            register = next(registers[thread])
            code[thread] += [f"MOV {register},${event.value}", f"XCHG [{event.location}],{register}"]
        else:
            code[thread].append(f"MOV [{event.location}],${event.value}")
        if relation.kind in ("MFence", "SFence"):
            code[thread].append(relation.kind.upper())
    name, written = name_of(cycle), " ".join(map(str, cycle))
    condition = " /\\ ".join([*_final_values(events), *reads])
    text = litmus_text(name, code, f"exists ({condition})", document=written, keys={"Orig": written})
    return Generated(name, written, text)


def _final_values(events: list[CycleEvent]) -> list[str]:
    """The final values that matter: of locations written twice, and, as diy7 does, of those written by xchg."""
    found = []
    for location in sorted({event.location for event in events}):
        writes = [event for event in events if event.location == location and event.direction == "W"]
        if len(writes) > 1 or any(event.atomic for event in writes):
            found.append(f"[{location}]={max(event.value for event in writes)}")
    return found
