"""`mcr check TARGET --path OLD --path NEW`: the same programs on several versions of what they import.

Each version is checked in a process of its own, as Python imports a module once. What failed on one version is then
played on those after it: so one sees whether the mend stops it, and at which step.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mcr import plugins
from mcr.cli.commands.replay import conclusion_of
from mcr.cli.request import Request, answer, aside
from mcr.cli.status import Status, complain, gravest
from mcr.cli.streams import careful_streams
from mcr.keys import project_plugins
from mcr.report.versions import Checked, Played, render_versions, versions_document
from replay.errors import CheckerError, ScheduleError
from replay.traces.files import load_trace
from replay.traces.loader import resolve
from replay.traces.project import check_folders, looking_first
from replay.traces.trace import FREE_THREADED, GIL, Failure, Trace

_NOT_WITH = {
    "cluster": "--cluster", "resume": "--resume", "certificate": "--certificate", "coverage": "--coverage",
    "coverage_file": "--coverage-file", "states": "--states", "plot": "--plot", "format": "--format",
    "short": "--short", "verbose": "--verbose", "quiet": "--quiet", "library": "--library",
}  # fmt: skip
"""Options of `mcr check` that say how to report on one version."""


def check_versions(arguments: argparse.Namespace) -> Status:
    """Check the programs on each version, and tell of all in one table.

    Returns the status of the last version. Raises CheckerError for a folder that is not there, and for options that are
    about one version only.
    """
    for name, flag in _NOT_WITH.items():
        if getattr(arguments, name):
            raise CheckerError(f"{flag} is about one version: name one folder by --path, or leave {flag} out")
    folders: list[Path] = arguments.path
    check_folders(folders)
    if len(set(folders)) < len(folders):
        raise CheckerError("--path: a folder is named twice")
    checked: list[Checked] = []
    played: list[Played] = []
    try:
        for folder in folders:
            earlier = [*checked]
            for found in _checks(arguments, folder, len(earlier)):
                checked.append(found)
                like = (before for before in earlier if before.python == found.python)
                played += [_played(before, trace, folder, arguments) for before in like for trace in before.traces]
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        ended = Status.INCOMPLETE
    else:
        ended = gravest(Status(each.status) for each in checked if each.folder == folders[-1])
    answer(
        arguments,
        lambda *_: versions_document(checked, played, ended),
        partial(render_versions, checked, played),
    )
    return ended


def _checks(arguments: argparse.Namespace, folder: Path, number: int) -> Iterator[Checked]:
    """The checks of one version: on each kind of Python, where neither that nor memory models are asked for, and only
    objects are shared."""
    kind = arguments.python or FREE_THREADED
    first = _check(arguments, folder, kind, number)
    yield first
    models = {result["model"] for result in first.results}
    if not (arguments.python or arguments.models) and models <= {"sc"}:
        yield _check(arguments, folder, GIL, number)


def _check(arguments: argparse.Namespace, folder: Path, python: str, number: int) -> Checked:
    where = (arguments.folder or Request.folder) / f"{number}-{folder.resolve().name}-{python}"
    said = {"path": [folder], "python": python, "json": True, "folder": where}
    text = _in_a_process(_CheckOne(argparse.Namespace(**{**vars(arguments), **said})))
    return Checked(folder, python, json.loads(text or "{}"))


def _played(before: Checked, trace: str, folder: Path, arguments: argparse.Namespace) -> Played:
    text = _in_a_process(_PlayOne(Path(trace), folder, arguments.plugins or []))
    if not text:
        return Played(before, trace, folder, Status.WRONG_USE, "The process that played it has ended.")
    said = json.loads(text)
    return Played(before, trace, folder, Status(said["status"]), said["said"])


# -- in the process of a version -------------------------------------------------------


@dataclass(frozen=True)
class _CheckOne:
    """A check of one version, which writes its document."""

    arguments: argparse.Namespace

    @property
    def plugins(self) -> Sequence[Path]:
        found: Sequence[Path] = self.arguments.plugins or []
        return found

    def run(self) -> None:
        self.arguments.run(self.arguments)


@dataclass(frozen=True)
class _PlayOne:
    """A trace that is played on another version than it was found on."""

    trace: Path
    folder: Path
    plugins: Sequence[Path]

    def run(self) -> None:
        """Play it, and write the status and a sentence as JSON."""
        with looking_first([self.folder]), aside():
            status, said = self._answer(load_trace(self.trace))
        print(json.dumps({"status": status, "said": said}))

    def _answer(self, recorded: Trace) -> tuple[Status, str]:
        from mcr.api import replay  # late, and only here, with all that an exploration needs

        try:
            played = replay(resolve(recorded.program, self.trace), recorded)
        except ScheduleError as error:
            return Status.VERIFIED, f"It does not fit any more: {error}."
        except CheckerError as error:
            return Status.WRONG_USE, f"It cannot be played: {error}."
        if played.failure is None and recorded.failure is not None:
            return Status.VERIFIED, f"The failure is gone: {_instead(recorded.failure, played)}."
        return Status.BUG, conclusion_of(recorded, played)


def _instead(failure: Failure, played: Trace) -> str:
    """Returns the words for how the thread that failed ends now: it goes on, ends or waits."""
    end = played.ends[failure.thread]
    goes_on = {"running": f"goes on to '{end.detail}'", "ended": "comes to its end", "blocked": "waits"}
    where = f"where thread {failure.thread} failed with {failure}" if failure.is_raised else "where threads were stuck"
    return f"{where}, thread {failure.thread} {goes_on.get(end.how, end.how)}"


_SERVE = "from mcr.cli.versions import serve; serve()"


def _in_a_process(work: _CheckOne | _PlayOne) -> str:
    """Returns what the work prints. Progress and errors appear."""
    command = [sys.executable, "-P", "-c", _SERVE]
    ended = subprocess.run(command, input=pickle.dumps(work), stdout=subprocess.PIPE, check=False)
    return ended.stdout.decode()


def serve() -> None:
    """Do the work that standard input says. What a user can do something about is told on standard error."""
    work: _CheckOne | _PlayOne = pickle.loads(sys.stdin.buffer.read())
    try:
        with careful_streams():
            plugins.load([*project_plugins(Path.cwd()), *work.plugins])
            work.run()
    except CheckerError as error:
        complain(error)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
