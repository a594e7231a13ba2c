"""The plots of results/consistency.py; needs matplotlib, an optional extra."""

from __future__ import annotations

from typing import Any

from replay.memory_model import MODELS
from results.consistency_growth import FAMILIES, THREADS
from results.rows import Rows

SCATTERS = {
    "consistency_with_closure": ("ours+closure", "naive+closure"),
    "consistency_without_closure": ("ours", "naive"),
    "consistency_closure": ("ours+closure", "ours"),
    "consistency_minisat22": ("ours+closure", "minisat22"),
    "consistency_z3": ("ours+closure", "z3"),
}
"""By file: the procedure on the y axis and the one on the x axis. The first two are [bui-2021] Figures 9 and 10."""

COLOURS = {"yes": ("tab:blue", "realizable"), "no": ("tab:green", "not realizable")}


def draw(rows: Rows, growth: Rows) -> None:
    """Write the plots beside the tables."""
    pyplot = _pyplot()
    for name, (vertical, horizontal) in SCATTERS.items():
        figure, axes = pyplot.subplots(1, len(MODELS), figsize=(15, 5))
        for axis, model in zip(axes, MODELS, strict=True):
            _scatter(axis, rows, model, vertical, horizontal)
        _save(pyplot, figure, rows, name)
    figure, axes = pyplot.subplots(1, len(FAMILIES), figsize=(12, 5))
    for axis, family in zip(axes, FAMILIES, strict=True):
        _growth(axis, growth, family)
    _save(pyplot, figure, rows, "consistency_growth")


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise SystemExit("The plots need matplotlib; run `pip install matplotlib`, or pass --no-plots.") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _save(pyplot: Any, figure: Any, rows: Rows, name: str) -> None:
    figure.tight_layout()
    figure.savefig(rows.path.with_name(f"{name}.png"), dpi=100, metadata={"Software": None})
    pyplot.close(figure)


def _scatter(axis: Any, rows: Rows, model: str, vertical: str, horizontal: str) -> None:
    """One dot per instance; the lines are identity and a factor of ten, as in the paper."""
    up, across = rows.columns.index(vertical), rows.columns.index(horizontal)
    for answer, (colour, label) in COLOURS.items():
        chosen = [row for row in rows.rows if row[0] == model and row[5] == answer]
        xs, ys = [float(row[across]) for row in chosen], [float(row[up]) for row in chosen]
        axis.scatter(xs, ys, s=8, c=colour, label=f"{label} ({len(chosen)})", alpha=0.6, linewidths=0)
    ends = (1e-5, 1e2)
    axis.plot(ends, ends, color="red", linewidth=1)
    axis.plot(ends, [end / 10 for end in ends], color="red", linewidth=1, alpha=0.4)
    axis.set(xscale="log", yscale="log", xlim=ends, ylim=ends, title=model)
    axis.set(xlabel=f"{horizontal} (s)", ylabel=f"{vertical} (s)")
    axis.legend(loc="upper left")


def _growth(axis: Any, growth: Rows, family: str) -> None:
    for model in MODELS:
        for threads in THREADS:
            chosen = [row for row in growth.rows if row[:3] == [family, model, str(threads)]]
            xs, ys = [int(row[3]) for row in chosen], [float(row[4]) for row in chosen]
            axis.plot(xs, ys, marker="o", markersize=3, label=f"{model}, {threads} threads")
    axis.set(xscale="log", yscale="log", title=family, xlabel="actions", ylabel="seconds")
    axis.legend()
