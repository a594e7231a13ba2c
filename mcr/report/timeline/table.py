"""The tables of a timeline as HTML, which can be read without a script: steps, history of each cell, lines of code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mcr.report.explanation import thread_words
from mcr.report.interleaving import Row, initial_values, is_forwarded, mutexes, shown_content, shown_value
from mcr.report.layout import display_width
from mcr.report.printable import markup
from mcr.report.source import lines_of, shown_line_of, shown_path
from mcr.report.timeline.arrows import Delay
from mcr.report.timeline.moments import Moment
from replay.frontend.threads import FINAL
from replay.traces.trace import Trace, TraceEvent
from replay.world.operation import KINDS, SCHEDULING, Source

_NARROWEST = 14
_LEAST, _WIDEST, _SPARE = 20, 80, 21
"""Characters that a column may have. Where the table is wider than `_ROOM` pixels, the widest columns give way: first
those of buffers and memory, down to `_SPARE`."""

_ROOM = 1080

_NUMBERS = 52
"""Pixels of the column with the numbers of the steps."""

_LANE = 7
"""Pixels between the bars of delayed stores."""


class TimelineTable:
    """A column for each thread, one for the store buffers and one for what reaches memory."""

    def __init__(self, trace: Trace, moments: Sequence[Moment], delays: Sequence[Delay]) -> None:
        self._trace = trace
        self._moments = moments
        shown = {thread for moment in moments for thread in moment.cells}
        self._threads = [name for name in trace.threads if name != FINAL and name in shown]
        self._lanes = Counter({delay.thread: 0 for delay in delays})
        for delay in delays:
            self._lanes[delay.thread] = max(self._lanes[delay.thread], delay.lane + 1)
        self._mutexes = mutexes(trace)
        self._buffers = any(moment.row and moment.row.buffers for moment in moments)

    def html(self) -> str:
        head = "".join(self._head())
        columns = "".join(f'<col style="width:{width}px">' for width in self.widths())
        body = "\n".join(self._row(place) for place in range(len(self._moments)))
        return f"<table><colgroup>{columns}</colgroup><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"

    def widths(self) -> list[int]:
        """The width of each column in pixels; all text is of one size."""
        places = range(len(self._moments))
        texts = [[self._title(name), *self._texts(name)] for name in self._threads]
        texts += [[self._contents(place) for place in places]] * self._buffers
        texts += [[self._change(place) for place in places[1:]]]
        longest = [max([_NARROWEST, *map(display_width, column)]) for column in texts]
        bars = [self._lanes[name] * _LANE for name in self._threads] + [0] * (len(texts) - len(self._threads))
        lines = max(4, *(display_width(self._line(moment)) for moment in self._moments))
        longest = [min(each, _WIDEST) for each in longest]
        while True:
            columns = [_pixels(each) + bar for each, bar in zip(longest, bars, strict=True)]
            found = [_NUMBERS, _pixels(min(lines, 30)), *columns]
            if sum(found) <= _ROOM or max(longest) <= _LEAST:
                return found
            first = len(self._threads) if max(longest[len(self._threads) :]) > _SPARE else 0
            most = max(longest[first:]) - 1
            longest = [*longest[:first], *(min(each, most) for each in longest[first:])]

    def _texts(self, thread: str) -> list[str]:
        """Returns the texts of a thread's column; those of the failure may take several lines, and are left out."""
        return [moment.cells[thread] for moment in self._moments if thread in moment.cells and not moment.fails]

    def _title(self, thread: str) -> str:
        title = self._trace.threads[thread]
        return f"thread {thread}: {title}" if title else f"thread {thread}"

    def _head(self) -> Iterator[str]:
        titles = [("step", ""), ("line", ""), *((self._title(name), "thread") for name in self._threads)]
        titles += [("store buffers", "")] * self._buffers + [("memory", "")]
        for title, kind in titles:
            yield f'<th scope="col" class="{kind}" title="{markup(title)}">{markup(title)}</th>'

    def _row(self, place: int) -> str:
        moment = self._moments[place]
        number = str(moment.row.number) if moment.row else (_sign(moment) if moment.fails else "0")
        cells = [f'<th scope="row">{number}</th>', _cell(self._line(moment), "line"), *self._operations(moment, place)]
        if self._buffers:
            before = self._contents(place - 1) if place else ""
            contents = self._contents(place)
            cells.append(_cell(contents, "buffers" if contents != before else "buffers same"))
        cells.append(_cell(self._change(place) if place else "", "memory"))
        return f'<tr data-place="{place}"{self._class(place)}>{"".join(cells)}</tr>'

    def _operations(self, moment: Moment, place: int) -> Iterator[str]:
        """The cells of the threads; what concerns none or all of them stands across."""
        if not set(moment.cells) <= set(self._threads) or not moment.cells:
            text = "; ".join(moment.cells.values()) if place else f"initially {', '.join(initial_values(self._trace))}"
            before = '<span class="after">after all threads: </span>' if place and moment.row else ""
            yield f'<td class="op" colspan="{max(len(self._threads), 1)}">{before}{_chip(text)}</td>'
            return
        for name in self._threads:
            lanes = f' style="padding-left:{12 + self._lanes[name] * _LANE}px"' if self._lanes[name] else ""
            yield f'<td class="op"{lanes}>{_chip(moment.cells[name])}</td>' if name in moment.cells else "<td></td>"

    def _class(self, place: int) -> str:
        """Returns the classes of a row; in a repeated part also whether it is the first or the last row there."""
        moment = self._moments[place]
        names = {"fails": moment.fails, "commit": moment.row is not None and moment.row.commit}
        if moment.repeats:
            names |= {"repeats": True, "begins": not self._moments[place - 1].repeats, "ends": moment.fails}
        found = " ".join(name for name, holds in names.items() if holds)
        return f' class="{found}"' if found else ""

    def _line(self, moment: Moment) -> str:
        return shown_line_of(moment.row.line if moment.row else moment.line, self._trace.program.file)

    def _contents(self, place: int) -> str:
        row = self._moments[place].row
        if row is None and place:
            return self._contents(place - 1)
        return "; ".join(f"{name}: {', '.join(stores)}" for name, stores in row.buffers) if row else ""

    def _change(self, place: int) -> str:
        """Describes what reached memory in this moment."""
        row = self._moments[place].row
        event = self._trace.events[row.event] if row else None
        if row is None or event is None or event.committed is None or KINDS[event.kind] in SCHEDULING:
            return ""
        if event.committed >= row.steps or event.written is None:
            return ""
        return shown_content(event.location, event.written, self._mutexes)


