"""Lines that executions of a program reach; those that none reaches are proved if the exploration ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from dis import opmap
from types import CodeType, FrameType
from typing import Any

from mcr.api import open_session
from mcr.coverage.code import Branch, Statement, is_theirs, place_of, text_of, thread_functions
from mcr.exploration.options import Options
from mcr.exploration.verdict import Stop
from replay.code.lines import is_user_code
from replay.code.running_thread import thread_that_runs
from replay.frontend.program import Program
from replay.interpreter.tracing import traced
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel

Arc = tuple[str, int, int]
"""A file, a line, and the line of the same function that was executed next; 0 where the function was left."""


_YIELD = opmap["YIELD_VALUE"]
"""Where a generator hands out an operation it does not end, though a tracer is told that it returns."""


class Tracer:
    """Counts what thread code executes while the tracer is active.

    arcs   how often one line followed another in a function, unless an exception led there
    lines  how often a line was executed, by file and number
    codes  the functions
    thread the name of the thread that is looked at; those that spawn it run before
    """

    def __init__(self) -> None:
        self.arcs: Counter[Arc] = Counter()
        self.lines: Counter[tuple[str, int]] = Counter()
        self.codes: set[CodeType] = set()
        self.thread = ""
        self._last: dict[FrameType, int] = {}

    @contextmanager
    def looking_on(self) -> Iterator[None]:
        try:
            with traced(self):
                yield
        finally:
            self._last.clear()

    def resumed(self, _: object) -> None:
        """Whatever goes on was seen when it began."""

    def paused(self, _: object) -> None:
        """Nobody waits at the prompt of a debugger."""

    def trace_interpreted(self, frame: FrameType, event: str, _: object) -> Any:
        """A function begins: look at its lines if it is thread code."""
        code = frame.f_code
        if thread_that_runs() != self.thread or not is_user_code(code.co_filename):
            return None
        self.codes.add(code)
        return self._event

    def _event(self, frame: FrameType, event: str, said: Any) -> Any:
        if event == "exception" and not issubclass(said[0], StopIteration):  # that of an iterator ends its loop
            self._last.pop(frame, None)  # the line did not decide: an exception left it, or it waits for good
        elif event == "line":
            self._step(frame, frame.f_lineno)
        elif event == "return" and frame.f_code.co_code[frame.f_lasti] != _YIELD:
            self._step(frame, 0)
        return self._event

    def _step(self, frame: FrameType, line: int) -> None:
        file, before = frame.f_code.co_filename, self._last.get(frame)
        if before is not None and not frame.f_code.co_name.startswith("<"):  # what a lambda does decides nothing
            self.arcs[file, before, line] += 1
        if line:
            self._last[frame] = line
            self.lines[file, line] += 1
        else:
            self._last.pop(frame, None)


def trace(unfolding: Unfolding) -> Tracer:
    """Run every history of an unfolding that does not merge; it has one for each state."""
    tracer = Tracer()
    with tracer.looking_on():
        for state in unfolding.states:
            if not state.edges:
                unfolding.check()
                tracer.thread = unfolding.thread_name(state.thread)
                unfolding.run_to(state)
    return tracer


@dataclass(frozen=True)
class Coverage:
    """How many histories of its threads executed each line of a program and took each branch, under a memory model.

    stop  why there may be others; None if it is proved that there are none
    """

    program: Program
    model: str
    lines: dict[Statement, int]
    branches: dict[Branch, int]
    stop: Stop | None = None

    @property
    def unreached(self) -> list[Statement]:
        return [statement for statement, count in self.lines.items() if not count]

    @property
    def untaken(self) -> list[Branch]:
        """Branches that are never taken, of statements that are executed."""
        return [branch for branch, count in self.branches.items() if not count and self.lines[branch.statement]]


def cover(program: Program, model: MemoryModel, options: Options) -> Coverage:
    """Explore a program, whatever fails, and see which code was executed. Raises ModelError if it is broken.

    Histories are told apart, since those that share a local state may have come there by other lines.
    """
    options = replace(options, merge=False, turns=True, keep_going=True, shorten=False, sought=None)
    session = open_session(program, model, algorithm="cover", options=options)
    result = session.explore()
    tracer = trace(session.context.unfolding)
    return counted(program, model.name, tracer, result.stop)


def counted(program: Program, model: str, tracer: Tracer, stop: Stop | None) -> Coverage:
    """Counts what was executed of thread code."""
    called = {place_of(code) for code in tracer.codes if is_theirs(code.co_filename)}
    statements, branches = text_of({*thread_functions(program), *called})
    lines = {each: max(tracer.lines[each.file, n] for n in range(each.line, each.last + 1)) for each in statements}
    return Coverage(program, model, lines, {branch: _taken(branch, tracer) for branch in branches}, stop)


def _taken(branch: Branch, tracer: Tracer) -> int:
    """How often a line of the statement was followed by one of its body, or by one that is neither."""
    first, last = branch.statement.line, branch.statement.last
    found = 0
    for (file, before, line), count in tracer.arcs.items():
        if file == branch.statement.file and first <= before <= last and not first <= line <= last:
            found += count * ((line == branch.body) == branch.taken)
    return found


def together(found: list[Coverage]) -> dict[str, tuple[Counter[int], Counter[tuple[int, int]]]]:
    """By file what all programs reach together: counts by line, and by line and where it branches to."""
    files: dict[str, tuple[Counter[int], Counter[tuple[int, int]]]] = {}
    for each in found:
        for statement, count in each.lines.items():
            files.setdefault(statement.file, (Counter(), Counter()))[0][statement.line] += count
        for branch, count in each.branches.items():
            files[branch.statement.file][1][branch.statement.line, branch.to] += count
    return files
