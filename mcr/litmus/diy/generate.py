"""From a cycle to the text of a litmus test."""

from __future__ import annotations

from dataclasses import dataclass

from mcr.litmus.diy.cycles import Cycle
from mcr.litmus.diy.events import Event, events_of
from mcr.litmus.diy.names import name_of, oriented
from mcr.litmus.write import REGISTERS, litmus_text


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


def _final_values(events: list[Event]) -> list[str]:
    """The final values that matter: of locations written twice, and, as diy7 does, of those written by xchg."""
    found = []
    for location in sorted({event.location for event in events}):
        writes = [event for event in events if event.location == location and event.direction == "W"]
        if len(writes) > 1 or any(event.atomic for event in writes):
            found.append(f"[{location}]={max(event.value for event in writes)}")
    return found
