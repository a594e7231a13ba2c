"""A trace for readers: objects are called by the variables of the test that hold them, and texts are printable."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from mcr.report.printable import on_one_line, printable
from replay.code.ordinary import MAIN_THREAD
from replay.traces.trace import DEADLOCK, Trace
from replay.world.operation import LibraryCall


def shown_trace(trace: Trace) -> Trace:
    """The trace for readers. Places in files stay what they are, and a message keeps its lines."""
    return _printable(with_variables(trace))


def with_variables(trace: Trace) -> Trace:
    """The trace with paths from variables in place of names that were made up, unless something else begins like one.

    The message of a deadlock names the function of each thread where it comes first.
    """
    taken = {_first(name) for name in (*trace.initial, *(event.location for event in trace.events))}
    paths = {name: path for name, path in trace.variables.items() if _is_made_up(name) and _first(path) not in taken}
    if not paths:
        return trace
    longest_first = "|".join(map(re.escape, sorted(paths, key=len, reverse=True)))
    names = re.compile(rf"(?<![\w.])({longest_first})(?!\w|\.\d)")

    def spelled(text: str) -> str:
        return names.sub(lambda found: paths[found[1]], text)

    shown: Trace = _respelled(replace(trace, variables={}), spelled)
    failure = shown.failure
    if failure is not None and failure.error == DEADLOCK:
        failure = replace(failure, message=_with_functions(failure.message, shown.threads))
    return replace(shown, program=trace.program, failure=failure)


def _is_made_up(name: str) -> bool:
    """Returns whether a name is of the form of those of objects that threads make."""
    return "#" in name


def _first(name: str) -> str:
    """The beginning of a name; in a path, the variable."""
    return re.split(r"[.\[]", name)[0]


def _with_functions(message: str, threads: Mapping[str, str]) -> str:
    for name, title in threads.items():
        function = title.partition("(")[0]
        if name != MAIN_THREAD and function:
            message = re.sub(rf"\b(thread {re.escape(name)})(?!\.?\d)", rf"\1 ({function})", message, count=1)
    return message


def _printable(trace: Trace) -> Trace:
    names = {*trace.threads, *trace.initial, *(event.location for event in trace.events)}
    distinct = len({on_one_line(name) for name in names}) == len(names)

    def spelled(text: str) -> str:
        """Two names that differ do not become one."""
        return on_one_line(text if distinct else text.replace("\\", "\\\\"))

    shown: Trace = _respelled(trace, spelled)
    failure = trace.failure and replace(shown.failure or trace.failure, message=printable(trace.failure.message))
    return replace(shown, program=replace(shown.program, file=trace.program.file), failure=failure)


def _respelled(value: Any, spelled: Callable[[str], str]) -> Any:
    """The value with all texts in it changed, but for those in a `Source`."""
    if isinstance(value, str):
        return spelled(value)
    if isinstance(value, dict):
        return {spelled(name): _respelled(each, spelled) for name, each in value.items()}
    if isinstance(value, LibraryCall):
        return value._replace(text=spelled(value.text))
    if type(value) is tuple:
        return tuple(_respelled(each, spelled) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _respelled(getattr(value, each.name), spelled) for each in fields(value)})
    return value
