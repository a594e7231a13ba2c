"""Names of locations: no two things that a program shares may have the same, in any run.

Traces, reports and schedules call a location by its name. The names of what
programs do not declare (cells of records, beginnings and ends of threads) have
a form of their own, which declared names must not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from replay.code.thread_run import caller, refuse
from replay.world.operation import Source
from replay.world.shown import shown

_RESERVED = {
    re.compile(r".*#\d+(\.\d+)*\.[^\W\d]\w*", re.DOTALL): "the cell of a record",
    re.compile(r"(start|end) of thread .*", re.DOTALL): "the beginning or end of a thread",
}


class Names:
    """The names that a program declared, each with the line that did."""

    def __init__(self) -> None:
        self._lines: dict[str, Source | None] = {}

    def add(self, name: str, cells: int = 0) -> None:
        """Take a name, and those of the cells of an array. Raises ModelError for one that something else may have."""
        if not isinstance(name, str) or not name:
            refuse(f"the name of what is shared is a text that is not empty, not {shown(name)}")
        for form, what in _RESERVED.items():
            if form.fullmatch(name):
                refuse(f"{shown(name)} is what {what} is called: choose another name")
        for taken in (name, *(f"{name}[{index}]" for index in range(cells))):
            self._take(taken)

    def _take(self, name: str) -> None:
        line = caller()
        if name in self._lines:
            refuse(f"two shared things are called {shown(name)}: the other one is declared at {self._lines[name]}")
        self._lines[name] = line


def check_fields(fields: Iterable[str]) -> None:
    """Refuse fields of a record that could not be written after a dot: the names of cells would not be unique."""
    for field in fields:
        if not field.isidentifier():
            refuse(f"a record cannot have a field called {shown(field)}: it is no Python name")
