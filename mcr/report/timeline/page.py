"""The page of a timeline: a template with everything it needs inside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources

from mcr.diagnosis.reordering import find_reordering
from mcr.report.printable import markup
from mcr.report.source import headline, shown_function, shown_line
from mcr.report.spelling import shown_trace
from mcr.report.timeline.arrows import SHEET, Arrow, arrows, delays, embedded, page_data
from mcr.report.timeline.moments import moments
from mcr.report.timeline.table import TimelineTable, cells, listing
from replay.traces.trace import Trace
from replay.world.memory_models import memory_model

_RELATIONS = {
    "rf": ("rf", "reads-from: from the store to its reader", True),
    "co": ("co", "coherence: the order in which stores reach memory", False),
    "fr": ("fr", "from-read: from a read to the store that overwrites what it read", True),
    "ppo": ("ppo", "program order that the memory model preserves", False),
    "cycle": ("forbidden cycle", "what makes this execution impossible under {stronger}", True),
    "delay": ("buffered", "the time that a store waits in its buffer", True),
}
"""What can be shown: its name, what it means, and whether it is shown at first."""

_SHEET = (1030, 530)
"""Pixels across and down a sheet of paper, below the sentences."""

_ROW = 29
"""Pixels from row to row."""


def timeline(trace: Trace, sentences: Sequence[str]) -> str:
    """The HTML of a trace; `sentences` explain it, and stand on top."""
    trace = shown_trace(trace)
    shown = moments(trace)
    reordering = find_reordering(trace)
    drawn, bars = arrows(trace, shown, reordering), delays(trace, shown)
    table = TimelineTable(trace, shown, bars)
    width = sum(table.widths())
    return filled(
        _part("timeline.html"),
        {
            "title": markup(f"{trace.program.title} under {trace.model.upper()}"),
            "model": markup(memory_model(trace.model).title),
            "failure": _failure(trace),
            "sentences": "".join(f"<p>{markup(sentence)}</p>" for sentence in sentences),
            "toggles": _toggles(drawn, bool(bars), reordering.stronger.name.upper() if reordering else ""),
            "last": str(len(shown) - 1),
            "width": str(width),
            "zoom": f"{_zoom(width, len(shown)):.3f}",
            "table": table.html(),
            "listing": listing(moment.line for moment in shown),
            "cells": cells(trace, shown),
            "data": embedded(page_data(trace, shown, drawn, bars)),
            "style": stylesheet(),
            "script": _part("timeline.js"),
        },
    )


def _zoom(width: int, rows: int) -> float:
    """How small to print: all columns on a sheet, and all rows if they are few."""
    across, down = _SHEET
    return min(1.0, across / width, down / (_ROW * (rows + 1)) if rows <= SHEET else 1.0)


def _failure(trace: Trace) -> str:
    """Says what failed and where, as HTML."""
    if trace.failure is None:
        return '<p class="passes">Nothing fails in this execution.</p>'
    line = trace.failure.line
    where = f" <span>at {markup(shown_line(line))}, in {markup(shown_function(line))}</span>" if line else ""
    return f'<p class="failure">{markup(headline(trace.failure))}{where}</p>'


def _toggles(drawn: Sequence[Arrow], delayed: bool, stronger: str) -> str:
    """A box to tick for each relation that the trace has."""
    present = {arrow.relation for arrow in drawn} | ({"delay"} if delayed else set())
    return "\n".join(
        f'<label class="{key}" title="{markup(meaning.format(stronger=stronger))}">'
        f'<input type="checkbox" name="{key}"{" checked" * ticked}> {name}</label>'
        for key, (name, meaning, ticked) in _RELATIONS.items()
        if key in present
    )


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def stylesheet() -> str:
    """The style of pages: colours for light and dark, tables, listings."""
    return _part("timeline.css")


def filled(template: str, parts: Mapping[str, str]) -> str:
    """A template with {{name}} replaced by parts, once: what stands in a part stays as it is."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)
