"""What a terminal shows: colours and line-drawing characters, or their absence, and how many columns a text takes."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from mcr.exploration.verdict import Verdict

_CODES = {
    "bug": "1;31",
    "good": "32",
    "warning": "33",
    "strong": "1",
    "faint": "2",
    "thread": "1;36",
}
VERDICT_ROLES = {Verdict.VERIFIED: "good", Verdict.BUG: "bug", Verdict.INCOMPLETE: "warning"}
"""How verdicts are painted."""

_BAR, _RULE = "│", "─"


@dataclass(frozen=True)
class Style:
    """How to paint: by role ("bug", "good", "warning", "strong", "faint", "thread"), never by colour."""

    colored: bool = False
    drawn: bool = True
    """Whether the output can show line-drawing characters."""

    def paint(self, text: str, role: str) -> str:
        if not (self.colored and role and text.strip()):
            return text
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m"

    @property
    def bar(self) -> str:
        return _BAR if self.drawn else "|"

    @property
    def rule(self) -> str:
        return _RULE if self.drawn else "-"


def style_for(stream: TextIO, color: str = "auto") -> Style:
    """The style that suits a stream; `color` is "auto", "always" or "never"."""
    return Style(_wants_color(stream, color), _can_draw(stream))


def _wants_color(stream: TextIO, color: str) -> bool:
    if color != "auto":
        return color == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _can_draw(stream: TextIO) -> bool:
    try:
        (_BAR + _RULE).encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


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
