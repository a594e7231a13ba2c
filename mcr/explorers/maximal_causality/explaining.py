"""From a recorded trace to the explanation that `mcr explain` prints."""

from __future__ import annotations

from mcr.exploration.what_if import WhatIf
from mcr.explorers.maximal_causality.enforce import enforce
from mcr.explorers.maximal_causality.explanation import Explanation, describe, explain, group_lines
from mcr.explorers.maximal_causality.observation import Observation, Observed
from mcr.explorers.maximal_causality.program_order import COMPLETE, ProgramOrder
from mcr.explorers.maximal_causality.questions import other_values
from mcr.explorers.maximal_causality.recording import Recording
from replay.code.user_code import exploring
from replay.errors import CheckerError, InternalError
from replay.machine.state import NOTHING
from replay.machine.unfolding import Unfolding
from replay.traces.files import load_trace
from replay.traces.loader import find_programs, resolve
from replay.traces.player import Player, follow
from replay.traces.trace import Trace
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from replay.world.shown import shown
from replay.world.values import ValueId


def explain_file(question: WhatIf, encoding: str = COMPLETE) -> tuple[list[str], bool]:
    """The lines of an explanation, and whether the load can read the value. CheckerError for what is not there."""
    recorded = load_trace(question.trace)
    program = (
        next(iter(find_programs(question.program)))
        if question.program
        else resolve(recorded.program, question.trace, question.announce)
    )
    with exploring(program.place):
        return _explained(question, encoding, recorded, Unfolding(program))


def _explained(question: WhatIf, encoding: str, recorded: Trace, unfolding: Unfolding) -> tuple[list[str], bool]:
    trace = observe(unfolding, recorded)
    model = MODELS[question.model or recorded.model]
    load = _load(trace, question.load)
    value = _value(trace, load, question.value)
    order = ProgramOrder(model, encoding)
    explanation = explain(trace, (load.before, value), model, order, question.solver)
    heading = f"Can e{load.id} read {question.value} under {model.name.upper()}?"
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
    """What a recorded schedule shows when it is played again. Raises ScheduleError where it does not fit."""
    model = MODELS[recorded.model]
    execution = Recording(unfolding, model)
    for choice in follow(Player(unfolding, model), recorded):
        execution.apply(choice)
    return execution.observation()


def _load(trace: Observation, number: int) -> Observed:
    event = trace.events.get(number)
    if event is None or event.kind is None:
        raise CheckerError(f"the trace has no event {number}; there are 0 to {len(trace.events) - 1}")
    if event.read == NOTHING:
        raise CheckerError(f"event {number} of the trace reads nothing: {describe(event, trace)}")
    return event


def _value(trace: Observation, load: Observed, text: str) -> ValueId:
    values = trace.unfolding.values
    possible = other_values(trace, load.before, (load.read,))
    for value in possible:
        if shown(values[value]) == text:
            return value
    known = ", ".join(shown(values[value]) for value in possible)
    if shown(values[load.read]) == text:
        raise CheckerError(
            f"e{load.id} reads {text} in this execution; {known or 'nothing else'} might be read besides"
        )
    raise CheckerError(f"nobody writes {text} for e{load.id} to read; {known or 'nothing else'} might be read")


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
