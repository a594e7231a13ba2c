"""The page of an explorer: a template with everything it needs inside."""

from __future__ import annotations

from importlib import resources

from mcr.diagnosis.walks import Walks
from mcr.report.explorer.data import Data
from mcr.report.printable import markup
from mcr.report.timeline.arrows import embedded
from mcr.report.timeline.page import filled, stylesheet
from mcr.report.timeline.table import listing
from replay.sentences import counted


def explorer_page(found: Walks) -> str:
    """The HTML in which a reader goes through the states that were found."""
    data = Data(found)
    document = data.document()
    size = counted(len(found.places), "state")
    return filled(
        _part("explorer.html"),
        {
            "title": markup(f"{found.program.title} under {found.model.name.upper()}"),
            "model": markup(found.model.title),
            "size": f"{size}, {found.open} of them not looked at" if found.open else size,
            "listing": listing(sorted(data.lines, key=str)),
            "data": embedded(document),
            "style": stylesheet() + _part("explorer.css"),
            "script": _part("explorer.js"),
        },
    )


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
