"""Holds what an unfolding says of a thread against running the thread alone, on every sequence of values up to a depth.

The unfolding may merge local states, and it may cut loops that only look. A
thread that is cut goes on, alone, as it did from where its turn began.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from replay.code.terminals import Blocked, Cut, Failed, Request
from replay.code.thread_run import ThreadRun
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.machine.options import UnfoldingOptions
from replay.machine.spinning import SPIN
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.operation import Operation

VALUES = (0, 1)
"""What the variable may hold."""

WAYS = ({"merges": True}, {"merges": False}, {"merges": True, "cuts_spins": False})
"""How unfoldings are made that are compared."""


class Found:
    """What came of some programs."""

    def __init__(self) -> None:
        self.programs = self.refused = self.merged = 0
        self.wrong: list[str] = []

    def add(self, name: object, program: Program, depth: int) -> None:
        """Look at one more program, of one thread."""
        self.programs += 1
        try:
            with silence():
                alone = dict(_alone(program, depth))
                self.wrong += (f"{name}: {each}" for way in WAYS for each in self._differences(program, way, alone))
        except CheckerError as error:  # what fails whatever it reads is a broken model, with nothing to compare
            self.refused += "whatever the schedule" not in str(error)

    def _differences(self, program: Program, way: dict[str, bool], alone: dict[Sequence[int], str]) -> Iterator[str]:
        """What an unfolding says, and running the thread alone does not."""
        depth = max(map(len, alone))
        unfolding = Unfolding(program, UnfoldingOptions(depth + 1, **way))
        histories = 0
        for history, found in _unfolded(unfolding, depth):
            histories += 1
            if found != alone.get(history):
                yield f"{way}, after {list(history)}: {found}, alone: {alone.get(history)}"
                return
        self.merged += max(0, histories - len(unfolding.states))


def _alone(program: Program, depth: int) -> Iterator[tuple[Sequence[int], str]]:
    """What the thread asks for after each sequence of values."""
    todo: list[tuple[int, ...]] = [()]
    for history in todo:
        run = ThreadRun("0", program.instance().threads[0])
        run.start()
        for value in history:
            run.resume(value)
        yield history, _shown(run.pending)
        if isinstance(run.pending, Operation) and len(history) < depth:
            todo += ((*history, value) for value in VALUES)


def _unfolded(unfolding: Unfolding, depth: int) -> Iterator[tuple[Sequence[int], str]]:
    """The same, as an unfolding has it."""
    todo: list[tuple[tuple[int, ...], list[State]]] = [((), [unfolding.threads[0].root])]
    for history, path in todo:
        end = path[-1].terminal
        if isinstance(end, Blocked) and end.reason == SPIN:
            path = path[: end.wait_from + 1]
        state = path[-1]
        if isinstance(state.terminal, Cut):
            continue
        yield history, _shown(state.operation or state.terminal)
        if state.operation is not None and len(history) < depth:
            for value in VALUES:
                read = unfolding.values.intern(value) if state.reads else NOTHING
                todo.append(((*history, value), [*path, unfolding.step(state, read).after]))


def _shown(request: Request | None) -> str:
    match request:
        case Operation():
            return f"{request.describe()} ({request.source})"
        case Failed():
            return f"{request.error}: {request.message} ({request.source})"
        case Blocked():
            return f"{request.reason} ({request.source})"
    return repr(request)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Threads that are given up complain where they would use shared state in the end."""

    def hook(_: Any) -> None:
        pass

    before, sys.unraisablehook = sys.unraisablehook, hook
    try:
        yield
    finally:
        sys.unraisablehook = before
