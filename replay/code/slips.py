"""Slips that Python takes for something sensible: a method without parentheses, an operation without `yield`, `is`.

if x.load: ...          the parentheses are missing: a method is always true
p.fence                 so they are here: nothing happens
x.op.store(1)           without `yield`: the operation is described, and forgotten
v = x.op.load()         the same; v is a description of a load
if v == 1: ...
if x is None: ...       a cell is never None, nor an int: Python does not ask it
match x: ...
head.load() is node     what comes from memory is another object in each run
"""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from replay.code.belonging import is_user_class
from replay.code.facts import NOT_CONSTANT, How, Item, Path, codes, facts
from replay.code.names import UNKNOWN, closure_of
from replay.code.reachable import Named, user_functions
from replay.errors import ModelError
from replay.world.values import NoValue

Names = Mapping[str, object]
"""What the local names of a function stand for, as far as that is known before it runs."""

_OURS = "replay.frontend."


def look_for_slips(code: Callable[[], object], found: Collection[Named], *, ordinary: bool = False) -> str:
    """Raise ModelError, with its line, for a slip in what thread code can reach, which was found already.

    Looked for is what is certainly one: where nobody knows before it runs what
    a name stands for, nothing is said. Returns a line that compares two such things
    by `is`, "" if none does. `ordinary`: the program shares ordinary
    objects, which are themselves wherever they come from.
    """
    functions = user_functions(thing for _, thing in found)
    functions = [each for each in functions if any(facts(code).places for code in codes(each.__code__))]
    bound = _bindings(code, found) if functions else {}
    unknown: list[str] = []
    for function in functions:
        names = {**bound.get(id(function), {}), **closure_of(function)}
        unknown += _look(function.__code__, names, function.__globals__, ordinary)
    return "" if ordinary else next(iter(unknown), "")


def _look(code: CodeType, names: Names, namespace: Names, ordinary: bool) -> Iterator[str]:
    """Raise ModelError for a slip; the lines that compare two things by `is` of which nothing is known."""
    seen = facts(code)
    known = {name: value for name, value in names.items() if name not in seen.assigned}
    for place in seen.places:
        sides = [_known(item, known, namespace) for item in place.items]
        first = place.items[0]
        sentence = ""
        if place.how is How.VALUE:
            sentence = _of_value(first, known, namespace)
        elif place.how is How.IDENTITY:
            sentence = _of_identity(place.items, sides, ordinary)
            if all(item.path and side is UNKNOWN for item, side in zip(place.items, sides, strict=True)):
                yield f"{code.co_filename}:{place.line}"
        elif _is_cell(sides[0]):
            sentence = f"{first.text} is a shared cell, and never of the type of its value: write {first.text}.load()"
        if sentence:
            raise ModelError(sentence, f"{code.co_filename}:{place.line}")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner = {name: known[name] for name in constant.co_freevars if name in known}
            yield from _look(constant, inner, namespace, ordinary)


def _of_value(item: Item, names: Names, namespace: Names) -> str:
    """Says what is wrong with taking something for a value, "" for nothing."""
    owner = _resolved(item.path[:-1], names, namespace)
    name = str(item.path[-1])
    if not _is_ours(owner) or not isinstance(inspect.getattr_static(type(owner), name, None), FunctionType):
        return ""
    if not item.is_called:
        return f"{item.text} is a method, and is not called here: write {item.text}()"
    if _is_of_ours(owner, "Operations"):
        plain = item.text.replace(".op.", ".")
        return (
            f"{item.text}() only describes an operation, and is not performed here: "
            f"write yield {item.text}() in a generator, {plain}() elsewhere"
        )
    return ""


def _of_identity(items: tuple[Item, ...], sides: list[Any], ordinary: bool) -> str:
    """Says what is wrong with a comparison by `is` of things that are known, "" for nothing."""
    asks_for_none = any(thing is None for thing in sides)
    for item, thing in zip(items, sides, strict=True):
        # who asks whether a cell is None may well ask if there is a cell, unless its value is None at first
        if _is_cell(thing) and (not asks_for_none or thing.location.initial is None):
            return f"{item.text} is a shared cell, and never is its value: write {item.text}.load()"
    if asks_for_none:
        return ""
    for item, thing in zip(items, sides, strict=True):
        if (isinstance(thing, NoValue) and thing.is_value) or _is_of_ours(thing, "Record"):
            return f"{item.text} is a reference, and may be another object when it comes from memory: {WRITE_EQUALS}"
    if ordinary or any(thing is not UNKNOWN and type(thing) not in _INTERNED for thing in sides):
        return ""
    loaded = next((item for item in items if item.is_loaded), None)
    return f"{loaded.text}() may be another object each time that it is equal: {WRITE_EQUALS}" if loaded else ""


WRITE_EQUALS = "write == instead of `is`, and != instead of `is not`"

_INTERNED = (int, str, float, complex, bytes, tuple, frozenset)
"""Types of which equal values may be one object, or not."""


def _known(item: Item, names: Names, namespace: Names) -> object:
    """Returns what something is; a type if it is asked for, which is always the same one."""
    if item.constant is not NOT_CONSTANT:
        return item.constant
    if not item.path:
        return UNKNOWN
    if item.path[-1] == "__class__" or (item.is_called and item.path == ("type",)):
        return type
    if item.is_called:
        return UNKNOWN
    found = _resolved(item.path, names, namespace)
    return vars(builtins).get(str(item.path[0]), UNKNOWN) if found is UNKNOWN and len(item.path) == 1 else found


def _is_cell(thing: object) -> bool:
    return isinstance(thing, NoValue) and type(thing).__name__ == "Variable"


def _is_of_ours(thing: object, name: str) -> bool:
    """Returns whether a thing is of the class of ours that has this name."""
    return _is_ours(thing) and type(thing).__name__ == name


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


def _resolved(path: Path, names: Names, namespace: Names) -> object:
    """The object that a path leads to, without running any code of the user's; `UNKNOWN` where that is needed."""
    first, *rest = path
    thing = names.get(str(first), namespace.get(str(first), UNKNOWN))
    for part in rest:
        thing = _element(thing) if part is None else _attribute(thing, part)
    return thing


def _attribute(thing: Any, name: str) -> object:
    if thing is UNKNOWN:
        return UNKNOWN
    if name == "ref" and _is_cell(thing):
        return thing.ref
    held = _held(thing)
    if name in held:
        return held[name]
    found = inspect.getattr_static(type(thing), name, None)
    return getattr(thing, name, UNKNOWN) if isinstance(found, MemberDescriptorType) else UNKNOWN


def _held(thing: Any) -> dict[str, Any]:
    """Returns what an object has by name; the fields of a record."""
    try:
        held: dict[str, Any] = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    fields: dict[str, Any] = held.get("_parts", {}) if _is_of_ours(thing, "Record") else held
    return fields


def _element(thing: Any) -> object:
    """An element, if all are of one type."""
    if type(thing) in (list, tuple) or _is_of_ours(thing, "Array"):
        elements = list(thing)
    elif type(thing) is dict:
        elements = list(thing.values())
    else:
        return UNKNOWN
    return elements[0] if len({type(element) for element in elements}) == 1 else UNKNOWN
