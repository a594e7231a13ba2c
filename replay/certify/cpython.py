"""A second opinion on the steps of a certificate: CPython runs the code of each thread, in a thread of its own.

One thread runs at a time. It stands still at each operation, and goes on with what the certificate says that it reads.
The interpreter of this package runs nothing here. The operations are those of the same classes (`replay.frontend`).
"""

from __future__ import annotations

import threading
from typing import Any

from replay.certify.form import Rejected
from replay.certify.local_graphs import LocalGraphs, Node
from replay.code.lines import user_stack
from replay.code.terminals import Request
from replay.code.thread_run import ThreadRun
from replay.code.yielding import drive
from replay.frontend.program import Program
from replay.interpreter.exceptions import HostStop
from replay.interpreter.execution import Execution, resume_outer
from replay.world.operation import Operation

LONGEST = 60.0
"""Seconds that code may run between two operations."""


def confirm_by_cpython(program: Program, said: dict[str, Any]) -> None:
    """Raises Rejected if CPython does something else at a step than the certificate says.

    So it does for a program that shares objects of ordinary classes: only the interpreter sees their accesses.
    """
    if program.instance().heap is not None:
        raise Rejected("CPython runs the threads of plain models only, and this program shares ordinary objects")
    try:
        _CPythonGraphs(program, said).confirm()
    except Rejected as wrong:
        raise Rejected(f"where CPython runs the code, {wrong}") from None


class _CPythonGraphs(LocalGraphs):
    """Local graphs whose code CPython runs. Histories which join are not compared again."""

    def _new_run(self, *given: Any) -> Any:
        return CPythonRun(super()._new_run(*given))

    def _compare_runs(self, node: Node, run: ThreadRun) -> None:
        """CPython's frames are not compared."""


class _GivenUp(BaseException):
    """Ends the code of a run that nothing needs any more."""


class _Line:
    """Messages between a thread and its driver: one of the two waits at any time."""

    def __init__(self) -> None:
        self.asked, self.answered = threading.Semaphore(0), threading.Semaphore(0)
        self.request: Request | BaseException | None = None
        self.answer: object = None
        self.is_over = False

    def ask(self, request: Any) -> object:
        """In the thread: stand still at a request; returns the answer. Raises _GivenUp if the run is."""
        if not self.is_over:  # else it comes from a `finally`
            self.request = request
            self.asked.release()
            self.answered.acquire()
        if self.is_over:
            raise _GivenUp
        return self.answer


class CPythonRun:
    """A run of a thread by CPython, with what `LocalGraphs` needs of a `ThreadRun`."""

    def __init__(self, run: ThreadRun) -> None:
        """The run must not have begun; its code is never interpreted."""
        self.thread = run.thread
        self.pending: Any = run.pending
        self._line = _Line()
        vars(self.thread)["_ask"] = self._line.ask
        live = threading.Thread(
            target=_live, args=(run.interpreted.execution, self._line), daemon=True, name="mcr-cpython"
        )
        live.start()

    def __del__(self) -> None:
        self._line.is_over = True
        self._line.answered.release()

    @property
    def wrote(self) -> object:
        """The result of the update that it performed last."""
        return self.thread.wrote

    def start(self) -> Any:
        """Run to the first operation."""
        return self._go(None)

    def resume(self, value: object) -> Any:
        """Give the pending operation its result and run to the next one."""
        return self._go(value)

    def repeat(self, steps: list[tuple[Operation, object]]) -> int:
        """Run through these steps, the first one last; returns how many were left when it asked for another one."""
        self.thread.known = steps
        self.start()
        return len(steps)

    def _go(self, answer: object) -> Any:
        self._line.answer = answer
        self._line.answered.release()
        if not self._line.asked.acquire(timeout=LONGEST):
            raise Rejected(f"thread {self.thread.name} ran for {LONGEST:g} s without asking for anything")
        self.pending = self._line.request
        if isinstance(self.pending, BaseException):
            raise getattr(self.pending, "error", self.pending)
        return self.pending


def _live(execution: Execution, line: _Line) -> None:
    """Run the code of a thread to its end. The execution says which thread runs here, and has no frames."""
    resume_outer(execution)
    line.answered.acquire()
    if line.is_over:
        return
    thread, request = execution.owner, None
    try:
        result = thread.code()
        if hasattr(result, "send") and hasattr(result, "gi_code"):
            result = drive(result)
        request = thread.ended(result)
    except _GivenUp:
        return
    except BaseException as error:
        request = _told(thread, error)
    line.request = request
    line.asked.release()


def _told(thread: Any, error: BaseException) -> Any:
    """How the thread ended by an exception; or that itself, where it is none of the code's own."""
    if isinstance(error, HostStop):
        return error
    try:
        return thread.failed(error, user_stack(error.__traceback__), [], [])
    except BaseException as wrong:
        return wrong
