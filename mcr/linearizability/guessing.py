"""Operations of a class, where the caller names none: its public methods, with arguments from small sets."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Iterator
from itertools import product
from typing import Any

from mcr.linearizability.subject import SubjectCall
from replay.errors import CheckerError

VALUES: dict[object, tuple[object, ...]] = {
    int: (1, 2), str: ("a", "b"), bool: (False, True), float: (0.5, 1.5), types.NoneType: (None,),
    Any: (1, 2), object: (1, 2), inspect.Parameter.empty: (1, 2),
}  # fmt: skip
"""Arguments by annotation; without one, numbers."""

_BY_NAME = {"int": int, "str": str, "bool": bool, "float": float, "None": types.NoneType, "Any": Any, "object": object}

EXAMPLES = 2
"""Values of a strategy that are tried: the simplest ones."""


def operations_of(kind: object) -> tuple[SubjectCall, ...]:
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


def _calls(kind: type, name: str) -> Iterator[SubjectCall]:
    method = getattr(kind, name)
    needed = [
        parameter
        for parameter in list(inspect.signature(method).parameters.values())[1:]
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    hints = _hints(method)
    values = [_values(hints.get(each.name, each.annotation)) for each in needed]
    for parameter, found in zip(needed, values, strict=True):
        if not found or parameter.kind is parameter.KEYWORD_ONLY:
            raise CheckerError(
                f"{kind.__name__}.{name}: which arguments for {parameter.name}? Say which operations to call, such as "
                f'--operation "{name}(1)"'
            )
    yield from (SubjectCall(name, arguments) for arguments in product(*values))


def _hints(method: object) -> dict[str, object]:
    """Its annotations as what they name; those that name nothing are as they are written."""
    try:
        return typing.get_type_hints(method, include_extras=True)
    except Exception:  # whatever evaluating them raises
        return {}


def _values(annotation: object) -> tuple[object, ...]:
    """Arguments for an annotation; none if they cannot be guessed."""
    annotation = _BY_NAME.get(annotation, annotation) if isinstance(annotation, str) else annotation
    parts = typing.get_args(annotation)
    match typing.get_origin(annotation):
        case typing.Literal:
            return parts
        case typing.Annotated:
            strategy = next((each for each in parts[1:] if hasattr(each, "example")), None)
            return _values(parts[0]) if strategy is None else _examples(strategy)
        case typing.Union | types.UnionType:
            every = [_values(part) for part in parts]
            return tuple(dict.fromkeys(value for found in every for value in found)) if all(every) else ()
    return VALUES.get(annotation, ())


def _examples(strategy: Any) -> tuple[object, ...]:
    """The simplest values of a strategy of Hypothesis."""
    from hypothesis import find, settings  # late, as only strategies need it
    from hypothesis.errors import NoSuchExample

    found: list[object] = []
    how = settings(derandomize=True, database=None)
    for _ in range(EXAMPLES):
        try:
            found.append(find(strategy, lambda value: value not in found, settings=how))
        except NoSuchExample:
            break
    return tuple(found)
