"""Names of locations: no two things that a program shares may have the same, in any run.

Traces, reports and schedules call a location by its name. The names of what
programs do not declare (cells of records, beginnings and ends of threads) have
a form of their own, which declared names must not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from replay.code.running_thread import caller, refuse
from replay.frontend.naming import filled
from replay.world.operation import Source
from replay.world.shown import shown

_RESERVED = {
    re.compile(r".*#(\d+|final)(\.\d+)*(\[|\.\D).*", re.DOTALL): "the cell of a record",
    re.compile(r".*#(\d+|final)(\.\d+)+", re.DOTALL): "a thing that a thread makes",
    re.compile(r"(start|end) of thread .*", re.DOTALL): "the beginning or end of a thread",
}


class Names:
    """The names that a program declared, each with the line that did."""

    def __init__(self, *, checks: bool = True) -> None:
        """`checks` says whether to look what is wrong with names: not in a program that was looked at."""
        self._lines: dict[str, Source | None] = {}
        self._checks = checks

    def add(self, name: str, cells: int = 0) -> None:
        """Take a name, and those of the cells of an array. Raises ModelError for one that something else may have."""
        line = None
        if self._checks:
            line = caller()
            _check_form(name)
            for taken in _all(name, cells):
                self._check_free(taken)
        self._lines.update(dict.fromkeys(_all(name, cells), line))

    def _check_free(self, name: str) -> None:
        if name in self._lines:
            refuse(f"two shared things are called {shown(name)}: the other one is declared at {self._lines[name]}")

    def derive(self, name: str, cells: int = 0) -> str:
        """Take a name that looks like this, with numbers where that is needed to make it one of its own; returns it."""
        found = filled(name, lambda text: self._lines.keys().isdisjoint(_all(text, cells)))
        self.add(found, cells)
        return found


def check_name(name: object) -> str:
    """Refuse what is no name."""
    if not isinstance(name, str) or not name:
        refuse(f"the name of what is shared is a text that is not empty, not {shown(name)}")
    return name


def _check_form(name: str) -> None:
    for form, what in _RESERVED.items():
        if form.fullmatch(name):
            refuse(f"{shown(name)} is what {what} is called: choose another name")


def _all(name: str, cells: int) -> list[str]:
    return [name, *(f"{name}[{index}]" for index in range(cells))]


def check_fields(fields: Iterable[str]) -> None:
    """Refuse fields of a record that could not be written after a dot: the names of cells would not be unique."""
    for field in fields:
        if not field.isidentifier():
            refuse(f"a record cannot have a field called {shown(field)}: it is no Python name")
