"""Drawing figures with matplotlib, an optional extra. The same figures give the same files, byte for byte."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcr.bench.figures import Bars, Figure, Panel
from replay.errors import CheckerError
from replay.files import write_atomically

_COLOURS = (
    "#2f6db3",
    "#e08a1e",
    "#3a9a5b",
    "#b5403c",
    "#7d5ba6",
    "#8a6d4b",
    "#d277a8",
    "#4fb3bf",
    "#7f7f7f",
    "#b8b02a",
)
"""In the order of the series; to be told apart in print and by most who see colours differently."""

_HATCHES = ("", "...", "xxx")
_MARKERS = "os^Dvp*XP"

_STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "mcr",
    "svg.fonttype": "path",
}

_BELOW = 0.7
"""Where bars begin on a logarithmic axis, as a share of the lowest one, which can then be seen."""

_FEW_DECADES = 2
"""Up to which range of a logarithmic axis 2 and 5 have numbers, too."""

_METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
"""What would differ from one run or one version to the next is left out."""


def check_can_draw() -> None:
    """Raise CheckerError if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise CheckerError(
            "The plots need matplotlib: run `pip install 'mcr-checker[plots]'`, or pass --no-plots."
        ) from None


def draw(figures: Sequence[Figure], folder: Path, kinds: Sequence[str] = ("svg", "png")) -> None:
    """Write each figure, in each kind of file. Raises CheckerError if matplotlib is missing."""
    check_can_draw()
    from matplotlib import rc_context

    with rc_context(_STYLE):
        for figure in figures:
            drawn = _draw(figure)
            for kind in kinds:
                write_atomically(folder / f"{figure.name}.{kind}", _picture(drawn, kind))


def canvas(figure: Figure) -> Any:
    """Returns matplotlib's object for a figure, for callers that write it themselves."""
    from matplotlib import rc_context

    with rc_context(_STYLE):
        return _draw(figure)


