"""Colours and line-drawing characters, or their absence."""

from __future__ import annotations

import os
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
