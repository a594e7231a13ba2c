"""The clock of ordinary classes: instants that never go back, and are free otherwise.

Between two looks at it no time passes, or so much that every deadline is over: `STEPS`. So of each deadline both is
tried, that it is over and that it is not, and two deadlines that were set at different looks may lie on both sides of
an instant. All clocks of Python tell these instants. Whoever sleeps, or has waited in vain with a timeout, owes the
time for that: it has passed when the same thread looks next.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo
from types import FunctionType
from typing import Any

from replay.code.facts import facts
from replay.code.names import stands_for
from replay.code.ordinary import CLOCK
from replay.code.reachable import reachable, user_functions
from replay.code.running_thread import current_run, heap_here, inside_run, perform
from replay.frontend.shared import cell
from replay.world.operation import Kind
from replay.world.remembering import while_there

FIRST = 2.0**31
"""Seconds: the first instant, which is later than any that was seen while modules were imported."""

STEPS = (0.0, 2.0**20)
"""Seconds that may pass between two looks: none, or twelve days. With such numbers sums of seconds are exact."""

SECONDS_PASS = "seconds pass"
"""What reports call the choice of how much time passes."""

_LATER = 2.0**-10
"""Seconds by which a wait takes longer than its timeout at most; rounding does not matter then."""

_CELL = cell(CLOCK, FIRST)
EXPIRED = ("", "a wait has timed out")
"""Where a thread notes whether its last wait with a timeout came to nothing (`RunningThread.locals`)."""

_OWED = ("", "seconds that have to pass")
"""Where a thread notes what it owes (`RunningThread.locals`)."""


def now() -> float:
    """The instant of a look, in seconds: of a thread an operation, of the program function the first one."""
    if _declares():
        return FIRST
    passed = perform(Kind.CHOOSE, choices=STEPS, label=SECONDS_PASS)
    passed += current_run().locals.pop(_OWED, 0.0)
    if not passed:
        return float(perform(Kind.LOAD, _CELL.location))

    def later(instant: Any) -> float:
        return float(instant + passed)

    return float(perform(Kind.UPDATE, _CELL.location, update=later, result=later, label=f"advance({passed})"))


def _declares() -> bool:
    """Returns whether the program function is running."""
    return not inside_run()


def owe(seconds: float) -> None:
    """So much has to have passed when this thread looks next, as it has slept or waited in vain."""
    if seconds > 0 and not _declares() and is_looked_at(heap_here().program):
        owed = current_run().locals
        owed[_OWED] = float(owed.get(_OWED, 0.0)) + seconds + _LATER  # type: ignore[arg-type]


def note_wait(seconds: float, *, expired: bool) -> None:
    """Note whether a wait of so many seconds, or a look without waiting, has come to nothing."""
    current_run().locals[EXPIRED] = expired
    if expired:
        owe(seconds)


def sleep(seconds: float) -> None:
    """`time.sleep`: every delay is explored anyway."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    owe(seconds)


def _nanoseconds() -> int:
    whole, rest = divmod(now(), 1.0)
    return int(whole) * 10**9 + int(rest * 10**9)


def _moment() -> time.struct_time:
    return time.gmtime(now())


def _text() -> str:
    return time.asctime(_moment())


def date_of(kind: type[date], zone: tzinfo | None = None) -> date:
    """`now`, `utcnow` and `today`; without a time zone it is Greenwich's."""
    if not issubclass(kind, datetime):
        return kind.fromordinal(date_of(datetime).toordinal())
    moment = kind.fromtimestamp(now(), zone or UTC)
    return moment if zone else moment.replace(tzinfo=None)


CLOCKS: dict[Any, tuple[int, Callable[..., Any]]] = {
    **dict.fromkeys((time.time, time.perf_counter), (0, now)),
    **dict.fromkeys((time.time_ns, time.monotonic_ns, time.perf_counter_ns), (0, _nanoseconds)),
    **dict.fromkeys((time.localtime, time.gmtime), (0, _moment)),
    **dict.fromkeys((time.ctime, time.asctime), (0, _text)),
    time.strftime: (1, lambda text: time.strftime(text, _moment())),
}
"""Functions that tell the time if they are given so many arguments, and what they do in a model."""

CLASS_METHODS: dict[type, tuple[str, ...]] = {datetime: ("now", "utcnow"), date: ("today",)}
"""Class methods that tell the time; `date_of` stands for them."""

_TOLD_BY = {id(time.monotonic), *map(id, CLOCKS)}
_METHODS = {*itertools.chain(*CLASS_METHODS.values())}


@while_there
def is_looked_at(program: Callable[..., object]) -> bool:
    """Returns whether code that a program can come to names a clock."""
    found = [thing for _, thing in reachable([("", program)]).values()]
    uses = ((use, each) for each in user_functions(found) for use in facts(each.__code__).uses)
    return any(id(thing) in _TOLD_BY for thing in found if not isinstance(thing, FunctionType)) or any(
        use.names[-1] in _METHODS or id(stands_for(use, function)) in _TOLD_BY for use, function in uses
    )
