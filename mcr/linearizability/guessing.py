"""Which operations a class has, where nobody says: its public methods, with arguments from small sets."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import product
from typing import Any

from mcr.linearizability.subject import Operation
from replay.errors import CheckerError

VALUES: dict[object, tuple[object, ...]] = {
    int: (1, 2), "int": (1, 2), str: ("a", "b"), "str": ("a", "b"), bool: (False, True), "bool": (False, True),
    float: (0.5, 1.5), "float": (0.5, 1.5), Any: (1, 2), "Any": (1, 2), object: (1, 2), "object": (1, 2),
    inspect.Parameter.empty: (1, 2),
}  # fmt: skip
"""Arguments by annotation; without one, numbers."""


def operations_of(kind: object) -> tuple[Operation, ...]:
    """The public methods of a class, with all arguments from small sets that they need.

    Raises CheckerError for what is no class, and for a method whose arguments nobody can guess.
    """
    if not isinstance(kind, type):
        raise CheckerError(f"{kind!r} is no class: say which operations what it makes has")
    return tuple(operation for name in _public(kind) for operation in _calls(kind, name))


def _public(kind: type) -> Iterator[str]:
    """Their names, those of base classes first."""
    found: dict[str, object] = {}
    for each in reversed(kind.__mro__[:-1]):
        found.update(vars(each))
    yield from (name for name, value in found.items() if not name.startswith("_") and inspect.isfunction(value))


def _calls(kind: type, name: str) -> Iterator[Operation]:
    needed = [
        parameter
        for parameter in list(inspect.signature(getattr(kind, name)).parameters.values())[1:]
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    for parameter in needed:
        if parameter.annotation not in VALUES or parameter.kind is parameter.KEYWORD_ONLY:
            raise CheckerError(
                f"{kind.__name__}.{name}: which arguments for {parameter.name}? Say which operations to call, such as "
                f'--operation "{name}(1)"'
            )
    for arguments in product(*(VALUES[parameter.annotation] for parameter in needed)):
        yield Operation(name, arguments)
