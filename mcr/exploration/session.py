"""One exploration: an explorer at work until nothing is left, a bug is found, or a limit is reached.

The session deals out the work and looks at the news; it alone knows limits, bugs, verdict and who else looks on.
"""

from __future__ import annotations

import gc
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, Explorer, Run, Work, enqueue
from mcr.exploration.evidence import all_plain, assumed, cut, final_outcomes, stopped_at, unreached
from mcr.exploration.goals import RACES
from mcr.exploration.growth import LONG, OnLong, Size, size_of
from mcr.exploration.limits import Stopped
from mcr.exploration.observers import Observer, Witnesses, hold_against_axioms, trace_of
from mcr.exploration.verdict import INTERRUPTED, OUT_OF_MEMORY, Result, Statistics, Stop, Verdict, decide
from replay.code.terminals import Failed
from replay.code.user_code import exploring
from replay.code.watchdog import checked
from replay.errors import CheckerError, InternalError, ModelError, TakenForConstant
from replay.machine.machine import Choice
from replay.machine.merges import WrongMerge
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.player import record
from replay.world.operation import Kind

if TYPE_CHECKING:
    from mcr.executions.class_keys import Census

_EVERY = 20_000
"""Objects made between two collections; Python's 700 cost a tenth of an exploration."""


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Let the garbage collector run less often; not at all, if it was told so before.

    In the main thread only: of two threads that do so at once, the one that ends last would undo it wrongly.
    """
    before = gc.get_threshold()
    if before[0] == 0 or threading.current_thread() is not threading.main_thread():
        yield
        return
    gc.set_threshold(max(before[0], _EVERY), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


OUTLOOK_AT, OUTLOOK_EVERY = 3.0, 1.0
"""Seconds after which a user may wonder how far it is, and between two answers."""

NEARLY = 0.8
"""Share of a limit after which an estimate is made for the report: the exploration will probably not end in time."""

MOST_SHORTENED = 1_500
"""Choices of a failing schedule beyond which it stays as it was found: to shorten one takes minutes."""

Progress = Callable[[Statistics], None]
"""Called after every execution."""


class Session:
    """An explorer on its context. `explore` is called once."""

    def __init__(
        self,
        context: ExplorationContext,
        make: Callable[[ExplorationContext], Explorer],
        on_progress: Progress | None = None,
        observers: Iterable[Observer] = (),
        on_long: OnLong | None = None,
        looks_ahead: bool = True,
    ) -> None:
        """`make` makes an explorer: the first one, and another whenever the exploration has to begin again.

        looks_ahead  estimate for `on_progress` and `on_long` how much is left, which runs thread code; False where
                     they do not show that
        """
        self.context = context
        self._make = make
        self._on_progress = on_progress
        self._is_watched = looks_ahead and (on_progress is not None or on_long is not None)
        self._others = tuple(observers)
        self._begin()
        if on_long is not None:
            context.limits.call_after(LONG, lambda: on_long(self._size()))

    def _begin(self) -> None:
        """Make all that an exploration finds things out with."""
        context = self.context
        self._look_ahead_at = OUTLOOK_AT
        self.explorer = self._make(context)
        self._witnesses = Witnesses(context)
        self._census: Census | None = None
        self._observers = [*self._others]
        if context.options.paranoid:
            self._observers.append(hold_against_axioms)
        if context.options.census:
            from mcr.executions.class_keys import Census  # late, as few ask for it

            self._census = census = Census()
            self._observers.append(lambda run: census.add(trace_of(run)))
        if context.goals.outcomes:
            self._observers.append(self._witnesses.see)
        self._update()  # which looks at the program's code: what cannot be explored is refused now
        self._has_begun = True

    def explore(self) -> Result:
        """Explore until nothing is left, a bug is found, or a limit is reached.

        Where histories were merged that differ, all begins again, and leaves them apart.
        """
        with exploring(self.context.program.place):
            return self.context.program.known(self._explored)

    @property
    def unfolding(self) -> Unfolding:
        """The local states that the explorer knows."""
        return self.explorer.unfolding

    def _explored(self) -> Result:
        """The result, unless a thread changes what was taken for constant: then the next call begins anew."""
        while True:
            try:
                if not self._has_begun:
                    self._begin()
                return self._explore()
            except WrongMerge as wrong:
                self.explorer.claim()
                self.context.check_lasting(self.unfolding)  # nobody would see it later
                self.context.begin_again(wrong)
                self._begin()
            except TakenForConstant:
                if self._has_begun:
                    self.explorer.claim()
                self._has_begun = False
                self.context.forget()
                raise

    def _explore(self) -> Result:
        stop: Stop | None = None
        try:
            with fewer_collections(), checked(self.context.limits.check):
                self._work_in_time()
        except Stopped as stopped:
            stop = stopped_at(stopped.stop, self.unfolding)
        except MemoryError:
            stop = OUT_OF_MEMORY
        except KeyboardInterrupt:
            stop = INTERRUPTED
        self.context.check_lasting(self.unfolding)
        self._update()
        claim = self.explorer.claim()
        if stop is None and claim.stop is None:
            stop = cut(self.unfolding)
        if stop is not None and claim.bound:
            stop = replace(stop, remedy=f"{claim.bound}; {stop.remedy}")
        return self._result(claim, stop or claim.stop)

    def _work_in_time(self) -> None:
        """Work; code that was stopped since time is up is no broken model."""
        try:
            self._work()
        except (ModelError, InternalError):
            self.context.limits.check()
            raise

    def _work(self) -> None:
        """The main loop."""
        explorer, waiting = self.explorer, deque[Work]()
        enqueue(waiting, explorer.begin())
        while not self._is_done():
            self.context.check()
            work = waiting.popleft() if waiting else explorer.remaining()
            if work is None:
                return
            for news in explorer.expand(work):
                if not isinstance(news, Run):
                    enqueue(waiting, (news,))
                    if self.context.options.jobs == 1:  # else it waits elsewhere as well
                        self.context.statistics.waiting = max(self.context.statistics.waiting, len(waiting))
                    continue
                self._see(news)
                if self._is_done():
                    return
            self._tell()

    def _is_done(self) -> bool:
        """Returns whether a bug was found that ends the exploration: not what is asked of all that can be reached."""
        bugs, options = self.context.bugs, self.context.options
        if options.sought is not None:
            return any(trace.failure and trace.failure.identity == options.sought for trace in bugs.traces())
        return bool(bugs) and not options.keep_going and not self.context.goals.afterwards

    # -- executions ----------------------------------------------------------

    def _see(self, run: Run) -> None:
        """An execution was run."""
        statistics = self.context.statistics
        statistics.executions += 1
        statistics.blocked += not run.machine.all_ended()
        statistics.longest = max(statistics.longest, sum(state.depth for state in run.machine.states))
        if run.shows:
            self._note_shown(run)
            return
        if statistics.executions.bit_count() == 1:  # the first, the second, the fourth, ...
            run.machine.unfolding.audit(run.machine.histories())
        for observe in self._observers:
            observe(run)
        self._look_for_failures(run)
        if not self._is_done():
            self._look_for_deadlock(run)
        self._tell()

    def _look_for_failures(self, run: Run) -> None:
        """A thread that failed stays where it did."""
        bugs, unfolding = self.context.bugs, run.machine.unfolding
        failed = [state for state in run.machine.states if isinstance(state.terminal, Failed)]
        for state in sorted(failed, key=lambda state: state.number):
            if not bugs.knows(unfolding, state):
                evidence = bugs.show(unfolding, state, run.choices)
                if self.context.options.shorten and len(evidence) <= MOST_SHORTENED:
                    self._shorten(run, evidence, state)
                if self._is_done():
                    return

    def _shorten(self, run: Run, evidence: list[Choice], failed: State) -> None:
        context, unfolding = self.context, run.machine.unfolding
        with context.timed("shortening"):
            choices, cut = run.fewest(failed), None
            if choices is None:
                from mcr.exploration.shorten import shorten  # late, as the fewest steps are mostly known

                choices, cut = shorten(unfolding, context.model, evidence, failed)
            trace = record(unfolding, context.model, choices, failed=failed)
        context.bugs.confirm(unfolding, choices)
        context.bugs.add(context.bugs.identity(unfolding, failed), trace)
        if cut is not None:
            raise cut

    def _look_for_deadlock(self, run: Run) -> None:
        """Notes a deadlock if the execution has come to its end while threads wait: a bug, unless that is allowed."""
        if run.machine.all_ended():
            return
        from replay.traces.liveness import find_deadlock  # late, as threads of most programs end

        context, unfolding = self.context, run.machine.unfolding
        deadlock = find_deadlock(run.machine)
        if deadlock is None:
            return
        context.statistics.deadlocks += 1
        if not context.goals.deadlocks or context.bugs.has(deadlock):
            return
        context.bugs.confirm(unfolding, run.choices)
        context.bugs.add(deadlock.identity, record(unfolding, context.model, run.choices, deadlocks=True))
        if context.options.shorten:
            from mcr.exploration.shorten import tidied  # late, as most explorations find no bug

            with context.timed("shortening"):
                choices = tidied(unfolding, context.model, run.choices)
                trace = record(unfolding, context.model, choices, deadlocks=True)
            if trace.failure is not None and trace.failure.identity == deadlock.identity:
                context.bugs.add(deadlock.identity, trace)

    def _note_shown(self, run: Run) -> None:
        from mcr.exploration.unraised import finding  # late, as few look for it

        unfolding = run.machine.unfolding
        self.context.bugs.confirm(unfolding, run.choices)
        trace = record(unfolding, self.context.model, run.choices, objective=run.shows, repeats=run.repeats)
        failure = finding(run.shows, trace)
        if failure is None:
            raise InternalError(f"{self.context.title}: what was proposed for {run.shows} does not show it")
        self.context.bugs.add(failure.identity, replace(trace, failure=failure))

    # -- results ---------------------------------------------------------------

    def _result(self, claim: Claim, stop: Stop | None) -> Result:
        context = self.context
        failures = context.bugs.traces()
        verdict = decide(failures, stop)
        return Result(
            program=context.program.title,
            file=context.program.file,
            line=context.program.line,
            model=context.model.name,
            verdict=verdict,
            statistics=context.statistics,
            failures=failures,
            objective=context.goals.text,
            outcomes=tuple(sorted(final_outcomes(self.unfolding))),
            witnesses=tuple(sorted(self._witnesses.traces.items())),
            classes=claim.classes,
            stops_early=self._stops_early(claim, stop),
            stop=stop,
            solver=context.options.solver,
            algorithm=claim.taken,
            figures=claim.figures,
            merged=context.can_merge,
            not_compared=tuple(sorted(self.unfolding.doubts.items(), key=lambda doubt: (-doubt[1], doubt[0]))),
            told_apart=tuple((difference.where, difference.why) for difference in context.told_apart.differences),
            all_plain=RACES in context.goals.afterwards and all_plain(self.unfolding),
            complete=stop is None and not self._is_done() and self._decides_final(claim),
            unreached=() if failures or stop else unreached(self.unfolding),
            certificate=self._certificate(claim) if verdict is Verdict.VERIFIED else None,
            assumed=assumed(self.unfolding, elsewhere=context.options.jobs > 1),
            census=() if self._census is None else tuple(self._census.classes().items()),
        )

    def _stops_early(self, claim: Claim, stop: Stop | None) -> bool:
        if stop is not None or not any(count.blocked for count in claim.classes):
            return True
        from mcr.exploration.standstill import may_stop_early  # late, as few count classes

        return may_stop_early(self.unfolding)

    def _certificate(self, claim: Claim) -> bytes | None:
        if claim.certificate is None or not self.context.options.certificate:
            return None
        from mcr.exploration.certificates import packed  # late, as few ask for one

        shown = claim.certificate()
        return None if shown is None else packed(self.context, shown)

    def _decides_final(self, claim: Claim) -> bool:
        """Returns whether the final function, which has not failed in what was run, can fail in no execution."""
        if claim.covers_final or (final := self.context.unfolding.final) is None:
            return True
        states = (state for state in self.context.unfolding.states if state.thread == final.index)
        loads = any(state.operation is not None and state.operation.kind is Kind.LOAD for state in states)
        return self.context.goals.equivalence is not None and not loads

    def _size(self) -> Size:
        self._update()
        return size_of(self.context.statistics, self.unfolding)

    def _tell(self) -> None:
        """Tell whoever looks on how far it is."""
        self._update()
        self._look_ahead()
        if self._on_progress is not None:
            self._on_progress(self.context.statistics)

    def _look_ahead(self) -> None:
        """Estimate now and then how much is left, if a user sees it, or a report of a limit will.

        An estimate runs thread code of its own, and finds nothing for the exploration.
        """
        if self.context.statistics.seconds < self._look_ahead_at:
            return
        if not self._is_watched and self.context.limits.used() < NEARLY:
            return
        self._look_ahead_at = self.context.statistics.seconds + OUTLOOK_EVERY
        try:
            self.context.statistics.outlook = self.context.outlook()
        except (CheckerError, InternalError, WrongMerge):  # which the exploration will meet, if it gets there
            self._look_ahead_at = math.inf

    def _update(self) -> None:
        self.context.statistics.local_states = self.unfolding.local_states
        self.context.statistics.seconds = time.monotonic() - self.context.limits.started
