"""A client as a file: a program of its own that can be checked, replayed and read."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from mcr.linearizability.observers import JUDGES, LINEARIZABLE
from mcr.linearizability.specification import Orders, Specification
from mcr.linearizability.subject import Clients, Invariant, Subject
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.frontend.history import History
from replay.sentences import did_you_mean
from replay.traces.loader import load_module
from replay.traces.project import importable

_OWN_MODULES = ("__main__", "mcr_model_")
"""How the last part of a module's name begins that a file has here only."""


def named(target: str, folder: str = "") -> Callable[..., Any]:
    """Returns what "FILE.py::NAME", below a folder, or "package.module:NAME" names.

    Raises ModelError for a file that is broken, CheckerError where there is nothing of that name.
    """
    file, colons, name = target.partition("::")
    if colons or Path(folder, file).is_file():
        module = load_module(Path(os.path.normpath(Path(folder) / file)))
    else:
        file, _, name = target.partition(":")
        module = _imported(file, target)
    if not name:
        raise CheckerError(f"{target}: say which class, as FILE::NAME or package.module:NAME{_classes(module)}")
    found: Any = module
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError:
        near = did_you_mean(name, vars(module))
        raise CheckerError(f"{target}: there is no {name!r} in {file}{near or _classes(module)}") from None
    if not callable(found):
        raise CheckerError(f"{target} is no class, nor a function that makes an object")
    made: Callable[..., Any] = found
    return made


def _imported(name: str, target: str) -> ModuleType:
    """A module by its name, looked up in the current folder, too. Raises CheckerError."""
    try:
        with importable([os.getcwd()]):
            return importlib.import_module(name)
    except ImportError as error:
        raise CheckerError(f"{target}: {error}") from None


def _classes(module: ModuleType) -> str:
    """The classes that a module defines, as the end of a sentence."""
    own = [
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and not name.startswith("_")
    ]
    return f"; there are {', '.join(own)}" if own else "; it defines no class"


def target_of(make: Callable[..., Any], folder: Path) -> str | None:
    """Returns the name of it for `named`, as seen from a folder; None if it has none."""
    name, module = getattr(make, "__qualname__", "<"), sys.modules.get(getattr(make, "__module__", ""))
    if "<" in name or module is None:
        return None
    if not module.__name__.rpartition(".")[2].startswith(_OWN_MODULES):
        return f"{module.__name__}:{name}"
    file = inspect.getsourcefile(make)
    return None if file is None else f"{os.path.relpath(file, folder)}::{name}"


def history_of(
    make: Callable[..., Any],
    spec: Callable[..., Any],
    operations: list[Any],
    client: tuple[Any, ...],
    judge: str = LINEARIZABLE,
) -> History:
    """Returns the observer that is told of the calls of a client, and judges them."""
    orders = Orders(Specification(Subject(spec, operations)), Clients(*client))
    return History(JUDGES[judge](orders), Subject(make, operations).texts)


def write_client(
    path: Path, subject: Subject, spec: Callable[..., Any], client: Clients, judge: str, invariant: Invariant | None
) -> bool:
    """Write a client as a program; returns whether it can be: what is not in a file cannot be named in one."""
    made, specified = target_of(subject.make, path.parent), target_of(spec, path.parent)
    holds = None if invariant is None else target_of(invariant, path.parent)
    if made is None or specified is None or (holds is None and invariant is not None):
        return False
    operations = [(each.method, *each.arguments) for each in subject.operations]
    write_atomically(
        path,
        f'''\
"""A client of {subject.name} that is not {judge}."""

from pathlib import Path

import mcr
from mcr.linearizability.client import history_of, named
from replay.frontend.ordinary.held import held_by

FOLDER = str(Path(__file__).parent)
make = named({made!r}, FOLDER)
spec = named({specified!r}, FOLDER)
history = history_of(make, spec, {operations!r}, {tuple(client)!r}, {judge!r})
invariant = {f"named({holds!r}, FOLDER)" if holds else None}


@mcr.program
{subject.source(client)}''',
    )
    return True
