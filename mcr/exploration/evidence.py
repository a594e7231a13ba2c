"""Evidence of an exploration: its bugs, each with a trace, and what an unfolding shows when it has ended."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mcr.exploration.verdict import Stop
from replay.code.ordinary import CLOCK
from replay.code.terminals import GIVEN_UP, Blocked, Cut, Ended, Failed
from replay.errors import InternalError
from replay.frontend.vouching import PROMISE
from replay.interpreter.natives import all_vouched
from replay.machine.machine import Choice, Machine
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.sentences import counted
from replay.traces.player import record
from replay.traces.trace import Failure, FailureIdentity, Trace
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import Source
from replay.world.shown import shown

DAY = 24 * 60 * 60
"""Seconds."""


def final_outcomes(unfolding: Unfolding) -> frozenset[str]:
    """repr of what the final function returned; empty if the program has none."""
    return frozenset(
        shown(state.terminal.value)
        for state in unfolding.leaves()
        if unfolding.threads[state.thread].is_final and isinstance(state.terminal, Ended)
    )


def unreached(unfolding: Unfolding) -> tuple[str, ...]:
    """Names the threads that never come to their end, though they should: nothing behind that place was checked.

    A daemon, and a thread that can go round for ever, need not end. The final function is expected to run all the same.
    """
    ended = {state.thread for state in unfolding.leaves() if isinstance(state.terminal, Ended)}
    expected = [info for info in unfolding.threads if info.is_declared or info.is_final]
    missing = [info for info in expected if info.like.index not in ended]
    endless = {info.index for info in missing if info.is_daemon or unfolding.goes_round(info.like)}
    return tuple(info.name for info in missing if info.index not in endless)


def new_places(states: Iterable[State], known: set[object]) -> Iterator[State]:
    """Yields the first state after each line of code that is not known, and the first end after each.

    These are worth to be looked at when code is audited; they are known then.
    """
    for state in states:
        line = state.entry.before.asked.source if state.entries else None
        place = state.thread, line, type(state.terminal)
        if place not in known:
            known.add(place)
            yield state


def cut(unfolding: Unfolding) -> Stop | None:
    """Why the unfolding is not complete: a thread was given up, spins, or was stopped at the bound on operations."""
    for leaf in unfolding.leaves():
        if isinstance(leaf.terminal, Blocked) and leaf.terminal.reason.startswith(GIVEN_UP):
            what, why, remedy = leaf.terminal.reason.removeprefix(GIVEN_UP).rsplit(": ", 2)
            name = unfolding.thread_name(leaf.thread)
            return Stop(f"thread {name} {what}{_at(leaf.terminal.source)}, {why}", remedy)
    cuts = [(leaf.terminal, leaf.thread) for leaf in unfolding.leaves() if isinstance(leaf.terminal, Cut)]
    for end, thread in sorted(cuts, key=lambda cut: not cut[0].spins):
        name = unfolding.thread_name(thread)
        where = _at(end.source)
        if end.spins:
            return Stop(
                f"thread {name} spins{where}: it would go round without end",
                "write p.wait_until(lambda: ...) in place of the loop, or raise --max-operations if it does end",
            )
        return Stop(
            f"thread {name} was cut after {counted(end.limit, 'operation')}{where}",
            "it changed memory all the way: let its loops end, or raise --max-operations",
        )
    return None


def _at(source: Source | None) -> str:
    return f" at line {source.line} of {Path(source.file).name}" if source else ""


def stopped_at(limit: Stop, unfolding: Unfolding) -> Stop:
    """A limit that ended an exploration; if a thread was cut as well, that comes first: more time would not help."""
    also = cut(unfolding)
    return limit if also is None else Stop(f"{limit.reason}, and {also.reason}", also.remedy)


def assumed(unfolding: Unfolding, *, elsewhere: bool = False) -> tuple[str, ...]:
    """Lists the assumptions about the program, beside those that the docs name, as sentences without a full stop.

    `elsewhere` says that other processes have run thread code, too: they may have called other vouched functions.
    """
    code = unfolding.assumed
    names = all_vouched() if elsewhere else sorted(code.vouched)
    found = [f"{name} {PROMISE} (mcr.pure)" for name in names]
    if code.numbers:
        found.append("id() orders objects in one way of many, and gives no object the number of one that is gone")
    if code.orders:
        found.append("large sets of objects, and those of Python's own library, are gone through in one order of many")
    if "replay.frontend.ordinary.values" not in sys.modules:  # no program of this process shares ordinary objects
        return tuple(found)
    from replay.frontend.ordinary.clock import STEPS
    from replay.frontend.ordinary.contents import compared_by_code
    from replay.frontend.ordinary.values import ending

    values = [unfolding.values[each] for each in range(len(unfolding.values))]
    if unfolding.program.global_lock:
        found.append("CPython 3.12 to 3.14 with its global lock: threads switch at calls and ends of loops only")
    if any(state.operation is not None and state.operation.where == CLOCK for state in unfolding.states):
        days = f"{STEPS[-1] / DAY:.0f}"
        found.append(f"between two looks at a clock no time passes but what a thread has slept, or {days} days")
    if kinds := compared_by_code(values):
        found.append(
            f"no other thread runs while keys of class {', '.join(kinds)} in a shared dict or set are compared"
        )
    if kinds := sorted(code.ending.union(ending(values))):
        found.append(f"no object of class {', '.join(kinds)} is ever freed: what tidies up after it does not run")
    return tuple(found)


def all_plain(unfolding: Unfolding) -> bool:
    """Returns whether every cell that a thread loads or stores is plain: declared so, or none is."""
    operations = (state.operation for state in unfolding.states if not unfolding.threads[state.thread].is_final)
    accessed = {each.where for each in operations if each is not None and each.access in (Access.LOAD, Access.STORE)}
    return not unfolding.plain or accessed <= unfolding.plain


OnFailure = Callable[[Trace], None]
"""Called with the trace of every bug as soon as it is found, and once more when its schedule was made short."""


class Bugs:
    """No two of them are the same (`Failure.identity`), in the order in which they were found."""

    def __init__(self, model: MemoryModel, on_failure: OnFailure | None) -> None:
        self._model = model
        self._on_failure = on_failure
        self._traces: dict[object, Trace] = {}

    def __bool__(self) -> bool:
        return bool(self._traces)

    def traces(self) -> tuple[Trace, ...]:
        return tuple(self._traces.values())

    @staticmethod
    def identity(unfolding: Unfolding, failed: State) -> FailureIdentity:
        """Which bug it is that a thread failed in this local state."""
        assert isinstance(failed.terminal, Failed)
        return Failure.of(unfolding.thread_name(failed.thread), failed.terminal).identity

    def knows(self, unfolding: Unfolding, failed: State) -> bool:
        return self.identity(unfolding, failed) in self._traces

    def has(self, failure: Failure) -> bool:
        """Returns whether a failure like this one is known."""
        return failure.identity in self._traces

    def add(self, identity: object, trace: Trace) -> None:
        """Keep the trace of a bug; a second trace of the same one replaces the first."""
        self._traces[identity] = trace
        if self._on_failure is not None:
            self._on_failure(trace)

    def show(self, unfolding: Unfolding, failed: State, choices: list[Choice]) -> list[Choice]:
        """Keep the bug that an execution shows; returns the execution up to there."""
        unfolding.audit([(failed, failed.way())])
        evidence = self._evidence(unfolding, failed, choices)
        self.confirm(unfolding, evidence)
        self.add(self.identity(unfolding, failed), record(unfolding, self._model, evidence, failed=failed))
        return evidence

    def confirm(self, unfolding: Unfolding, choices: list[Choice]) -> None:
        """Run the code of an execution again. Raises WrongMerge if it leads across a merge that is none."""
        machine = Machine(unfolding, self._model)
        for choice in choices:
            machine.apply(choice)
        unfolding.confirm(machine.histories())

    def _evidence(self, unfolding: Unfolding, failed: State, choices: list[Choice]) -> list[Choice]:
        machine = Machine(unfolding, self._model)
        for count, choice in enumerate(choices):
            if machine.states[failed.thread] is failed:
                return choices[:count]
            machine.apply(choice)
        if machine.states[failed.thread] is not failed:
            raise InternalError("a failure was seen that its own execution does not show")
        return choices
