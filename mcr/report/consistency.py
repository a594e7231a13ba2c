"""The report on `mcr verify`: a witness, or the cycle that forbids the trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcr.consistency.check import Consistent, Inconsistent, Verdict
from mcr.consistency.cycle import ActionCycle, CycleEdge, Reason
from mcr.report.layout import Style, wrap
from mcr.report.spelling import shown_trace
from mcr.report.trace_table import render_trace
from replay.traces.files import to_json
from replay.traces.trace import Trace
from replay.world.memory_models import memory_model

VERIFY_SCHEMA = "mcr-verify/1"

_TERMS = {
    "po": "program order",
    "ppo": "program order that the model preserves",
    "fence": "program order across a fence",
    "rf": "reads-from",
    "co": "coherence: reaches memory before",
    "commit": "reaches memory before, as recorded",
    "fr": "from-read: reads before it is overwritten",
    "end": "a join waits for the thread's end",
}


def render_verdict(trace: Trace, verdict: Verdict, width: int, style: Style) -> Iterator[str]:
    """The sentence that answers, then the evidence."""
    trace = shown_trace(trace)
    title = memory_model(verdict.model).title
    if isinstance(verdict, Consistent):
        yield style.paint(f"consistent under {title}: this execution shows it", "good")
        yield ""
        yield from render_trace(verdict.witness, width, style)
        return
    yield style.paint(f"inconsistent under {title}: {_headline(verdict)}", "bug")
    for cycle in _shown(verdict):
        yield ""
        yield from _render_cycle(trace, cycle, width)
    yield ""
    used = {edge.relation for cycle in _shown(verdict) for edge in cycle.edges}
    yield from (f"{term:>6}  {meaning}" for term, meaning in _TERMS.items() if term in used)


def _headline(verdict: Inconsistent) -> str:
    cycles = verdict.explanation.cycles
    if verdict.recorded:
        return "the reads are possible, but not with the recorded order of writes"
    if len(cycles) == 1:
        return "a cycle forbids it"
    more = "" if verdict.explanation.is_whole else " (there are more)"
    return f"each order of its writes has a cycle{more}"


def _shown(verdict: Inconsistent) -> tuple[ActionCycle, ...]:
    return verdict.explanation.cycles


def _render_cycle(trace: Trace, cycle: ActionCycle, width: int) -> Iterator[str]:
    """Its axiom; its events, one per line, with the edge that leads to each; then why co is as it is."""
    yield f"  {cycle.axiom}"
    for one, two in cycle.assumed:
        yield f"  if {_name(trace, one)} reaches memory before {_name(trace, two)}:"
    yield f"  {_event(trace, cycle.edges[0].source)}"
    for edge in cycle.edges:
        yield f"    --{edge.relation}--> {_event(trace, edge.target)}"
    for reason in cycle.reasons:
        yield from (f"    {line}" for line in wrap(_because(trace, reason), width - 4, "  "))


def _because(trace: Trace, reason: Reason) -> str:
    """A sentence on a forced edge."""
    edge, read = reason.edge, _name(trace, reason.read)
    path = str(reason.path[0].source) + "".join(f" -{step.relation}-> {step.target}" for step in reason.path)
    if edge.relation == "co":
        return f"{edge.source} -co-> {edge.target} because {read} reads from {edge.target}, and {path}"
    return f"{edge.source} -fr-> {edge.target} because {read} reads from {reason.path[0].source}, and {path}"


def _event(trace: Trace, id: int) -> str:
    """An event with its thread and values; the end of a thread has no event."""
    if id >= len(trace.events):
        return "end of the thread"
    event = trace.events[id]
    source = "the initial value" if event.source is None else f"event {event.source}"
    reads = f", reads {event.read} from {source}" if event.read is not None and event.location else ""
    return f"event {id}: thread {event.thread}: {event.operation}{reads}"


def _name(trace: Trace, id: int) -> str:
    return f"event {id} ({trace.events[id].operation})" if id < len(trace.events) else "the end of the thread"


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """The verdict for machines (docs/formats.md)."""
    if isinstance(verdict, Consistent):
        return {
            "schema": VERIFY_SCHEMA,
            "verdict": "consistent",
            "model": verdict.model,
            "witness": to_json(verdict.witness),
        }
    return {
        "schema": VERIFY_SCHEMA,
        "verdict": "inconsistent",
        "model": verdict.model,
        "recorded": verdict.recorded,
        "whole": verdict.explanation.is_whole,
        "cycles": [_cycle_document(cycle) for cycle in _shown(verdict)],
    }


def _cycle_document(cycle: ActionCycle) -> dict[str, Any]:
    return {
        "axiom": cycle.axiom.name,
        "assumed": cycle.assumed,
        "edges": [_edge(edge) for edge in cycle.edges],
        "reasons": [
            {"edge": _edge(reason.edge), "read": reason.read, "path": [_edge(step) for step in reason.path]}
            for reason in cycle.reasons
        ],
    }


def _edge(edge: CycleEdge) -> dict[str, Any]:
    return {"from": edge.source, "relation": edge.relation, "to": edge.target}
