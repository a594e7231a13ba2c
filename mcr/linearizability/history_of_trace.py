"""The history of calls that a trace shows, and why no order of them explains it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcr.linearizability.specification import Orders
from replay.traces.trace import Trace
from replay.world.operation import Kind


@dataclass(frozen=True)
class CallSeen:
    """A call of a history.

    thread   position of its thread
    text     the call as readers see it
    result   what it came to, "returns 1" or "raises ...", "" if it has not ended
    begins   its place among the beginnings and ends of all calls
    ends     the same of its end; more than all others if it has not ended
    """

    thread: int
    text: str
    result: str
    begins: int
    ends: int


def calls_of(trace: Trace, calls: Sequence[Sequence[str]]) -> list[CallSeen]:
    """The calls of an execution, in the order in which they began; `calls` are those of each thread, by name."""
    notes = [(event.thread, event.operation) for event in trace.events if event.kind == Kind.NOTE.value]
    found = []
    for thread, texts in enumerate(calls):
        told = [(place, text) for place, (name, text) in enumerate(notes) if name == str(thread)]
        for number, text in enumerate(texts[: (len(told) + 1) // 2]):
            begins, _ = told[2 * number]
            ended = told[2 * number + 1 : 2 * number + 2]
            ends, result = ended[0] if ended else (len(notes), "")
            found.append(CallSeen(thread, text, result.removeprefix(f"{text} "), begins, ends))
    return sorted(found, key=lambda call: call.begins)


def refuted(seen: Sequence[CallSeen], orders: Orders) -> Iterator[str]:
    """Each order that the times of the calls allow, up to the first call that returns something else in it."""
    waiting: list[tuple[int, tuple[CallSeen, ...]]] = [(orders.first, ())]
    while waiting:
        node, made = waiting.pop()
        left = [call for call in seen if call not in made]
        for call in left:
            if any(other.ends < call.begins for other in left):
                continue
            step = orders.steps(node).get(call.thread)
            before = "".join(f"{each.text}, " for each in made)
            if step is None:
                yield f"{before}{call.text} would wait"
            elif call.result and step[0] != call.result:
                yield f"{before}{call.text} {_would(step[0])}, not {call.result.partition(' ')[2]}"
            else:
                waiting.append((step[1], (*made, call)))


def _would(result: str) -> str:
    verb, _, what = result.partition(" ")
    return f"would {verb[:-1]} {what}"
