"""The plot of a table: executions and seconds, over a swept parameter where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcr.bench.figures import Figure, Panel, Point
from mcr.bench.table import Line

MEASURES = {"executions": "executions", "seconds": "seconds"}
"""What is drawn, by column."""

_LEAST = {"executions": 1.0, "seconds": 0.001}
"""What is drawn in the place of less, as axes are logarithmic."""


def figure(table: Sequence[Line], swept: str, sizes: Mapping[str, float]) -> Figure | None:
    """Lines over the parameter `swept`, else bars; None if nothing was explored to its end.

    sizes  the value of that parameter, by the column `parameters`
    """
    ended = [line for line in table if not line["why"]]
    if not ended:
        return None
    series = "model" if len({line["algorithm"] for line in ended}) == 1 else "algorithm"
    groups: dict[str, list[Line]] = {}
    for line in ended:
        groups.setdefault(_group(line, swept, series), []).append(line)
    panels = [
        _over(title, column, lines, swept, sizes, series) if swept else _bars(title, column, lines, series)
        for title, lines in groups.items()
        for column in MEASURES
    ]
    return Figure("bench", "", tuple(panels), (10, 3.4 * len(groups) + 0.6), columns=2)


def _group(line: Line, swept: str, series: str) -> str:
    """Returns the title of a row of panels: everything but the series, and the program's name where bars have it."""
    rest = [part for part in line["parameters"].split(", ") if part and part.partition("=")[0] != swept]
    title = f"{line['program']}({', '.join(rest)})" if rest else line["program"]
    model = f" under {line['model'].upper()}" if series == "algorithm" else ""
    return f"{title if swept else 'programs'}{model}, {line['objective']}"


def _over(title: str, column: str, lines: Sequence[Line], swept: str, sizes: Mapping[str, float], series: str) -> Panel:
    points: dict[str, list[Point]] = {}
    for line in lines:
        x = sizes[line["parameters"]]
        points.setdefault(line[series], []).append((x, max(_LEAST[column], line[column])))
    drawn = {name: sorted(found) for name, found in points.items()}
    return Panel(title, swept, MEASURES[column], lines=drawn, log_y=True)


def _bars(title: str, column: str, lines: Sequence[Line], series: str) -> Panel:
    labels = list(dict.fromkeys(_label(line) for line in lines))
    found = {(_label(line), line[series]): max(_LEAST[column], line[column]) for line in lines}
    names = dict.fromkeys(line[series] for line in lines)
    bars = {name: [found.get((label, name)) for label in labels] for name in names}
    return Panel(title, y=MEASURES[column], labels=tuple(labels), bars=bars, log_y=True)


def _label(line: Line) -> str:
    return f"{line['program']}({line['parameters']})" if line["parameters"] else str(line["program"])
