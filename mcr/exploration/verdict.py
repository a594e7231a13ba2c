"""Verdicts: the claim of a check, and its evidence. They are made here and nowhere else.

*Bug*: a replay that fails. *Verified*: the exploration ended and nothing was
cut. Everything else is *incomplete*, with the reason and the remedy.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from replay.announced import Displayed
from replay.sentences import counted
from replay.traces.trace import Trace


class Verdict(enum.StrEnum):
    """The claim of a check: VERIFIED, a BUG with its replay, or INCOMPLETE with the reason (`Result.stop`).

    `result.verdict == "bug"` is a comparison like any other. Raises ValueError for a text that is no verdict.
    """

    VERIFIED = "verified"
    BUG = "bug"
    INCOMPLETE = "incomplete"

    def __eq__(self, other: object) -> bool:
        if type(other) is str:
            return self is Verdict(other)
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise ValueError(f"there is no verdict {value!r}: it is {', '.join(repr(each.value) for each in cls)}")


class Guess(NamedTuple):
    """An estimate of a figure: about so many, hardly fewer than `least`, hardly more than `most`."""

    about: float
    least: float
    most: float


@dataclass(frozen=True)
class Outlook:
    """How far an exploration is.

    what   what it counts: "global states", "execution graphs", "local states"
    by     the algorithm that counts, which may be one of several that take turns
    seen   how many there were so far
    whole  how many there are in all; None where that cannot be told
    goals  how many are left to ask a solver about, which may lead to others; None where there are none
    """

    what: str
    by: str
    seen: int
    whole: Guess | None
    goals: int | None = None


@dataclass
class Statistics:
    """Figures of one exploration; times in seconds.

    executions    runs of the whole program
    blocked       those in which a thread did not come to its end
    deadlocks     those that ended while threads waited for what never comes
    redirected    those whose seed was read off an earlier execution, without a question to the solver
    graphs        execution graphs visited without a solver; what shows something new is executed
    redundant     executions of a class that was seen before (where classes are the objective)
    classes       classes seen of executions that ran to the end, or outcomes
    blocked_classes  classes seen of executions that stop where a wait or an assumption fails
    local_states  distinct local states seen, over all threads
    global_states  states of the whole program that were seen, where these are explored
    frontier      those of them whose successors were not looked at
    longest       events of the longest execution
    waiting       pieces of work that waited at the same time, at most: what an exploration has to keep in one process
    checks        how often it was asked whether events with given sources, or values, are consistent
    realizable    how often they were
    proposals     answers of the solver, the last one ("nothing is left") included
    cycles        orders that the solver proposed and that turned out cyclic
    solving       time in the solver
    encoding      time spent to tell the solver what was seen
    replaying     time on the machine and in user code
    surveying     time spent on execution graphs
    checking      time spent to decide what is consistent
    shortening    time spent to make failing schedules short
    seconds       all of it
    outlook       how far it is, once it has taken some seconds; None where nobody can tell
    """

    executions: int = 0
    blocked: int = 0
    deadlocks: int = 0
    redirected: int = 0
    graphs: int = 0
    redundant: int = 0
    classes: int = 0
    blocked_classes: int = 0
    local_states: int = 0
    global_states: int = 0
    frontier: int = 0
    longest: int = 0
    waiting: int = 0
    checks: int = 0
    realizable: int = 0
    proposals: int = 0
    cycles: int = 0
    solving: float = 0.0
    encoding: float = 0.0
    replaying: float = 0.0
    surveying: float = 0.0
    checking: float = 0.0
    shortening: float = 0.0
    seconds: float = 0.0
    outlook: Outlook | None = None

    def counts(self) -> str:
        """Its global states and executions, as far as there are any, and local states, in words."""
        explored = {"global state": self.global_states, "execution": self.executions}
        explored = {what: count for what, count in explored.items() if count} or {"execution": 0}
        explored["local state"] = self.local_states
        return ", ".join(counted(count, what) for what, count in explored.items())


class ClassCount(NamedTuple):
    """How many classes of an equivalence were seen.

    complete  classes of executions in which every thread that was started ended
    blocked   classes of executions that stop where a wait or an assumption fails
    """

    equivalence: str
    complete: int
    blocked: int


@dataclass(frozen=True)
class Stop:
    """Why an exploration ended early, and what to do about it."""

    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.reason}; {self.remedy}"


INTERRUPTED = Stop("interrupted", "a new run starts over; --timeout and --max-executions end a run by themselves")
"""The user pressed Ctrl-C."""

OUT_OF_MEMORY = Stop("the system gave no more memory", "give it more, say --memory, or check a smaller program")
"""A limit of the system came first."""


@dataclass(frozen=True)
class Result(Displayed):
    """The outcome of checking one program under one memory model.

    failures  traces that fail, each by replay, no two the same bug
    outcomes  repr of what the final function returned, sorted: in each way it can, but where only failures are the
              objective in those ways that were seen
    witnesses a trace for each outcome, where outcomes are the objective
    classes   the equivalence that was the objective and all that are coarser, finest first
    stops_early  an execution may end before one of its threads does; otherwise every thread whose wait has failed
              goes on later, and `shown_classes` has none of executions that stop there
    stop      why the verdict is incomplete (or, beside a bug, why the exploration ended early)
    census    how many classes of each equivalence the executions belong to, where that was asked for
    algorithm the algorithm that explored it; where none was asked for, the one that served
    figures   what that algorithm counts beside what all do, by what readers call it
    merged    histories that left a thread in one local state shared it
    not_compared  how many local states could not be compared with others, by the reason, most common first
    told_apart  local states that no histories share as an audit failed there: the line, and why
    certificate  what shows it, as the content of a file; None if that was not asked for, or nothing does
    certificate_file  where that was written, "" if nothing shows it; None if nobody asked
    all_plain races were looked for on all cells that are loaded or stored
    complete  everything that can be reached was seen; with bugs, everything on the way to them
    assumed   what was taken for granted of this program, a sentence each
    unreached threads of a verified program, the final function among them, that no execution brings to their end
    """

    program: str
    file: str
    line: int
    model: str
    verdict: Verdict
    statistics: Statistics
    failures: tuple[Trace, ...] = ()
    objective: str = "failures"
    outcomes: tuple[str, ...] = ()
    witnesses: tuple[tuple[str, Trace], ...] = ()
    classes: tuple[ClassCount, ...] = ()
    stops_early: bool = True
    stop: Stop | None = None
    solver: str = ""
    algorithm: str = ""
    figures: tuple[tuple[str, int], ...] = ()
    merged: bool = False
    not_compared: tuple[tuple[str, int], ...] = ()
    told_apart: tuple[tuple[str, str], ...] = ()
    complete: bool = False
    unreached: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    census: tuple[tuple[str, int], ...] = ()
    all_plain: bool = False
    certificate: bytes | None = None
    certificate_file: str | None = None

    @property
    def shown_classes(self) -> tuple[ClassCount, ...]:
        """The classes as readers are told of them."""
        return self.classes if self.stops_early else tuple(count._replace(blocked=0) for count in self.classes)

    def __repr__(self) -> str:
        """Describes the result in a line or two; the fields have the rest."""
        why = [f"{counted(len(self.failures), 'failure')}, first {self.failures[0].failure}"] if self.failures else []
        why += [self.stop.reason] if self.stop is not None else []
        said = "; ".join([self.verdict.value, self.statistics.counts(), *why])
        return f"<Result of {self.program} under {self.model.upper()}: {said}>"


def decide(failures: tuple[Trace, ...], stop: Stop | None) -> Verdict:
    """The verdict that the evidence supports."""
    if failures:
        return Verdict.BUG
    return Verdict.VERIFIED if stop is None else Verdict.INCOMPLETE
