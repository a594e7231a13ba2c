"""Runs without end by brute force: every configuration of the machine, and what each step comes to.

A configuration tells threads apart by what they can still do. Nothing is merged, left out, or looked up beside that.
Components are found as those who can reach each other, one at a time. A wait whose condition fails begins again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from replay.code.terminals import Blocked, Ended
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.options import UnfoldingOptions
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.traces.trace import NOT_FREE
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind
from tests.spinning.brute_force import Known, contents

Mover = tuple[int, str]


@dataclass
class Runs:
    """What runs of a program there are.

    forbidden  the objectives that some run violates that goes on for ever; for progress, a fair one in which somebody
               is expected to end
    stuck      some run comes to its end, or to where everybody only looks, while somebody waits who is expected to end
    stops      somebody fails, or stops at an assumption
    complete   nothing was left out as there was too much
    """

    forbidden: set[str] = field(default_factory=set)
    stuck: bool = False
    stops: bool = False
    complete: bool = True


class _Step(NamedTuple):
    """Who takes it, where it leads, whether it only looks, and whether a call was completed before it."""

    mover: Mover
    after: Hashable
    only_looks: bool
    completes: bool


@dataclass
class _Place:
    """A configuration: who may go on in it, who has not ended, and its steps."""

    able: set[Mover]
    left: list[State]
    steps: list[_Step] = field(default_factory=list)


def runs(program: Program, model: MemoryModel, limit: int) -> Runs:
    """Look at all configurations, if there are no more than `limit`."""
    unfolding = Unfolding(program, UnfoldingOptions(100_000, cuts_spins=False))
    places = _explore(unfolding, model, limit)
    found = Runs(complete=len(places) <= limit)
    if not found.complete:
        return found
    daemons = {info.index for info in unfolding.threads if info.is_daemon}
    for place in places.values():
        stops = any(_is_stopped(state) for state in place.left)
        found.stops |= stops
        if not place.steps and not stops and any(state.thread not in daemons for state in place.left):
            found.stuck = True
    for inside, steps in _components(places, lambda _: True):
        if all(state.thread in daemons for state in inside[0].left):
            continue
        if set.intersection(*(place.able for place in inside)) <= {step.mover for step in steps}:
            if all(step.only_looks for step in steps):
                found.stuck = True
            else:
                found.forbidden.add("progress")
    threads = [info.index for info in unfolding.threads]
    if any(map(_waits, places.values())):
        found.forbidden |= set(NOT_FREE)
    if _goes_on(places, lambda step: not step.completes, threads):
        found.forbidden.add("lock-freedom")
    for one in threads:
        if _goes_on(places, lambda step, one=one: step.mover[0] != one or not step.completes, [one]):
            found.forbidden.add("wait-freedom")
        alone = [(one, ""), *(mover for place in places.values() for mover in place.able if mover[1])]
        if _goes_on(places, lambda step, alone=alone: step.mover in alone and not step.completes, [one]):
            found.forbidden.add("obstruction-freedom")
    return found


def _waits(place: _Place) -> bool:
    """Whether all stores are in memory, and somebody cannot go on."""
    if any(mover[1] for mover in place.able) or any(map(_is_stopped, place.left)):
        return False
    return any((state.thread, "") not in place.able for state in place.left)


def _goes_on(places: dict[Hashable, _Place], counts: Callable[[_Step], bool], threads: list[int]) -> bool:
    """Whether one of some threads takes steps for ever in a run of steps that count, in which stores reach memory."""
    for inside, steps in _components(places, counts):
        movers = {step.mover for step in steps}
        always = set.intersection(*(place.able for place in inside))
        if {mover for mover in always if mover[1]} <= movers and any((thread, "") in movers for thread in threads):
            return True
    return False


def _explore(unfolding: Unfolding, model: MemoryModel, limit: int) -> dict[Hashable, _Place]:
    known = Known(unfolding)
    first = Machine(unfolding, model)
    began = {state.thread: state for state in first.states if state.begins_wait}
    waiting = [(first, began)]
    places = {_key(first): _place(first)}
    while waiting and len(places) <= limit:
        machine, began = waiting.pop()
        place = places[_key(machine)]
        for choice in machine.choices():
            after, now = machine.copy(), dict(began)
            after.apply(choice)
            state = known.same(after.states[choice.thread])
            if state.begins_wait:
                now[choice.thread] = state
            if isinstance(state.terminal, Blocked) and state.terminal.wait_from >= 0:
                state = now[choice.thread]
            after.states[choice.thread] = state
            key = _key(after)
            if key not in places:
                places[key] = _place(after)
                waiting.append((after, now))
            operation = machine.states[choice.thread].operation if choice.commit == NOTHING else None
            completes = operation is not None and operation.completes
            place.steps.append(_Step(_mover(machine, choice), key, _only_looks(machine, choice, after), completes))
    return places


def _place(machine: Machine) -> _Place:
    final = machine.unfolding.final
    left = [
        state
        for thread, state in enumerate(machine.states)
        if not isinstance(state.terminal, Ended)
        and not machine.never_started(thread)
        and not (final is not None and thread == final.index and not state.depth)
    ]
    return _Place({_mover(machine, choice) for choice in machine.choices()}, left)


def _key(machine: Machine) -> Hashable:
    return tuple(state.number for state in machine.states), contents(machine)


def _mover(machine: Machine, choice: Choice) -> Mover:
    if choice.commit == NOTHING:
        return choice.thread, ""
    location = machine.unfolding.locations[choice.commit].name
    return choice.thread, location if machine.model.name == "pso" else "buffer"


def _only_looks(machine: Machine, choice: Choice, after: Machine) -> bool:
    operation = machine.states[choice.thread].operation
    stores = choice.commit != NOTHING or operation is None or operation.kind is Kind.STORE
    return not stores and contents(machine) == contents(after)


def _is_stopped(state: State) -> bool:
    end = state.terminal
    return end is not None and not (isinstance(end, Blocked) and end.wait_from >= 0)


def _components(
    places: dict[Hashable, _Place], counts: Callable[[_Step], bool]
) -> Iterator[tuple[list[_Place], list[_Step]]]:
    """Those configurations that can reach each other by steps that count, and these steps, where there are some.

    Where somebody has stopped at an assumption or failed, nobody asks.
    """
    onward = {key: {step.after for step in filter(counts, place.steps)} for key, place in places.items()}
    backward: dict[Hashable, set[Hashable]] = {key: set() for key in places}
    for key, following in onward.items():
        for after in following:
            backward[after].add(key)
    parts = [set(places)]
    while parts:
        part = parts.pop()
        some = next(iter(part))
        ahead, behind = (_closure(some, edges, part) for edges in (onward, backward))
        both = ahead & behind
        inside = [places[key] for key in both]
        steps = [step for place in inside for step in place.steps if step.after in both and counts(step)]
        if steps and not any(map(_is_stopped, inside[0].left)):
            yield inside, steps
        parts += [each for each in (ahead - both, behind - both, part - ahead - behind) if each]


def _closure(start: Hashable, edges: dict[Hashable, set[Hashable]], within: set[Hashable]) -> set[Hashable]:
    seen, todo = {start}, [start]
    while todo:
        new = (edges[todo.pop()] & within) - seen
        seen |= new
        todo += new
    return seen
