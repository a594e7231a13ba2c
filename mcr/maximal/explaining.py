"""From a recorded trace to the explanation that `mcr explain` prints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcr.maximal.enforce import enforce
from mcr.maximal.execution import Execution
from mcr.maximal.explanation import Explanation, describe, explain
from mcr.maximal.observation import Event, Observation
from mcr.maximal.program_order import COMPLETE, ProgramOrder
from mcr.maximal.questions import other_values
from replay.errors import CheckerError, InternalError, ScheduleError
from replay.files import load_trace
from replay.loader import find_programs, resolve
from replay.machine import Choice, Machine
from replay.memory_model import MODELS, MemoryModel
from replay.state import NOTHING
from replay.trace import Step, Trace
from replay.unfolding import Unfolding
from replay.values import ValueId


@dataclass(frozen=True)
class Request:
    """What to explain: the load, event `load` of a trace file, and `value`, written as the trace writes values."""

    trace: Path
    load: int
    value: str
    model: str | None = None
    program: str | None = None
    encoding: str = COMPLETE
    solver: str = "minisat22"


def explain_file(request: Request) -> tuple[list[str], bool]:
    """The lines of an explanation, and whether the load can read the value. CheckerError for what is not there."""
    recorded = load_trace(request.trace)
    program = (
        next(iter(find_programs(request.program)))
        if request.program
        else resolve(recorded.program, request.trace.parent)
    )
    unfolding = Unfolding(program)
    trace = observe(unfolding, recorded)
    model = MODELS[request.model or recorded.model]
    load = _load(trace, request.load)
    value = _value(trace, load, request.value)
    order = ProgramOrder(model, request.encoding)
    explanation = explain(trace, (load.before, value), model, order, request.solver)
    heading = f"Can e{load.id} read {request.value} under {model.name.upper()}?"
    events = [describe(event, trace) for event in trace.events.values()]
    lines = [heading, "", *events, "", *explanation.lines(), "", *_verdict(explanation, unfolding, model)]
    return lines, explanation.seed is not None


def observe(unfolding: Unfolding, recorded: Trace) -> Observation:
    """What a recorded schedule shows when it is played again. Raises ScheduleError where it does not fit."""
    execution = Execution(unfolding, MODELS[recorded.model])
    for number, step in enumerate(recorded.steps):
        choice = _choice(execution.machine, recorded, step)
        if choice is None:
            raise ScheduleError(number, recorded.events[step.event].operation, "that the program cannot do it")
        execution.apply(choice)
    return execution.observation()


def _choice(machine: Machine, recorded: Trace, step: Step) -> Choice | None:
    """The choice that a recorded step stands for; None if it is impossible."""
    unfolding, event = machine.unfolding, recorded.events[step.event]
    info = unfolding.thread(step.thread)
    if info is None:
        return None
    if step.commit:
        commits = (Choice(info.index, location) for location in machine.committable(info.index))
        return next((each for each in commits if unfolding.locations[each.commit].name == event.location), None)
    state = machine.states[info.index]
    if not machine.can_run(info.index) or not state.operation or state.operation.describe() != event.operation:
        return None
    chosen = (value for value in state.inputs if repr(unfolding.values[value]) == event.read)
    return Choice(info.index, chosen=next(chosen, NOTHING))


def _load(trace: Observation, number: int) -> Event:
    event = trace.events.get(number)
    if event is None or event.kind is None:
        raise CheckerError(f"the trace has no event {number}; there are 0 to {len(trace.events) - 1}")
    if event.read == NOTHING:
        raise CheckerError(f"event {number} of the trace reads nothing: {describe(event, trace)}")
    return event


def _value(trace: Observation, load: Event, text: str) -> ValueId:
    values = trace.unfolding.values
    possible = other_values(trace, load.before, (load.read,))
    for value in possible:
        if repr(values[value]) == text:
            return value
    known = ", ".join(repr(values[value]) for value in possible)
    raise CheckerError(f"nobody writes {text} for e{load.id} to read; {known or 'nothing else'} might be read")


def _verdict(explanation: Explanation, unfolding: Unfolding, model: MemoryModel) -> list[str]:
    """The seed, checked by replay, or the groups in conflict."""
    if explanation.seed is None:
        return [f"No. {', '.join(explanation.conflict)} cannot hold together."]
    broken = enforce(explanation.seed, Execution(unfolding, model))
    if broken:
        raise InternalError(f"the seed does not do what it promises: {broken}")
    events = "-".join(f"e{event.id}" for event in explanation.seed.events)
    return [f"Yes. Seed: {events}", "Replayed: it does."]
