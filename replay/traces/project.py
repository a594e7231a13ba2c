"""The imports of a file that is a test of a project: the same that pytest allows.

So a program that was found by pytest can be loaded by `mcr`, as the commands in its reports say. Before all others come
the folders that `--path` names: with a version of a package that is not the installed one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from replay.errors import CheckerError

_SETTINGS = {"pytest.ini": "pytest", "pyproject.toml": "", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
"""Files that make a folder the root of a project, and which part of them is for pytest."""


_FIRST: list[Path] = []
"""The folders of `--path`."""


def first_folders() -> Sequence[Path]:
    """The folders that go before all others now, as they were named."""
    return tuple(_FIRST)


def check_folders(folders: Iterable[Path]) -> None:
    """Raises CheckerError for a folder of `--path` that is not there."""
    for folder in folders:
        if not folder.is_dir():
            raise CheckerError(f"--path {folder}: there is no such folder")


@contextmanager
def looking_first(folders: Iterable[Path]) -> Iterator[None]:
    """While this lasts, these folders go before all others. Raises CheckerError for one that is not there."""
    found = list(folders)
    check_folders(found)
    _FIRST[:0] = found
    try:
        with importable([]):
            yield
    finally:
        del _FIRST[: len(found)]


@contextmanager
def importable(folders: Iterable[str]) -> Iterator[None]:
    """While this lasts, imports are looked up in these folders before others, but for those of `--path`."""
    added = [*(str(folder.resolve()) for folder in _FIRST), *folders]
    sys.path[:0] = added
    try:
        yield
    finally:
        for folder in added:
            sys.path.remove(folder)


def package_of(file: Path) -> str:
    """The package that a file belongs to, "" for none: for `from .helpers import ...`."""
    names = []
    for folder in file.resolve().parents:
        if not (folder / "__init__.py").is_file():
            break
        names.append(folder.name)
    return ".".join(reversed(names))


def import_folders(file: Path) -> list[str]:
    """The folders in which its imports are looked up before others but those of `--path`: its own, and those of its
    project."""
    file = file.resolve()
    home = file.parents[package_of(file).count(".") + 1] if package_of(file) else file.parent
    found = dict.fromkeys([str(file.parent), str(home)])
    for folder in file.parents:
        if (folder / "conftest.py").is_file() and not (folder / "__init__.py").is_file():
            found[str(folder)] = None
        settings = [folder / name for name in _SETTINGS if (folder / name).is_file()]
        if settings:
            found.update((os.path.normpath(folder / path), None) for path in _python_path(settings))
            break
    return list(found)


def _python_path(settings: list[Path]) -> Iterator[str]:
    """Yields the `pythonpath` of the first of these files that has something for pytest."""
    for file in settings:
        try:
            text = file.read_text(encoding="utf-8")
            paths = _table(file.name, text).get("pythonpath", []) if "pythonpath" in text else []
            yield from paths.split() if isinstance(paths, str) else map(str, paths)
        except (OSError, ValueError, TypeError, AttributeError):  # whoever runs pytest there is told what is wrong
            continue


def _table(name: str, text: str) -> Any:
    if name != "pyproject.toml":
        from configparser import ConfigParser, Error  # late, as few projects have such a file

        parser = ConfigParser(interpolation=None)
        try:
            parser.read_string(text)
        except Error as error:
            raise ValueError from error
        return dict(parser[_SETTINGS[name]]) if _SETTINGS[name] in parser else {}
    import tomllib

    settings = tomllib.loads(text).get("tool", {}).get("pytest", {})
    return settings.get("ini_options", settings)  # the latter from pytest 9 on
