"""The plots of results/consistency.py; needs matplotlib, an optional extra."""

from __future__ import annotations

from pathlib import Path

from mcr.bench.drawing import draw as draw_figures
from mcr.bench.figures import Figure, Panel, Point
from mcr.bench.rows import Rows
from replay.world.memory_models import MODELS
from results.consistency_growth import FAMILIES, THREADS, series

SCATTERS = {
    "consistency_with_closure": ("ours+closure", "naive+closure"),
    "consistency_without_closure": ("ours", "naive"),
    "consistency_closure": ("ours+closure", "ours"),
    "consistency_minisat22": ("ours+closure", "minisat22"),
    "consistency_z3": ("ours+closure", "z3"),
}
"""By file: the procedure on the y axis and the one on the x axis. The first two are [bui-2021] Figures 9 and 10."""

LABELS = {"yes": "realizable", "no": "not realizable"}


def draw(rows: Rows, growth: Rows, folder: Path) -> None:
    """Write the plots beside the tables."""
    figures = [
        Figure(
            name,
            f"{vertical} against {horizontal}",
            tuple(_scatter(rows, model, vertical, horizontal) for model in MODELS),
            (13, 5),
        )
        for name, (vertical, horizontal) in SCATTERS.items()
    ]
    panels = tuple(_growth(growth, family) for family in FAMILIES)
    figures.append(Figure("consistency_growth", "Growth of verification time", panels, (12, 5)))
    draw_figures(figures, folder, kinds=("png",))


def _scatter(rows: Rows, model: str, vertical: str, horizontal: str) -> Panel:
    """One dot per instance, and the line of equal time."""
    dots: dict[str, list[Point]] = {label: [] for label in LABELS.values()}
    for row in rows.all():
        if row["model"] == model:
            dots[LABELS[row["realizable"]]].append((row[horizontal], row[vertical]))
    labels = {"x": f"{horizontal} (s)", "y": f"{vertical} (s)"}
    return Panel(model.upper(), **labels, dots=dots, log_x=True, log_y=True, diagonal=True)


def _growth(growth: Rows, family: str) -> Panel:
    lines = {
        f"{model.upper()}, {threads} threads": [
            (row["actions"], row["seconds"]) for row in series(growth, family, model, threads)
        ]
        for model in MODELS
        for threads in THREADS
    }
    return Panel(family, "actions", "seconds", lines=lines, log_x=True, log_y=True)
