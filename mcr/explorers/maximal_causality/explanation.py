"""The text of `mcr explain`: the constraints for one load and one other value, and whether they can hold.

After [huang-2016] figures 4 and 7. First the constraints and what comes of them, then the lines that tell it of a
recorded trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mcr.exploration.contract import WhatIf
from mcr.explorers.maximal_causality.phi import (
    COMPLETE,
    PAPER,
    Before,
    Conjunction,
    Constraint,
    ProgramOrder,
    all_of,
    phi_lock,
    phi_mem,
    phi_state,
    phi_sync,
    phi_validity,
    show,
)
from mcr.explorers.maximal_causality.query import Solving, Translation
from mcr.explorers.maximal_causality.recording import Goal, Observation, Observed, Recording, Seed, enforce
from replay.code.user_code import exploring
from replay.errors import CheckerError, InternalError
from replay.machine.state import NOTHING
from replay.machine.unfolding import Unfolding
from replay.traces.files import load_trace
from replay.traces.following import follow
from replay.traces.loader import find_programs, resolve
from replay.traces.player import Player
from replay.traces.trace import Trace
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from replay.world.shown import shown
from replay.world.values import ValueId
from solvers.registry import make_solver

HAPPENS_BEFORE = ("Phi_mem", "Phi_sync")
"""The groups that together are Phi_mhb."""


@dataclass(frozen=True)
class Explanation:
    """Why a load can, or cannot, read a value.

    trace     the trace with the other value in it, after which the load's thread stops
    goal      the load, an event of this trace
    groups    the constraints by name, in the paper's order
    seed      a shortest seed that reads the value; None if there is none
    conflict  constraints that cannot hold together, none of them superfluous, by group; empty if there is a seed
    """

    trace: Observation
    goal: Observed
    groups: dict[str, Conjunction]
    seed: Seed | None
    conflict: dict[str, Conjunction]


def group_lines(groups: dict[str, Conjunction]) -> list[str]:
    """The groups, one line for each constraint; orders that follow each other are drawn as one chain."""
    found: list[str] = []
    for name, group in groups.items():
        texts = chains(group.parts) if name in HAPPENS_BEFORE else map(show, group.parts)
        texts = [text for text in texts if text != "true"]
        found.extend(f"{name if number == 0 else '':<13}{text}" for number, text in enumerate(texts or ["true"]))
    return found


def explain(trace: Observation, goal: Goal, order: ProgramOrder, solver: str) -> Explanation:
    """Set up and solve the constraints for one goal."""
    changed = trace.retargeted(*goal)
    event = changed.event_at(goal[0])
    groups = {
        "Phi_mem": phi_mem(changed, order),
        "Phi_sync": phi_sync(changed, order),
        "Phi_lock": phi_lock(changed),
        "Phi_validity": phi_validity(changed, event),
        "Phi_state": phi_state(changed, event),
    }
    seed = Solving(order, solver).seed(trace, goal)
    conflict = {} if seed is not None else minimal_conflict(changed, groups, solver)
    return Explanation(changed, event, groups, seed, conflict)


def minimal_conflict(trace: Observation, groups: dict[str, Conjunction], solver: str) -> dict[str, Conjunction]:
    """An unsatisfiable core: first groups, then constraints are left out, for good where the conflict remains."""
    core = dict(groups)
    for name in groups:
        rest = {other: group for other, group in core.items() if other != name}
        if not is_satisfiable(trace, rest, solver):
            core = rest
    for name, group in list(core.items()):
        for part in group.parts:
            rest = {**core, name: all_of(other for other in core[name].parts if other is not part)}
            if not is_satisfiable(trace, rest, solver):
                core = rest
    return core


def is_satisfiable(trace: Observation, groups: dict[str, Conjunction], solver: str) -> bool:
    """Returns whether some prefix satisfies these groups."""
    translation = Translation(make_solver(solver), trace)
    translation.fix(*(group for name, group in groups.items() if name in HAPPENS_BEFORE))
    for name, group in groups.items():
        if name not in HAPPENS_BEFORE:
            translation.require(group)
    while translation.propose():
        if translation.prefix() is not None:
            return True
    return False


def chains(parts: Iterable[Constraint]) -> list[str]:
    """Orders as chains "O1 < O2 < O3", each order in one of them; other constraints as they are."""
    found: list[list[int]] = []
    others = []
    for part in parts:
        if not isinstance(part, Before):
            others.append(show(part))
            continue
        chain = next((chain for chain in found if chain[-1] == part.first), None)
        if chain is None:
            found.append([part.first, part.second])
        else:
            chain.append(part.second)
    return [" < ".join(f"O{event}" for event in chain) for chain in found] + others


def describe(event: Observed, trace: Observation) -> str:
    """One event as a line of an explanation."""
    unfolding, operation = trace.unfolding, event.before.operation
    what = operation.describe() if operation else "end"
    value = (
        f" reads {shown(unfolding.values[event.read])}" if event.read >= 0 and operation and operation.location else ""
    )
    return f"e{event.id:<4} thread {unfolding.thread_name(event.thread)}: {what}{value}"


# -- of a recorded trace --------------------------------------------------------


def explain_file(question: WhatIf, variant: str = "") -> tuple[list[str], bool]:
    """The lines of an explanation, and whether the load can read the value. CheckerError for what is not there."""
    recorded = load_trace(question.trace)
    program = (
        next(iter(find_programs(question.program)))
        if question.program
        else resolve(recorded.program, question.trace, question.announce)
    )
    with exploring(program.place):
        own, encoding = program.apart(recorded.changing), PAPER if variant == PAPER else COMPLETE
        return own.known(lambda: _explained(question, encoding, recorded, Unfolding(own)))


def _explained(question: WhatIf, encoding: str, recorded: Trace, unfolding: Unfolding) -> tuple[list[str], bool]:
    trace = observe(unfolding, recorded)
    model = MODELS[question.model or recorded.model]
    load = _load(trace, question.load)
    value = _value(trace, load, question.value)
    order = ProgramOrder(model, encoding)
    explanation = explain(trace, (load.before, value), order, question.solver)
    what = ", ".join(filter(None, (question.asked, f"e{load.id} below")))
    heading = f"Can {_load_words(load, trace)} ({what}) read {question.value} under {model.name.upper()}?"
    lines = [heading, "", *_events(trace, explanation), "", *group_lines(explanation.groups), "", *_LEGEND, ""]
    return [*lines, *_verdict(explanation, unfolding, model)], explanation.seed is not None


_LEGEND = (
    "Oi is the moment at which event i executes or, if it is a store, reaches memory; ei: event i happens.",
    "Wanted: a part of the trace that satisfies Phi_mem, Phi_sync, Phi_lock, Phi_validity and Phi_state.",
)


def _events(trace: Observation, explanation: Explanation) -> list[str]:
    """The events of the trace; those after the load in its thread depend on what it reads, and take no part."""
    lines = []
    for event in trace.events.values():
        note = ""
        if event.id == explanation.goal.id:
            note = f"   <- to read {shown(trace.unfolding.values[explanation.goal.read])}"
        elif event.id not in explanation.trace.events:
            note = "   (left out: comes after the load)"
        lines.append(describe(event, trace) + note)
    return lines


def observe(unfolding: Unfolding, recorded: Trace) -> Observation:
    """Plays a recorded schedule again, and returns what it shows.

    Raises ScheduleError where it does not fit, CheckerError for one of CPython with its global lock.
    """
    if recorded.global_lock:
        raise CheckerError("the trace was recorded with --python gil, and nothing is known here of the global lock")
    model = MODELS[recorded.model]
    execution = Recording(unfolding, model)
    for choice in follow(Player(unfolding, model), recorded):
        execution.play(choice)
    return execution.observation()


def _load_words(load: Observed, trace: Observation) -> str:
    """A load with its thread, as a sentence has it."""
    assert load.before.operation is not None
    return f"thread {trace.unfolding.thread_name(load.thread)}'s {load.before.operation.describe()}"


def _load(trace: Observation, number: int) -> Observed:
    event = trace.events.get(number)
    if event is None or event.kind is None:
        raise CheckerError(f"the trace has no event {number}; there are 0 to {len(trace.events) - 1}")
    if event.read == NOTHING:
        raise CheckerError(f"event {number} of the trace reads nothing: {describe(event, trace)}")
    return event


def _value(trace: Observation, load: Observed, text: str) -> ValueId:
    values = trace.unfolding.values
    possible = trace.other_values(load.before, (load.read,))
    for value in possible:
        if shown(values[value]) == text:
            return value
    known = ", ".join(shown(values[value]) for value in possible)
    if shown(values[load.read]) == text:
        raise CheckerError(
            f"e{load.id} reads {text} in this execution; {known or 'nothing else'} might be read besides"
        )
    raise CheckerError(f"no store writes {text} for e{load.id} to read; {known or 'nothing else'} might be read")


def _verdict(explanation: Explanation, unfolding: Unfolding, model: MemoryModel) -> list[str]:
    """The seed, checked by replay, or the constraints in conflict."""
    if explanation.seed is None:
        return _conflict(explanation, unfolding)
    broken = enforce(explanation.seed, Recording(unfolding, model))
    if broken:
        raise InternalError(f"the seed does not do what it promises: {broken}")
    events = "-".join(f"e{event.id}" for event in explanation.seed.events)
    steps = (f"  {describe(event, explanation.trace)}" for event in explanation.seed.events)
    return [f"Yes. Seed: {events}", "", *steps, "", "Replayed: it does."]


def _conflict(explanation: Explanation, unfolding: Unfolding) -> list[str]:
    conflict, goal = explanation.conflict, explanation.goal
    together = " together" if len(conflict) > 1 else ""
    lines = [f"No. {', '.join(conflict)} cannot hold{together}:", "", *group_lines(conflict)]
    if conflict.keys() == {"Phi_state"}:
        lines += ["", f"No write of {shown(unfolding.values[goal.read])} can be the last that e{goal.id} sees."]
    return lines
