"""How a terminal shows things: colours and line-drawing characters, or their absence; widths; tables that fit.

Columns of tables shrink, and cells wrap.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterator, Sequence
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


@dataclass(frozen=True)
class TextCell:
    """Text and the role that it is painted in; lines may be separated by newlines."""

    text: str = ""
    role: str = ""


@dataclass(frozen=True)
class Column:
    """A column: what it is called, how narrow it may become, and whether a bar stands before it."""

    title: str
    minimum: int = 0
    barred: bool = True
    right: bool = False


@dataclass(frozen=True)
class Band:
    """Text across the table, after the cells of the first columns."""

    text: str
    role: str = ""
    first: Sequence[TextCell] = ()


Line = Sequence[TextCell] | Band


class TextTable:
    """Rows under columns. Columns are as wide as their contents, or narrower if the width demands it."""

    def __init__(self, columns: Sequence[Column], lines: Sequence[Line]) -> None:
        self._columns = columns
        self._lines = lines

    def fits(self, width: int) -> bool:
        """Returns whether the table can be drawn without columns narrower than they may be."""
        return self._least() <= width

    def render(self, width: int, style: Style) -> Iterator[str]:
        """The lines of the table, no wider than `width` if it `fits`."""
        widths = self._widths(width)
        yield from self._draw([TextCell(column.title, "thread") for column in self._columns], widths, style)
        yield style.paint(style.rule * self._total(widths), "faint")
        for line in self._lines:
            if isinstance(line, Band):
                yield from self._band(line, widths, width, style)
            else:
                yield from self._draw(line, widths, style)

    def _gap(self, column: int) -> str:
        """Returns the text before a column; a space in the place of the bar."""
        if column == 0:
            return ""
        return "   " if column < len(self._columns) and self._columns[column].barred else "  "

    def _separator(self, column: int, style: Style) -> str:
        gap = self._gap(column)
        return gap if len(gap) < 3 else f" {style.paint(style.bar, 'faint')} "

    def _total(self, widths: Sequence[int]) -> int:
        return sum(widths) + sum(len(self._gap(place)) for place in range(len(widths)))

    def _least(self) -> int:
        natural = self._natural()
        return self._total([min(natural[place], column.minimum) for place, column in enumerate(self._columns)])

    def _natural(self) -> list[int]:
        widths = [_length(column.title) for column in self._columns]
        for line in self._lines:
            cells = line.first if isinstance(line, Band) else line
            for place, cell in enumerate(cells):
                widths[place] = max(widths[place], _length(cell.text))
        return widths

    def _widths(self, width: int) -> list[int]:
        """As wide as the contents, or narrower so that cells take as few lines as they can."""
        natural = self._natural()
        if self._total(natural) <= width:
            return natural
        rows = [[cell.text for cell in line] for line in self._lines if not isinstance(line, Band)]
        columns = [
            _costs([row[place] for row in rows], min(column.minimum, natural[place]), natural[place], width)
            for place, column in enumerate(self._columns)
        ]
        gaps = self._total([0] * len(columns))
        return _cheapest(columns, max(width - gaps, sum(map(min, columns))))

    def _band(self, band: Band, widths: Sequence[int], width: int, style: Style) -> Iterator[str]:
        """The first cells, and the text beside them."""
        count = len(band.first)
        start = self._total(widths[:count]) + len(self._gap(count)) if count else 0
        texts = wrap(band.text, max(width - start, 20))
        heads = list(self._draw(band.first, widths[:count], Style())) if count else [""]
        for height in range(max(len(heads), len(texts))):
            head = heads[height] if height < len(heads) else ""
            text = texts[height] if height < len(texts) else ""
            yield f"{style.paint(padded(head, start), 'faint')}{style.paint(text, band.role)}".rstrip()

    def _draw(self, cells: Sequence[TextCell], widths: Sequence[int], style: Style) -> Iterator[str]:
        wrapped = [wrap(cell.text, width) for cell, width in zip(cells, widths, strict=True)]
        for height in range(max(map(len, wrapped))):
            parts = []
            for place, (texts, width, cell) in enumerate(zip(wrapped, widths, cells, strict=True)):
                text = texts[height] if height < len(texts) else ""
                cell_text = padded(text, width, right=self._columns[place].right)
                parts.append(self._separator(place, style) + style.paint(cell_text, cell.role))
            yield "".join(parts).rstrip()


_LONG = 400
"""Characters of texts whose height is estimated: to wrap them in every width takes longer than the check."""

Cost = tuple[int, int]
"""Lines that cells take, and by how much columns are narrower than their contents (squares)."""


def _costs(texts: Sequence[str], least: int, natural: int, most: int) -> dict[int, Cost]:
    """The cost of a column for each width that it may have, in a table of `most` columns of a terminal."""
    return {
        width: (sum(_height(text, width) for text in texts if display_width(text) > width), (natural - width) ** 2)
        for width in range(least, max(least, min(natural, most)) + 1)
    }


def _height(text: str, width: int) -> int:
    """How many lines a text takes, about so for one that takes many: a buffer of a hundred stores."""
    return len(wrap(text, width)) if len(text) < _LONG else display_width(text) // width


def _cheapest(columns: Sequence[dict[int, Cost]], room: int) -> list[int]:
    """A width for each column, together no more than `room`, at the least cost."""
    best: dict[int, tuple[Cost, list[int]]] = {0: ((0, 0), [])}
    for column in columns:
        following: dict[int, tuple[Cost, list[int]]] = {}
        for used, (cost, widths) in best.items():
            for width, more in column.items():
                total = used + width
                entry = ((cost[0] + more[0], cost[1] + more[1]), [*widths, width])
                if total <= room and (total not in following or entry < following[total]):
                    following[total] = entry
        best = following
    return min(best.values())[1]


def _length(text: str) -> int:
    return max(map(display_width, text.split("\n")))


def wrap(text: str, width: int, indent: str = "  ") -> list[str]:
    """The text in lines of at most `width` columns; continued lines are indented."""
    return [line for paragraph in text.split("\n") for line in _fill(paragraph, width, indent)]


def _fill(text: str, width: int, indent: str) -> Iterator[str]:
    line = ""
    for gap, piece in _pieces(text, max(width - len(indent), 1)):
        if line and display_width(line) + len(gap) + display_width(piece) > width:
            yield line
            line = indent + piece.lstrip()
        else:
            line += (gap if line else "") + piece
    yield line


def _pieces(text: str, room: int) -> Iterator[tuple[str, str]]:
    """Words with the space before them; "x = 1" is one word where it fits.

    Words longer than `room` come in parts, cut after punctuation if possible.
    """
    for word in re.split(r"(?<! =) (?!= )", text):
        for part in [word] if display_width(word) <= room else word.split(" "):
            gap = " "
            for bit in [part] if display_width(part) <= room else re.findall(r"[^(\[,.=]+[(\[,.=]?|.", part):
                for piece in cut(bit, room):
                    yield gap, piece
                    gap = ""
