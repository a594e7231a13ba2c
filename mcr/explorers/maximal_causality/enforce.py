"""Enforcing a seed on the store-buffer machine ([huang-2016] algorithms 1 to 3, sections 4.3 to 4.5).

The paper's interleaving says which thread accesses which location next, and
its replayer finds out from that whether to buffer or to flush. Our machine
takes commits as explicit choices, so both decisions are made here, in advance:

* theorem 1: whatever stands in program order before the event that is due and
  has not run yet is a store (or a store fence); it runs and waits in the buffer;
* theorem 2: a store whose turn has come is committed; it is the oldest that
  its buffer may let go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from mcr.executions.schedule import schedule
from mcr.explorers.maximal_causality.recording import Observation, Observed, Recording
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, State
from replay.world.memory_model import MemoryModel
from replay.world.values import ValueId

Goal = tuple[State, ValueId]
"""A local state, and the value that its operation is to read."""


@dataclass(frozen=True)
class Seed:
    """A schedule prefix and what it promises.

    events    what happens, in order
    choices   the schedule
    promised  value that is read at a local state, for everything that reads or chooses
    """

    events: tuple[Observed, ...] = ()
    choices: tuple[Choice, ...] = ()
    promised: tuple[Goal, ...] = ()
    depth_first: ClassVar[bool] = True


def seed_of(trace: Observation, prefix: list[Observed], model: MemoryModel) -> Seed:
    """The seed that makes the events of a prefix happen in its order (algorithms 1 and 3)."""
    counts = [0] * len(trace.unfolding.threads)
    for event in prefix:
        counts[event.thread] = max(counts[event.thread], event.depth + 1)
    runs = [
        [event.run for event in trace.threads.get(thread, ())[:count] if event.kind is not None]
        for thread, count in enumerate(counts)
    ]
    choices = schedule(runs, (event.before for event in prefix), model)
    return Seed(tuple(prefix), tuple(choices), promised_by(prefix))


def promised_by(events: Iterable[Observed]) -> tuple[Goal, ...]:
    """What is read or chosen at which local state if these events happen."""
    return tuple((event.before, event.read) for event in events if event.read != NOTHING)


def enforce(seed: Seed, execution: Recording) -> str:
    """Play a seed; returns how the outcome differs from what the solver promised, "" if it does not."""
    machine = execution.machine
    promised = dict(seed.promised)
    for number, choice in enumerate(seed.choices):
        if choice.commit == NOTHING:
            if not machine.can_run(choice.thread):
                return f"choice {number}, {choice}, is impossible: {machine.why_not(choice.thread)}"
            before = machine.states[choice.thread]
            read = execution.apply(choice).entry.read
            if read != promised.pop(before, read):
                return f"choice {number}, {choice}, read another value than promised"
        elif choice.commit not in machine.committable(choice.thread):
            return f"choice {number}, {choice}, is impossible: no such store is next"
        else:
            execution.apply(choice)
    return f"{len(promised)} of the promised reads did not happen" if promised else ""
