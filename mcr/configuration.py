"""How to check, as users say it in several places: what each place says is a dictionary, by the keys of `mcr.keys`.

A place that says more precisely what it wants goes before the others: `{**project, **test, **command}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mcr.keys import KEYS, OF_A_PROJECT
from replay.errors import CheckerError
from replay.sentences import there_are

PROJECT_FILE = "pyproject.toml"

Said = dict[str, Any]
"""Answers by key; what is left open is not in it."""


def read(values: Mapping[str, object], known: Iterable[str]) -> Said:
    """The values of what is written; raises ValueError, "KEY: what is wrong with it"."""
    said: Said = {}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"{name}: there is no such key; {there_are(known, name)}")
        try:
            said[name] = KEYS[name].read(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return said


def read_project(file: Path) -> Said:
    """What [tool.mcr] in a pyproject.toml says; its folder is relative to that of the file.

    Raises CheckerError naming file and key. A file that is not there says nothing.
    """
    try:
        text = file.read_text(encoding="utf-8")
        table = _table(text) if "mcr" in text else {}
    except FileNotFoundError:
        return {}
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
    return {**said, "folder": file.parent / said["folder"]} if "folder" in said else said


def _table(text: str) -> Any:
    """[tool.mcr] of a pyproject.toml. Raises ValueError if that is no TOML."""
    import tomllib  # late, as most projects say nothing of us

    return tomllib.loads(text).get("tool", {}).get("mcr", {})


def project_around(folder: Path) -> Said:
    """What the pyproject.toml says that a folder belongs to: in it, or in the nearest folder above that has one.

    Raises like `read_project`.
    """
    found = (place / PROJECT_FILE for place in (folder, *folder.parents))
    return read_project(next((file for file in found if file.is_file()), folder / PROJECT_FILE))
