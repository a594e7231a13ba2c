"""Places of the nodes and edges of an execution graph: threads side by side, program order downwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mcr.report.graph.structure import DrawnEdge, GraphNode, Structure
from mcr.report.layout import display_width

CHARACTER = 7.9
"""Pixels that a character of a node takes."""

HEIGHT = 28
_PITCH, _GAP, _MARGIN, _CLEAR = 78, 110, 70, 5
"""Pixels from row to row, between columns, and at the sides."""

_PORT_ON_TOP = 18
"""Pixels from the middle of a first node to where edges from initial writes reach it; headings end left of that."""

_TOP = 74
"""Pixels above the first row, for the title."""

_PORTS = {"po": 0, "rf": -6, "fr": 6, "co": 0, "sync": 3}
"""Where edges of different relations meet the side of a node, in pixels from its middle."""

_NARROWEST = 480
"""Pixels that the title needs."""

Point = tuple[float, float]
Cubic = tuple[Point, Point, Point, Point]


@dataclass(frozen=True)
class Box:
    """A rectangle by its middle and its size."""

    x: float
    y: float
    width: float
    height: float = HEIGHT

    def overlaps(self, other: Box) -> bool:
        return (
            abs(self.x - other.x) * 2 < self.width + other.width + 2 * _CLEAR
            and abs(self.y - other.y) * 2 < self.height + other.height + 2 * _CLEAR
        )


@dataclass(frozen=True)
class Curve:
    """An edge as cubic Bezier curves, and where its name stands."""

    edge: DrawnEdge
    parts: tuple[Cubic, ...]
    label: Box


class GraphLayout:
    """Places for everything; `boxes` by key of node, `headings` by thread."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self.boxes: dict[str, Box] = {}
        self._lefts: list[float] = []
        self._centres = self._columns()
        self._lanes = 0
        self._first = self._place_initial() + (_PITCH + 20 if self._initial() else 34)
        for node in structure.nodes:
            if node.column >= 0:
                y = self._first + node.row * _PITCH
                self.boxes[node.key] = Box(self._centres[node.column], y, _width(node))
        self.headings = {
            name: (self._centres[place] + _PORT_ON_TOP - 8, self._first - 26)
            for place, name in enumerate(structure.columns)
        }
        self._columns_of = {node.key: node.column for node in structure.nodes}
        self._rows_of = {node.key: node.row for node in structure.nodes}
        self.curves = self._curves()
        self.left, self.right = self._sides()
        self.bottom = max((box.y for box in self.boxes.values()), default=_TOP) + HEIGHT

    def _sides(self) -> tuple[int, int]:
        """The leftmost and rightmost pixels that anything takes, with a margin."""
        boxes = [*self.boxes.values(), *(curve.label for curve in self.curves)]
        points = [point[0] for curve in self.curves for part in curve.parts for point in (_at(part, 0.5), part[3])]
        left = min([0, *(box.x - box.width / 2 for box in boxes), *points])
        right = max([_NARROWEST, *(box.x + box.width / 2 for box in boxes), *points])
        return round(left - 24), round(right + 24)

    def _initial(self) -> list[GraphNode]:
        return [node for node in self._structure.nodes if node.column < 0]

    def _columns(self) -> list[float]:
        """The middle of each thread's column."""
        centres, x = [], float(_MARGIN)
        for column in range(len(self._structure.columns)):
            width = max(_width(node) for node in self._structure.nodes if node.column == column)
            self._lefts.append(x)
            centres.append(x + width / 2)
            x += width + _GAP
        return centres

    def _place_initial(self) -> float:
        """Put the initial writes on top, in as many rows as the columns are wide; returns the height of the last."""
        room = max(self._centres, default=0) + 120
        x, y = float(_MARGIN) - 30, float(_TOP)
        for node in self._initial():
            if x + _width(node) > room and x > _MARGIN:
                x, y = float(_MARGIN) - 30, y + HEIGHT + 10
            self.boxes[node.key] = Box(x + _width(node) / 2, y, _width(node))
            x += _width(node) + 24
        return y

    # -- edges -----------------------------------------------------------------

    def _curves(self) -> list[Curve]:
        """All edges; each name where it covers neither a node nor another name, if there is such a place."""
        taken = [*self.boxes.values(), *(Box(x - 40, y - 4, 88, 16) for x, y in self.headings.values())]
        found = []
        for edge in self._structure.edges:
            parts = tuple(self._parts(edge))
            label = _free_place(parts, edge.relation, taken)
            taken.append(label)
            found.append(Curve(edge, parts, label))
        return found

    def _parts(self, edge: DrawnEdge) -> Iterator[Cubic]:
        one, two = self.boxes[edge.source], self.boxes[edge.target]
        from_column, to_column = self._columns_of[edge.source], self._columns_of[edge.target]
        if from_column < 0:
            yield from self._from_top(one, two, to_column, self._rows_of[edge.target])
        elif from_column == to_column:
            yield self._within(edge, one, two)
        elif abs(from_column - to_column) == 1:
            yield _across(one, two, _PORTS[edge.relation])
        else:
            step = 1 if to_column > from_column else -1
            yield from self._far(edge, one, two, range(from_column + step, to_column, step))

    def _from_top(self, one: Box, two: Box, column: int, row: int) -> Iterator[Cubic]:
        """From an initial write: to the top of a first node, else down on the left of the whole column."""
        start = (one.x, one.y + HEIGHT / 2)
        if row == 0:
            end = (two.x + _PORT_ON_TOP, two.y - HEIGHT / 2)
            yield start, (start[0], start[1] + 30), (end[0], end[1] - 30), end
            return
        self._lanes += 1
        x, level = self._lefts[column] - 22 - self._lanes % 4 * 7, self._first - HEIGHT / 2
        yield start, (start[0], start[1] + 40), (x, level - 40), (x, level)
        below = max(two.y - 40, level)
        yield _straight((x, level), (x, below))
        yield (x, below), (x, two.y - 6), (x, two.y - 6), (two.x - two.width / 2, two.y - 6)

    def _within(self, edge: DrawnEdge, one: Box, two: Box) -> Cubic:
        """Straight down to the next node; else around the nodes between, co and po on the left."""
        span = abs(self._rows_of[edge.target] - self._rows_of[edge.source])
        if edge.relation == "po" and span == 1:
            return _straight((one.x, one.y + HEIGHT / 2), (two.x, two.y - HEIGHT / 2))
        side = -1 if edge.relation in ("co", "po") else 1
        port = _PORTS[edge.relation]
        start, end = (one.x + side * one.width / 2, one.y + port), (two.x + side * two.width / 2, two.y + port)
        out = side * max(one.width, two.width) / 2 + side * min(24 + 16 * span + 2 * abs(port), 100)
        return start, (one.x + out, start[1]), (two.x + out, end[1]), end

    def _far(self, edge: DrawnEdge, one: Box, two: Box, between: Sequence[int]) -> Iterator[Cubic]:
        """Past the columns between, where there are gaps between their rows."""
        side = 1 if two.x > one.x else -1
        port = _PORTS[edge.relation]
        points = [(one.x + side * one.width / 2, one.y + port)]
        for column in between:
            x = self._centres[column]
            y = one.y + (two.y - one.y) * (x - one.x) / (two.x - one.x)
            row = round((y - self._first) / _PITCH - 0.5)
            points.append((x, self._first + (max(row, -0.3) + 0.5) * _PITCH + port))
        points.append((two.x - side * two.width / 2, two.y + port))
        for start, end in pairwise(points):
            bend = (end[0] - start[0]) / 2
            yield start, (start[0] + bend, start[1]), (end[0] - bend, end[1]), end


