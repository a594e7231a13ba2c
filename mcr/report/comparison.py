"""The report on a comparison of memory models: one table, then what is possible where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcr.diagnosis.compare import Behaviour, Comparison, Figures, groups
from mcr.report.layout import VERDICT_ROLES, Column, Style, TextCell, TextTable, wrap
from mcr.report.remarks import outcome_words
from mcr.report.source import headline, replay_command, shown_line
from replay.traces.player import reference

COMPARE_SCHEMA = "mcr-compare/1"

_COLUMNS = (
    Column("program", 24),
    Column("model", 5),
    Column("verdict", 10),
    Column("executions", 6, right=True),
    Column("local\nstates", 6, right=True),
    Column("outcomes", 8, right=True),
    Column("values\nclasses", 8, right=True),
    Column("rf\nclasses", 8, right=True),
)

INCOMPLETE = "incomplete"


def render_table(comparisons: Sequence[Comparison], width: int, style: Style) -> Iterator[str]:
    """A row for each program and model, and below it what limits have cut."""
    lines = [list(_cells(each, figures)) for each in comparisons for figures in each.figures]
    yield from TextTable(_COLUMNS, lines).render(width, style)
    every = [figures for each in comparisons for figures in each.figures]
    if any(classes and classes[1] for figures in every for classes in (figures.values, figures.rf)):
        yield ""
        stopped = "those that stop where a wait or an assumption fails (with another value, a wait may go on)"
        yield from wrap(f"c + b: classes of complete executions, and of {stopped}.", width)
    for each in comparisons:
        for figures in each.figures:
            for stop in figures.stops:
                yield from wrap(f"{each.program.title} under {figures.model.upper()}, {stop}", width)


def _cells(comparison: Comparison, figures: Figures) -> Iterator[TextCell]:
    is_first = figures is comparison.figures[0]
    yield TextCell(comparison.program.title if is_first else "")
    yield TextCell(figures.model.upper())
    yield TextCell(figures.verdict.value, VERDICT_ROLES[figures.verdict])
    for count in (figures.executions, figures.local_states, figures.outcomes):
        yield _cell(None if count is None else str(count))
    for classes in (figures.values, figures.rf):
        yield _cell(classes and (f"{classes[0]} + {classes[1]}" if classes[1] else str(classes[0])))


def _cell(text: str | None) -> TextCell:
    return TextCell(INCOMPLETE, "warning") if text is None else TextCell(text)


def render_behaviours(
    comparison: Comparison, files: Mapping[int, str], most: int, width: int, style: Style
) -> Iterator[str]:
    """Yields lines on what a program can do, by the models under which it can; at most `most` behaviours of a
    group.

    `files` says where witnesses are, by position among the comparison's behaviours.
    """
    numbers = {id(behaviour): number for number, behaviour in enumerate(comparison.behaviours)}
    for heading, behaviours in groups(comparison.behaviours):
        yield ""
        yield style.paint(f"{comparison.program.title}: {heading[0].lower()}{heading[1:]}", "strong")
        for behaviour in behaviours[:most]:
            yield from _behaviour(behaviour, files.get(numbers[id(behaviour)], ""), width, style)
        if len(behaviours) > most:
            yield style.paint(f"  and {len(behaviours) - most} more (--show)", "faint")


def _behaviour(behaviour: Behaviour, file: str, width: int, style: Style) -> Iterator[str]:
    text = _text(behaviour)
    text = f"{behaviour.kind} {text if behaviour.kind == 'failure' else outcome_words(text)}"
    yield from (
        f"  {line}" for line in wrap(style.paint(text, "bug" if behaviour.kind == "failure" else ""), width - 2)
    )
    if file:
        yield style.paint(f"      {replay_command(file)}", "faint")


def _text(behaviour: Behaviour) -> str:
    """The outcome, or what fails and where."""
    failure = behaviour.trace.failure
    if behaviour.kind != "failure" or failure is None:
        return behaviour.text
    return f"{headline(failure)}{f' ({shown_line(failure.line)})' if failure.line else ''}"


def comparison_document(comparisons: Sequence[Comparison], files: Sequence[Mapping[int, str]]) -> dict[str, Any]:
    """Returns the comparison as a JSON document; what limits have cut is null."""
    return {
        "schema": COMPARE_SCHEMA,
        "comparisons": [_comparison(each, where) for each, where in zip(comparisons, files, strict=True)],
    }


def _comparison(comparison: Comparison, files: Mapping[int, str]) -> dict[str, Any]:
    return {
        "program": reference(comparison.program),
        "models": comparison.figures,
        "behaviours": [
            {
                "kind": behaviour.kind,
                "text": _text(behaviour),
                "models": behaviour.models,
                "shown_under": behaviour.trace.model,
                "trace": files.get(number),
            }
            for number, behaviour in enumerate(comparison.behaviours)
        ],
    }
