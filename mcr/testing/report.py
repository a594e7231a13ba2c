"""Complaints as pytest shows them: in its failure section, its summary, junit files, and all --tb styles."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import Any

from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from mcr.report.printable import printable, printable_but_painted
from mcr.report.style import style_for
from mcr.testing.complaint import Complaint, from_data, to_data


@dataclass(eq=False)
class ComplaintRepr(TerminalRepr):
    """What pytest prints of a complaint; `reprcrash` is what its summary and --tb=line look for.

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


def to_report(shown: ComplaintRepr) -> dict[str, Any]:
    """What a worker of pytest-xdist sends to the process that prints."""
    return {"complaint": to_data(shown.complaint), "style": shown.style}


def from_report(data: dict[str, Any]) -> ComplaintRepr:
    return ComplaintRepr(from_data(data["complaint"]), data["style"])
