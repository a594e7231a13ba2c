"""Requests that commands have in common, and how they answer."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from mcr.exploration.archive import DEFAULT_FOLDER
from mcr.exploration.goals import FAILURES
from mcr.exploration.options import Options
from mcr.explorers.registry import AUTO
from mcr.keys import KEYS, Said
from mcr.report.layout import Style, style_for, terminal_width
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from replay.world.memory_models import MODELS

Item = TypeVar("Item")


@dataclass(frozen=True)
class Request:
    """Which programs to look at, and how.

    targets      files, FILE::NAME, folders
    models       names of memory models, strongest first
    own          whether each program has models of its own instead (`Program.models`), as nobody asked for any
    settings     values for the programs' parameters
    folder       where traces go
    jobs         how many explorations go on at once, None for as many as there are cores
    cluster      address of a scheduler whose workers explore, "" for none
    resume       folder where what came of explorations is kept for a later run, None for nowhere
    certificate  folder for what shows that programs are verified, None for nowhere
    library      whether failures are shown with each step of calls of Python's own library
    """

    targets: Sequence[str]
    models: Sequence[str] = tuple(MODELS)
    own: bool = False
    objective: str = FAILURES
    algorithm: str = AUTO
    settings: Mapping[str, object] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    folder: Path = DEFAULT_FOLDER
    jobs: int | None = None
    cluster: str = ""
    resume: Path | None = None
    certificate: Path | None = None
    library: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace, project: Said | None = None, **said: Any) -> Request:
        """Reads a request: `said` first, then the command line, then what `project` says.

        Raises SolverError, before anything else happens, if the solver that is asked for cannot be made.
        """
        asked = {name: value for name, value in vars(arguments).items() if value is not None}
        if "solver" in asked:
            from solvers.registry import make_solver

            make_solver(asked["solver"])
        said = {**(project or {}), **asked, **said, "settings": dict(asked.get("settings", ()))}
        options = {name: said[name] for name in KEYS if name in said}
        said["options"] = Options.of({**options, "jobs": 1, "certificate": "certificate" in said})
        return cls(**{field.name: said[field.name] for field in fields(cls) if field.name in said})

    def models_of(self, program: Program) -> Sequence[str]:
        """The models under which a program is to be checked."""
        return program.models() if self.own else self.models

    def set_up(self, program: Program) -> Program:
        """The program with the values that are given for its parameters. Raises ModelError for others."""
        return program(**self.settings) if self.settings else program

    def programs(self) -> Iterator[Program]:
        """All that is named. Raises CheckerError for a target that is broken."""
        return (self.set_up(program) for target in self.targets for program in find_programs(target))


def answer(
    arguments: argparse.Namespace,
    document: Callable[[int, Style], dict[str, Any]],
    lines: Callable[[int, Style], Iterable[str]],
) -> None:
    """Print what came of it, for a width and in a style: the document with --json, else the lines."""
    from mcr.report.document import write_document

    width, style = terminal_width(), style_for(sys.stdout, arguments.color)
    if arguments.json:
        write_document(document(width, style), sys.stdout)
    else:
        print("\n".join(lines(width, style)))


def until_interrupted(items: Iterable[Item], tell: Callable[[Item], None] = lambda _: None) -> tuple[list[Item], bool]:
    """The items, told one by one; and whether Ctrl-C ended them: then those until there."""
    found: list[Item] = []
    try:
        for item in items:
            found.append(item)
            tell(item)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return found, True
    return found, False


def aside() -> contextlib.redirect_stdout[Any]:
    """While this is entered, what programs print goes to standard error: it is no part of the report."""
    return contextlib.redirect_stdout(sys.stderr)
