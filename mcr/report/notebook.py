"""Results and traces as HTML for a notebook: a table, what fails and why, and the timeline in a frame of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcr.exploration.verdict import Result
from mcr.linearizability.search import Linearizability
from mcr.report.explanation import explain
from mcr.report.history import answer, picture
from mcr.report.printable import markup
from mcr.report.remarks import COLUMNS, cells, outcome_words
from mcr.report.source import headline, shown_function, shown_line
from mcr.report.timeline.page import timeline
from replay.traces.trace import Trace

_COLUMNS = ("program", "model", "verdict", *COLUMNS)
_COLOURS = {"verified": "#1a7f37", "bug": "#cf222e"}
_OTHERWISE = "#9a6700"

_ROW = 29
_LEAST, _MOST = 220, 640
"""Pixels: of a row of the timeline, and how high its frame is at least and at most."""

SHOWN = 20
"""Outcomes that are listed."""


def results_html(results: Mapping[str, Result]) -> str:
    """One table of the results under several models, and the first failure."""
    failing = next((result for result in results.values() if result.failures), None)
    return _table(results.values()) + ("" if failing is None else _failure(failing.failures[0]))


def result_html(result: Result) -> str:
    """A table of one row, why it is incomplete, the first failure with its timeline, and outcomes if asked for."""
    parts = [_table([result])]
    if result.stop is not None:
        parts.append(f"<p>{markup(str(result.stop))}</p>")
    parts += map(_failure, result.failures[:1])
    if len(result.failures) > 1:
        parts.append(f"<p>{len(result.failures)} failures; the others are in <code>failures</code>.</p>")
    if "outcomes" in result.objective.split(",") or result.outcomes != ("None",):
        parts += _outcomes(result.outcomes)
    return "".join(parts)


def trace_html(trace: Trace) -> str:
    """Draws the timeline of a trace, as HTML."""
    sentences = [] if trace.failure is None else explain(trace, needs_buffers=True)
    height = min(_MOST, _LEAST + _ROW * len(trace.steps))
    page = markup(timeline(trace, sentences)).replace('"', "&quot;")
    return f'<iframe srcdoc="{page}" style="width: 100%; height: {height}px; border: 1px solid #d0d7de"></iframe>'


def linearizability_html(found: Linearizability) -> str:
    """The level and its bounds; the history of a counterexample."""
    head = f"{found.name} under {found.model.upper()}: {answer(found)}"
    return f"<p><b>{markup(head)}</b> for {markup(found.bounds)}</p>{picture(found)}"


def _failure(trace: Trace) -> str:
    assert trace.failure is not None
    line = trace.failure.line
    where = f" at {markup(shown_line(line))}, in {markup(shown_function(line))}" if line else ""
    return f"<p><b>{markup(headline(trace.failure))}</b>{where}</p>{trace_html(trace)}"


def _table(results: Iterable[Result]) -> str:
    head = "".join(f"<th>{column}</th>" for column in _COLUMNS)
    return f"<table><tr>{head}</tr>{''.join(map(_row, results))}</table>"


def _row(result: Result) -> str:
    verdict = result.verdict.value
    colour = _COLOURS.get(verdict, _OTHERWISE)
    row = [
        markup(result.program),
        result.model.upper(),
        f'<b style="color: {colour}">{verdict}</b>',
        *cells(result.statistics),
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"


def _outcomes(outcomes: Sequence[str]) -> Iterator[str]:
    if outcomes:
        more = len(outcomes) - SHOWN
        yield "<ul>" + "".join(
            f"<li><code>{markup(outcome_words(outcome))}</code></li>" for outcome in outcomes[:SHOWN]
        )
        yield f"<li>and {more} more</li></ul>" if more > 0 else "</ul>"
