"""Slips that Python takes for something sensible: a method without parentheses, an operation without `yield`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from itertools import chain
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from replay.code.reachable import Named, cell_contents, is_of_library, is_user_class
from replay.code.spelling import Path, Place, places, rebound
from replay.errors import ModelError

Names = Mapping[str, object]
"""What the local names of a function stand for, as far as that is known before it runs."""

_OURS = "replay.frontend."
_UNKNOWN = object()


def look_for_slips(code: Callable[[], object], found: Collection[Named]) -> None:
    """Raise ModelError, with its line, for a slip in what thread code can reach, which was found already.

    Looked for is what is certainly one: where nobody knows before it runs what
    a name stands for, nothing is said.
    """
    functions = [thing for _, thing in found if isinstance(thing, FunctionType) and _is_worth_a_look(thing.__code__)]
    bound = _bindings(code, found) if functions else {}
    for function in functions:
        names = {**bound.get(id(function), {}), **_closure(function)}
        _look(function.__code__, names, function.__globals__)


def _is_worth_a_look(code: CodeType) -> bool:
    return bool(_all_places(code)) and not is_of_library(code)


@functools.cache
def _all_places(code: CodeType) -> tuple[Place, ...]:
    """Those in code, and in functions inside it."""
    inner = (_all_places(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return tuple(chain(places(code), *inner))


def _look(code: CodeType, names: Names, namespace: Names) -> None:
    known = {name: value for name, value in names.items() if name not in rebound(code)}
    for place in places(code):
        sentence = _sentence(place, known, namespace)
        if sentence:
            raise ModelError(sentence, f"{code.co_filename}:{place.line}")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _look(constant, {name: known[name] for name in constant.co_freevars if name in known}, namespace)


def _sentence(place: Place, names: Names, namespace: Names) -> str:
    """What is wrong at a place, "" for nothing."""
    owner = _resolved(place.path[:-1], names, namespace)
    name = str(place.path[-1])
    if not _is_ours(owner) or not isinstance(inspect.getattr_static(type(owner), name, None), FunctionType):
        return ""
    if not place.is_called:
        return f"{place.text} is a method, and nobody calls it here: write {place.text}()"
    if type(owner).__name__ == "Operations":
        plain = place.text.replace(".op.", ".")
        return (
            f"{place.text}() only describes an operation, and nobody performs it here: "
            f"write yield {place.text}() in a generator, {plain}() elsewhere"
        )
    return ""


def _is_ours(thing: object) -> bool:
    return str(type(thing).__module__).startswith(_OURS)


# -- what names stand for --------------------------------------------------------


def _bindings(code: Any, found: Collection[Named]) -> dict[int, dict[str, object]]:
    """By function, what its parameters stand for: those of the thread, and the objects of methods."""
    bound: dict[int, dict[str, object]] = {}
    for _, thing in found:
        if isinstance(thing, MethodType):
            _bind(bound, thing, ())
        elif is_user_class(type(thing)) and not isinstance(thing, (type, FunctionType, ModuleType)):
            for function in (value for kind in type(thing).__mro__ for value in vars(kind).values()):
                if isinstance(function, FunctionType):
                    _bind(bound, function, (thing,))
    _bind(bound, getattr(code, "function", code), getattr(code, "args", ()))
    return bound


def _bind(bound: dict[int, dict[str, object]], function: Any, given: tuple[object, ...], **named: object) -> None:
    """Note what a call of `function` binds, in place of what was noted before."""
    match function:
        case functools.partial():
            _bind(bound, function.func, (*function.args, *given), **{**function.keywords, **named})
        case MethodType():
            _bind(bound, function.__func__, (function.__self__, *given), **named)
        case FunctionType():
            code = function.__code__
            parameters = code.co_varnames[: code.co_argcount]
            bound[id(function)] = {**dict(zip(parameters, given, strict=False)), **named}


def _closure(function: FunctionType) -> dict[str, object]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: value for name, cell in cells for value in cell_contents(cell)}


def _resolved(path: Path, names: Names, namespace: Names) -> object:
    """The object that a path leads to, without running any code of the user's; `_UNKNOWN` where that is needed."""
    first, *rest = path
    thing = names.get(str(first), namespace.get(str(first), _UNKNOWN))
    for part in rest:
        thing = _element(thing) if part is None else _attribute(thing, part)
    return thing


def _attribute(thing: Any, name: str) -> object:
    if thing is _UNKNOWN:
        return _UNKNOWN
    held = _held(thing)
    if name in held:
        return held[name]
    found = inspect.getattr_static(type(thing), name, None)
    return getattr(thing, name, _UNKNOWN) if isinstance(found, MemberDescriptorType) else _UNKNOWN


def _held(thing: Any) -> dict[str, Any]:
    """What an object has by name; of a record, its fields."""
    try:
        held: dict[str, Any] = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    fields: dict[str, Any] = held.get("_parts", {}) if _is_ours(thing) and type(thing).__name__ == "Record" else held
    return fields


def _element(thing: Any) -> object:
    """An element, if all are of one type."""
    if type(thing) in (list, tuple) or (_is_ours(thing) and type(thing).__name__ == "Array"):
        elements = list(thing)
    elif type(thing) is dict:
        elements = list(thing.values())
    else:
        return _UNKNOWN
    return elements[0] if len({type(element) for element in elements}) == 1 else _UNKNOWN