def _width(node: GraphNode) -> float:
    return display_width(node.text) * CHARACTER + 18


def _straight(start: Point, end: Point) -> Cubic:
    return start, start, end, end


def _across(one: Box, two: Box, port: float) -> Cubic:
    """From a node to one in the next column."""
    side = 1 if two.x > one.x else -1
    start, end = (one.x + side * one.width / 2, one.y + port), (two.x - side * two.width / 2, two.y + port)
    bend = (end[0] - start[0]) / 2
    return start, (start[0] + bend, start[1]), (end[0] - bend, end[1]), end


def _at(curve: Cubic, t: float) -> Point:
    """A point of a cubic Bezier curve, `t` from 0 to 1."""
    a, b, c, d = curve
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return tuple(sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))  # type: ignore[return-value]


def _free_place(parts: Sequence[Cubic], text: str, taken: Sequence[Box]) -> Box:
    """A place on the curve for its name, as near to the middle as is free."""
    size = (len(text) * 7.5 + 4, 14.0)
    places = [Box(*_at(part, t), *size) for t in _OUTWARDS for part in parts]
    return min(places, key=lambda place: sum(place.overlaps(other) for other in taken))  # the first of the best


_OUTWARDS = (
    0.5,
    0.46,
    0.54,
    0.42,
    0.58,
    0.38,
    0.62,
    0.34,
    0.66,
    0.3,
    0.7,
    0.26,
    0.74,
    0.22,
    0.78,
    0.18,
    0.82,
    0.14,
    0.86,
)
"""Places along a curve, the middle first."""
