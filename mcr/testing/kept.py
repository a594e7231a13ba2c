"""The failing schedule of a test, kept from run to run in a file that `mcr replay` plays."""

from __future__ import annotations

from pathlib import Path

from mcr.api import replay
from mcr.exploration.archive import save
from mcr.exploration.goals import DEADLOCKS, Goals
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.files import load_trace
from replay.traces.trace import GIL, SOUGHT_FOR, Trace


class KeptFailures:
    """The file of one test under one model. No other test writes it, so that tests may run in parallel.

    `problem` says why it could not be written, "" if it could.
    """

    def __init__(self, folder: Path, root: Path, test_file: Path, name: str) -> None:
        """In `folder`, tests are kept as their files are below `root`: .mcr/tests/test_locks/peterson-tso.json."""
        below = test_file.relative_to(root) if test_file.is_relative_to(root) else Path(*test_file.parts[1:])
        self.file = folder / below.with_suffix("") / f"{name}.json"
        self.problem = ""
        self._base = root if folder.is_relative_to(root) else folder

    def still_fails(self, program: Program, model: str, goals: Goals, python: str) -> Trace | None:
        """Play the kept schedule; None if there is none for that kind of Python, it does not fit, or nothing fails.

        Files that are damaged or of another version count as none: what they were kept for is found again.
        """
        try:
            trace = load_trace(self.file)
            if trace.model != model or trace.global_lock != (python == GIL) or not _is_asked_for(trace, goals):
                return None
            played = replay(program, trace)
        except CheckerError:
            return None
        return played if played.failure else None

    def save(self, trace: Trace) -> None:
        """Keep a failing trace. It is no reason to fail if that does not work: the trace is shown anyway."""
        try:
            save(trace, self.file, self._base)
        except CheckerError as error:
            self.problem = str(error)

    def remove(self) -> bool:
        """Forget the failure, since it is fixed; says whether there was one."""
        try:
            self.file.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            self.problem = f"{self.file}: cannot be removed: {error.strerror}"
            return False
        return True


def _is_asked_for(trace: Trace, goals: Goals) -> bool:
    """Returns whether a test looks for this failure: one that no thread raises fails only tests that ask for it."""
    objective = SOUGHT_FOR.get(trace.failure.error, "") if trace.failure else ""
    return not objective or objective in goals.names or (objective == DEADLOCKS and goals.deadlocks)
