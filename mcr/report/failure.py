"""A failure, and a replay, for the terminal: what failed and where, under which models, why, and the interleaving."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcr.diagnosis.possibility import WITH_LOCK, WITHOUT_LOCK, Possibility
from mcr.report.explanation import explain, thread_words
from mcr.report.layout import Style, wrap
from mcr.report.source import headline, replay_command, shown_function, shown_line, text_of
from mcr.report.spelling import shown_trace
from mcr.report.trace_table import render_trace
from replay.sentences import as_sentence, listed
from replay.traces.trace import DEADLOCK, Failure, Trace
from replay.world.memory_models.sc import SC
from replay.world.operation import Source

if TYPE_CHECKING:
    from mcr.diagnosis.fewest import Fewest

_FRAMES = 6
"""Lines of the failing stack that are shown."""

_PROSE = 120
"""Characters of the longest line of a sentence, however wide the window is."""


@dataclass(frozen=True)
class FailureReport:
    """All there is to say about one failure.

    trace   a trace that shows it
    models  whether it is possible, by model name
    files   where its traces were written, the shown one first
    again   the command that plays it, if none but the process that found it can by `mcr replay`
    """

    trace: Trace
    models: Mapping[str, Possibility]
    files: Sequence[str] = ()
    again: str = ""

    @property
    def needs_buffers(self) -> bool:
        """False if it is known to be possible under the strongest model."""
        return next(iter(self.models.values())).possible is not True


def render_failure(report: FailureReport, width: int, style: Style) -> Iterator[str]:
    """The lines of the report."""
    yield from render_cause(report, width, style)
    yield ""
    yield from render_trace(report.trace, width, style)
    if report.files:
        yield ""
        yield from render_commands(report)


def render_cause(report: FailureReport, width: int, style: Style) -> Iterator[str]:
    """Yields the report without the interleaving: what failed, where, under which models, and why."""
    trace = shown_trace(report.trace)
    assert trace.failure is not None
    title = f"{trace.program.title} fails under {trace.model.upper()}: {headline(trace.failure)}"
    for line in wrap(title, width):
        yield style.paint(line, "bug")
    yield from _where(trace.failure, width, style)
    yield ""
    for sentence in cause_sentences(report):
        yield from wrap(sentence, min(width, _PROSE), "")


def render_commands(report: FailureReport) -> Iterator[str]:
    """How to play the failure again."""
    if report.again:
        yield "To play it again:"
        yield f"    {report.again}"
        return
    of_cpython = "--cpython for threads of CPython, " if _is_of_cpython(report.trace) else ""
    yield f"To play it again ({of_cpython}--html FILE.html for a browser):"
    yield from (f"    {replay_command(file)}" for file in report.files)


def _is_of_cpython(trace: Trace) -> bool:
    """Returns True for an exception or a deadlock of ordinary objects, which CPython may be asked to show."""
    failure = trace.failure
    is_one = failure is not None and (failure.is_raised or failure.error == DEADLOCK)
    return is_one and trace.model == SC.name and bool(trace.changing)


def _where(failure: Failure, width: int, style: Style) -> Iterator[str]:
    """The lines of user code that were active (or at which threads wait for ever), each with its text."""
    frames = list({str(source): source for source in failure.stack}.values())
    for source in frames[:_FRAMES]:
        first = source is frames[0]
        before = "at" if first or not failure.is_raised else "called from"
        after = f" ({thread_words(failure.thread)})" if first and failure.is_raised else ""
        place = f"{before} {shown_line(source)}, in {shown_function(source)}{after}"
        yield from (f"  {line}" for line in wrap(place, width - 2))
        yield from _text(source, width, "strong" if first else "faint", style)
    if len(frames) > _FRAMES:
        yield f"  and {len(frames) - _FRAMES} calls more"


def _text(source: Source, width: int, role: str, style: Style) -> Iterator[str]:
    text = text_of(source)
    for line in wrap(text, width - 6) if text else ():
        yield f"      {style.paint(line, role)}"


def cause_sentences(report: FailureReport) -> list[str]:
    """Says where a failure is possible, and what store buffers have to do with it; of Python alone, the former."""
    if list(report.models) == [SC.name]:
        return [_in_python(report)]
    return [possibility_sentence(report.models), *explain(report.trace, report.needs_buffers)]


def _in_python(report: FailureReport) -> str:
    """The CPython that can fail like this, where no other memory was asked about."""
    if report.trace.global_lock:
        return "CPython fails like this with its global lock, too."
    return {
        WITH_LOCK: "Python can fail like this, free-threaded or with its global lock.",
        WITHOUT_LOCK: "Free-threaded Python can fail like this; CPython with its global lock cannot (--python gil).",
    }.get(report.models[SC.name].reason, "Free-threaded Python can fail like this.")


def possibility_sentence(models: Mapping[str, Possibility]) -> str:
    """Under which models a failure is possible, under which not, and where that is open."""
    groups: dict[tuple[bool | None, str], list[str]] = {}
    for name, answer in models.items():
        groups.setdefault((answer.possible, "" if answer.possible else answer.reason), []).append(name.upper())
    also = "".join(f" {as_sentence(answer.reason)}" for answer in models.values() if answer.possible and answer.reason)
    if list(groups) == [(True, "")]:
        return f"Possible under every model: {listed(groups[True, ''])}.{also}"
    parts = [
        f"{words} under {listed(names)}{f' ({reason})' if reason else ''}"
        for answer, words in ((True, "possible"), (False, "impossible"), (None, "not decided"))
        for (possible, reason), names in groups.items()
        if possible is answer
    ]
    return as_sentence(", ".join(parts)) + also


def render_replay(report: FailureReport, conclusion: str, note: str, width: int, style: Style) -> Iterator[str]:
    """Yields what was played, and what to conclude; `note` comes first, "" for none."""
    trace = report.trace
    if note:
        yield from wrap(f"Note: {note}", width, "")
        yield ""
    if trace.failure:
        yield from render_failure(report, width, style)
    else:
        yield from render_trace(trace, width, style)
    yield ""
    for line in wrap(conclusion, width, ""):
        yield style.paint(line, "bug" if trace.failure else "good")


def render_fewest(least: Fewest) -> Iterator[str]:
    """How few context switches and reordered stores it takes."""
    for count, what in ((least.switches, "context switch"), (least.reordered, "reordered store")):
        plural = f"{what}es" if what.endswith("h") else f"{what}s"
        if count is None:
            yield f"How few {plural} it takes was not found out: the search for that takes too long."
        else:
            yield f"It takes {count or 'no'} {what if count == 1 else plural}" + (", and no fewer." if count else ".")
