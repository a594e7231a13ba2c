"""The interleaving of a trace as a table: one column per thread, one for the store buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from mcr.report.interleaving import (
    Buffers,
    Interleaving,
    Repetition,
    Row,
    folded,
    initial_values,
)
from mcr.report.layout import Band, Column, Line, Style, TextCell, TextTable, display_width, wrap
from mcr.report.source import headline, shown_line_of
from mcr.report.spelling import shown_trace
from replay.frontend.threads import FINAL
from replay.traces.trace import Trace
from replay.world.operation import Source

_NARROWEST = 12
"""Characters that a thread's column needs; if there is no room for that, all threads share one column."""

_SHORT = 40
"""Characters that a headline may take in a thread's column."""

_REPEATED = 24
"""Characters of store buffers that are shown again although nothing has changed."""

Placing = Callable[[str, TextCell], list[TextCell]]
"""Puts a thread's cell among the columns of the threads."""


def render_trace(trace: Trace, width: int, style: Style) -> Iterator[str]:
    """The lines of the table, in columns if the width allows it."""
    trace = shown_trace(trace)
    columns = TraceTable(trace)
    if values := columns.initial_values():
        yield from wrap(f"Initially {', '.join(values)}.", width)
    if columns.folders:
        yield from wrap(f"Files: {', '.join(columns.folders)}.", width)
    table = columns.by_thread()
    if not table.fits(width):
        yield from wrap(f"Threads: {', '.join(columns.titles)}.", width)
        table = columns.in_one_column()
    yield from table.render(width, style)


class TraceTable:
    """The contents of the table of a trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._shown = Interleaving(trace)
        waiting = self._shown.waiting
        self._threads = [
            name for name in trace.threads if name != FINAL and (name in waiting or any(trace.of_thread(name)))
        ]
        self._with_buffers = any(row.buffers for row in self._shown.rows)
        shown = self._shown
        cuts = [shown.before] if shown.repeats is None else [shown.repeats - 1, shown.before]
        self._folded = list(folded(trace, shown.rows, cuts))
        lines = [row.line for row in self._shown.rows if row.line is not None]
        self._names = _short_names([shown_line_of(line, trace.program.file).rpartition(":")[0] for line in lines])

    @property
    def folders(self) -> list[str]:
        """The files whose lines are shown without their folder."""
        return list(self._names)

    @property
    def titles(self) -> list[str]:
        """Each thread with what it runs."""
        return [self._title(name).removeprefix("thread ").replace("\n", " is ") for name in self._threads]

    def initial_values(self) -> list[str]:
        """Initial values of the cells that the table names."""
        return initial_values(self._trace, [row for row in self._folded if isinstance(row, Row)])

    def by_thread(self) -> TextTable:
        """One column per thread."""

        def place(thread: str, cell: TextCell) -> list[TextCell]:
            return [cell if name == thread else TextCell() for name in self._threads]

        return self._table([Column(self._title(name), _NARROWEST) for name in self._threads], place)

    def in_one_column(self) -> TextTable:
        """One column for all operations, and one that names the thread."""

        def place(thread: str, cell: TextCell) -> list[TextCell]:
            return [TextCell(thread, "thread"), cell]

        return self._table([Column("thread", len("thread")), Column("operation", _NARROWEST)], place)

    def _table(self, threads: list[Column], place: Placing) -> TextTable:
        digits = max(2, len(str(len(self._trace.steps))))  # the number of a row is never broken
        margin = [Column("", digits, right=True), Column("line", 4, barred=False, right=True)]
        buffers = [Column("store buffers", _NARROWEST)] if self._with_buffers else []
        return TextTable([*margin, *threads, *buffers], list(self._lines(place)))

    def _title(self, thread: str) -> str:
        title = self._trace.threads[thread]
        return f"thread {thread}\n{title}" if title else f"thread {thread}"

    def _lines(self, place: Placing) -> Iterator[Line]:
        """All rows, and the failure where it happens."""
        before: Buffers = ()
        last = ""
        for row in self._folded:
            if isinstance(row, Repetition):
                yield Band(row.text, "faint", [TextCell(), TextCell()])
                continue
            if row.number == self._shown.before + 1:
                yield from self._end(place)
            if row.number == self._shown.repeats:
                yield Band("what follows repeats for ever:", "thread", [TextCell(), TextCell()])
            if row.thread == FINAL != last:
                yield Band("after all threads ended:", "thread", [TextCell(), TextCell()])
            role = "warning" if row.commit or self._trace.is_delayed(self._trace.events[row.event]) else ""
            yield self._line(row, TextCell(row.text, role), place, before)
            last, before = row.thread, row.buffers
        if self._shown.before >= len(self._shown.rows):
            yield from self._end(place)

    def _line(self, row: Row, cell: TextCell, place: Placing, before: Buffers) -> Line:
        margin = [TextCell(str(row.number), "faint"), TextCell(self._source(row.line), "faint")]
        if row.thread == FINAL:
            return Band(cell.text, cell.role, margin)
        contents = _contents(row.buffers, before)
        return [*margin, *place(row.thread, cell), *([contents] if self._with_buffers else [])]

    def _end(self, place: Placing) -> Iterator[Line]:
        """The lines that tell of the failure."""
        failure = self._trace.failure
        if failure is None:
            return
        for name, operation in self._shown.waiting.items():
            yield self._last(place, name, f"waits: {operation}".replace(" (held", "\n  (held"), None)
        text = headline(failure)
        if self._shown.repeats is not None:
            yield Band(f"{failure.error}: it goes on with step {self._shown.repeats}", "bug", [TextCell(), TextCell()])
            return
        if self._shown.waiting or failure.thread not in self._threads:
            yield Band(failure.error if self._shown.waiting else text, "bug", self._margin_of(failure.line))
        else:
            yield self._last(place, failure.thread, text if len(text) <= _SHORT else failure.error, failure.line)

    def _last(self, place: Placing, thread: str, text: str, line: Source | None) -> Line:
        return [
            *self._margin_of(line),
            *place(thread, TextCell(text, "bug")),
            *([TextCell()] if self._with_buffers else []),
        ]

    def _margin_of(self, line: Source | None) -> list[TextCell]:
        return [TextCell(), TextCell(self._source(line), "faint")]

    def _source(self, source: Source | None) -> str:
        file, colon, line = shown_line_of(source, self._trace.program.file).rpartition(":")
        return f"{self._names.get(file, file)}{colon}{line}"


def _short_names(files: Sequence[str]) -> dict[str, str]:
    """Names without folders, for files that have one; not for two of one name."""
    names = {file: Path(file).name for file in dict.fromkeys(files) if "/" in file}
    return {file: name for file, name in names.items() if list(names.values()).count(name) == 1}


def _contents(buffers: Buffers, before: Buffers) -> TextCell:
    """Shows the buffers; what is long and stays as it is is shown once."""
    text = "\n".join(f"{thread}: {', '.join(stores)}" for thread, stores in buffers)
    if buffers != before:
        return TextCell(text, "warning")
    return TextCell(text if display_width(text) <= _REPEATED else "as before", "faint")
