"""The schedule of a recorded execution as CPython can follow it: which thread runs, to before which instruction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from replay.code.lines import is_of_python
from replay.cpython.places import Place, Visit, noted
from replay.cpython.scheduler import file_of
from replay.errors import CheckerError
from replay.frontend.ordinary.chance import DRAWN, ORDERED
from replay.frontend.ordinary.clock import SECONDS_PASS
from replay.frontend.program import Program
from replay.frontend.threads import FINAL
from replay.traces.following import replay
from replay.traces.trace import DEADLOCK, Failure, Trace, TraceEvent
from replay.world.memory_models.sc import SC
from replay.world.operation import Kind


class InsideInstructionError(CheckerError):
    """Threads switch while an instruction runs, which only a CPython without its global lock does."""


@dataclass(frozen=True)
class ScheduledStep:
    """A thread runs until it has come to a place so often, or to its end if that is None; `text` says what it does."""

    thread: str
    place: Place | None
    visit: int
    text: str


@dataclass(frozen=True)
class Schedule:
    """The facts that a script needs to play a trace.

    inputs   what each thread chooses, as texts: inputs of the program, the instants at which it looks at a clock, and
             numbers that it draws at random
    failure  what fails in the end; None for nothing
    has_clocks  whether threads look at clocks, or wait with a timeout
    has_draws   whether threads draw numbers at random
    has_orders  whether threads go through sets of objects, in the order of their addresses
    """

    program: Program
    steps: tuple[ScheduledStep, ...]
    inputs: dict[str, list[str]]
    failure: Failure | None
    has_clocks: bool = False
    has_draws: bool = False
    has_orders: bool = False

    @property
    def failing(self) -> str:
        """The thread that raises an exception, "final" for the final function; "" where threads wait for ever."""
        return self.failure.thread if self.failure and self.failure.is_raised else ""

    @property
    def line(self) -> tuple[str, int] | None:
        """File and line where that is raised: the innermost outside of Python's library. None if no code is there."""
        if not self.failing or self.failure is None:
            return None
        sources = (each for each in self.failure.stack if not is_of_python(each.file))
        found = next(sources, None)
        declares = found is not None and type(self.program) is Program and found.function == self.program.name
        if found is None or declares:  # the line that declares a thread of native code
            return None
        return file_of(found.file), found.line


def schedule_of(program: Program, trace: Trace) -> Schedule:
    """The schedule of a trace, which is played on the program for it.

    Raises CheckerError for a trace that says nothing of CPython, ScheduleError for one that does not fit the program,
    and InsideInstructionError.
    """
    _check(program, trace)
    with noted() as places:
        played = replay(program, SC, trace)
    steps = tuple(_steps(played, places.found))
    looks = any(event.operation == SECONDS_PASS for event in played.events)
    draws, orders = (any(each.operation == how for each in played.events) for how in (DRAWN, ORDERED))
    return Schedule(program, steps, _inputs(played), played.failure, looks or places.has_timeouts, draws, orders)


def _inputs(trace: Trace) -> dict[str, list[str]]:
    """Returns the choices of threads."""
    found: dict[str, list[str]] = {}
    for event in trace.events:
        if event.kind == Kind.CHOOSE.value and event.operation != ORDERED:
            told: TraceEvent | None = event
            if event.operation == SECONDS_PASS:  # the next one has the instant
                told = next((each for each in trace.of_thread(event.thread) if each.index == event.index + 1), None)
            if told is not None:
                found.setdefault(event.thread, []).append(str(told.read if told.written is None else told.written))
    return found


def _check(program: Program, trace: Trace) -> None:
    """Raises CheckerError for what cannot be played on threads of CPython."""
    if trace.model != SC.name:
        raise CheckerError(f"CPython reorders no stores, so that it cannot play a trace under {trace.model.upper()}")
    failure = trace.failure
    if failure is not None and not failure.is_raised and failure.error != DEADLOCK:
        raise CheckerError(f"CPython plays exceptions and deadlocks; what this trace shows is {failure.error}")
    if program.apart().instance().has_own_memory:
        raise CheckerError(
            f"{program.name} declares memory of a model (p.var, p.mutex and the like), which CPython has not: it plays "
            "programs of ordinary objects (p.share)"
        )


def _steps(trace: Trace, found: dict[tuple[str, int], Visit | None]) -> Iterator[ScheduledStep]:
    """Yields the steps of threads: all that one does without a switch is one."""
    events = [trace.events[step.event] for step in trace.steps]
    begun: set[str] = set()
    active = {event.thread for event in events}
    for thread, end in trace.ends.items():
        if thread not in active and end.how == "ended" and thread != FINAL:
            yield ScheduledStep(thread, None, 0, "")
    for thread, run in groupby((event for event in events if event.thread != FINAL), key=lambda event: event.thread):
        done = [*run]
        while done and done[-1].kind == Kind.CHOOSE.value and done[-1] is not [*trace.of_thread(thread)][-1]:
            done.pop()  # nobody sees when a thread chooses: it does so when it goes on
        if not done:
            continue
        last, goal = done[-1], _goal(trace, done[-1], found)
        if last.kind != Kind.START.value:
            begun.add(thread)
        if isinstance(goal, str):
            yield ScheduledStep(thread, None, 0, _text(done))
        elif thread not in begun and goal is None:
            continue  # it has only started, and goes on with code that CPython does not have: it is not let go yet
        elif goal is None or goal == found.get((thread, last.index)):
            raise InsideInstructionError(_inside(last, goal))
        else:
            yield ScheduledStep(thread, *goal, _text(done))


def _goal(trace: Trace, event: TraceEvent, found: dict[tuple[str, int], Visit | None]) -> Visit | str | None:
    """Returns where the thread comes to its next operation after an event; "" if there is none."""
    following = event.index + 1
    is_last = following == sum(1 for _ in trace.of_thread(event.thread))
    if is_last and trace.ends[event.thread].how in ("ended", "failed"):
        return ""
    return found.get((event.thread, following))


def _text(done: list[TraceEvent]) -> str:
    texts = [event.operation for event in done if event.kind != Kind.START.value]
    return "; ".join(texts) if len(texts) < 4 else f"{texts[0]}; ... {len(texts) - 2} more ...; {texts[-1]}"


def _inside(event: TraceEvent, goal: Visit | None) -> str:
    where = f" ({event.line})" if event.line else ""
    what = f"the instruction {goal[0][-1]}" if goal else "a native call"
    return (
        f"the schedule switches threads inside of {what}, after {event.operation} of thread {event.thread}{where}; "
        "only a CPython without its global lock does that"
    )
