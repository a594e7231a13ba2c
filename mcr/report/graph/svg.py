"""An execution graph as an SVG file that needs nothing else, readable on light and on dark paper."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.diagnosis.reordering import Reordering, find_reordering
from mcr.report.graph.layout import HEIGHT, Box, Curve, GraphLayout
from mcr.report.graph.structure import GraphNode, structure
from mcr.report.layout import shortened
from mcr.report.printable import markup
from mcr.report.source import headline
from mcr.report.spelling import shown_trace
from replay.frontend.threads import FINAL
from replay.traces.trace import Trace

_MEANINGS = {
    "po": "program order",
    "rf": "reads from",
    "co": "coherence",
    "fr": "from read",
    "sync": "through spawn or join",
}

_STYLE = """
svg { --paper: #fff; --ink: #1c2128; --faint: #667080; --box: #f3f5f8; --rule: #c3cad4; --po: #57606a; --rf: #1a7f37;
  --co: #0b62c4; --fr: #b4520a; --sync: #57606a; --bad: #f7b4dc; --bad-text: #b0106c; }
@media (prefers-color-scheme: dark) { svg { --paper: #14181e; --ink: #e3e7ec; --faint: #98a2b0; --box: #222a33;
  --rule: #4a5563; --po: #a5afbb; --rf: #4cc46b; --co: #6cb0ff; --fr: #ff9f55; --sync: #a5afbb; --bad: #7a2558;
  --bad-text: #ff8fd0; } }
text { font: 13px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); }
.title { font: bold 16px system-ui, "DejaVu Sans", sans-serif; }
.below, .heading, .legend { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: var(--faint); }
.heading { paint-order: stroke; stroke: var(--paper); stroke-width: 6px; }
.node rect { fill: var(--box); stroke: var(--rule); } .initial rect { stroke-dasharray: 4 3; }
.edge { fill: none; stroke-width: 1.6; }
.bad { fill: none; stroke: var(--bad); stroke-width: 9; stroke-linecap: round; }
.name { font-size: 12px; font-weight: bold; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.worst { fill: var(--bad-text); }
"""
_DASHES = {"fr": "2 3", "co": "8 3", "sync": "1 4"}


def graph(trace: Trace) -> str:
    """The SVG of a trace; what is still buffered at its end counts as committed afterwards."""
    trace = shown_trace(trace)
    return _Drawing(trace, find_reordering(trace)).svg()


class _Drawing:
    def __init__(self, trace: Trace, reordering: Reordering | None) -> None:
        self._trace = trace
        self._stronger = reordering.stronger.name.upper() if reordering else ""
        self._structure = structure(trace, reordering)
        self._layout = GraphLayout(self._structure)
        used = {edge.relation for edge in self._structure.edges}
        self._relations = [relation for relation in _MEANINGS if relation in used]

    def svg(self) -> str:
        legend = list(self._legend())
        left, width = self._layout.left, self._layout.right - self._layout.left
        height = round(self._layout.bottom + 30 + 20 * len(legend))
        title = f"{self._trace.program.title} under {self._trace.model.upper()}"
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} 0 {width} {height}" width="{width}"'
            f' height="{height}" role="img" aria-labelledby="title">',
            f'<title id="title">Execution graph of {markup(title)}</title>',
            f"<style>{_STYLE}</style>",
            f"<defs>{''.join(map(_head, self._relations))}</defs>",
            f'<rect x="{left}" width="{width}" height="{height}" rx="10" style="fill:var(--paper)"/>',
            _text("title", left + 24, 28, title),
            _text("below", left + 24, 48, self._below(width)),
            *(_halo(curve) for curve in self._layout.curves if curve.edge.forbidden),
            *map(_edge, self._layout.curves),
            *self._headings(),
            *(self._node(node) for node in self._structure.nodes),
            *map(_name, self._layout.curves),
            *legend,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _below(self, width: int) -> str:
        failure = self._trace.failure
        return shortened(headline(failure) if failure else "nothing fails", max((width - 48) // 8, 20))

    def _headings(self) -> Iterator[str]:
        for name, (x, y) in self._layout.headings.items():
            words = "at the end" if name == FINAL else f"thread {name}"
            yield _text("heading", x, y, words, "end")

    def _node(self, node: GraphNode) -> str:
        box = self._layout.boxes[node.key]
        kind = "node initial" if node.column < 0 else "node"
        return (
            f'<g class="{kind}"><title>{markup(node.whole)}</title>{_rect(box)}'
            f"{_text('', box.x, box.y + 4.5, node.text, 'middle')}</g>"
        )

    def _legend(self) -> Iterator[str]:
        """A line for each relation, and one for the cycle."""
        left, y = self._layout.left + 24, self._layout.bottom + 18
        for place, relation in enumerate(self._relations):
            level = round(y + 20 * place)
            yield (
                f'<path class="edge" d="M{left} {level}h36" style="stroke:var(--{relation})"'
                f' stroke-dasharray="{_DASHES.get(relation, "")}"/>'
                + _text("legend", left + 46, level + 4, f"{relation}: {_MEANINGS[relation]}")
            )
        if any(edge.forbidden for edge in self._structure.edges):
            level = round(y + 20 * len(self._relations))
            yield f'<path class="bad" d="M{left + 2} {level}h32"/>' + _text(
                "legend", left + 46, level + 4, f"a cycle that {self._stronger} forbids"
            )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{markup(text)}</text>'


def _rect(box: Box) -> str:
    x, y = box.x - box.width / 2, box.y - HEIGHT / 2
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{HEIGHT}" rx="6"/>'


def _head(relation: str) -> str:
    return (
        f'<marker id="{relation}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9"'
        f' markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:var(--{relation})"/></marker>'
    )


def _path(curve: Curve) -> str:
    (x, y), *_ = curve.parts[0]
    rest = "".join(f"C{b[0]:.1f} {b[1]:.1f} {c[0]:.1f} {c[1]:.1f} {d[0]:.1f} {d[1]:.1f}" for _, b, c, d in curve.parts)
    return f"M{x:.1f} {y:.1f}{rest}"


def _halo(curve: Curve) -> str:
    return f'<path class="bad" d="{_path(curve)}"/>'


def _edge(curve: Curve) -> str:
    relation = curve.edge.relation
    dashes = f' stroke-dasharray="{_DASHES[relation]}"' if relation in _DASHES else ""
    return (
        f'<path class="edge {relation}" d="{_path(curve)}" style="stroke:var(--{relation})"{dashes}'
        f' marker-end="url(#{relation})" data-edge="{markup(curve.edge.source)} {markup(curve.edge.target)}"/>'
    )


def _name(curve: Curve) -> str:
    """The name of the relation on the curve."""
    kind = "name worst" if curve.edge.forbidden else "name"
    style = "" if curve.edge.forbidden else f' style="fill:var(--{curve.edge.relation})"'
    x, y = curve.label.x, curve.label.y + 4
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="middle"{style}>{curve.edge.relation}</text>'
