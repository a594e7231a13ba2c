"""`repr` of objects that may hold themselves, by `reprlib.recursive_repr` and data classes.

CPython notes the objects that are being shown in a set which all threads share. A thread of a model may stop in between
for ever, so its frames are searched instead, as for containers.
"""

from __future__ import annotations

import dataclasses
import reprlib
from types import CodeType
from typing import Any

from replay.interpreter.library.shown import is_being_shown, shows_itself
from replay.interpreter.natives import replace_code


@shows_itself
def guarded(container: Any, function: Any, fill: str, _: object) -> Any:
    """The text of an object, or what stands for it if it is being shown already."""
    return fill if is_being_shown(container) else function(container)


def _of_data_classes(user_function: Any) -> Any:
    repr_running = None

    def wrapper(self: Any) -> Any:
        call: Any = "guarded"
        return call(self, user_function, "...", repr_running)

    return wrapper


def _of_reprlib(user_function: Any, fillvalue: str) -> Any:
    repr_running = None

    def wrapper(self: Any) -> Any:
        call: Any = "guarded"
        return call(self, user_function, fillvalue, repr_running)

    return wrapper


def _replace(decorator: Any, model: Any) -> None:
    """Let the functions that a decorator makes be interpreted as those of the model, whose globals they do not have."""
    original, ours = _made_by(decorator), _made_by(model)
    ours = ours.replace(co_consts=tuple(guarded if each == "guarded" else each for each in ours.co_consts))
    assert original.co_freevars == ours.co_freevars
    replace_code(original, ours)


def _made_by(decorator: Any) -> CodeType:
    """The code of the function `wrapper` that a decorator makes, at any depth."""
    inner = [decorator.__code__]
    while inner[0].co_name != "wrapper":
        inner += [each for each in inner.pop(0).co_consts if isinstance(each, CodeType)]
    return inner[0]  # type: ignore[no-any-return]


_replace(reprlib.recursive_repr, _of_reprlib)
if hasattr(dataclasses, "_recursive_repr"):
    _replace(dataclasses._recursive_repr, _of_data_classes)
