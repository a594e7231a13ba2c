"""Why a failure needs the schedule that it needs: the fewest context switches, and the fewest reordered stores.

Two searches for a cheapest way through the configurations of the machine. A *context switch* is an operation of
another thread than the one before it; commits are nobody's, and the final function, which runs when all is over, is no
thread. A store is *reordered* if something that its thread does later takes effect first: it does something other
than to store, or a later store is in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mcr.exploration.cheapest import cheapest
from replay.code.terminals import Failed
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING
from replay.machine.unfolding import Unfolding, explored
from replay.traces.trace import Failure, FailureIdentity
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind

EFFORT = 10_000
"""Configurations that a search looks at."""

Overtaken = frozenset[tuple[int, int]]
"""Stores in buffers that something has overtaken, by thread and depth."""


@dataclass(frozen=True)
class Fewest:
    """With how many the failure occurs, and with no fewer; None where the search would take too long."""

    switches: int | None
    reordered: int | None


class _PricedNode(NamedTuple):
    """A configuration on the way: which thread ran last, and what has been overtaken."""

    machine: Machine
    running: int
    overtaken: Overtaken
    price: int


_Price = Callable[["_PricedNode", Machine, int, Overtaken], int]
"""The price of a step from a node: to a machine, by a thread, with these stores overtaken then."""


def fewest(program: Program, model: MemoryModel, identity: FailureIdentity) -> Fewest:
    """The fewest with which a program fails like this. Raises ModelError if it is broken."""

    def least(unfolding: Unfolding) -> Fewest:
        switches, reordered = (_least(unfolding, model, identity, price) for price in (_switch, _reordered))
        return Fewest(switches, reordered)

    return explored(program, least)


def _switch(before: _PricedNode, machine: Machine, running: int, _: Overtaken) -> int:
    final = machine.unfolding.final
    return before.running not in (NOTHING, running) and not (final and running == final.index)


def _reordered(before: _PricedNode, _: Machine, __: int, overtaken: Overtaken) -> int:
    return len(overtaken - before.overtaken)


def _least(unfolding: Unfolding, model: MemoryModel, identity: FailureIdentity, price: _Price) -> int | None:
    """The least price of a way to the failure."""
    found = cheapest(
        _PricedNode(Machine(unfolding, model), NOTHING, frozenset(), 0),
        following=lambda node: _following(node, price),
        is_goal=lambda node: _fails(node.machine, identity),
        price=lambda node: node.price,
        key=lambda node: (node.machine.key(), node.running, node.overtaken),
        effort=EFFORT,
    )
    return None if found is None else found.price


def _fails(machine: Machine, identity: FailureIdentity) -> bool:
    names = machine.unfolding.thread_name
    ends = ((names(thread), state.terminal) for thread, state in enumerate(machine.states))
    return any(isinstance(end, Failed) and Failure.of(name, end).identity == identity for name, end in ends)


def _following(node: _PricedNode, price: _Price) -> Iterator[_PricedNode]:
    for choice in node.machine.choices():
        machine = node.machine.copy()
        overtaken = node.overtaken | frozenset(_overtakes(machine, choice))
        machine.apply(choice)
        running = node.running if choice.commit != NOTHING else choice.thread
        still = {(thread, store.depth) for thread, buffer in enumerate(machine.buffers) for store in buffer}
        overtaken &= still
        yield _PricedNode(machine, running, overtaken, node.price + price(node, machine, running, overtaken))


def _overtakes(machine: Machine, choice: Choice) -> Iterator[tuple[int, int]]:
    """The stores of its thread that a choice comes before, though it is later in program order."""
    buffer = machine.buffers[choice.thread]
    if choice.commit != NOTHING:
        own = next(number for number, store in enumerate(buffer) if store.location == choice.commit)
        buffer = buffer[:own]
    elif (operation := machine.states[choice.thread].operation) and operation.kind in _NO_MOMENT:
        return
    yield from ((choice.thread, store.depth) for store in buffer)


_NO_MOMENT = (Kind.STORE, Kind.STORE_FENCE, Kind.CHOOSE)
"""What may be executed while stores wait, and takes no effect by that."""
