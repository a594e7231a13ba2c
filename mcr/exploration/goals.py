"""The objectives of an exploration: failures, states, outcomes, classes, deadlocks, progress (docs/algorithms.md).

Several objectives share one exploration where their executions serve each
other: "traces" counts the classes of rf and values as well, and determines
what the final function sees, so it also decides "failures" and "outcomes";
"robustness" costs one more question to the solver, "races" one for each two
lines, whatever came before. Deadlocks are failures; "deadlocks" looks for them
where nothing else would ("rf,deadlocks"). "progress" looks for runs that go on
for ever, and for deadlocks: that a thread does not get on is one question.
Obstruction-, lock- and wait-freedom are questions about runs that go on, too.

What maximal means where classes are counted: a wait_until that fails blocks
its thread like an assumption (the execution counts as blocked), also where a
later try would succeed; an execution in which it succeeds is a class of its
own. The final function belongs to no class. It runs at the end of every
execution, and what it fails is a bug; but where memory decides what it sees,
one execution per class of values or rf proves nothing about it, nor do the
executions of "deadlocks": `Result.complete` is then false.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcr.executions.equivalence import EQUIVALENCES, TRACES, Equivalence
from replay.errors import CheckerError
from replay.sentences import there_are
from replay.traces.trace import NOT_FREE, SOUGHT_FOR, Failure, Trace

FAILURES, STATES, OUTCOMES = "failures", "states", "outcomes"
DEADLOCKS, ROBUSTNESS, RACES, PROGRESS = "deadlocks", "robustness", "races", "progress"
RUNS = (PROGRESS, *NOT_FREE)
"""What is asked of runs that go on for ever."""


@dataclass(frozen=True, slots=True)
class Question:
    """An objective that is asked of all that a program can do, once everything else was explored.

    name         of the objective
    error        of the failures that show it, which no thread raises
    holds        what a report says where there are none
    explorer     makes the explorer that asks it, of an `ExplorationContext` and the explorer that comes before
    find         the failure that a trace shows; None if it shows none
    keeps_turns  so many turns of a loop are made before its thread waits
    """

    name: str
    error: str
    holds: str
    explorer: Callable[[Any, Any], Any]
    find: Callable[[Trace], Failure | None]
    keeps_turns: int = 0


AFTERWARDS: dict[str, Question] = {}
"""All questions by their names; `mcr.explorers.registry` has those of mcr itself."""


def register(question: Question) -> None:
    """Let a question be an objective, of every algorithm whose objectives are not listed one by one."""
    AFTERWARDS[question.name] = question
    SOUGHT_FOR[question.error] = question.name


def objectives() -> list[str]:
    """The names of all objectives: those of equivalences are what they are when it is called."""
    classes = (equivalence.name for equivalence in reversed(EQUIVALENCES))
    return [FAILURES, STATES, OUTCOMES, *classes, DEADLOCKS, *RUNS, *AFTERWARDS]


@dataclass(frozen=True)
class Goals:
    """The objectives of one exploration.

    equivalence  the finest of those whose classes are asked for, None if none are
    outcomes     every value of the final function, each with a witness
    deadlocks    whether a run that ends while threads wait is a bug: with failures, unless it is allowed
    allowed      they would be bugs, but are allowed: those that are met are shown
    afterwards   those of `AFTERWARDS`
    runs         those of `RUNS`: whether a run may go on for ever in which somebody does not get on who should
    final        whether everything that the final function may see is to be covered
    """

    text: str
    equivalence: Equivalence | None = None
    outcomes: bool = False
    deadlocks: bool = False
    allowed: bool = False
    afterwards: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    final: bool = False

    @classmethod
    def parse(cls, text: str) -> Goals:
        """Read "rf" or "values,rf,deadlocks". Raises CheckerError for unknown objectives and those that do not fit."""
        names = [name.strip() for name in text.split(",")]
        for name in names:
            if name not in objectives():
                raise CheckerError(f"unknown objective {name!r}; {there_are(objectives(), name)}")
        equivalence = _finest([each for each in EQUIVALENCES if each.name in names])
        final = [name for name in (FAILURES, STATES, OUTCOMES) if name in names]
        if final and equivalence not in (None, TRACES):
            raise CheckerError(
                f"{final[0]} and {equivalence.name} do not go together: one execution per class of {equivalence.name} "
                f"does not show everything that the final function may see; ask for them one after the other, or for "
                f"{final[0]} and traces"
            )
        return cls(
            ",".join(names),
            equivalence,
            OUTCOMES in names,
            deadlocks=not {DEADLOCKS, FAILURES, PROGRESS}.isdisjoint(names),
            afterwards=tuple(name for name in AFTERWARDS if name in names),
            runs=tuple(name for name in RUNS if name in names),
            final=bool(final),
        )

    def allowing_deadlocks(self) -> Goals:
        """Returns these goals with deadlocks that are no failures, unless "deadlocks" was asked for by name."""
        named = DEADLOCKS in self.names
        return replace(self, deadlocks=named, allowed=self.deadlocks and not named)

    @property
    def only_failures(self) -> bool:
        return self.names == (FAILURES,)

    @property
    def names(self) -> tuple[str, ...]:
        """The objectives, one by one."""
        return tuple(self.text.split(","))

    @property
    def decides_final(self) -> bool:
        """True if executions that show all that is asked for show all that the final function may see.

        Traces do: they say what is in memory at the end.
        """
        return self.equivalence is TRACES or (self.equivalence is None and self.final)


def _finest(equivalences: Sequence[Equivalence]) -> Equivalence | None:
    """The one that refines all others; None if there are none. Raises CheckerError if none of them does."""
    finest = next((one for one in equivalences if all(map(one.refines, equivalences))), None)
    if finest is None and equivalences:
        names = " and ".join(each.name for each in equivalences)
        raise CheckerError(f"{names} do not go together, as neither says more than the other; ask for {TRACES.name}")
    return finest