def _pixels(characters: int) -> int:
    return 8 * characters + 32  # with the margins of a cell and of the chip in it


def _chip(text: str) -> str:
    return f'<span class="chip" title="{markup(text)}">{markup(text)}</span>'


def _cell(text: str, kind: str) -> str:
    return f'<td class="{kind}" title="{markup(text)}">{markup(text)}</td>' if text else f'<td class="{kind}"></td>'


def _sign(moment: Moment) -> str:
    """Returns the sign that replaces a number where the failure shows."""
    return "↺" if moment.repeats else "✗"


def cells(trace: Trace, shown: Sequence[Moment]) -> str:
    """A table for each cell that the execution accesses, as HTML."""
    locks = mutexes(trace)
    histories: dict[str, list[tuple[str, str, str, str]]] = {}
    for moment in shown:
        row = moment.row
        if row is None:
            continue
        event = trace.events[row.event]
        if event.location and KINDS[event.kind] not in SCHEDULING:
            lines = histories.setdefault(event.location, [("", "at first", "", trace.initial[event.location])])
            lines += _happens(trace, event, row)
    for name in locks & histories.keys():
        histories[name] = [(*line[:3], line[3] and shown_value(name, line[3], locks)) for line in histories[name]]
    tables = (_table(name, lines) for name, lines in histories.items())
    return f"<details><summary>The history of each cell</summary><div>{''.join(tables)}</div></details>"


def _happens(trace: Trace, event: TraceEvent, row: Row) -> Iterator[tuple[str, str, str, str]]:
    """The step, what happened to the cell, the store in a buffer, and the value in memory."""
    step, who = str(row.number), thread_words(event.thread)
    if row.commit:
        yield step, f"{who}'s store reaches memory", "", event.written or ""
        return
    if event.read is not None:
        buffer = " from its own buffer" if is_forwarded(event, trace) else ""
        yield step, f"{who} reads {event.read}{buffer}", "", ""
    if event.written is not None:
        waits = event.is_buffered and not _shown_at_once(event)
        yield step, f"{who} writes", event.written if waits else "", "" if waits else event.written


def _shown_at_once(event: TraceEvent) -> bool:
    """Returns whether one row shows a store with its commit, in the step after it."""
    return event.committed is not None and event.committed == event.executed + 1


def _table(name: str, lines: Sequence[tuple[str, str, str, str]]) -> str:
    head = "".join(f"<th>{markup(title)}</th>" for title in ("step", name, "buffered", "in memory"))
    rows = ("".join(f"<td>{markup(cell)}</td>" for cell in line) for line in lines)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


_AROUND = 3
"""Lines shown before and after each one that is used."""


def listing(named: Iterable[Source | None]) -> str:
    """All files with the lines around those that are named; "" if none of them can be read."""
    used: dict[str, set[int]] = {}
    for source in named:
        if source is not None:
            used.setdefault(source.file, set()).add(source.line)
    return "\n".join(part for file, lines in used.items() for part in _file(file, lines))


def _file(file: str, used: set[int]) -> Iterator[str]:
    text = lines_of(file)
    if not text:
        return
    shown = sorted({near for line in used for near in range(line - _AROUND, line + _AROUND + 1)})
    shown = [line for line in shown if 1 <= line <= len(text)]
    rows = []
    for place, line in enumerate(shown):
        if place and shown[place - 1] != line - 1:
            rows.append('<li class="gap" aria-hidden="true">⋮</li>')
        source = f"{file}:{line}"
        code = text[line - 1].rstrip("\n").expandtabs()
        indent = len(code) - len(code.lstrip())
        number = f'<span class="number">{line}</span>'
        code = f'<code style="margin-left:{indent}ch">{markup(code.lstrip()) or " "}</code>'
        rows.append(f'<li data-line="{markup(source)}">{number}{code}</li>')
    yield f'<h3>{markup(shown_path(file))}</h3>\n<ol class="listing">\n{chr(10).join(rows)}\n</ol>'
