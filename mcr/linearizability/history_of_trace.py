"""The history of calls that a trace shows, and why no order of them explains it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

from mcr.linearizability.observers import QUIESCENT, SEQUENTIAL
from mcr.linearizability.results import Pairing, in_the_history, matched
from mcr.linearizability.specification import Orders
from replay.frontend.history import CALLS, IS_CALLED
from replay.traces.trace import Trace

MOST_TRIED = 5_000
"""Orders among which one is looked for that explains what is left."""


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


def calls_of(trace: Trace) -> list[CallSeen]:
    """The calls of an execution, in the order in which they began."""
    notes = [(int(event.thread), event.operation) for event in trace.events if event.location == CALLS]
    found = list[CallSeen]()
    for place, (thread, told) in enumerate(notes):
        if told.endswith(IS_CALLED):
            found.append(CallSeen(thread, told.removesuffix(IS_CALLED), "", place, len(notes)))
        else:
            (call,) = (call for call in found if call.thread == thread and not call.result)
            found[found.index(call)] = replace(call, result=told.removeprefix(f"{call.text} "), ends=place)
    return found


def refuted(
    seen: Sequence[CallSeen], orders: Orders, texts: Sequence[str], level: str, *, stuck: bool
) -> Iterator[str]:
    """Each order that a level allows, up to the first call that returns something else in it.

    `orders` are those of the one client that made these calls, `texts` its operations. `stuck`: calls that have not
    ended wait for ever.
    """
    return (wrong for wrong in _orders(seen, orders, texts, level, stuck=stuck) if wrong)


def unordered(
    seen: Sequence[CallSeen], orders: Orders, texts: Sequence[str], level: str, *, stuck: bool
) -> tuple[CallSeen, CallSeen] | None:
    """Two calls that a level allows in either order, such that an order would explain the rest if either of them had
    returned something else."""

    def is_one(call: CallSeen) -> bool:
        others = [replace(each, result="") if each is call else each for each in seen]
        return bool(call.result) and "" in islice(_orders(others, orders, texts, level, stuck=False), MOST_TRIED)

    pairs = combinations([] if stuck else filter(is_one, seen), 2)
    free = (two for two in pairs if not any(_comes_first(*each, seen, level) for each in (two, two[::-1])))
    return next(free, None)


def _orders(
    seen: Sequence[CallSeen], orders: Orders, texts: Sequence[str], level: str, *, stuck: bool
) -> Iterator[str]:
    """Each order that a level allows: up to the first call that returns something else in it; "" if none does."""
    anybody = level == QUIESCENT
    if anybody:
        orders = orders.of_anybody()
    waiting: list[tuple[int, tuple[CallSeen, ...], Pairing]] = [(orders.first, (), ())]
    while waiting:
        node, made, pairing = waiting.pop()
        left = [call for call in seen if call not in made]
        if not left:
            yield ""
        for call in left:
            if any(_comes_first(other, call, seen, level) for other in left):
                continue
            step = orders.steps(node).get((0 if anybody else call.thread, texts.index(call.text)))
            before = "".join(f"{each.thread}: {each.text}, " for each in made) + f"{call.thread}: "
            if step is None and not (stuck and not call.result):
                yield f"{before}{call.text} would wait"
            elif step is None:
                continue
            elif stuck and not call.result:
                yield f"{before}{call.text} {_would(step.result, pairing)}, and not wait"
            elif not call.result:
                waiting.append((step.after, (*made, call), pairing))
            elif (after := matched(step.result, call.result, pairing)) is not None:
                waiting.append((step.after, (*made, call), after))
            else:
                verb, what = call.result.split(" ", 1)
                wrong = what if step.result.startswith(verb) else f"{verb[:-1]} {what}"
                yield f"{before}{call.text} {_would(step.result, pairing)}, not {wrong}"


def _comes_first(call: CallSeen, other: CallSeen, seen: Sequence[CallSeen], level: str) -> bool:
    """Returns whether a level wants a call before another one."""
    if call.ends > other.begins or (level == SEQUENTIAL and call.thread != other.thread):
        return False
    moments = range(call.ends, other.begins) if level == QUIESCENT else ()
    return not moments or not all(any(each.begins <= moment < each.ends for each in seen) for moment in moments)


def _would(result: str, pairing: Pairing) -> str:
    verb, _, what = in_the_history(result, pairing).partition(" ")
    return f"would {verb[:-1]} {what}"
