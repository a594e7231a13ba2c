"""Failing traces as files: written as soon as they are found."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from mcr.exploration.verdict import Result
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.frontend.program import Program
from replay.traces.files import save_trace
from replay.traces.trace import FailureIdentity, Trace
from replay.world.operation import Source

DEFAULT_FOLDER = Path(".mcr")

_LONGEST = 180
"""Bytes of a name that leave room for the model, a number and a suffix: file systems allow 255."""


class Archive:
    """Keeps every failing trace of a command, in memory and in files.

    A file is called after its program and model, so that the next run
    replaces it: peterson-tso.json, bakery-n=3-tso.json, and peterson-tso-2.json
    for a second bug. Where two files define programs of one name, the file is
    part of it.
    """

    def __init__(self, folder: Path, programs: Sequence[Program]) -> None:
        self._folder = folder
        self._ambiguous = ambiguous(programs)
        self._found: dict[Program, dict[FailureIdentity, dict[str, Trace]]] = {}
        self._files: dict[Program, dict[tuple[str, FailureIdentity], Path]] = {}

    def add(self, program: Program, trace: Trace) -> None:
        """Keep and write a failing trace; one of the same failure under the same model is replaced.

        Raises CheckerError if it cannot be written.
        """
        identity = _identity(trace)
        self._found.setdefault(program, {}).setdefault(identity, {})[trace.model] = trace
        files = self._files.setdefault(program, {})
        if (trace.model, identity) not in files:
            files[trace.model, identity] = self._new_file(program, trace.model)
        save(trace, files[trace.model, identity])

    def add_witnesses(self, program: Program, traces: Sequence[Trace]) -> list[Path]:
        """Write one trace for each outcome under a model: sb-tso-outcome-1.json and so on; returns the files."""
        files = []
        for number, trace in enumerate(traces, start=1):
            files.append(self._folder / f"{self._name(program)}-{trace.model}-outcome-{number}.json")
            save(trace, files[-1])
        return files

    def add_certificate(self, program: Program, result: Result, folder: Path) -> Path:
        """Write what shows that a program is verified: peterson-tso.certificate. Raises CheckerError."""
        assert result.certificate is not None
        file = folder / f"{self._name(program)}-{result.model}.certificate"
        try:
            write_atomically(file, result.certificate)
        except OSError as error:
            raise CheckerError(f"{file}: the certificate cannot be written: {error.strerror}") from None
        return file

    def failures(self, program: Program, models: Sequence[str]) -> list[dict[str, Trace]]:
        """For each failure of a program under these models its traces by model name.

        Those of the first model come first, in the order in which they were found; then what is new under the next.
        """
        found = self._found.get(program, {})
        ordered = sorted((key for key in self._files.get(program, ()) if key[0] in models), key=_by_model(models))
        return [
            {model: trace for model, trace in found[identity].items() if model in models}
            for identity in dict.fromkeys(identity for _, identity in ordered)
        ]

    def file(self, program: Program, trace: Trace) -> Path | None:
        """Returns the file of a trace that was added; None if it could not be written."""
        file = self._files[program][trace.model, _identity(trace)]
        return file if file.is_file() else None

    def _new_file(self, program: Program, model: str) -> Path:
        number = 1 + sum(model == other for other, _ in self._files[program])
        return self._folder / f"{self._name(program)}-{model}{f'-{number}' if number > 1 else ''}.json"

    def _name(self, program: Program) -> str:
        return file_stem(program, with_file=program in self._ambiguous)


def ambiguous(programs: Sequence[Program]) -> set[Program]:
    """Returns programs whose files need the name of their source file, as another file has a program of that title.

    The one that is called like its file keeps the short name, however many files are given.
    """
    files: dict[str, set[str]] = {}
    for program in programs:
        files.setdefault(program.title, set()).add(program.file)

    def keeps(program: Program) -> bool:
        own = [file for file in files[program.title] if Path(file).stem == program.name]
        return len(files[program.title]) == 1 or own == [program.file]

    return {program for program in programs if not keeps(program)}


def save(trace: Trace, file: Path, folder: Path | None = None) -> None:
    """Write a trace with its file names relative to `folder`, by default the current one.

    Raises CheckerError if that fails.
    """
    try:
        save_trace(relative(trace, folder or Path.cwd()), file)
    except OSError as error:
        raise CheckerError(f"{file}: the trace cannot be written: {error.strerror}") from None
    except UnicodeEncodeError as error:
        raise CheckerError(f"{file}: the trace cannot be written: {error.encoding} lacks this name") from None


def file_stem(program: Program, *, with_file: bool = False) -> str:
    """How files about a program begin: its name and arguments, after that of its file if need be."""
    parts = [program.name, *(f"{name}={value}" for name, value in program.arguments.items())]
    if with_file:
        parts = [*Path(relative_name(program.file, Path.cwd())).with_suffix("").parts, *parts]
    stem = re.sub(r"[^\w=.+-]+", "_", "-".join(part.strip("/") for part in parts))
    if len(stem.encode(errors="replace")) <= _LONGEST:
        return stem
    return f"{stem[: _LONGEST // 4]}-{hashlib.sha256(stem.encode(errors='replace')).hexdigest()[:12]}"


def _by_model(models: Sequence[str]) -> Callable[[tuple[str, FailureIdentity]], int]:
    return lambda key: models.index(key[0])


def _identity(trace: Trace) -> FailureIdentity:
    assert trace.failure is not None
    return trace.failure.identity


def relative(trace: Trace, folder: Path) -> Trace:
    """The trace with the names of files below `folder` relative to it, so that it can be sent around."""

    def source(line: Source | None) -> Source | None:
        return line and line._replace(file=relative_name(line.file, folder))

    failure = trace.failure
    return replace(
        trace,
        program=replace(trace.program, file=relative_name(trace.program.file, folder)),
        events=tuple(replace(event, line=source(event.line)) for event in trace.events),
        failure=failure and replace(failure, stack=tuple(line for each in failure.stack if (line := source(each)))),
    )


def relative_name(file: str, folder: Path) -> str:
    """The name of a file from a folder, if it is below that."""
    path = Path(file)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else file
