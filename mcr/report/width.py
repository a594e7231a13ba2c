"""How many columns of a terminal, or widths of a letter, a text takes."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator

_DEFAULT = 100
"""Columns, where there is no terminal that would say."""


def terminal_width() -> int:
    return shutil.get_terminal_size((_DEFAULT, 24)).columns


def display_width(text: str) -> int:
    """Columns: two for wide characters (East Asian, most emoji), none for those that combine with the one before."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def cut(text: str, width: int) -> Iterator[str]:
    """The text in parts of at most `width` columns, or of one character that is wider; at least one part."""
    part, taken = "", 0
    for character in text:
        columns = display_width(character)
        if part and taken + columns > width:
            yield part
            part, taken = "", 0
        part, taken = part + character, taken + columns
    yield part


def padded(text: str, width: int, *, right: bool = False) -> str:
    """The text with spaces after it, or before it, to be `width` columns wide."""
    spaces = " " * (width - display_width(text))
    return spaces + text if right else text + spaces


def shortened(text: str, most: int) -> str:
    """The text, or as much of it as fits `most` columns with an ellipsis."""
    if display_width(text) <= most:
        return text
    end = len(text)
    while display_width(text[:end]) > most - 1:
        end -= 1
    return f"{text[:end]}…"
