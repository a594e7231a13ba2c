"""The local states of a program's threads as a picture: a box for each, and beside them the code.

Histories that share a local state meet in one box. A box says what its thread asks for there, an arrow what it reads.
Lines that no execution reaches are marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcr.coverage.code import Statement
from mcr.coverage.survey import Coverage
from mcr.report.layout import shortened
from mcr.report.printable import markup
from mcr.report.source import lines_of, shown_path
from replay.code.terminals import ASSUMED, Blocked, Cut, Ended, Failed
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.world.operation import SCHEDULING
from replay.world.shown import shown

_WIDTH, _HEIGHT, _ACROSS, _DOWN = 150, 26, 172, 62
_MARGIN, _TOP, _LINE = 24, 64, 16
_LONGEST = 22
"""Characters of what a box says."""

_STYLE = """\
svg { --paper: #fff; --ink: #222; --faint: #57606a; --box: #f6f8fa; --end: #dafbe1; --bad: #cf222e; --fails: #ffebe9;
  --read: #0550ae }
@media (prefers-color-scheme: dark) { svg { --paper: #14181e; --ink: #e3e7ec; --faint: #98a2b0; --box: #1c222a;
  --end: #17402a; --bad: #ff8a80; --fails: #3d1f1e; --read: #6cb0ff } }
text { font: 12px sans-serif; fill: var(--ink) } .code text, .code { font-family: monospace; white-space: pre }
.title { font-weight: bold } .line { fill: var(--faint); font-size: 10px }
.read { fill: var(--read); font-size: 11px; stroke: var(--paper); stroke-width: 4px; paint-order: stroke }
rect { fill: var(--box); stroke: var(--faint); rx: 5 } .ended rect { fill: var(--end) }
.failed rect { fill: var(--fails); stroke: var(--bad) }
.blocked rect { stroke-dasharray: 4 3 } path { fill: none; stroke: var(--faint) }
.never { fill: var(--bad); font-weight: bold }"""


@dataclass(frozen=True)
class _Spot:
    """The middle of the upper edge of a box."""

    x: float
    y: float


def draw_states(unfolding: Unfolding, coverage: Coverage) -> str:
    """The picture as SVG."""
    threads = [info for info in unfolding.threads if not info.is_final]
    parts: list[str] = []
    left, height = float(_MARGIN), 0.0
    for info in threads:
        states = _reached(info.root)
        spots, width = _layout(states, left)
        title = markup(f"thread {info.name}: {info.title}")
        parts.append(f'<text class="title" x="{left:g}" y="28">{title}</text>')
        parts.append(f'<text class="line" x="{left:g}" y="44">{len(states)} local states</text>')
        parts += sorted(_arrows(states, spots, unfolding), key=lambda part: part.startswith("<text"))  # labels on top
        parts += (_box(state, spots[state.number]) for state in states)
        height = max(height, *(spot.y + _HEIGHT for spot in spots.values()))
        left += max(width, 11.0 * len(title) / 1.6) + _MARGIN
    listing = list(_listing(coverage, left))
    height = max(height, _TOP + _LINE * len(listing))
    parts += listing
    width, height = left + 640, height + _MARGIN
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_STYLE}</style>{_ARROW}'
    return "\n".join(
        [head, '<rect width="100%" height="100%" style="fill:var(--paper);stroke:none;rx:0"/>', *parts, "</svg>\n"]
    )


_ARROW = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0,0 L8,4 L0,8 z" style="fill:var(--faint);stroke:none"/></marker></defs>'
)


def _reached(root: State) -> list[State]:
    """The states that known steps lead to, by depth, in the order of discovery."""
    found, todo = {root.number: root}, [root]
    while todo:
        for edge in todo.pop().edges.values():
            if edge.after.number not in found:
                found[edge.after.number] = edge.after
                todo.append(edge.after)
    return sorted(found.values(), key=lambda state: (state.depth, state.number))


def _layout(states: Sequence[State], left: float) -> tuple[Mapping[int, _Spot], float]:
    """A row for each depth; and how wide that is."""
    rows: dict[int, list[State]] = {}
    for state in states:
        rows.setdefault(state.depth, []).append(state)
    width = max(map(len, rows.values())) * _ACROSS
    spots: dict[int, _Spot] = {}
    for depth, row in rows.items():
        for place, state in enumerate(row):
            x = left + width / 2 + (place - (len(row) - 1) / 2) * _ACROSS
            spots[state.number] = _Spot(x, _TOP + depth * _DOWN)
    return spots, width


def _box(state: State, spot: _Spot) -> str:
    kind, text, line = _says(state)
    return (
        f'<g class="{kind}"><rect x="{spot.x - _WIDTH / 2:g}" y="{spot.y:g}" width="{_WIDTH}" height="{_HEIGHT}"/>'
        f'<text x="{spot.x - _WIDTH / 2 + 6:g}" y="{spot.y + 17:g}">{markup(shortened(text, _LONGEST))}</text>'
        f'<text class="line" text-anchor="end" x="{spot.x + _WIDTH / 2 - 4:g}" y="{spot.y + 9:g}">{line}</text></g>'
    )


def _says(state: State) -> tuple[str, str, str]:
    """The class of a box, its text, and the line."""
    operation, end = state.operation, state.terminal
    if operation is not None:
        return "asks", operation.describe(), str(operation.source.line) if operation.source else ""
    match end:
        case Ended(value):
            return "ended", "ends" if value is None else f"returns {shown(value)}", ""
        case Failed():
            return "failed", str(end), str(end.source.line) if end.source else ""
        case Blocked(reason):
            return "blocked", {ASSUMED: "fails an assumption"}.get(reason, "waits"), ""
        case Cut():
            return "blocked", "is cut", ""
    return "blocked", "", ""


def _arrows(states: Sequence[State], spots: Mapping[int, _Spot], unfolding: Unfolding) -> Iterator[str]:
    for state in states:
        targets: dict[int, list[Edge]] = {}
        for edge in state.edges.values():
            targets.setdefault(edge.after.number, []).append(edge)
        for number, edges in targets.items():
            yield from _arrow(spots[state.number], spots[number], [_read(edge, unfolding) for edge in edges])


def _arrow(one: _Spot, two: _Spot, reads: Sequence[str]) -> Iterator[str]:
    """From a box to another, with what is read on the way."""
    start, end = one.y + _HEIGHT, two.y
    bend = (start + end) / 2
    path = f"M{one.x:g},{start:g} C{one.x:g},{bend:g} {two.x:g},{bend:g} {two.x:g},{end:g}"
    yield f'<path d="{path}" marker-end="url(#tip)"/>'
    if text := ", ".join(read for read in reads if read):
        x, y = (one.x + 2 * two.x) / 3 + 4, (start + 2 * end) / 3
        yield f'<text class="read" x="{x:g}" y="{y:g}">{markup(shortened(text, 16))}</text>'


def _read(edge: Edge, unfolding: Unfolding) -> str:
    operation = edge.before.operation
    if edge.read == NOTHING or operation is None or operation.kind in SCHEDULING:
        return ""
    return shown(unfolding.values[edge.read])


def _listing(coverage: Coverage, left: float) -> Iterator[str]:
    """The code of the threads; what no execution reaches is marked."""
    never = {(statement.file, line) for statement in coverage.unreached for line in _lines(statement)}
    y = 28
    for file in dict.fromkeys(statement.file for statement in coverage.lines):
        lines = [line for statement in coverage.lines if statement.file == file for line in _lines(statement)]
        yield f'<text class="title" x="{left:g}" y="{y}">{markup(shown_path(file))}</text>'
        for number, text in enumerate(lines_of(file)[min(lines) - 1 : max(lines)], min(lines)):
            y += _LINE
            mark = " never" if (file, number) in never else ""
            shown_text = markup(f"{number:4} {'✗' if mark else ' '} {text.rstrip()}")
            yield f'<text class="code{mark}" x="{left:g}" y="{y}" xml:space="preserve">{shown_text}</text>'
        y += 2 * _LINE


def _lines(statement: Statement) -> range:
    return range(statement.line, statement.last + 1)
