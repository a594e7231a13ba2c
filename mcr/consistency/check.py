"""The question about a trace, answered with evidence: consistent with a witness, or forbidden by a cycle."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from mcr.consistency.cycle import ActionCycle
from mcr.consistency.explain import ConsistencyExplanation, arrange, explain
from mcr.consistency.instance import Instance, SearchOptions, Witness
from mcr.consistency.reading import instance_of, recorded_witness, rescheduled
from mcr.consistency.verify import DEFAULT, realize
from mcr.consistency.witness import why_not, witness_of
from mcr.executions.relations import neighbours
from replay.errors import InternalError
from replay.traces.trace import Trace
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import memory_model


@dataclass(frozen=True)
class Consistent:
    """Some execution under the model shows these events and reads: `witness`, the trace with its schedule."""

    model: str
    witness: Trace
    explored: int


@dataclass(frozen=True)
class Inconsistent:
    """No execution under the model shows these events and reads.

    recorded  the reads alone are possible; it is the recorded order of writes that is not
    """

    model: str
    explanation: ConsistencyExplanation
    recorded: bool = False

    @property
    def cycle(self) -> ActionCycle:
        """The shortest of the cycles that forbid it."""
        return min(self.explanation.cycles, key=lambda cycle: len(cycle.edges))


Verdict = Consistent | Inconsistent


def verify_trace(trace: Trace, model: str = "", how: SearchOptions = DEFAULT) -> Verdict:
    """Decides whether the trace's events and rf, and co where it is recorded, are possible under the model.

    The model is the trace's own unless another is named. Raises
    MalformedTraceError, naming the event, for a trace that makes no sense, and
    CheckerError for an unknown model.
    """
    memory = memory_model(model or trace.model)
    instance = instance_of(trace)
    answer = realize(instance, memory, how)
    if answer.witness is None:
        return Inconsistent(memory.name, _explain(instance, memory, trace))
    witness = _confirmed(instance, memory, answer.witness)
    if recorded := _recorded(trace):
        order = arrange(instance, memory, recorded)
        if isinstance(order, ConsistencyExplanation):
            return Inconsistent(memory.name, order, recorded=True)
        witness = _confirmed(instance, memory, witness_of(instance, memory, order))
    return Consistent(memory.name, rescheduled(trace, witness, memory.name), answer.explored)


def _confirmed(instance: Instance, model: MemoryModel, witness: Witness) -> Witness:
    """The witness, which is looked at step by step. Raises InternalError if it is none."""
    problem = why_not(instance, model, witness)
    if problem:
        raise InternalError(f"a witness under {model.name} is none: {problem}")
    return witness


def _recorded(trace: Trace) -> tuple[tuple[int, int], ...]:
    """Pairs of a write and the next one that reached memory, to the same location or to any, as far as is recorded."""
    moments = sorted((event.committed, event.id) for event in trace.events if event.committed is not None)
    return (*neighbours(trace.coherence()), *pairwise(id for _, id in moments))


def check_trace(trace: Trace) -> None:
    """The oracle for executed traces (`--paranoid`): raises InternalError if the trace is impossible under its model.

    Three questions: is there a witness of its reads (VerifySC, VerifyTSO,
    VerifyPSO), do its recorded relations satisfy the axioms, and is its own
    schedule one of the machine of docs/semantics.md 3.
    """
    verdict = verify_trace(trace)
    if isinstance(verdict, Inconsistent):
        edges = ", ".join(f"{edge.source} -{edge.relation}-> {edge.target}" for edge in verdict.cycle.edges)
        axiom = verdict.cycle.axiom
        raise InternalError(f"{trace.program.title} was executed under {trace.model}, but {axiom}: {edges}")
    instance = instance_of(trace)
    problem = why_not(instance, memory_model(trace.model), recorded_witness(trace, instance))
    if problem:
        raise InternalError(f"{trace.program.title} was executed under {trace.model} in an impossible order: {problem}")


def _explain(instance: Instance, model: MemoryModel, trace: Trace) -> ConsistencyExplanation:
    """The cycle under the recorded order of writes if that has one, else whatever the order."""
    recorded = neighbours(trace.coherence())
    explanation = (explain(instance, model, recorded) if recorded else None) or explain(instance, model)
    if explanation is None:
        raise InternalError(f"{trace.program.title}: the axioms allow what {model.name} cannot execute")
    return explanation
