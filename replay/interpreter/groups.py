"""Groups of exceptions, as `except*` takes them apart and puts them together: plain Python which is interpreted.

A part of a group is made by the group's own `derive`, which may be code of users.
"""

from __future__ import annotations

from typing import Any

from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively, stands_for
from replay.interpreter.versions import SPLITS_OFF_NOTHING


def split_group(error: Any, kinds: Any) -> Any:
    """Splits an exception into what `except* kinds` leaves, and what it catches. Raises TypeError for forbidden
    kinds."""
    check_kinds(kinds)
    if matches(error, kinds):
        return None, error if is_group(error) else wrapped(error)
    if is_group(error):
        matched, rest = error.split(kinds)
        return rest if matched is not None or SPLITS_OFF_NOTHING else error, matched
    return error, None


def to_raise_again(original: Any, errors: Any) -> Any:
    """Returns the exception to raise after the clauses of a `try` with `except*`; None if nothing is left."""
    if not errors:
        return None
    if not is_group(original):
        return errors[0]
    raised: list[Any] = []
    again: list[Any] = []
    for error in errors:
        if error is not None:
            (again if is_part_of(error, original) else raised).append(error)
    rest, _ = parts(original, InOneOf(again), False) if again else (None, None)
    if not raised:
        return rest
    if rest is not None:
        raised.append(rest)
    return raised[0] if len(raised) == 1 else BaseExceptionGroup("", raised)


@stands_for(BaseExceptionGroup.split)
def split(group: Any, condition: Any, /) -> Any:
    return parts(group, condition_of(condition), True)


@stands_for(BaseExceptionGroup.subgroup)
def subgroup(group: Any, condition: Any, /) -> Any:
    return parts(group, condition_of(condition), False)[0]


def parts(error: Any, condition: Any, with_rest: Any) -> Any:
    """Splits an exception into the part that meets a condition, and the rest; None for nothing."""
    if condition(error):
        return error, None
    if not is_group(error):
        return None, error
    matched: list[Any] = []
    rest: list[Any] = []
    for each in error.exceptions:
        one, other = parts(each, condition, with_rest)
        if one is not None:
            matched.append(one)
        if other is not None:
            rest.append(other)
    return part_of(error, matched), part_of(error, rest) if with_rest else None


def part_of(group: Any, members: Any) -> Any:
    """A group of some of the members, with the notes, cause, context and traceback of the whole."""
    if not members:
        return None
    made = group.derive(members)
    if not is_group(made):
        raise TypeError("derive must return an instance of BaseExceptionGroup")
    take_after(made, group)
    return made


class OfKinds:
    """The condition that an exception is an instance of a class, or of one of several."""

    def __init__(self, kinds: Any) -> None:
        self.kinds = kinds

    def __call__(self, error: Any) -> Any:
        return matches(error, self.kinds)


class InOneOf:
    """The condition that an exception is a member of one of some groups, at any depth."""

    def __init__(self, groups: Any) -> None:
        self.members = leaves(groups)

    def __call__(self, error: Any) -> Any:
        return is_in(error, self.members)


def condition_of(given: Any) -> Any:
    """The condition that `split` is given as a class, several classes, or a function."""
    if names_exceptions(given):
        return OfKinds(given)
    if callable(given):
        return given
    raise TypeError("expected a function, exception type or tuple of exception types")


# -- intrinsics ---------------------------------------------------------------------------


def wrapped(error: Any) -> Any:
    """A group of a single exception that is none."""
    raise NotImplementedError("an intrinsic")


def take_after(part: Any, group: Any) -> Any:
    """Give a part of a group the notes, cause, context and traceback of the whole."""
    raise NotImplementedError("an intrinsic")


def is_part_of(error: Any, original: Any) -> Any:
    """Returns True for an unchanged part that `except*` has split off."""
    raise NotImplementedError("an intrinsic")


# -- natively -----------------------------------------------------------------------------


@natively
def is_group(error: Any) -> bool:
    return is_a(error, BaseExceptionGroup)


@natively
def matches(error: Any, kinds: Any) -> bool:
    """Returns True if the class of an exception is one of `kinds`, or derived from one; asks no metaclass."""
    return any(kind in type(error).__mro__ for kind in (kinds if type(kinds) is tuple else (kinds,)))


@natively
def check_kinds(kinds: Any) -> None:
    """Raise the TypeError of `except* kinds`."""
    for kind in kinds if type(kinds) is tuple else (kinds,):
        if not (is_a(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        if issubclass(kind, BaseExceptionGroup):
            raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")


@natively
def names_exceptions(given: Any) -> bool:
    """Returns True for a class of exceptions, and a tuple of such classes."""
    return all(
        is_a(kind, type) and issubclass(kind, BaseException) for kind in (given if type(given) is tuple else (given,))
    )


@natively
def leaves(errors: Any) -> list[Any]:
    """The exceptions in some groups that are no groups themselves."""
    return [leaf for error in errors for leaf in (leaves(error.exceptions) if is_group(error) else [error])]


@natively
def is_in(error: Any, errors: Any) -> bool:
    return any(error is each for each in errors)


def give_marks(part: Any, group: Any) -> None:
    """Notes, cause and context of a group for a part of it."""
    part.__context__ = group.__context__
    part.__cause__ = group.__cause__
    notes: Any = getattr(group, "__notes__", None)
    if hasattr(type(notes), "__getitem__") and not is_a(notes, dict):
        part.__notes__ = list(notes)


def has_marks(part: Any, group: Any) -> bool:
    """Returns True if two groups have the same notes, cause and context."""
    return is_group(part) and all(one is other for one, other in zip(_marks(part), _marks(group), strict=True))


def _marks(error: Any) -> tuple[Any, Any, Any]:
    return getattr(error, "__notes__", None), error.__cause__, error.__context__
