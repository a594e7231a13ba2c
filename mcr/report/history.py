"""A history of calls as a picture: one line per thread, a bar from each call to its return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcr.linearizability.history_of_trace import CallSeen
from mcr.linearizability.search import Linearizability
from mcr.report.layout import Style
from mcr.report.printable import markup

LETTER, ROW, MARGIN = 8, 40, 90
"""Pixels: the width of a letter, the height of a thread's line, and room for the names of threads."""

_STYLE = """
svg { --paper: #fff; --ink: #1c2128; --box: #f3f5f8; --rule: #667080; }
@media (prefers-color-scheme: dark) { svg { --paper: #14181e; --ink: #e3e7ec; --box: #222a33; --rule: #98a2b0; } }
text { font: 13px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); }
.call { fill: var(--box); stroke: var(--rule); } .open { stroke-dasharray: 4 3; }
"""


def drawn(calls: Sequence[CallSeen], threads: int, style: Style) -> Iterator[str]:
    """Lines of text. A call that has not ended has an open bar."""
    bars = _bars(calls)
    left, right, rule = ("├", "┤", "─") if style.drawn else ("|", "|", "-")
    for thread in range(threads):
        line = ""
        for call, text, begin, end in bars:
            if call.thread == thread:
                closed = right if call.result else rule
                line = line.ljust(begin) + left + text.center(end - begin - 1, rule) + closed
        yield f"  {style.paint(f'thread {thread}', 'thread')}  {line}"


def picture(found: Linearizability) -> str:
    """The SVG of a counterexample, with what speaks against each order below; "" if there is none."""
    example = found.counterexample
    if example is None:
        return ""
    bars, threads = _bars(example.seen), len(example.calls)
    below = [*example.orders, found.bounds]
    width = MARGIN + LETTER * max([end + 2 for *_, end in bars] + [len(line) - 8 for line in below])
    height = ROW * threads + 20 * len(below) + 30
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    ]
    lines += [f"<style>{_STYLE}</style>", '<rect width="100%" height="100%" style="fill: var(--paper)"/>']
    lines += [f'<text x="10" y="{ROW * thread + 28}">thread {thread}</text>' for thread in range(threads)]
    for call, text, begin, end in bars:
        left, right, top = MARGIN + LETTER * begin, MARGIN + LETTER * end, ROW * call.thread + 10
        kind = "call" if call.result else "call open"
        lines.append(f'<rect class="{kind}" x="{left}" y="{top}" width="{right - left}" height="28" rx="4"/>')
        middle = (left + right) / 2
        lines.append(f'<text x="{middle:g}" y="{top + 18}" text-anchor="middle">{markup(text.strip())}</text>')
    lines += [
        f'<text x="10" y="{ROW * threads + 20 * number + 30}">{markup(line)}</text>'
        for number, line in enumerate(below)
    ]
    return "\n".join([*lines, "</svg>", ""])


def page(found: Sequence[Linearizability]) -> str:
    """The same of several classes as a page of HTML."""
    parts = ["<!doctype html>", '<meta charset="utf-8">', "<title>Histories that no order explains</title>"]
    for each in found:
        head = f"{each.name} under {each.model.upper()}: {each.level or each.verdict.value}"
        parts += [f"<h2>{markup(head)}</h2>", picture(each) or f"<p>{markup(each.bounds)}</p>"]
    return "\n".join([*parts, ""])


def _bars(calls: Sequence[CallSeen]) -> list[tuple[CallSeen, str, int, int]]:
    """Each call with its text, and where it begins and ends, so that every bar has room for its text."""
    texts = [f" {call.text} {call.result} ".replace("  ", " ") for call in calls]
    last = max((call.ends for call in calls), default=0)
    ends = {call.ends: (call, text) for call, text in zip(calls, texts, strict=True) if call.result}
    columns = [0]
    for place in range(1, last + 2):
        least = columns[-1] + 2
        if place in ends:
            call, text = ends[place]
            least = max(least, columns[call.begins] + len(text) + 3)
        columns.append(least)
    unfinished = [
        columns[call.begins] + len(text) + 3 for call, text in zip(calls, texts, strict=True) if not call.result
    ]
    if unfinished:
        columns[last] = max(columns[last], *unfinished)
    return [(call, text, columns[call.begins], columns[call.ends]) for call, text in zip(calls, texts, strict=True)]
