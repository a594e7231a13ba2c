"""The report of `mcr repair`: a diff that repairs the program, or which of its fences it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mcr.fencing.places import PlacedFence, difference, text_at
from mcr.fencing.search import FenceAnswer, LeastFences
from mcr.report.document import told
from mcr.report.layout import Style, wrap
from mcr.report.printable import printable
from mcr.report.source import headline, shown_path
from replay.code.fences import Line
from replay.sentences import counted, listed
from replay.traces.player import reference
from replay.world.operation import Kind

REPAIR_SCHEMA = "mcr-repair/1"

_ROLES = {
    FenceAnswer.NONE_NEEDED: "good",
    FenceAnswer.FOUND: "good",
    FenceAnswer.NONE_HELPS: "bug",
    FenceAnswer.INCOMPLETE: "warning",
}
_WORDS = {Kind.STORE_FENCE: "store fence", Kind.FENCE: "fence"}


def render_repair(finding: LeastFences, width: int, style: Style) -> Iterator[str]:
    """Yields the fences to add, as a diff for each least set."""
    yield from _sentence(finding, _what_repairs(finding), width, style)
    many = len(finding.sets) > 1
    for number, fences in enumerate(finding.sets, start=1):
        if fences:
            yield ""
            if many:
                yield style.paint(f"{number}. {_kinds(fences)}:", "strong")
            yield from (style.paint(line, _diff_role(line)) for line in difference(fences, finding.program, shown_path))


def render_needed(finding: LeastFences, width: int, style: Style) -> Iterator[str]:
    """Which of the program's fences it needs, and which it does not."""
    yield from _sentence(finding, _what_is_needed(finding), width, style)
    many = len(finding.sets) > 1
    for number, fences in enumerate(finding.sets if finding.places else (), start=1):
        if many:
            yield style.paint(f"  {number}. {_kinds(fences)}:", "strong")
        kept = {fence.line: fence.kind for fence in fences}
        for line in finding.places:
            yield f"  {_place(line)}: {_fate(kept.get(line), line, style)}"


def repair_document(
    findings: Sequence[LeastFences], errors: Sequence[str], status: int, *, own: bool
) -> dict[str, Any]:
    """Returns a JSON document; all but "times" is the same in every run. `own` says that it was about own fences."""
    return {
        "schema": REPAIR_SCHEMA,
        "status": status,
        "redundant": own,
        "findings": [_document(finding, own=own) for finding in findings],
        "errors": errors,
    }


def _document(finding: LeastFences, *, own: bool) -> dict[str, Any]:
    found = {
        "program": reference(finding.program),
        **told(finding, "model", "answer", "cost"),
        "sets": [[{**_line(fence.line), "kind": fence.kind} for fence in fences] for fences in finding.sets],
        "places": [_line(line) for line in finding.places],
        "unfit": [_line(line) for line in finding.unfit],
        "failure": finding.failure and finding.failure.failure,
        "failure_model": finding.failure and finding.failure.model,
        **told(finding, "stop", "checks"),
        "times": {"seconds": finding.seconds},
    }
    if not own:
        found["differences"] = [difference(fences, finding.program, shown_path) for fences in finding.sets]
    return found


def _line(line: Line) -> dict[str, Any]:
    return {"file": shown_path(line[0]), "line": line[1], "text": text_at(line)}


def _sentence(finding: LeastFences, text: str, width: int, style: Style) -> Iterator[str]:
    title = f"{finding.program.title} under {finding.model.upper()}"
    lines = wrap(printable(f"{title}: {text} ({counted(finding.checks, 'check')}, {finding.seconds:.2f} s)"), width)
    lines[0] = lines[0].replace(title, style.paint(title, _ROLES[finding.answer]), 1)
    yield from lines


def _what_repairs(finding: LeastFences) -> str:
    match finding.answer:
        case FenceAnswer.NONE_NEEDED:
            return "verified as it is"
        case FenceAnswer.FOUND:
            if len(finding.sets) > 1:
                return f"needs {_kinds(finding.sets[0])}; {len(finding.sets)} sets that cost so much do"
            return f"needs {_kinds(finding.sets[0])}"
        case FenceAnswer.NONE_HELPS:
            return f"no fences help, {_why_none(finding)}"
    return _cut(finding)


def _what_is_needed(finding: LeastFences) -> str:
    count = len(finding.places)
    match finding.answer:
        case FenceAnswer.NONE_NEEDED if not count:
            return "verified, and has no fences"
        case FenceAnswer.NONE_NEEDED:
            return f"verified without any of its {counted(count, 'fence')}"
        case FenceAnswer.FOUND:
            if all(len(fences) == count for fences in finding.sets):
                return f"needs every one of its {counted(count, 'fence')}"
            return f"needs {len(finding.sets[0])} of its {counted(count, 'fence')}"
        case FenceAnswer.NONE_HELPS:
            return f"not verified with all its fences either, {_why_none(finding)}"
    return _cut(finding)


def _why_none(finding: LeastFences) -> str:
    trace = finding.failure
    assert trace is not None and trace.failure is not None
    text = f"as it fails under {trace.model.upper()}: {headline(trace.failure)}"
    if trace.model == finding.model and finding.unfit:
        lines = listed([_place(line, text=False) for line in finding.unfit])
        text += f"; no fence can stand directly after what stores at {lines}: make it a statement of its own"
    return text


def _cut(finding: LeastFences) -> str:
    assert finding.stop is not None
    return f"not decided: {finding.stop}"


def _kinds(fences: Sequence[PlacedFence]) -> str:
    """ "2 fences and 1 store fence"."""
    counts = [(sum(fence.kind is kind for fence in fences), kind) for kind in (Kind.FENCE, Kind.STORE_FENCE)]
    return listed([counted(count, _WORDS[kind]) for count, kind in counts if count]) or "no fences"


def _fate(kept: Kind | None, line: Line, style: Style) -> str:
    if kept is None:
        return style.paint("not needed", "warning")
    if kept is Kind.STORE_FENCE and "store_fence" not in text_at(line):
        return "needed; a store fence does"
    return "needed"


def _place(line: Line, *, text: bool = True) -> str:
    where = f"{shown_path(line[0])}:{line[1]}"
    return f"{where}  {text_at(line)}" if text else where


def _diff_role(line: str) -> str:
    if line.startswith(("---", "+++", "@@")):
        return "faint"
    return "good" if line.startswith("+") else ""
