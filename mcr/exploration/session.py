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
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from mcr.exploration.contract import Claim, Explorer, Run, Work, enqueue
from mcr.exploration.evidence import all_plain, assumed, cut, final_outcomes, stopped_at, unreached
from mcr.exploration.goals import RACES
from mcr.exploration.growth import LONG, OnLong, Size, size_of
from mcr.exploration.limits import Stopped
from mcr.exploration.observers import Observer, Witnesses, hold_against_axioms, trace_of
from mcr.exploration.stage import Stage
from mcr.exploration.verdict import INTERRUPTED, OUT_OF_MEMORY, Result, Statistics, Stop, Verdict, decide
from replay.code.terminals import Failed
from replay.code.user_code import exploring
from replay.code.watchdog import checked
from replay.errors import CheckerError, InternalError, ModelError
from replay.machine.machine import Choice
from replay.machine.merge_audit import WrongMerge
from replay.machine.state import State
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
"""Seconds after which somebody may wonder how far it is, and between two answers."""

Progress = Callable[[Statistics], None]
"""Called after every execution."""


class Session:
    """An explorer on its stage. `explore` is called once."""

    def __init__(
        self,
        stage: Stage,
        make: Callable[[Stage], Explorer],
        on_progress: Progress | None = None,
        observers: Iterable[Observer] = (),
        on_long: OnLong | None = None,
    ) -> None:
        """`make` makes an explorer: the first one, and another whenever the exploration has to begin again."""
        self.stage = stage
        self._make = make
        self._on_progress = on_progress
        self._others = tuple(observers)
        self._begin()
        if on_long is not None:
            stage.limits.call_after(LONG, lambda: on_long(self._size()))

    def _begin(self) -> None:
        """Make all that an exploration finds things out with."""
        stage = self.stage
        self._look_ahead_at = OUTLOOK_AT
        self.explorer = self._make(stage)
        self._witnesses = Witnesses(stage)
        self._census: Census | None = None
        self._observers = [*self._others]
        if stage.options.paranoid:
            self._observers.append(hold_against_axioms)
        if stage.options.census:
            from mcr.executions.class_keys import Census  # late, as few ask for it

            self._census = census = Census()
            self._observers.append(lambda run: census.add(trace_of(run)))
        if stage.goals.outcomes:
            self._observers.append(self._witnesses.see)
        self._update()  # which looks at the program's code: what cannot be explored is refused now

    def explore(self) -> Result:
        """Explore until nothing is left, a bug is found, or a limit is reached.

        Where an audit finds that histories were merged which differ, all begins again, and leaves them apart.
        """
        with exploring(self.stage.program.place):
            while True:
                try:
                    return self._explore()
                except WrongMerge as wrong:
                    self.explorer.claim()
                    self.stage.begin_again(wrong)
                    self._begin()

    def _explore(self) -> Result:
        stop: Stop | None = None
        try:
            with fewer_collections(), checked(self.stage.limits.check):
                self._work_in_time()
                if not self._is_done():
                    self.stage.audit_merges()
        except Stopped as stopped:
            stop = stopped_at(stopped.stop, self.stage.seen)
        except MemoryError:
            stop = OUT_OF_MEMORY
        except KeyboardInterrupt:
            stop = INTERRUPTED
        self.stage.check_lasting()
        self._update()
        claim = self.explorer.claim()
        if stop is not None and claim.bound:
            stop = replace(stop, remedy=f"{claim.bound}; {stop.remedy}")
        return self._result(claim, stop or claim.stop or cut(self.stage.seen))

    def _work_in_time(self) -> None:
        """Work; code that was stopped since time is up is no broken model, nor is what was merged by mistake."""
        try:
            self._work()
        except (ModelError, InternalError):
            self.stage.limits.check()
            with suppress(ModelError):
                self.stage.audit_merges()
            raise

    def _work(self) -> None:
        """The main loop."""
        explorer, waiting = self.explorer, deque[Work]()
        enqueue(waiting, explorer.begin())
        while not self._is_done():
            self.stage.limits.check()
            work = waiting.popleft() if waiting else explorer.remaining()
            if work is None:
                return
            for news in explorer.expand(work):
                if not isinstance(news, Run):
                    enqueue(waiting, (news,))
                    if self.stage.options.jobs == 1:  # else it waits elsewhere as well
                        self.stage.statistics.waiting = max(self.stage.statistics.waiting, len(waiting))
                    continue
                self._see(news)
                if self._is_done():
                    return
            self._tell()

    def _is_done(self) -> bool:
        """Whether a bug was found that ends the exploration: not what is asked of all that can be reached."""
        bugs, options = self.stage.bugs, self.stage.options
        if options.sought is not None:
            return any(trace.failure and trace.failure.identity == options.sought for trace in bugs.traces())
        return bool(bugs) and not options.keep_going and not self.stage.goals.afterwards

    # -- executions ----------------------------------------------------------

    def _see(self, run: Run) -> None:
        """An execution was run."""
        statistics = self.stage.statistics
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
        bugs, unfolding = self.stage.bugs, run.machine.unfolding
        failed = [state for state in run.machine.states if isinstance(state.terminal, Failed)]
        for state in sorted(failed, key=lambda state: state.number):
            if not bugs.knows(unfolding, state):
                evidence = bugs.show(unfolding, state, run.choices)
                if self.stage.options.shorten:
                    self._shorten(run, evidence, state)
                if self._is_done():
                    return

    def _shorten(self, run: Run, evidence: list[Choice], failed: State) -> None:
        stage, unfolding = self.stage, run.machine.unfolding
        with stage.timed("shortening"):
            choices, cut = run.fewest(failed), None
            if choices is None:
                from mcr.exploration.shorten import shorten  # late, as the fewest steps are mostly known

                choices, cut = shorten(unfolding, stage.model, evidence, failed)
            trace = record(unfolding, stage.model, choices, failed=failed)
        stage.bugs.confirm(unfolding, choices)
        stage.bugs.add(stage.bugs.identity(unfolding, failed), trace)
        if cut is not None:
            raise cut

    def _look_for_deadlock(self, run: Run) -> None:
        """Whether the execution has come to its end while threads wait: a bug, unless that is allowed."""
        if run.machine.all_ended():
            return
        from replay.traces.liveness import find_deadlock  # late, as threads of most programs end

        stage, unfolding = self.stage, run.machine.unfolding
        deadlock = find_deadlock(run.machine)
        if deadlock is None:
            return
        stage.statistics.deadlocks += 1
        if not stage.goals.deadlocks or stage.bugs.has(deadlock):
            return
        stage.bugs.confirm(unfolding, run.choices)
        stage.bugs.add(deadlock.identity, record(unfolding, stage.model, run.choices, deadlocks=True))
        if stage.options.shorten:
            from mcr.exploration.shorten import tidied  # late, as most explorations find no bug

            with stage.timed("shortening"):
                choices = tidied(unfolding, stage.model, run.choices)
                trace = record(unfolding, stage.model, choices, deadlocks=True)
            if trace.failure is not None and trace.failure.identity == deadlock.identity:
                stage.bugs.add(deadlock.identity, trace)

    def _note_shown(self, run: Run) -> None:
        from mcr.exploration.unraised import finding  # late, as few look for it

        unfolding = run.machine.unfolding
        self.stage.bugs.confirm(unfolding, run.choices)
        trace = record(unfolding, self.stage.model, run.choices, objective=run.shows, repeats=run.repeats)
        failure = finding(run.shows, trace)
        if failure is None:
            raise InternalError(f"{self.stage.title}: what was proposed for {run.shows} does not show it")
        self.stage.bugs.add(failure.identity, replace(trace, failure=failure))

    # -- results ---------------------------------------------------------------

    def _result(self, claim: Claim, stop: Stop | None) -> Result:
        stage = self.stage
        failures = stage.bugs.traces()
        verdict = decide(failures, stop)
        return Result(
            program=stage.program.title,
            file=stage.program.file,
            line=stage.program.line,
            model=stage.model.name,
            verdict=verdict,
            statistics=stage.statistics,
            failures=failures,
            objective=stage.goals.text,
            outcomes=tuple(sorted(final_outcomes(stage.seen))),
            witnesses=tuple(sorted(self._witnesses.traces.items())),
            classes=claim.classes,
            stop=stop,
            solver=stage.options.solver,
            algorithm=claim.taken,
            figures=claim.figures,
            merged=stage.can_merge,
            not_compared=tuple(sorted(stage.seen.doubts.items(), key=lambda doubt: (-doubt[1], doubt[0]))),
            told_apart=tuple((difference.where, difference.why) for difference in stage.audits.differences),
            all_plain=RACES in stage.goals.afterwards and all_plain(stage.seen),
            complete=stop is None and not self._is_done() and self._decides_final(claim),
            unreached=() if failures or stop else unreached(stage.seen),
            certificate=self._certificate(claim) if verdict is Verdict.VERIFIED else None,
            assumed=assumed(stage.seen),
            census=() if self._census is None else tuple(self._census.classes().items()),
        )

    def _certificate(self, claim: Claim) -> bytes | None:
        if claim.certificate is None or not self.stage.options.certificate:
            return None
        from mcr.exploration.certificates import packed  # late, as few ask for one

        shown = claim.certificate()
        return None if shown is None else packed(self.stage, shown)

    def _decides_final(self, claim: Claim) -> bool:
        """Whether the final function, which has not failed in what was run, can fail in no execution."""
        if claim.covers_final or (final := self.stage.unfolding.final) is None:
            return True
        states = (state for state in self.stage.unfolding.states if state.thread == final.index)
        loads = any(state.operation is not None and state.operation.kind is Kind.LOAD for state in states)
        return self.stage.goals.equivalence is not None and not loads

    def _size(self) -> Size:
        self._update()
        return size_of(self.stage.statistics, self.stage.seen)

    def _tell(self) -> None:
        """Tell whoever looks on how far it is."""
        self._update()
        self._look_ahead()
        if self._on_progress is not None:
            self._on_progress(self.stage.statistics)

    def _look_ahead(self) -> None:
        """Ask now and then how far it is: that runs thread code of its own, and finds nothing for the exploration."""
        if self.stage.statistics.seconds < self._look_ahead_at:
            return
        self._look_ahead_at = self.stage.statistics.seconds + OUTLOOK_EVERY
        try:
            self.stage.statistics.outlook = self.stage.outlook()
        except (CheckerError, InternalError, WrongMerge):  # which the exploration will meet, if it gets there
            self._look_ahead_at = math.inf

    def _update(self) -> None:
        self.stage.statistics.audits = self.stage.audits.audited
        self.stage.statistics.local_states = self.stage.seen.local_states
        self.stage.statistics.seconds = time.monotonic() - self.stage.limits.started
