"""Cuts a litmus file into its sections (heading, initial state, program, condition), and these into tokens.

The cut is herd's: the initial state is what stands in the first braces, the
condition begins at the first line that starts with one of its keywords.
Comments become blanks, so that every character keeps its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

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


_TOKEN = re.compile(
    r"(?P<number>0[xX][0-9a-fA-F]+|\d+)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>/\\|\\/|=>|==|!=|<>|<=|>=|&&|\|\||\+=|-=|[-~!(){}\[\];:,=*&%$+<>|^/.?])"
    r"|(?P<blank>\s+)"
)


class Token(NamedTuple):
    """kind is "number", "name", "sign" or "end"."""

    kind: str
    text: str
    line: int


def tokens(section: Section) -> list[Token]:
    """The tokens of a section, the last one of kind "end"."""
    found: list[Token] = []
    line, position = section.line, 0
    while position < len(section.text):
        match = _TOKEN.match(section.text, position)
        if match is None:
            raise LineError(f"unexpected character {section.text[position]!r}", line)
        kind = match.lastgroup or ""
        if kind != "blank":
            found.append(Token(kind, match.group(), line))
        line += match.group().count("\n")
        position = match.end()
    found.append(Token("end", "the end of the section", line))
    return found


class TokenStream:
    """Reads tokens one after the other."""

    def __init__(self, section: Section) -> None:
        self._tokens = tokens(section)
        self._next = 0

    @property
    def line(self) -> int:
        return self.peek().line

    def peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        self._next += 1
        return token

    def at(self, *texts: str) -> bool:
        """Whether the next token is one of these signs or words."""
        return self.peek().kind != "end" and self.peek().text in texts

    def accept(self, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        if self.at(*texts):
            self._next += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        if not self.at(text):
            raise self.unexpected(f"{text!r}")
        return self.take()

    def name(self, what: str = "a name") -> str:
        if self.peek().kind != "name":
            raise self.unexpected(what)
        return self.take().text

    def number(self) -> int:
        """A number, perhaps after a minus that stands apart."""
        minus = self.accept("-")
        if self.peek().kind != "number":
            raise self.unexpected("a number")
        value = as_number(self.take().text)
        return -value if minus else value

    def at_end(self) -> bool:
        return self.peek().kind == "end"

    def unexpected(self, wanted: str) -> LineError:
        token = self.peek()
        found = token.text if token.kind == "end" else repr(token.text)
        return LineError(f"expected {wanted}, found {found}", token.line)


def as_number(text: str) -> int:
    """A decimal (leading zeros allowed) or hexadecimal number."""
    negative = text.startswith("-")
    digits = text.lstrip("-")
    value = int(digits, 16) if digits[:2].lower() == "0x" else int(digits)
    return -value if negative else value