def paint(number: int) -> dict[str, str]:
    """Colour and hatching of a series; more of them than colours differ by their hatching."""
    return {"color": _COLOURS[number % len(_COLOURS)], "hatch": _HATCHES[number // len(_COLOURS) % len(_HATCHES)]}


def _picture(drawn: Any, kind: str) -> bytes:
    written = io.BytesIO()
    drawn.savefig(written, format=kind, dpi=130, metadata=_METADATA[kind])
    return written.getvalue()


def _draw(figure: Figure) -> Any:
    from matplotlib.figure import Figure as Canvas  # not pyplot, which takes a second to import and keeps figures

    columns = min(figure.columns, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    drawn = Canvas(figsize=figure.size, layout="constrained")
    grid = drawn.subplots(rows, columns, squeeze=False)
    if figure.title:
        drawn.suptitle(figure.title, fontsize=11, fontweight="bold")
    places = list(grid.flat)
    for place, panel in zip(places, figure.panels, strict=False):
        _fill(place, panel)
    for place in places[len(figure.panels) :]:
        place.set_axis_off()
    _share_legend(drawn, places)
    return drawn


def _fill(axes: Any, panel: Panel) -> None:
    axes.set(title=panel.title, xlabel=panel.x, ylabel=panel.y)
    if panel.log_x:
        axes.set_xscale("log")
    if panel.log_y:
        axes.set_yscale("log")
        _write_numbers(axes.yaxis)
    if panel.bars is not None:
        (_stacked if panel.stacked else _side_by_side)(axes, panel)
        if panel.log_y:
            axes.set_ylim(bottom=_lowest(panel.bars))
    if panel.lines is not None:
        _lines(axes, panel.lines)
        if not panel.log_x and all(float(x).is_integer() for points in panel.lines.values() for x, _ in points):
            axes.xaxis.get_major_locator().set_params(integer=True)
    if panel.dots is not None:
        _dots(axes, panel)
    for number, ((x, y), text) in enumerate(panel.notes):
        crowded = any(x < 4 * left and below / 2 < y < 2 * below for (left, below), _ in panel.notes[:number])
        _note(axes, x, y, text, left=number >= len(panel.notes) / 2, above=crowded)


def _write_numbers(axis: Any) -> None:
    """Numbers on a logarithmic axis as people write them, and between powers of ten where these are few."""
    axis.set_major_formatter(lambda value, _: f"{value:,g}")

    def between(value: float, _: int) -> str:
        least, most = sorted(axis.get_view_interval())
        is_short = most < least * 10**_FEW_DECADES
        return f"{value:,g}" if is_short and f"{value:e}"[0] in "25" else ""

    axis.set_minor_formatter(between)


def _lowest(bars: Bars) -> float:
    known = [height for heights in bars.values() for height in heights if height]
    return _BELOW * min([1.0, *known])


def _note(axes: Any, x: float, y: float, text: str, *, left: bool, above: bool) -> None:
    """A few words beside a point; notes come from left to right, those at the right go to the left of theirs."""
    shift, side = ((-5, 5), "right") if left else ((5, 5 if above else -9), "left")
    axes.annotate(text, (x, y), xytext=shift, textcoords="offset points", ha=side, fontsize=7, color="#333333")


def _side_by_side(axes: Any, panel: Panel) -> None:
    assert panel.bars is not None
    width = 0.8 / len(panel.bars)
    for number, (series, heights) in enumerate(panel.bars.items()):
        shift = (number - (len(panel.bars) - 1) / 2) * width
        places = [place + shift for place, height in enumerate(heights) if height is not None]
        known = [height for height in heights if height is not None]
        bar = axes.barh if panel.flat else axes.bar
        bar(places, known, width, label=series, edgecolor="white", linewidth=0, **paint(number))
    _label_groups(axes, panel)


def _stacked(axes: Any, panel: Panel) -> None:
    assert panel.bars is not None
    bottom = [0.0] * len(panel.labels)
    for number, (series, heights) in enumerate(panel.bars.items()):
        known = [height or 0.0 for height in heights]
        places = range(len(known))
        if panel.flat:
            axes.barh(places, known, 0.75, left=bottom, label=series, color=_COLOURS[number % len(_COLOURS)])
        else:
            axes.bar(places, known, 0.75, bottom=bottom, label=series, color=_COLOURS[number % len(_COLOURS)])
        bottom = [below + height for below, height in zip(bottom, known, strict=True)]
    _label_groups(axes, panel)


def _label_groups(axes: Any, panel: Panel) -> None:
    places = range(len(panel.labels))
    if panel.flat:
        axes.set_yticks(places, panel.labels)
        axes.set_ylim(len(panel.labels) - 0.5, -0.5)
        axes.grid(False, axis="y")
    else:
        axes.set_xticks(places, panel.labels, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.6, len(panel.labels) - 0.4)
        axes.grid(False, axis="x")


def _lines(axes: Any, lines: dict[str, list[tuple[float, float]]]) -> None:
    for number, (series, points) in enumerate(lines.items()):
        xs, ys = zip(*points, strict=True) if points else ((), ())
        colour, marker = _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)]
        width = 1.5 + 6 * (len(lines) - 1 - number) / len(lines)  # what lies below another line is seen beside it
        axes.plot(xs, ys, label=series, color=colour, linewidth=width, marker=marker, markersize=3 + width)


def _dots(axes: Any, panel: Panel) -> None:
    assert panel.dots is not None
    for number, (series, points) in enumerate(panel.dots.items()):
        xs, ys = zip(*points, strict=True) if points else ((), ())
        axes.scatter(
            xs, ys, s=22, label=series, color=_COLOURS[number], marker=_MARKERS[number], alpha=0.75, linewidths=0
        )
    if panel.diagonal:
        _diagonal(axes, [point for points in panel.dots.values() for point in points])


def _diagonal(axes: Any, points: Sequence[tuple[float, float]]) -> None:
    """The line on which both figures are equal; axes that leave some room."""
    xs, ys = [x for x, _ in points] or [1.0], [y for _, y in points] or [1.0]
    ends = (min(*xs, *ys) / 2, max(*xs, *ys) * 2)
    axes.plot(ends, ends, color="#888888", linewidth=1, linestyle="--", zorder=0)
    axes.set(xlim=(min(xs) / 2, max(xs) * 2), ylim=(min(ys) / 2, max(ys) * 2))


def _share_legend(figure: Any, places: Sequence[Any]) -> None:
    """One legend below all panels if they have the same series, else one in each."""
    labelled = [place.get_legend_handles_labels() for place in places]
    found = [(handles, labels) for handles, labels in labelled if len(labels) > 1]
    if found and all(labels == found[0][1] for _, labels in found):
        figure.legend(*found[0], loc="outside lower center", ncols=min(8, len(found[0][1])))
        return
    for place, (_, labels) in zip(places, labelled, strict=True):
        if len(labels) > 1:
            place.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
