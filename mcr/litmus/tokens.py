"""Tokens of initial states, conditions and C code, each with its line."""

from __future__ import annotations

import re
from typing import NamedTuple

from mcr.litmus.errors import LineError
from mcr.litmus.sections import Section

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
