"""Text of others, as it may be shown: what a terminal or a page would obey instead of showing is spelled out.

Names, values and messages may hold anything: sequences that set the title of a
window or fill the clipboard, marks that turn the direction of what follows,
halves of characters that no encoding has. Python's notation for them is shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace

from replay.errors import CheckerError
from replay.traces.trace import Event, Failure, ThreadEnd, Trace
from solvers.interface import SolverError

_HIDDEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tabs and line ends
    r"\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # marks, most of direction
    r"\u2028\u2029"  # line ends that only some readers know
    r"\ud800-\udfff\ufffe\uffff\U000e0000-\U000e0fff"  # no characters, and tags that nobody sees
)
_ANY = re.compile(f"[{_HIDDEN}]")
_ANY_AND_LINE_ENDS = re.compile(f"[\t\n{_HIDDEN}]")
_COLOR = r"\x1b\[(?:0|1|2|32|33|1;31|1;36)m"
"""What `mcr.report.layout` writes."""

_UNPAINTED = re.compile(f"(?P<ours>{_COLOR}|\\A\r|\r\\Z)|[{_HIDDEN}]")


def printable(text: str) -> str:
    """The text without anything hidden; it keeps its lines."""
    return text if text.isascii() and text.isprintable() else _ANY.sub(_spelled, text)


def on_one_line(text: str) -> str:
    """The same for names, which have no lines."""
    return text if text.isascii() and text.isprintable() else _ANY_AND_LINE_ENDS.sub(_spelled, text)


def printable_but_painted(text: str) -> str:
    """The same for what goes to a terminal: our colours stay, and where a progress bar begins and ends."""
    return text if text.isascii() and text.isprintable() else _UNPAINTED.sub(_spelled_unless_ours, text)


def markup(text: str) -> str:
    """The text as content or attribute of HTML and SVG."""
    from html import escape  # late, as only pages need it

    return escape(printable(text))


def printable_json(text: str) -> str:
    """JSON with everything hidden escaped as JSON does it."""
    import json

    return _ANY.sub(lambda found: json.dumps(found[0])[1:-1] if found[0] != "\x7f" else r"\u007f", text)


def _spelled(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def _spelled_unless_ours(found: re.Match[str]) -> str:
    return found[0] if found["ours"] is not None else _spelled(found)


def shown_trace(trace: Trace) -> Trace:
    """The trace with names, operations, values and messages made printable; places in files stay what they are."""
    name = _naming(trace)
    return replace(
        trace,
        program=replace(
            trace.program, name=on_one_line(trace.program.name), arguments=_values(trace.program.arguments)
        ),
        threads={name(thread): on_one_line(title) for thread, title in trace.threads.items()},
        initial={name(location): on_one_line(value) for location, value in trace.initial.items()},
        events=tuple(_event(event, name) for event in trace.events),
        steps=tuple(replace(step, thread=name(step.thread)) for step in trace.steps),
        ends={name(thread): ThreadEnd(end.how, on_one_line(end.detail)) for thread, end in trace.ends.items()},
        failure=trace.failure and _failure(trace.failure, name),
    )


def _naming(trace: Trace) -> Callable[[str], str]:
    """How threads and locations are shown: two that differ do not become one."""
    names = {*trace.threads, *trace.initial, *(event.location for event in trace.events)}
    if len({on_one_line(name) for name in names}) == len(names):
        return on_one_line
    return lambda name: on_one_line(name.replace("\\", "\\\\"))


def _values(texts: dict[str, str]) -> dict[str, str]:
    return {on_one_line(name): on_one_line(text) for name, text in texts.items()}


def _event(event: Event, name: Callable[[str], str]) -> Event:
    return replace(
        event,
        thread=name(event.thread),
        operation=on_one_line(event.operation),
        location=name(event.location),
        read=None if event.read is None else on_one_line(event.read),
        written=None if event.written is None else on_one_line(event.written),
    )


def _failure(failure: Failure, name: Callable[[str], str]) -> Failure:
    return replace(
        failure, thread=name(failure.thread), error=on_one_line(failure.error), message=printable(failure.message)
    )


def message_of(error: Exception) -> str:
    """The message of an error that is meant for users; files below the current folder are named relative to it.

    So is that of the operating system about a file. Anything else is a mistake of ours: it comes with its traceback.
    """
    if isinstance(error, CheckerError | SolverError):
        return printable(str(error).replace(os.getcwd() + os.sep, ""))
    if isinstance(error, OSError) and error.strerror:
        return printable(f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror)
    import traceback  # late, as nobody hopes to see it

    trace = printable("".join(traceback.format_exception(error)))
    return f"{trace}this is a mistake in mcr, not in your program; please report it with the lines above"
