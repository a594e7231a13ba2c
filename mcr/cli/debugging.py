"""`mcr replay --pdb`: Python's debugger in the code of threads, in the order of a recorded schedule.

The schedule is played step by step. Where it stops, the threads are suspended at what they ask for, and pdb looks at
the frames of the one whose turn it is. From there on every line of thread code is traced: `step`, `next`, `until` and
breakpoints work as ever, and go from thread to thread as the schedule does.
"""

from __future__ import annotations

import bdb
import os
import pdb
import sys
from types import FrameType
from typing import Any

from mcr.report.interleaving import Row, rows
from replay.code.lines import is_installed, is_user_code
from replay.code.printing import shown_run
from replay.code.user_code import exploring
from replay.code.watchdog import no_thread, own_watch
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.interpreter.exceptions import HostStop
from replay.interpreter.tracing import traced
from replay.machine.options import UnfoldingOptions
from replay.machine.unfolding import Unfolding
from replay.traces.following import as_recorded, follow
from replay.traces.player import Player
from replay.traces.trace import Trace
from replay.world.memory_models import memory_model
from replay.world.shown import shown


def _is_own(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    return is_user_code(file) and not is_installed(file) and file != "<string>"


class _Left(HostStop):
    """The debugger was left: no `except` of thread code catches it."""


class Debugger(pdb.Pdb):
    """pdb over the threads of a replay.

    wanted  the row of the report at which to stop; None to go on to the end
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__(nosigint=True)
        self.prompt = "(mcr) "
        self.wanted: int | None = 1
        self.player: Player | None = None
        self.row = 0
        self._trace = trace
        self._texts = {row.number: f"thread {row.thread}: {row.text}" for row in rows(trace)}
        self._traces = False

    def play(self, program: Program) -> Trace:
        """Play the schedule as often as the user goes back; returns what happened the last time."""
        own = as_recorded(program, self._trace)
        return own.known(lambda: self._play(own))

    def _play(self, program: Program) -> Trace:
        while True:
            played = self._play_once(program)
            if played is not None:
                return played

    def _play_once(self, program: Program) -> Trace | None:
        model, trace = memory_model(self._trace.model), self._trace
        self._traces, self.row, goal, self.wanted = False, 0, self.wanted, None
        unfolding = Unfolding(program, UnfoldingOptions(len(trace.steps) + 1, samples=True))
        self.player = player = Player(unfolding, model)
        stops = {_place(trace, row): row.number for row in rows(trace)}
        self.reset()
        self.botframe: Any = sys._getframe()  # `continue` stops in no frame but this one
        steps = follow(player, trace)
        try:
            for number in range(len(trace.steps)):
                self.row = stops.get(number, self.row)
                if goal is not None and stops.get(number) == goal:
                    self._stop_before(number)
                if self.quitting:
                    break
                next(steps)
        except _Left:
            pass
        except CheckerError:
            if not self.quitting:  # else it is the way out that does not fit
                raise
        if self.quitting and self.wanted is not None:
            self.quitting = False
            return None
        return player.trace(trace.failure.thread if trace.failure else "")

    def _stop_before(self, number: int) -> None:
        """Stop where the thread is suspended whose turn it is."""
        assert self.player is not None
        step, machine = self._trace.steps[number], self.player.machine
        info = machine.unfolding.thread(step.thread)
        frame = None if info is None else machine.unfolding.innermost(machine.states[info.index])
        self.message(f"row {self.row}, next: {self._texts.get(self.row, '')}")
        self._traces = True
        self.set_step()
        if frame is None:
            self.message("no code of a thread is active there")
        else:
            self.interaction(frame, None)

    # -- called while code of threads runs --------------------------------------

    def resumed(self, frame: FrameType | None) -> None:
        """Code of a thread is about to go on: trace it."""
        if not self._traces or self.quitting:
            return
        self._trace_from(frame)

    def _trace_from(self, frame: FrameType | None) -> None:
        """Trace a frame of the user and those that wait for it."""
        while frame is not None:
            if is_user_code(frame.f_code.co_filename):
                frame.f_trace = self.trace_interpreted
            frame = frame.f_back

    def trace_interpreted(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Trace thread code."""
        if not self._traces or self.quitting:
            return None
        try:
            return None if self.trace_dispatch(frame, event, argument) is None else self.trace_interpreted
        except bdb.BdbQuit:
            raise _Left from None

    def paused(self, frame: Any) -> None:
        """Thread code calls `breakpoint()`: stop at the next line."""
        self._traces = True
        self._trace_from(frame)
        self.set_step()

    def interaction(self, frame: Any, traceback: Any) -> None:
        """At the prompt, it is nobody's code that runs: what is shared is looked at by the commands only."""
        watch = own_watch()
        depth, watch.depth = watch.depth, 0  # nobody is in a hurry
        try:
            with no_thread():
                super().interaction(frame, traceback)
        finally:
            watch.depth = depth

    def stop_here(self, frame: FrameType) -> bool:
        """Not in code of libraries."""
        return _is_own(frame) and bool(super().stop_here(frame))

    def lookupmodule(self, filename: str) -> str | None:
        """Files are named from the current folder, too."""
        return os.path.abspath(filename) if os.path.isfile(filename) else super().lookupmodule(filename)

    def get_stack(self, frame: Any, traceback: Any) -> tuple[list[tuple[FrameType, int]], int]:
        """The frames of the user."""
        stack, _ = super().get_stack(frame, traceback)
        own = [entry for entry in stack if _is_own(entry[0])] or stack[-1:]
        return own, len(own) - 1

    # -- commands ------------------------------------------------------------------

    def do_memory(self, _: str) -> None:
        """memory: what every cell holds"""
        assert self.player is not None
        machine, unfolding = self.player.machine, self.player.unfolding
        for number, location in enumerate(unfolding.locations):
            if not location.name.startswith(("start of thread ", "end of thread ")):
                value = machine.memory.get(number, unfolding.initial[number])
                self.message(f"{location.name} = {shown(unfolding.values[value])}")

    def do_buffers(self, _: str) -> None:
        """buffers: the stores that wait, oldest first"""
        assert self.player is not None
        unfolding = self.player.unfolding
        for info, buffer in zip(unfolding.threads, self.player.machine.buffers, strict=False):
            stores = [f"{unfolding.locations[store.location].name} = {shown(unfolding.values[store.value])}"
                      for store in buffer]  # fmt: skip
            self.message(f"thread {info.name}: {', '.join(stores) or 'empty'}")

    def do_schedule(self, _: str) -> None:
        """schedule: the rows of the report, and where we are"""
        for number, text in self._texts.items():
            self.message(f"{'->' if number == self.row else '  '} {number:3} {text}")

    def do_back(self, argument: str) -> bool:
        """back [ROW]: to that row of the report, or to the one before: the schedule is played again to there"""
        self.wanted = int(argument) if argument.strip().isdecimal() else max(1, self.row - 1)
        return bool(self.do_quit(argument))


def _place(trace: Trace, row: Row) -> int:
    """The step that a row begins with."""
    return next(
        place for place, step in enumerate(trace.steps) if step.event == row.event and step.commit == row.commit
    )


def debug(program: Program, trace: Trace, row: int) -> Trace:
    """Play a trace under the debugger, stopping before that row of its report. Raises like `mcr.replay`."""
    if row > len(rows(trace)):
        raise CheckerError(f"there is no row {row}: the report has {len(rows(trace))}")
    debugger = Debugger(trace)
    debugger.wanted = row
    with exploring(program.place), shown_run(), traced(debugger):
        sys.breakpointhook = lambda *_: debugger.set_trace(sys._getframe(1))
        return debugger.play(program)
