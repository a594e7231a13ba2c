"""The lines of the program that a trace went through, as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcr.report.printable import markup
from mcr.report.source import lines_of, shown_path
from mcr.report.timeline.moments import Moment

_AROUND = 3
"""Lines shown before and after each one that is used."""


def listing(moments: Sequence[Moment]) -> str:
    """All files with the lines around those that the moments name; "" if none of them can be read."""
    used: dict[str, set[int]] = {}
    for moment in moments:
        if moment.line is not None:
            used.setdefault(moment.line.file, set()).add(moment.line.line)
    return "\n".join(part for file, lines in used.items() for part in _file(file, lines))


def _file(file: str, used: set[int]) -> Iterator[str]:
    text = lines_of(file)
    if not text:
        return
    shown = sorted({near for line in used for near in range(line - _AROUND, line + _AROUND + 1)})
    shown = [line for line in shown if 1 <= line <= len(text)]
    rows = []
    for place, line in enumerate(shown):
        if place and shown[place - 1] != line - 1:
            rows.append('<li class="gap" aria-hidden="true">⋮</li>')
        source = f"{file}:{line}"
        code = markup(text[line - 1].rstrip("\n")) or " "
        rows.append(f'<li data-line="{markup(source)}"><span class="number">{line}</span><code>{code}</code></li>')
    yield f'<h3>{markup(shown_path(file))}</h3>\n<ol class="listing">\n{chr(10).join(rows)}\n</ol>'
