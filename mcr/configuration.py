"""How to check, as users say it in several places: `[tool.mcr]` of pyproject.toml, decorators, command lines.

What each key accepts is written here once. A place that says more precisely
what it wants goes before the others (`Configuration.over`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from mcr.exploration.memory import read_size
from replay.errors import CheckerError
from replay.world.memory_models import MODELS, memory_model
from solvers.registry import NAMES

PROJECT_FILE = "pyproject.toml"


@dataclass(frozen=True)
class Configuration:
    """Answers to some of the questions; None for what is left open.

    models            names of memory models, strongest first
    objective         what to look for (`mcr.exploration.goals`)
    algorithm         how to look for it (`mcr.explorers.registry`)
    deadlocks         a run that ends while threads wait for what never comes is a bug
    merge             let histories that leave a thread in one local state share it
    solver            name of the solver
    timeout           seconds, for each program and model
    memory            bytes that a process may hold while it checks a program
    max_executions    runs of the program
    max_operations    of a thread
    buffer            stores that a thread may have in its buffers
    folder            where failing traces go
    allow_incomplete  a test passes, with a warning, when a limit cut its check (pytest only)
    collect           programs are tests even if nothing says so (pytest only)
    """

    models: tuple[str, ...] | None = None
    objective: str | None = None
    algorithm: str | None = None
    deadlocks: bool | None = None
    merge: bool | None = None
    solver: str | None = None
    timeout: float | None = None
    memory: int | None = None
    max_executions: int | None = None
    max_operations: int | None = None
    buffer: int | None = None
    folder: Path | None = None
    allow_incomplete: bool | None = None
    collect: bool | None = None

    def over(self, weaker: Configuration) -> Configuration:
        """What is said here, and where that leaves something open, what `weaker` says."""
        said = {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}
        return replace(weaker, **said)

    def limits(self) -> dict[str, Any]:
        """Solver, limits and so on that are said, by the names that `mcr.exploration.options.Options` has for them."""
        names = ("deadlocks", "merge", "solver", "timeout", "memory", "max_executions", "max_operations", "buffer")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


def read_models(value: object) -> tuple[str, ...]:
    """One name or several, in any case and order; strongest first. Raises ValueError."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple | set | frozenset) or not names:
        raise ValueError(f"{value!r} is not a list of memory models; there are {', '.join(MODELS)}")
    for name in names:
        if not isinstance(name, str) or name.lower() not in MODELS:
            raise ValueError(f"unknown memory model {name!r}; there are {', '.join(MODELS)}")
    wanted = {memory_model(name).name for name in names}
    return tuple(name for name in MODELS if name in wanted)


def _objective(value: object) -> str:
    from mcr.exploration.goals import Goals

    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not the name of an objective")
    try:
        return Goals.parse(value).text
    except CheckerError as error:
        raise ValueError(str(error)) from None


def _algorithm(value: object) -> str:
    from mcr.explorers.registry import parse

    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not the name of an algorithm")
    try:
        parse(value)
    except CheckerError as error:
        raise ValueError(str(error)) from None
    return value


def _solver(value: object) -> str:
    if value not in NAMES:
        raise ValueError(f"there is no solver {value!r}; there are {', '.join(NAMES)}")
    return str(value)


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError(f"{value!r} is not a number of seconds above 0")
    return value


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError(f"{value!r} is not a whole number above 0")
    return value


def _size(value: object) -> int:
    return _count(value) if isinstance(value, int) else read_size(str(value))


def _folder(value: object) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"{value!r} is not the name of a folder")
    return Path(value)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


_READERS: dict[str, Callable[[object], object]] = {
    "models": read_models,
    "objective": _objective,
    "algorithm": _algorithm,
    "deadlocks": _truth,
    "merge": _truth,
    "solver": _solver,
    "timeout": _seconds,
    "memory": _size,
    "max_executions": _count,
    "max_operations": _count,
    "buffer": _count,
    "folder": _folder,
    "allow_incomplete": _truth,
    "collect": _truth,
}
"""What makes the value of a key out of what users write, or raises ValueError with a sentence."""

OF_A_TEST = (
    "models", "objective", "algorithm", "deadlocks", "merge", "solver", "timeout", "memory", "max_executions",
    "max_operations", "buffer", "allow_incomplete",
)  # fmt: skip
"""What one test may say for itself."""

OF_A_PROJECT = tuple(name for name in _READERS if name != "objective")
"""What [tool.mcr] may say: an objective is a question about one program."""


def read(values: Mapping[str, object], known: Iterable[str]) -> Configuration:
    """The configuration that `values` describe; raises ValueError, "KEY: what is wrong with it"."""
    read: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"{name}: there is no such key; there are {', '.join(known)}")
        try:
            read[name] = _READERS[name](value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return Configuration(**read)


def read_project(file: Path) -> Configuration:
    """What [tool.mcr] in a pyproject.toml says; its folder is relative to that of the file.

    Raises CheckerError naming file and key. A file that is not there says nothing.
    """
    try:
        text = file.read_text(encoding="utf-8")
        table = _table(text) if "mcr" in text else {}
    except FileNotFoundError:
        return Configuration()
    except RecursionError:
        raise CheckerError(f"{file}: cannot be read: nested too deeply") from None
    except (OSError, ValueError) as error:  # broken TOML and broken UTF-8 are ValueErrors
        raise CheckerError(f"{file}: cannot be read: {error}") from None
    if not isinstance(table, dict):
        raise CheckerError(f"{file}: [tool.mcr] is not a table")
    try:
        said = read(table, OF_A_PROJECT)
    except ValueError as error:
        raise CheckerError(f"{file}: [tool.mcr] {error}") from None
    return replace(said, folder=said.folder and file.parent / said.folder)


def _table(text: str) -> Any:
    """[tool.mcr] of a pyproject.toml. Raises ValueError if that is no TOML."""
    import tomllib  # late, as most projects say nothing of us

    return tomllib.loads(text).get("tool", {}).get("mcr", {})


def find_project(folder: Path) -> Path:
    """The pyproject.toml that is responsible for a folder: in it, or in the nearest folder above that has one."""
    found = (place / PROJECT_FILE for place in (folder, *folder.parents))
    return next((file for file in found if file.is_file()), folder / PROJECT_FILE)
