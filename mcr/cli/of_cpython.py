"""The options --cpython and --script of `mcr replay`: threads of CPython play the trace."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcr.cli.request import aside
from mcr.cli.status import Status
from replay.code.printing import shown_run
from replay.code.user_code import exploring
from replay.cpython.confirm import confirm, write_script
from replay.cpython.schedule import InsideInstructionError, schedule_of
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.trace import Trace

_NOT_WITH = ("html", "graph", "pdb", "times", "fewest")


@dataclass(frozen=True)
class OfCPython:
    """The result of playing a trace on threads of CPython; empty if that was not asked for.

    status  the exit status that this means
    said    what CPython makes of the schedule, a sentence
    script  the file that was written
    """

    status: Status = Status.VERIFIED
    said: str = ""
    script: Path | None = None

    @property
    def document(self) -> dict[str, Any]:
        """For --json."""
        return {
            **({"cpython": {"status": self.status, "said": self.said}} if self.said else {}),
            **({"script": str(self.script)} if self.script else {}),
        }

    @property
    def lines(self) -> Iterator[str]:
        """For readers."""
        if self.said:
            yield f"{self.said}."
        if self.script:
            yield f"The script is in {self.script}: python {self.script}"


def check_alone(arguments: argparse.Namespace) -> None:
    """Raises CheckerError for options that say nothing of CPython."""
    asked = "--cpython" if arguments.cpython else "--script" if arguments.script else ""
    others = [f"--{name}" for name in _NOT_WITH if getattr(arguments, name)]
    if asked and others:
        raise CheckerError(
            f"{asked} plays the trace on threads of CPython, and {others[0]} on mcr's: ask for one of them"
        )


def played_by_cpython(arguments: argparse.Namespace, program: Program, trace: Trace) -> OfCPython:
    """Do what --cpython and --script ask for. Raises CheckerError for a trace of which CPython has nothing to say."""
    file: Path | None = arguments.script
    if not (arguments.cpython or file):
        return OfCPython()
    try:
        with aside(), exploring(program.place), shown_run(appears=False):
            schedule = schedule_of(program, trace)
    except InsideInstructionError as error:
        return OfCPython(Status.INCOMPLETE, f"CPython cannot follow: {error}")
    if file is not None:
        try:
            write_script(schedule, file)
        except OSError as error:
            raise CheckerError(f"{file}: the script cannot be written: {error.strerror}") from None
    if not arguments.cpython:
        return OfCPython(script=file)
    found = confirm(schedule)
    return OfCPython(Status(found.status), found.said, file)
