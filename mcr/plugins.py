"""Plug-ins: Python files that register memory models, explorers, objectives or report formats (docs/extending.md).

They are imported before anything else is read, as names of models and algorithms are looked up at once: those of
[tool.mcr] first, then those of `--import`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

FLAG = "--import"

_LOADED: dict[Path, str] = {}
"""Files that were imported, with what they were called."""


def load(files: Iterable[Path]) -> None:
    """Import these files, each once. Raises ModelError naming file and line of one that is broken.

    A module of that name is then found by `import`, also by another plug-in.
    """
    for file in files:
        from replay.traces.loader import load_module  # late, as `mcr --help` has none

        path = file.resolve()
        if path not in _LOADED:
            sys.modules.setdefault(path.stem, load_module(file))
            _LOADED[path] = str(file)


def loaded() -> tuple[str, ...]:
    """The files that were imported, as reports name them."""
    return tuple(_LOADED.values())


def loaded_files() -> tuple[str, ...]:
    """Returns the paths of the loaded files, for another process."""
    return tuple(map(str, _LOADED))


def digest() -> str:
    """Says of what text the plug-ins are; "" without any."""
    if not _LOADED:
        return ""
    from hashlib import sha256  # late, as it brings OpenSSL, and this module is loaded at every start

    return sha256(b"\0".join(path.read_bytes() for path in _LOADED)).hexdigest()[:16]


def named_on(words: Sequence[str]) -> list[Path]:
    """The files that a command line names, before anything else of it is read. What is incomplete, argparse refuses."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    add_argument(parser)
    before = words[: words.index("--")] if "--" in words else words
    try:
        return parser.parse_known_args(before)[0].plugins or []
    except argparse.ArgumentError:
        return []


def add_argument(parser: argparse.ArgumentParser) -> None:
    """--import."""
    parser.add_argument(
        FLAG, dest="plugins", metavar="FILE.py", type=Path, action="append",
        help="import a plug-in first, which registers models, explorers, objectives or formats; may be repeated",
    )  # fmt: skip
