"""What the code of a thread may come to, and what that means for its keys: found before any of it runs."""

from __future__ import annotations

import operator
from abc import ABCMeta
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType

from replay.code.facts import UNKNOWN, Comparison, Use, facts, stands_for
from replay.code.lines import is_of_library
from replay.code.reachable import is_user_class, reachable
from replay.code.stateless import is_stateless, looks_behind
from replay.world.anatomy import IMMUTABLE


class Reach:
    """What some code may come to.

    doubt       why no state of the thread has a key, in a few words; "" if nothing is against it
    identities  whether it may ask if two values are one object, where keys say only that they are equal
    ends        whether something may happen when an object is given up: a generator is closed, or it has a `__del__`
    names       what it may look up by name, as an attribute
    """

    def __init__(self, code: Callable[[], object], *, shares_objects: bool) -> None:
        """The code must not have run. `shares_objects`: it is that of ordinary classes, with all that Python has."""
        found = [thing for _, thing in reachable([("", code)]).values()]
        functions = [each for each in found if isinstance(each, FunctionType) and not is_of_library(each.__code__)]
        looked = [(each, facts(each.__code__)) for each in functions]
        named = [(stands_for(use, each), use, each) for each, seen in looked for use in seen.uses]
        things = [thing for thing, _, _ in named]
        self.names = frozenset[str]().union(
            *(seen.names for _, seen in looked), *(vars(each) for each in found if isinstance(each, type))
        )
        self.ends = shares_objects or "__del__" in self.names or any(seen.ends for _, seen in looked)
        self.identities = any(thing is each for thing in things for each in _BY_IDENTITY) or any(
            _may_tell(comparison, each) for each, seen in looked for comparison in seen.comparisons
        )
        if hidden := looks_behind(self.names):
            self.doubt = f"code that may use {hidden}"
        elif "register" in self.names and any(isinstance(each, ABCMeta) and not is_user_class(each) for each in things):
            self.doubt = "code that may register a class with an abstract one of Python's"
        else:
            self.doubt = next((_sentence(use, each) for thing, use, each in named if not _is_harmless(thing, use)), "")


def _is_harmless(thing: object, use: Use) -> bool:
    """Whether code may look this up: it keeps nothing, or is only known when code runs; pytest's names are its own."""
    return thing is UNKNOWN or use.names[0].startswith("@") or is_stateless(thing)


def _sentence(use: Use, function: FunctionType) -> str:
    return f"{use}, which may keep something ({function.__code__.co_filename}:{use.line})"


def _may_tell(comparison: Comparison, function: FunctionType) -> bool:
    """Whether a comparison may tell equal values apart: neither side is known to be an object that is there once."""
    things = (UNKNOWN if use is None else stands_for(use, function) for use in comparison.sides)
    return all(thing is UNKNOWN or type(thing) in WITHOUT_IDENTITY for thing in things)


WITHOUT_IDENTITY = frozenset({*IMMUTABLE, MethodType, BuiltinFunctionType}) - {object}
"""Types whose objects are written as what they are, not as which one it is; so are whole numbers and texts."""

_BY_IDENTITY = (id, operator.is_, operator.is_not)
"""Functions that tell which object it is."""
