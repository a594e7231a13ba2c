"""A history of calls as a picture: one line per thread, a bar from each call to its return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mcr.exploration.verdict import Verdict
from mcr.linearizability.history_of_trace import CallSeen
from mcr.linearizability.search import Linearizability
from mcr.report.layout import Style, wrap
from mcr.report.printable import markup

LETTER, ROW, MARGIN, BAR = 8, 56, 90, 44
"""Pixels: the width of a letter, the height of a thread's line, room for the names of threads, the height of a bar."""

LINE = 76
"""Characters of a line below a picture."""

_STYLE = """
svg { --paper: #fff; --ink: #1c2128; --box: #f3f5f8; --rule: #667080; max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { svg { --paper: #14181e; --ink: #e3e7ec; --box: #222a33; --rule: #98a2b0; } }
text { font: 13px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); }
.call { fill: var(--box); stroke: var(--rule); } .open { stroke-dasharray: 4 3; }
"""

_PAGE = """
body { margin: 16px; background: #fff; color: #1c2128; font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { body { background: #14181e; color: #e3e7ec; } }
h2 { font-size: 18px; }
"""


def drawn(calls: Sequence[CallSeen], threads: int, style: Style) -> Iterator[str]:
    """Lines of text. A call that has not ended has an open bar."""
    bars = _bars(calls, lambda call: [f"{call.text} {call.result}".rstrip()])
    left, right, rule = ("├", "┤", "─") if style.drawn else ("|", "|", "-")
    for thread in range(threads):
        line = ""
        for call, (text,), begin, end in bars:
            if call.thread == thread:
                closed = right if call.result else rule
                line = line.ljust(begin) + left + f" {text} ".center(end - begin - 1, rule) + closed
        yield f"  {style.paint(f'thread {thread}', 'thread')}  {line}"


def picture(found: Linearizability) -> str:
    """The SVG of a counterexample, with what speaks against each order below; "" if there is none."""
    example = found.counterexample
    if example is None:
        return ""
    bars, threads = _bars(example.seen, lambda call: [call.text, call.result]), len(example.calls)
    below = [line for sentence in (*example.orders, found.bounds) for line in wrap(sentence, LINE)]
    width = MARGIN + LETTER * max([end + 2 for *_, end in bars] + [len(line) - 8 for line in below])
    height = ROW * threads + 20 * len(below) + 30
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    ]
    lines += [f"<style>{_STYLE}</style>", '<rect width="100%" height="100%" style="fill: var(--paper)"/>']
    lines += [f'<text x="10" y="{ROW * thread + 36}">thread {thread}</text>' for thread in range(threads)]
    for call, texts, begin, end in bars:
        left, right, top = MARGIN + LETTER * begin, MARGIN + LETTER * end, ROW * call.thread + 10
        kind = "call" if call.result else "call open"
        lines.append(f'<rect class="{kind}" x="{left}" y="{top}" width="{right - left}" height="{BAR}" rx="4"/>')
        for number, text in enumerate(filter(None, texts)):
            middle, y = (left + right) / 2, top + 18 * number + (18 if call.result else 27)
            lines.append(f'<text x="{middle:g}" y="{y}" text-anchor="middle">{markup(text)}</text>')
    lines += [
        f'<text x="10" y="{ROW * threads + 20 * number + 30}">{markup(line)}</text>'
        for number, line in enumerate(below)
    ]
    return "\n".join([*lines, "</svg>", ""])


def page(found: Sequence[Linearizability]) -> str:
    """Returns the histories of several classes as a page of HTML."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Histories that no order explains</title><style>{_PAGE}</style>",
    ]
    for each in found:
        head = f"{each.name} under {each.model.upper()}: {answer(each)}"
        parts += [f"<h2>{markup(head)}</h2>", picture(each) or f"<p>{markup(each.bounds)}</p>"]
    return "\n".join([*parts, ""])


def answer(found: Linearizability) -> str:
    """Says whether a class has the level that was asked for."""
    if found.verdict is Verdict.INCOMPLETE:
        return "incomplete"
    return found.asked if found.verdict is Verdict.VERIFIED else f"not {found.asked}"


Bar = tuple[CallSeen, list[str], int, int]
"""A call, its lines of text, and where it begins and ends, in letters."""


def _bars(calls: Sequence[CallSeen], lines: Callable[[CallSeen], list[str]]) -> list[Bar]:
    """Each call, so that every bar has room for its text."""
    texts = [lines(call) for call in calls]
    rooms = [max(map(len, text)) + 5 for text in texts]
    last = max((call.ends for call in calls), default=0)
    ends = {call.ends: (call, room) for call, room in zip(calls, rooms, strict=True) if call.result}
    columns = [0]
    for place in range(1, last + 2):
        least = columns[-1] + 2
        if place in ends:
            call, room = ends[place]
            least = max(least, columns[call.begins] + room)
        columns.append(least)
    unfinished = [columns[call.begins] + room for call, room in zip(calls, rooms, strict=True) if not call.result]
    if unfinished:
        columns[last] = max(columns[last], *unfinished)
    return [(call, text, columns[call.begins], columns[call.ends]) for call, text in zip(calls, texts, strict=True)]
