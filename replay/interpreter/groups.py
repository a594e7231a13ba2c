"""Groups of exceptions, as `except*` takes them apart and puts them together."""

from __future__ import annotations

from typing import Any

from replay.interpreter.decode import VERSION
from replay.interpreter.frame import Frame


def split_group(frame: Frame, error: Any, kinds: Any) -> tuple[Any, Any]:
    """What of an exception `except* kinds` leaves, and what it catches. Raises TypeError for what it must not name."""
    for kind in kinds if type(kinds) is tuple else (kinds,):
        if not (issubclass(type(kind), type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        if issubclass(kind, BaseExceptionGroup):
            raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
    is_group = issubclass(type(error), BaseExceptionGroup)
    if issubclass(type(error), kinds):
        rest, matched = None, error if is_group else BaseExceptionGroup("", (error,))
    elif is_group:
        matched, rest = error.split(kinds)
    else:
        rest, matched = error, None
    execution = frame.execution
    for part in (matched, rest):
        if part is not None and part is not error:
            if is_group:
                execution.set_lines(part, list(execution.passed(error)))
            elif VERSION >= (3, 14):
                code = frame.code
                execution.set_lines(part, [(code.co_filename, code.co_qualname, frame.line)])
    return rest, matched


def to_raise_again(original: Any, errors: list[Any]) -> Any:
    """What is raised after the clauses of a `try` with `except*`; None if nothing is left."""
    if not errors:
        return None
    if not issubclass(type(original), BaseExceptionGroup):
        return errors[0]
    raised = [error for error in errors if error is not None and not _is_part_of(error, original)]
    again = [error for error in errors if error is not None and _is_part_of(error, original)]
    rest = _projected(original, again)
    if not raised:
        return rest
    if rest is not None:
        raised.append(rest)
    return raised[0] if len(raised) == 1 else BaseExceptionGroup("", raised)


def _is_part_of(error: Any, original: Any) -> bool:
    """Returns True for an unchanged part that `except*` has split off: it shares notes, cause and context."""
    return issubclass(type(error), BaseExceptionGroup) and all(
        one is other for one, other in zip(_marks(error), _marks(original), strict=True)
    )


def _marks(error: Any) -> tuple[Any, Any, Any]:
    return getattr(error, "__notes__", None), error.__cause__, error.__context__


def _projected(original: Any, parts: list[Any]) -> Any:
    """The part of a group whose members are those of some of its parts."""
    if not parts:
        return None
    kept = set[int]().union(*map(_leaves, parts))
    return original.split(lambda error: id(error) in kept and not issubclass(type(error), BaseExceptionGroup))[0]


def _leaves(error: Any) -> set[int]:
    if not issubclass(type(error), BaseExceptionGroup):
        return {id(error)}
    return set[int]().union(*map(_leaves, error.exceptions))
