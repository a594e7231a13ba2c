"""Methods of shared containers, by the container that Python has and the name of the method."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from replay.frontend.ordinary.methods import methods_of
from replay.interpreter.lookup import mro_of, namespace_of


def method(base: type, kind: type, name: str) -> Any:
    """Returns the method of a shared container in the place of Python's; None where its own class has one."""
    for each in mro_of(kind):
        if each is base:
            return methods_of(base).get(name)
        if name in namespace_of(each):
            return None
    return None


def method_of_native(base: type, native: Any) -> Any:
    """Returns the model of a method of C. One of `dict` leaves out what a `defaultdict` adds to it."""
    if _found(base, native.__name__) is native:
        return methods_of(base).get(native.__name__)
    return methods_of(dict).get(native.__name__) if base is defaultdict and is_passed_by(base, native) else None


def is_passed_by(base: type, native: Any) -> bool:
    """Returns whether a method of C is of a base of this container, which has another one by that name."""
    home = native.__objclass__
    return home is not object and issubclass(base, home) and _found(base, native.__name__) is not native


def _found(base: type, name: str) -> Any:
    return next((namespace_of(each)[name] for each in mro_of(base) if name in namespace_of(each)), None)
