"""Comparisons of exact classes, `type(x) is list`: an object that is shared has a class made of its own one.

`isinstance` and `x.__class__` say what they always said, so that is what to write.
"""

from __future__ import annotations

import builtins
import dis
from collections import OrderedDict, defaultdict, deque
from collections.abc import Collection, Iterator
from types import FunctionType

from replay.code.reachable import Named, is_of_library, is_user_class
from replay.errors import ModelError

_CONTAINERS = (list, dict, set, deque, defaultdict, OrderedDict)


COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
"""Methods of which nobody knows before whether they will be called."""


def look_for_exact_types(found: Collection[Named]) -> None:
    """Raise ModelError for thread code that compares the exact class of what may be shared."""
    for name, thing in found:
        if isinstance(thing, FunctionType) and name.rpartition(".")[2] not in COMPARISONS:
            refuse_exact_types(thing)


def refuse_exact_types(function: FunctionType) -> None:
    """The same for one function."""
    for line in () if is_of_library(function.__code__) else _lines(function):
        raise ModelError(
            "thread code compares type(...), which is another class for an object that is shared: "
            "write isinstance(...), or compare .__class__",
            f"{function.__code__.co_filename}:{line}",
        )


def _lines(function: FunctionType) -> Iterator[int]:
    """The lines in which a class that `type` gave is compared with one that a shared object may have."""
    names, line, given = function.__globals__, function.__code__.co_firstlineno, 0
    compared: list[object] = []
    for each in dis.get_instructions(function):
        if each.positions is not None and each.positions.lineno not in (None, line):
            line, given, compared = each.positions.lineno or line, 0, []
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            given += each.argval == "type" and "type" not in names
            compared.append(names.get(each.argval, getattr(builtins, each.argval, None)))
        elif each.opname in ("IS_OP", "COMPARE_OP") and given and (given > 1 or any(map(_may_be_shared, compared))):
            yield line


def _may_be_shared(kind: object) -> bool:
    return isinstance(kind, type) and (kind in _CONTAINERS or (is_user_class(kind) and not issubclass(kind, tuple)))
