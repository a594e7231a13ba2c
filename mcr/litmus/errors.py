"""Why a litmus test is refused: a sentence, with file and line."""

from __future__ import annotations

from replay.errors import ModelError


class LitmusError(ModelError):
    """The test is malformed, or uses something that SC, TSO and PSO give no meaning here.

    A refused test is reported and counted, never skipped.
    """


class LineError(Exception):
    """A refusal that knows its line only; whoever knows the file makes a LitmusError of it."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
