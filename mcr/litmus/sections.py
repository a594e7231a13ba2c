"""Cuts a litmus file into its sections: heading, initial state, program, condition.

The cut is herd's: the initial state is what stands in the first braces, the
condition begins at the first line that starts with one of its keywords.
Comments become blanks, so that every character keeps its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcr.litmus.errors import LineError

_HEADING = re.compile(r'\s*(?P<arch>\w+)[ \t]+(?P<name>\S+)[ \t]*(?:\([^)]*\)[ \t]*)?(?:\n?[ \t]*"(?P<doc>[^"]*)")?')
_CONDITION = re.compile(
    r"(?<![\w/.~-])(?:~[ \t]*exists|not[ \t]+exists|exists|forall|final|observed|Observed|cases|locations|filter)\b"
)
_COMMENT = re.compile(r"\(\*|\*\)")
_C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


@dataclass(frozen=True)
class Section:
    """A piece of the file, and the line on which it starts."""

    text: str
    line: int


@dataclass(frozen=True)
class Sections:
    architecture: str
    name: str
    document: str
    initial: Section
    program: Section
    condition: Section


def cut(text: str) -> Sections:
    """The sections of a file. Raises LineError if one is missing."""
    heading = _HEADING.match(text)
    if heading is None:
        raise LineError("not a litmus test: the first line must be an architecture and a name", 1)
    architecture = heading["arch"]
    body = text[heading.end() :]
    text = text[: heading.end()] + (_without_c_comments(body) if architecture == "C" else without_comments(body))
    opening = text.find("{", heading.end())
    closing = text.find("}", opening)
    if opening < 0 or closing < 0:
        raise LineError("there is no initial state in braces", _line(text, heading.end()))
    found = _CONDITION.search(text, closing)
    end = found.start() if found else len(text)
    return Sections(
        architecture,
        heading["name"],
        heading["doc"] or "",
        _section(text, opening + 1, closing),
        _section(text, closing + 1, end),
        _section(text, end, len(text)),
    )


def without_comments(text: str) -> str:
    """Blanks for `(* ... *)`, which nest; line ends stay."""
    pieces: list[str] = []
    depth = start = 0
    for mark in _COMMENT.finditer(text):
        if mark.group() == "(*":
            if depth == 0:
                pieces.append(text[start : mark.start()])
                start = mark.start()
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0:
                pieces.append(_blank(text[start : mark.end()]))
                start = mark.end()
    if depth > 0:
        raise LineError("a comment is not closed", _line(text, start))
    return "".join([*pieces, text[start:]])


def _without_c_comments(text: str) -> str:
    return _C_COMMENT.sub(lambda comment: _blank(comment.group()), text)


def _blank(text: str) -> str:
    return "".join("\n" if character == "\n" else " " for character in text)


def _section(text: str, start: int, end: int) -> Section:
    return Section(text[start:end], _line(text, start))


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
