"""Writing pictures: what `--plot` has in common wherever it is."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from replay.errors import CheckerError
from replay.writing import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png")

_DOTS_PER_INCH = 120
_MOST_DOTS = 60_000
"""Along one side of a .png file: more than this cannot be written."""


def prepare(file: Path) -> None:
    """Refuse what would fail after the exploration; raises CheckerError."""
    if file.suffix.lower() not in SUFFIXES:
        raise CheckerError(f"--plot writes {' or '.join(SUFFIXES)} files, not {file.name}")
    if find_spec("matplotlib") is None:
        raise CheckerError("--plot needs matplotlib; run `pip install matplotlib`")
    if file.is_dir():
        raise CheckerError(f"{file}: the plot cannot be written: it is a folder")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CheckerError(f"{file}: the plot cannot be written: {error.strerror}") from None


def save(make: Callable[[], Figure], file: Path) -> None:
    """Write what `make` draws, whole or not at all. Raises CheckerError."""
    try:
        write_atomically(file, _picture(make, file.suffix.lower().lstrip(".")))
    except OSError as error:
        raise CheckerError(f"{file}: the plot cannot be written: {error.strerror}") from None


def _picture(make: Callable[[], Figure], kind: str) -> bytes:
    from matplotlib import rc_context

    written = io.BytesIO()
    with rc_context({"svg.hashsalt": "mcr", "svg.fonttype": "none", "font.size": 9}):
        figure = make()
        dots = min(_DOTS_PER_INCH, _MOST_DOTS / max(figure.get_size_inches()))
        figure.savefig(written, format=kind, dpi=dots, metadata={"Date": None} if kind == "svg" else None)
    return written.getvalue()
