"""Names of shared objects by the variables of a test that hold them; readers of its report know no other ones."""

from __future__ import annotations

import ast
import functools
import linecache
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from replay.interpreter.frame import Frame
from replay.interpreter.views import locals_of

NameOf = Callable[[Any], str]
"""The name of a shared ordinary object; "" for an object that is not shared."""

_DEEPEST = 2
"""Steps from a variable to what it leads to, as in `self.caches[0]`."""


class VariablePaths:
    """The variables of a function during its run, by the names of the shared objects that they led to."""

    def __init__(self) -> None:
        self._paths: dict[str, dict[str, None]] = {}

    def note(self, frame: Frame, name_of: NameOf) -> None:
        """Look at the variables as they are now."""
        passing = _of_comprehensions(frame.code)
        for variable, value in locals_of(frame).items():
            if variable not in passing:
                for path, thing in _led_to(variable, value, name_of, 0):
                    self._paths.setdefault(name_of(thing), {})[path] = None

    def names(self) -> dict[str, str]:
        """The shortest path to each object, by its name. A path that led to several objects names none."""
        led = Counter(path for paths in self._paths.values() for path in paths)
        own = {name: [path for path in paths if led[path] == 1] for name, paths in self._paths.items()}
        return {name: min(paths, key=_steps) for name, paths in own.items() if paths}


def _led_to(path: str, thing: Any, name_of: NameOf, steps: int) -> Iterator[tuple[str, Any]]:
    """The shared objects that a value is, or has as elements and attributes, each with the path to it."""
    if name_of(thing):
        yield path, thing
    elif steps < _DEEPEST:
        for step, each in _parts(thing):
            yield from _led_to(f"{path}{step}", each, name_of, steps + 1)


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    kind = type(thing)
    if kind in (list, tuple):
        yield from ((f"[{index}]", each) for index, each in enumerate(thing))
    elif kind is dict:
        yield from ((f"[{key!r}]", each) for key, each in thing.items() if type(key) in (str, int))
    elif kind.__dictoffset__ and not issubclass(kind, type):
        yield from ((f".{name}", each) for name, each in object.__getattribute__(thing, "__dict__").items())


def _steps(path: str) -> int:
    return path.count(".") + path.count("[")


@functools.lru_cache(8)
def _of_comprehensions(code: CodeType) -> frozenset[str]:
    """Variables of comprehensions in a function: since CPython 3.12 they are variables of the function itself."""
    lines = [line for _, _, line in code.co_lines() if line]
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:
        return frozenset()
    targets = (
        node.target
        for node in ast.walk(tree)
        if isinstance(node, ast.comprehension) and min(lines) <= node.target.lineno <= max(lines)
    )
    return frozenset(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
