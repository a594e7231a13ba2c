"""Errors outside the checked program, one class for each audience.

An assertion that fails inside a modelled thread is not an error of ours: it
is a *failure* (`replay.code.terminals.Failed`), the thing this project looks for.
"""

from __future__ import annotations

from typing import Any


class CheckerError(Exception):
    """Base of every error that is shown to the user as one sentence (exit status 2)."""


class ModelError(CheckerError):
    """The program model is broken: it cannot be explored at all.

    `where` is "file:line" of the offending user code, "" when there is none.
    """

    def __init__(self, message: str, where: str = "") -> None:
        self.message = message
        self.where = where
        super().__init__(f"{where}: {message}" if where else message)

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, str]]:
        """It may be raised in one process and told by another."""
        return type(self), (self.message, self.where)


class TooManyInputs(ModelError):
    """An input is one of more numbers than are tried one by one."""


class TellsCalls(ModelError):
    """Thread code tells a history of its calls (`replay.frontend.history`), which this algorithm cannot follow."""


class AskOthers(ModelError):
    """Another algorithm has to be asked."""


class BeyondTerms(ModelError):
    """Thread code on terms came to where it may be told from thread code on values.

    `terms` are those that it would have to know before; none if that cannot be told.
    """

    def __init__(self, message: str, where: str = "", terms: tuple[Any, ...] = ()) -> None:
        super().__init__(message, where)
        self.terms = terms


class TakenForConstant(ModelError):
    """A thread changes what was no memory so far; the exploration begins anew, with it as memory.

    So it does if a thread waits for it to change. `message` has a line for each name.
    """


class NondeterminismError(ModelError):
    """Thread code run twice on one history asked for two different operations."""


class ScheduleError(CheckerError):
    """A schedule does not fit the program; `step` counts from 0, the message from 1.

    `where` is "file:line" of what was found, "" when there is none.
    """

    def __init__(self, step: int, expected: str, found: str, where: str = "") -> None:
        self.step = step
        self.expected = expected
        self.found = found
        self.where = where
        place = f" ({where})" if where else ""
        super().__init__(f"step {step + 1} of the schedule: expected {expected}, found {found}{place}")

    def __reduce__(self) -> tuple[type[ScheduleError], tuple[int, str, str, str]]:
        """It may be raised in one process and told by another."""
        return type(self), (self.step, self.expected, self.found, self.where)


class FormatError(CheckerError):
    """A file is not what its reader expects: wrong schema, truncated, not JSON."""


class InternalError(Exception):
    """The checker contradicted itself. Never the user's fault; please report it."""
