"""Complaints as pytest shows them: in its failure section, its summary, junit files, and all --tb styles."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from mcr.report.failure import FailureReport, render_cause, render_commands, render_failure
from mcr.report.layout import Style, style_for, wrap
from mcr.report.printable import printable, printable_but_painted
from mcr.report.source import headline
from mcr.report.spelling import with_variables


@dataclass(frozen=True)
class Complaint:
    """A sentence for summaries, the line that it is about, and what else there is to say.

    file, line  where; "" and 0 for nowhere
    advice      what to do about it, or what one has to know
    failure     a failing execution, if there is one
    """

    sentence: str
    file: str = ""
    line: int = 0
    advice: str = ""
    failure: FailureReport | None = None

    def render(self, width: int, style: Style, *, table: bool) -> Iterator[str]:
        """The lines of the report; without the interleaving if no `table` is wanted."""
        if self.failure is None:
            place = f"{self.file}:{self.line}: " if self.file else ""
            for line in wrap(place + self.sentence, width):
                yield style.paint(line, "bug")
            yield from wrap(self.advice, width, "") if self.advice else ()
            return
        if self.advice:
            yield from (style.paint(line, "warning") for line in wrap(self.advice, width, ""))
            yield ""
        if table:
            yield from render_failure(self.failure, width, style)
            return
        yield from render_cause(self.failure, width, style)
        if self.failure.files:
            yield ""
            yield from render_commands(self.failure)


def of_failure(report: FailureReport, advice: str = "") -> Complaint:
    """A bug was found."""
    failure = with_variables(report.trace).failure
    assert failure is not None
    line = failure.line
    return Complaint(headline(failure), line.file if line else "", line.line if line else 0, advice, report)


@dataclass(eq=False)
class ComplaintRepr(TerminalRepr):
    """The text that pytest prints of a complaint; its summary and --tb=line look for `reprcrash`.

    style  of --tb: "short" is without the interleaving, "line" nothing but `reprcrash`
    """

    complaint: Complaint
    style: str

    @property
    def reprcrash(self) -> ReprFileLocation:
        complaint = self.complaint
        return ReprFileLocation(complaint.file, complaint.line, printable(complaint.sentence))

    def toterminal(self, tw: TerminalWriter) -> None:
        """As wide as the terminal, coloured if it is."""
        if self.style != "line":
            self._write(tw)

    def __str__(self) -> str:
        """For files, which have no --tb=line."""
        text = io.StringIO()
        self._write(TerminalWriter(text))
        return text.getvalue().strip()

    def _write(self, tw: TerminalWriter) -> None:
        style = style_for(sys.stdout, "always" if tw.hasmarkup else "never")
        for line in self.complaint.render(tw.fullwidth, style, table=self.style != "short"):
            tw.line(printable_but_painted(line))
