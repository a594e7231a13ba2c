"""Objects that outlive the instances of a program: functions, classes and modules that a module defines, and code.

They are the same objects in every run, so a number says all that their identity can tell.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from types import CodeType, ModuleType
from typing import Any

import replay
from replay.world.anatomy import HEAP_TYPE

_MISSING = object()


class Fixed:
    """Numbers such objects in the order of their first meeting, and keeps them alive."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []
        self._combined: dict[tuple[object, ...], int] = {}
        self._codes: dict[CodeType, int] = {}

    def number(self, thing: Any) -> int | None:
        """The number of a function, class or module that its module knows by its name, else None."""
        found = self._numbers.get(id(thing))
        if found is None and _is_importable(thing):
            found = self._keep(thing)
        return found

    def code_number(self, code: CodeType) -> int:
        """Code that was compiled anew, as `dataclass` does for each class, has the number of its equal."""
        found = self._numbers.get(id(code))
        if found is not None:
            return found
        same = self._codes.get(code)
        if same is None:
            same = self._codes[code] = self._keep(code)
        return same

    def namespace_number(self, namespace: dict[str, Any]) -> int | None:
        """The number of a module's dictionary, None for any other that code was executed in."""
        found = self._numbers.get(id(namespace))
        if found is None and _is_of_module(namespace):
            found = self._keep(namespace)
        return found

    def pair_number(self, parts: tuple[object, ...]) -> int:
        """The number of a combination of numbers."""
        return self._combined.setdefault(parts, len(self._combined))

    def place_number(self, owner: object, name: str) -> int:
        """The number of a name in the namespace of `owner`, a class, or a dictionary of global variables."""
        if id(owner) not in self._numbers:
            self._keep(owner)
        return self.pair_number((self._numbers[id(owner)], name))

    def _keep(self, thing: object) -> int:
        self._kept.append(thing)
        return self._numbers.setdefault(id(thing), len(self._numbers))


def _is_of_module(namespace: dict[str, Any]) -> bool:
    module = sys.modules.get(str(namespace.get("__name__")))
    return "__spec__" in namespace or (module is not None and vars(module) is namespace)


def _is_importable(thing: Any) -> bool:
    if isinstance(thing, ModuleType):
        return sys.modules.get(thing.__name__) is thing
    if isinstance(thing, type) and not thing.__flags__ & HEAP_TYPE:
        return True
    if "<" in thing.__qualname__:
        return False
    found: object = sys.modules.get(str(thing.__module__), _MISSING)
    for name in thing.__qualname__.split("."):
        if not isinstance(found, ModuleType | type):
            return False
        found = vars(found).get(name, _MISSING)
    return found is thing


# -- whose is it? ----------------------------------------------------------------


_OURS = os.path.dirname(os.path.abspath(replay.__file__)) + os.sep


def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = [paths[each] for each in ("stdlib", "platstdlib", "purelib", "platlib")]
    return (*(folder + os.sep for folder in folders), _OURS, "<frozen")


_LIBRARIES = _library_folders()


@functools.cache
def is_ours(filename: str) -> bool:
    """Whether a file is one of this package, whose code is known to do nothing odd."""
    return filename.startswith(_OURS)


@functools.cache
def is_library_file(filename: str) -> bool:
    """Whether a file is one of Python's, of an installed package or of this one: its globals are no model's."""
    return filename.startswith(_LIBRARIES)


def is_library_module(name: str) -> bool:
    """Whether a module is: also if it has no file."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return name != "__main__" and (file is None or is_library_file(file))
