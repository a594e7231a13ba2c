"""The report on algorithms side by side: a table, a document, a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mcr.diagnosis.trials import Trial
from mcr.report.layout import VERDICT_ROLES, Cell, Column, Style, Table, wrap
from mcr.report.printable import on_one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TRIALS_SCHEMA = "mcr-algorithms/1"

_COLUMNS = (
    Column("program", 20),
    Column("model", 5),
    Column("algorithm", 10),
    Column("verdict", 10),
    Column("executions", 10, right=True),
    Column("blocked", 7, right=True),
    Column("redundant", 9, right=True),
    Column("checks", 6, right=True),
    Column("in them", 7, right=True),
    Column("seconds", 7, right=True),
    Column("MB", 5, right=True),
)
_OF_CHECKS = ("checks", "in them")
"""Columns that are left out where no algorithm asks what is consistent."""

# Okabe and Ito's colours, which people who are colour-blind can tell apart.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#7B4FA3", "#F0E442", "#8C564B")
_HATCHES = ("", "...", "xxx")
_PANEL = (4.6, 2.9)
"""Width and height of a panel in inches."""
_HEAD = 0.5
"""Height of the legend above all panels, in inches."""
_WIDE = 20
"""By which factor figures differ that need a logarithmic axis."""


def render_trials(trials: Sequence[Trial], silent: Sequence[str], width: int, style: Style) -> Iterator[str]:
    """A row for each algorithm; `silent` are those that do not look for the objective (`unable`)."""
    asks = any(trial.checks is not None for trial in trials)
    columns = [column for column in _COLUMNS if asks or column.title not in _OF_CHECKS]
    rows, above = [], None
    for trial in trials:
        cells = zip(_COLUMNS, _cells(trial, above), strict=True)
        rows.append([cell for column, cell in cells if column in columns])
        above = trial
    yield from Table(columns, rows).render(width, style)
    notes = [
        f"{on_one_line(each.subject.title)} under {each.subject.model.upper()} by {each.algorithm}: {each.stop}"
        for each in trials
        if each.stop
    ]
    if silent:
        notes.append(f"Not asked, since they do not look for that: {', '.join(silent)}.")
    if notes:
        yield ""
    for note in notes:
        yield from wrap(note, width)


def _cells(trial: Trial, above: Trial | None) -> Iterator[Cell]:
    subject, before = trial.subject, above.subject if above else None
    same = before is not None and before.title == subject.title and before.target == subject.target
    yield Cell("" if same else subject.title)
    yield Cell("" if subject == before else subject.model.upper())
    yield Cell(trial.algorithm)
    yield Cell(trial.verdict.value, VERDICT_ROLES[trial.verdict])
    for count in (trial.executions, trial.blocked, trial.redundant):
        yield Cell("" if count is None else str(count))
    yield Cell("" if trial.checks is None else f"{trial.realizable}/{trial.checks}")
    yield Cell("" if trial.checking is None or not trial.seconds else f"{trial.checking / trial.seconds:.0%}")
    yield Cell("" if trial.seconds is None else f"{trial.seconds:.2f}")
    yield Cell("" if trial.megabytes is None else f"{trial.megabytes:.0f}")


def trials_document(trials: Sequence[Trial], objective: str, silent: Sequence[str]) -> dict[str, Any]:
    """The same for machines; null is what was not told."""
    return {
        "schema": TRIALS_SCHEMA,
        "objective": objective,
        "not_asked": silent,
        "trials": [_document(trial) for trial in trials],
    }


def _document(trial: Trial) -> dict[str, Any]:
    figures = dict(vars(trial))
    subject = figures.pop("subject")
    return {"program": subject.target, "arguments": dict(subject.settings), "model": subject.model, **figures}


def draw_trials(trials: Sequence[Trial]) -> Figure:
    """A row for each program: executions and seconds, by model and algorithm."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    programs = list(dict.fromkeys((trial.subject.target, trial.subject.title) for trial in trials))
    algorithms = list(dict.fromkeys(trial.algorithm for trial in trials))
    height = _PANEL[1] * len(programs) + _HEAD
    figure = Figure(figsize=(2 * _PANEL[0], height))
    panels = figure.subplots(len(programs), 2, squeeze=False)
    # Places are computed here: the layout engines of matplotlib take minutes for sixty panels.
    figure.subplots_adjust(0.08, 0.3 / height, 0.98, 1 - (_HEAD + 0.3) / height, 0.2, 0.35)
    for program, (executions, seconds) in zip(programs, panels, strict=True):
        of_program = [trial for trial in trials if (trial.subject.target, trial.subject.title) == program]
        for axes, what in ((executions, "executions"), (seconds, "seconds")):
            _draw_bars(axes, of_program, algorithms, what)
            axes.set_title(f"{on_one_line(program[1])}: {what}", fontsize=9.5, parse_math=False)
    handles = [Patch(**_paint(number), label=name) for number, name in enumerate(algorithms)]
    figure.legend(handles=handles, loc="upper center", ncols=6, frameon=False)
    return figure


def _paint(number: int) -> dict[str, Any]:
    """Colour and hatching of an algorithm; more of them than colours differ by their hatching."""
    return {"facecolor": _COLORS[number % len(_COLORS)], "hatch": _HATCHES[number // len(_COLORS)]}


def _draw_bars(axes: Axes, trials: Sequence[Trial], algorithms: Sequence[str], what: str) -> None:
    """A group of bars for each model; what was cut is hatched, as it is a lower bound."""
    models = list(dict.fromkeys(trial.subject.model for trial in trials))
    width = 0.8 / len(algorithms)
    for position, algorithm in enumerate(algorithms):
        mine = [trial for trial in trials if trial.algorithm == algorithm]
        places = [models.index(trial.subject.model) + (position + 0.5) * width - 0.4 for trial in mine]
        heights = [getattr(trial, what) or 0 for trial in mine]
        bars = axes.bar(places, heights, width * 0.92, **_paint(position))
        for bar, trial in zip(bars, mine, strict=True):
            if trial.stop:
                bar.set_hatch("///")
                bar.set_alpha(0.5)
    axes.set_xticks(range(len(models)), [model.upper() for model in models])
    told = [height for trial in trials if (height := getattr(trial, what))]
    if told and max(told) > _WIDE * min(told):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        axes.yaxis.set_minor_formatter(lambda value, _: "")
    axes.grid(axis="y", color="#E5E5E5")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
