"""Cuts a litmus file into its sections (heading, initial state, program, condition), and parses these.

The cut is herd's: the initial state is what stands in the first braces, the condition begins at the first line that
starts with one of its keywords. Whatever does not belong to a section is blank in it, comments too, so that every
character keeps its line. `litmus.lark` has the grammar of each section.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from lark import Lark, Token
from lark.exceptions import UnexpectedToken
from lark.lexer import PatternStr

from mcr.litmus.errors import LineError

_HEADING = re.compile(r'\s*(?P<arch>\w+)[ \t]+(?P<name>\S+)[ \t]*(?:\([^)]*\)[ \t]*)?(?:\n?[ \t]*"(?P<doc>[^"]*)")?')
_CONDITION = re.compile(
    r"(?<![\w/.~-])(?:~[ \t]*exists|not[ \t]+exists|exists|forall|final|observed|Observed|cases|locations|filter)\b"
)
_COMMENT = re.compile(r"\(\*|\*\)")
_C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


@dataclass(frozen=True)
class Sections:
    architecture: str
    name: str
    document: str
    initial: str
    program: str
    condition: str


def cut(text: str) -> Sections:
    """The sections of a file. Raises LineError if one is missing."""
    heading = _HEADING.match(text)
    if heading is None:
        raise LineError("not a litmus test: the first line must be an architecture and a name", 1)
    architecture = heading["arch"]
    body = text[heading.end() :]
    text = text[: heading.end()] + (_without_c_comments(body) if architecture == "C" else _without_comments(body))
    opening = text.find("{", heading.end())
    closing = text.find("}", opening)
    if opening < 0 or closing < 0:
        raise LineError("there is no initial state in braces", line_at(text, heading.end()))
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


def _without_comments(text: str) -> str:
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
        raise LineError("a comment is not closed", line_at(text, start))
    return "".join([*pieces, text[start:]])


def _without_c_comments(text: str) -> str:
    return _C_COMMENT.sub(lambda comment: _blank(comment.group()), text)


def _blank(text: str) -> str:
    return "".join("\n" if character == "\n" else " " for character in text)


def _section(text: str, start: int, end: int) -> str:
    return "\n" * text.count("\n", 0, start) + text[start:end]


def line_at(text: str, position: int | None = None) -> int:
    """The line of a position in the text; of its end, if none is given."""
    return text.count("\n", 0, position) + 1


Node = Any
"""A tree or a token of the grammar: no type says which children a tree has."""


def parsed(start: str, section: str) -> Node:
    """The tree of a section by the rule `start` of the grammar. Raises LineError for what the grammar does not have."""
    try:
        return _parser().parse(section, start=start)
    except UnexpectedToken as error:
        line = line_at(section) if error.token.type == "$END" else error.token.line or 1
        raise LineError(_unexpected(start, error), line) from None


@functools.cache
def _parser() -> Lark:
    return Lark.open(
        "litmus.lark",
        rel_to=__file__,
        parser="lalr",
        start=["initial", "claim", "c", "x86"],
        propagate_positions=True,
        lexer_callbacks={"REFUSED": _refuse},
    )


def _refuse(token: Token) -> NoReturn:
    raise LineError(f"'{token}' is not supported", token.line or 1)


_CALLED = {
    "$END": "the end of the section",
    "NAME": "a name",
    "INTEGER": "a number",
    "TYPE": "a type",
    "ASSIGN": "an assignment",
    "WORD": "a word",
    **dict.fromkeys(("IMMEDIATE", "ADDRESS", "MEMORY", "RELATIVE", "OTHER"), "an operand"),
}
"""What an error calls terminals that do not stand for themselves."""

_OPERATORS = {"OR", "AND", "BIT_OR", "BIT_XOR", "BIT_AND", "EQUAL", "ORDER", "PLUS", "MINUS", "STAR"}


def _unexpected(start: str, error: UnexpectedToken) -> str:
    """Says what is wrong with the first token that does not fit."""
    found = f"'{error.token.split()[0]}'" if error.token.type != "$END" else "the end of the section"
    accepted: set[str] = error.accepts
    if start == "claim" and "QUANTIFIER" in accepted:
        return f"a condition that begins with {found} is not supported"
    if start == "claim" and "$END" in accepted:
        return f"{found} after the condition is not supported"
    if start == "initial" and error.token == "{":
        return "arrays are not supported"
    operators = _OPERATORS if start == "c" else set()
    named = {_CALLED.get(terminal) or _text_of(terminal) for terminal in accepted - operators}
    *others, last = sorted(named | ({"an operator"} if accepted & operators else set()))
    more = " (mixed sizes and offsets are not supported)" if accepted == {"RSQB"} else ""
    return f"expected {', '.join(others)}{' or ' if others else ''}{last}{more}, found {found}"


def _text_of(terminal: str) -> str:
    """The text of a terminal that stands for itself; others, "if" and "memory_order", are their names in small."""
    pattern = _parser().get_terminal(terminal).pattern
    return f"'{pattern.value}'" if isinstance(pattern, PatternStr) else f"'{terminal.lower()}'"


def as_number(text: str) -> int:
    """A decimal (leading zeros allowed) or hexadecimal number."""
    negative = text.startswith("-")
    digits = text.lstrip("-")
    value = int(digits, 16) if digits[:2].lower() == "0x" else int(digits)
    return -value if negative else value
