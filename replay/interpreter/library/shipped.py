"""Python versions of C modules which CPython ships: they are interpreted in place of what C has.

A module is loaded once more without its C part, under a file name that is hidden in tracebacks, since functions of C
have no lines there.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

from replay.interpreter.natives import Condition, stands_for

HIDDEN = os.path.join(os.path.dirname(__file__), "shipped")
"""What names of files begin with whose code CPython ships."""


def shipped(name: str, without: str) -> dict[str, Any]:
    """Returns what the Python version of a module holds; `without` is the C module that it must not find."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    loader: Any = spec.loader
    code = compile(loader.get_source(name), os.path.join(HIDDEN, f"{name}.py"), "exec", dont_inherit=True)
    held: dict[str, Any] = {"__name__": name}
    part = sys.modules.get(without)
    sys.modules[without] = None  # type: ignore[assignment]
    try:
        exec(code, held)
    finally:
        if part is None:
            del sys.modules[without]
        else:
            sys.modules[without] = part
    return held


def stand_for_all(
    name: str, part: str, natively_if: Condition | None = None, adapt: Callable[[Any, Any], Any] | None = None
) -> None:
    """Register the Python versions of the C functions of a module; `adapt` may change one, or leave it out by None."""
    versions = shipped(name, part)
    for each, native in vars(importlib.import_module(part)).items():
        version = versions.get(each)
        if type(native) is BuiltinFunctionType and type(version) is FunctionType:
            model = version if adapt is None else adapt(version, native)
            if model is not None:
                stands_for(native, natively_if=natively_if)(model)
