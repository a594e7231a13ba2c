"""Methods of shared containers, by the container that Python has and the name of the method."""

from __future__ import annotations

from typing import Any

from replay.frontend.ordinary.methods import methods_of
from replay.frontend.ordinary.values import UNSET
from replay.interpreter.frame import NULL
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
    """Returns the model of a method of C."""
    name = native.__name__
    found = next((namespace_of(each).get(name, NULL) for each in mro_of(base) if name in namespace_of(each)), UNSET)
    return methods_of(base).get(name) if found is native else None
