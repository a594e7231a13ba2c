"""The picture of `mcr check --plot`: a panel for each program and model.

Each panel has local states and executions over time, global states where they
are explored, and below them, on the same axis, the time split into solver,
encoding, replay and so on; "exploring" is all that has no share of its own. `prepare` and `save` serve every `--plot`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcr.exploration.growth import GrowthSamples, time_shares
from mcr.exploration.verdict import Result
from mcr.report.layout import wrap
from mcr.report.printable import on_one_line
from replay.errors import CheckerError
from replay.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SUFFIXES = (".svg", ".png")

_DOTS_PER_INCH = 120
_MOST_DOTS = 60_000
"""Along one side of a .png file: more than this cannot be written."""


def prepare(file: Path) -> None:
    """Refuse what would fail after the exploration; raises CheckerError."""
    if file.suffix.lower() not in SUFFIXES:
        raise CheckerError(f"--plot writes {' or '.join(SUFFIXES)} files, not {file.name}")
    if find_spec("matplotlib") is None:
        raise CheckerError("--plot needs matplotlib; run `pip install matplotlib`")
    if file.is_dir():
        raise CheckerError(f"{file}: the plot cannot be written: it is a folder")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CheckerError(f"{file}: the plot cannot be written: {error.strerror}") from None


def save(make: Callable[[], Figure], file: Path) -> None:
    """Write what `make` draws, whole or not at all. Raises CheckerError."""
    try:
        write_atomically(file, _picture(make, file.suffix.lower().lstrip(".")))
    except OSError as error:
        raise CheckerError(f"{file}: the plot cannot be written: {error.strerror}") from None


def _picture(make: Callable[[], Figure], kind: str) -> bytes:
    from matplotlib import rc_context

    written = io.BytesIO()
    with rc_context({"svg.hashsalt": "mcr", "svg.fonttype": "none", "font.size": 9}):
        figure = make()
        dots = min(_DOTS_PER_INCH, _MOST_DOTS / max(figure.get_size_inches()))
        figure.savefig(written, format=kind, dpi=dots, metadata={"Date": None} if kind == "svg" else None)
    drawing = written.getvalue()
    return drawing.replace(b" <defs>\n", _DARK, 1) if kind == "svg" else drawing


_DARK = b""" <style>
 @media (prefers-color-scheme: dark) {
  [style*="fill: #ffffff"] { fill: #14181e !important }
  [style*="fill: #000000"] { fill: #e3e7ec !important }
  [style*="stroke: #000000"] { stroke: #e3e7ec !important }
  [style*="stroke: #e5e5e5"], [style*="stroke: #dddddd"] { stroke: #333c46 !important }
  [style*="fill: #333333"] { fill: #c3cad4 !important }
  text:not([style*="fill"]) { fill: #e3e7ec }
 }
 </style>
 <defs>
"""
"""Matplotlib's white paper and black ink, the other way round for readers who prefer that."""

_ON_COLOR = "#111111"
"""Ink on a coloured bar, which is the same on dark paper."""

# Okabe and Ito's colours, which people who are colour-blind can tell apart.
_LINES = {"local states": "#0072B2", "executions": "#D55E00", "global states": "#000000"}
_SHARES = {
    "solver": "#E69F00",
    "encoding": "#56B4E9",
    "graphs": "#B29DD9",
    "consistency": "#F0E442",
    "replay": "#009E73",
    "shortening": "#CC79A7",
    "exploring": "#BBBBBB",
}
_PANEL = (4.4, 3.1)
"""Width and height of a panel in inches, with the space around it."""
_TITLE = 52
"""Characters of a line above a panel: more would be cut at the edge of the figure."""
_HEAD = 0.8
"""Height of the legend above all panels, in inches: three lines of it."""
_GROWTH = (0.65, 0.9, 3.5, 1.75)
"""Left, bottom, width and height of the lines within their panel, in inches."""
_TIMES = (0.65, 0.58, 3.5, 0.2)
"""The same of the bar below them."""
_FEW_SAMPLES = 20
"""Below this, each execution is marked with a dot."""
_ROOM_FOR_A_NUMBER = 0.09
"""The share of the time from which its percentage fits into the bar."""


def draw(growths: Sequence[GrowthSamples], file: Path) -> bool:
    """Write the picture, whole or not at all; False, and no file, if no exploration ended. Raises CheckerError."""
    ended = [(growth, growth.result) for growth in growths if growth.result is not None]
    if ended:
        save(lambda: _figure(ended), file)
    return bool(ended)


def _figure(ended: Sequence[tuple[GrowthSamples, Result]]) -> Figure:
    """A row for each program, a column for each of its models.

    Places are computed here: the layout engines of matplotlib take minutes for sixty panels.
    """
    from matplotlib.figure import Figure

    columns = _columns([result for _, result in ended])
    rows = -(-len(ended) // columns)
    figure = Figure(figsize=(_PANEL[0] * columns, _PANEL[1] * rows + _HEAD))
    _legend(figure, columns)
    for place, (growth, result) in enumerate(ended):
        corner = (_PANEL[0] * (place % columns), _PANEL[1] * (rows - 1 - place // columns))
        _draw_growth(_axes(figure, corner, _GROWTH), growth, result)
        _draw_shares(_axes(figure, corner, _TIMES), result)
    return figure


def _axes(figure: Figure, corner: tuple[float, float], box: tuple[float, float, float, float]) -> Axes:
    """Axes in a box of a panel; all in inches, `corner` being the lower left one of the panel."""
    width, height = figure.get_size_inches()
    left, bottom = corner[0] + box[0], corner[1] + box[1]
    return figure.add_axes((left / width, bottom / height, box[2] / width, box[3] / height))


def _columns(results: Sequence[Result]) -> int:
    """How many models the first program has: all have as many, unless one was broken or interrupted."""
    first = results[0]
    return sum((result.program, result.file) == (first.program, first.file) for result in results)


def _legend(figure: Figure, columns: int) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    lines = [Line2D([], [], color=color, label=name) for name, color in _LINES.items()]
    shares = [Patch(color=color, label=name) for name, color in _SHARES.items()]
    figure.legend(handles=[*lines, *shares], ncols=6 if columns > 1 else 3, loc="upper center", frameon=False)


def _draw_growth(axes: Axes, growth: GrowthSamples, result: Result) -> None:
    from matplotlib.ticker import MaxNLocator

    _, scale = _unit(result)
    times = [0.0, *(scale * sample.seconds for sample in growth.samples)]
    for name, color in _LINES.items():
        counted = (getattr(sample, name.replace(" ", "_")) for sample in growth.samples)
        counts = [0, *accumulate(counted, max)]  # an exploration that begins again counts from 0
        if not any(counts):
            continue
        axes.plot(times, counts, color=color, drawstyle="steps-post")
        if len(times) < _FEW_SAMPLES:
            axes.plot(times[1:-1], counts[1:-1], color=color, marker=".", linestyle="")
    axes.set_title(_title(result), fontsize=9.5, parse_math=False)
    axes.set_xlim(0, scale * result.statistics.seconds)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.grid(color="#E5E5E5")
    axes.xaxis.set_major_locator(_ticks())
    axes.tick_params(labelbottom=False, bottom=False)
    axes.spines[["top", "right"]].set_visible(False)


def _ticks() -> Any:
    """Places the marks of the time axis; none at its end, where a number would stand out."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=6, prune="upper")


def _title(result: Result) -> str:
    title = f"{on_one_line(result.program)} under {result.model.upper()}"
    return "\n".join([title, *wrap(f"{result.verdict.value}: {result.statistics.counts()}", _TITLE, "")])


def _unit(result: Result) -> tuple[str, float]:
    """Returns the unit of the time axis, and how many of it are a second."""
    return ("seconds", 1.0) if result.statistics.seconds >= 1 else ("milliseconds", 1000.0)


def _draw_shares(axes: Axes, result: Result) -> None:
    unit, scale = _unit(result)
    shares = time_shares(result.statistics)
    total = sum(shares.values())
    start = 0.0
    for name, seconds in shares.items():
        axes.barh(0, scale * seconds, left=scale * start, height=1, color=_SHARES[name])
        if seconds >= _ROOM_FOR_A_NUMBER * total:
            middle = scale * (start + seconds / 2)
            axes.text(middle, 0, f"{seconds / total:.0%}", ha="center", va="center", fontsize=7.5, color=_ON_COLOR)
        start += seconds
    axes.set_xlim(0, scale * total)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(_ticks())
    axes.set_xlabel(unit)
    axes.spines[["top", "right", "left"]].set_visible(False)
