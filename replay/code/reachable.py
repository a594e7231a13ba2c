"""Things that code can reach besides locations: one walk over the Python objects to which its names lead.

The walk knows functions, classes and instances, wrappers such as `partial` and bound methods, and containers. What it
does not know it asks the garbage collector for, since every object says to that what it holds. Modules that code names
are followed along the names; a module that is used as an object, such as an argument, is followed as a whole.
"""

from __future__ import annotations

import builtins
import functools
import gc
import logging
import sys
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import Context, ContextVar
from typing import Any, NamedTuple

from replay.code.belonging import is_of_checker, is_of_python, is_user_class
from replay.code.facts import Use, facts
from replay.code.lines import is_of_checker_file, is_of_library
from replay.code.names import cell_contents, closure_of, first_of
from replay.code.ordinary import LOCAL, Shareable
from replay.code.printing import only_writes
from replay.code.remembered import results
from replay.code.seen import (
    HOLDING,
    LOGGERS,
    PLAIN,
    WRAPPERS,
    attributes,
    held,
    is_leaf,
    is_memory,
    is_seen,
    is_stream,
    names_of_pythons,
)
from replay.code.variables import INNER, Global, Kept, Table, inner, key_of
from replay.errors import ModelError
from replay.interpreter.frame import Frame
from replay.interpreter.generators import Generator
from replay.interpreter.lookup import identity, is_a
from replay.interpreter.views import locals_of
from replay.world.anatomy import base_of, dictionary_of, is_written_in_python
from replay.world.values import NoValue

Named = tuple[str, Any]
"""Something that code can reach, and how a program calls it."""


class Reached(NamedTuple):
    """Something that was found so; its class tells who counts references that the checker has it."""

    name: str
    thing: Any


def reachable(roots: Iterable[Named], is_asked_for: Callable[[Global], bool] | None = None) -> dict[object, Named]:
    """Returns the things that the roots lead to, with the roots, by identity; each with its name.

    Contents of memory are left out. Raises ModelError for a weak proxy, which answers every question with the object
    that it stands for, or with an exception.
    """
    found: dict[object, Named] = {}
    todo = deque(roots)
    first = todo[0][1] if todo else None
    while todo:
        name, thing = todo.popleft()
        if type(thing) in weakref.ProxyTypes:
            where = str(getattr(first, "source", None) or place_of(first) or "")
            raise ModelError(f"code uses {name!r}, a weak proxy: give it the object, or a weakref.ref() to it", where)
        key = key_of(thing)
        if is_asked_for is not None and isinstance(thing, Global) and is_asked_for(thing):
            continue
        if key not in found and not _is_opaque(thing):
            found[key] = Reached(name, thing)
            for each in inner(thing):
                found.setdefault(each, (name, INNER))
            todo.extend(_parts(name, thing))
    return found


def targets(thing: Any) -> Iterator[object]:
    """Yields the identities of what a weak reference refers to, and of what it may change when that goes.

    It is as shared as these are: nobody says when something goes.
    """
    if is_a(thing, weakref.ref) and (target := weakref.ref.__call__(thing)) is not None:
        yield identity(target)
        yield from reachable([("", thing.__callback__)])


def place_of(function: object) -> str:
    """Returns "file:line" of a function, "" for anything else."""
    code = function.__code__ if type(function) is types.FunctionType else None
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def _is_opaque(thing: object) -> bool:
    """Returns whether nothing inside a thing can matter, so that it is not walked."""
    kind = type(thing)
    if is_memory(kind):
        return False
    if kind is ContextVar:
        return _is_of_each_thread(thing)
    if isinstance(thing, type):
        return not is_written_in_python(thing) or is_of_checker(thing)
    if kind is types.FunctionType and is_of_checker_file(thing.__code__.co_filename):  # type: ignore[attr-defined]
        return True
    if kind in (types.FunctionType, types.MethodType):
        return _has_model(thing)
    return is_leaf(thing) or _full_name(kind) in _DESCRIPTIONS or str(kind.__module__).startswith(_TABLES)


def _has_model(function: object) -> bool:
    """Returns whether it is `pdb.set_trace`, in whose place pytest has a method, or `pytest.raises`: their code does
    not run, and keeps nothing of the program."""
    debugger, tester = map(sys.modules.get, ("pdb", "pytest"))
    return function in (vars(debugger or sys).get("set_trace"), vars(tester or sys).get("raises"))


def is_call(kind: type) -> bool:
    """Returns whether an object says what a thread runs: a function and its arguments."""
    return _full_name(kind) == "replay.frontend.threads.ThreadCall"


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


_CONTENTS = ("List", "Dict", "Set", "Deque", "Moving", "Sorting", "Lent")
_DESCRIPTIONS = frozenset({
    "replay.frontend.declarations.Declarations", "replay.frontend.shared.Operations", "replay.frontend.shared.Record",
    "replay.frontend.history.History", "replay.frontend.ordinary.identity.Identity",
    "replay.frontend.ordinary.threads.Body",
    *(f"replay.frontend.ordinary.contents.{each}Content" for each in _CONTENTS),
    "replay.frontend.ordinary.contents.GeneratorState", "replay.frontend.ordinary.contents.IteratorAt",
    "replay.frontend.ordinary.contents.Suspended",
    "replay.frontend.ordinary.values.Built", "replay.frontend.ordinary.values.Reference",
    "replay.frontend.ordinary.values.Unset",
    "replay.world.operation.Freed", "replay.world.operation.Unwritten", "replay.world.values.Case",
})  # fmt: skip
"""Classes of the checker's own whose objects only describe locations, and have no room for anything else."""

_TABLES = ("mcr.", "replay.certify.calls")
"""Homes of classes whose objects are tables that programs of the checker's own have, as `mcr levels` makes them.

No code of users writes to these.
"""


def _is_of_each_thread(variable: Any) -> bool:
    """Returns whether threads share nothing by a context variable, of which each has a value: its default never
    changes."""
    try:
        default = Context().run(variable.get)
    except LookupError:
        return True
    return type(default) in PLAIN or type(default).__name__ == "PyCapsule"  # as numpy's, which nobody can change


def _parts(name: str, thing: Any) -> Iterator[Named]:
    """Yields the things that a thing holds, none for memory."""
    kind = type(thing)
    if issubclass(kind, Shareable | LOCAL):
        return
    match thing:
        case Global():
            yield from _held_by_variable(thing.name, thing.value)
        case NoValue():
            yield from ((name, function) for function in thing.runs)
        case types.FunctionType():
            yield from _parts_of_function(name, thing)
        case types.FrameType():
            for variable, value in thing.f_locals.items():
                yield from _held_by_variable(variable, value)
            yield from _globals(thing.f_code, thing.f_globals, thing.f_locals)
        case Frame():
            held_here = locals_of(thing)
            for variable, value in (*held_here.items(), *(("", value) for value in thing.stack)):
                yield from _held_by_variable(variable, value)
            yield from _globals(thing.code, thing.globals, held_here)
        case Generator():
            yield name, thing.frame
        case weakref.ref():
            yield from ((name, each) for each in (weakref.ref.__call__(thing), thing.__callback__))
        case types.MethodType():
            yield from (("self", thing.__self__), (name, thing.__func__))
        case types.BuiltinFunctionType():
            yield from _held_by_variable(name, thing.__self__)
        case functools.partial():
            yield name, thing.func
            arguments = (*thing.args, *thing.keywords.values(), *vars(thing).values())
            yield from ((f"an argument of {name or 'a partial'}", value) for value in arguments)
        case types.CellType():
            yield from (part for value in cell_contents(thing) for part in _held_by_variable(name, value))
        case property():
            yield from ((name, function) for function in (thing.fget, thing.fset, thing.fdel))
        case functools.cached_property():
            yield name, thing.func
        case functools._lru_cache_wrapper():
            yield from ((name if key == "__wrapped__" else f"{name}.{key}", value) for key, value in attributes(thing))
            yield from ((name, value) for value in results(thing))
        case types.ModuleType():
            yield from ((f"{thing.__name__}.{key}", Global(vars(thing), key)) for key in variables_of(thing))
        case type():
            yield from class_attributes(thing)
            yield from ((each.__name__, each) for each in (*thing.__mro__[1:], kind))
        case _:
            yield from _parts_of_object(name, thing)


def _held_by_variable(name: str, value: object) -> Iterator[Named]:
    """Yields what a variable holds; a module that code names by it is followed along the names (`_along`)."""
    if not is_a(value, types.ModuleType):  # `isinstance` would ask a weak proxy
        yield name, value


def variables_of(module: types.ModuleType) -> list[str]:
    """The variables of a module that is used as an object; none of those of Python, whose use is refused then."""
    return [] if is_of_python(module) else [name for name in vars(module) if name not in _OF_EVERY_MODULE]


_OF_EVERY_MODULE = frozenset(vars(types)) & frozenset(vars(functools)) | {"__path__"}


def _parts_of_function(name: str, function: types.FunctionType) -> Iterator[Named]:
    if function.__code__ is _SINGLE_DISPATCH:
        yield name, gc.get_referents(vars(function)["registry"])[0]
        return
    default = f"a default value of {name if name.endswith(f'.{function.__name__}') else function.__name__}"
    yield from ((default, value) for value in function.__defaults__ or ())
    yield from ((default, value) for value in (function.__kwdefaults__ or {}).values())
    yield from ((f"{function.__name__}.{key}", value) for key, value in vars(function).items())
    yield from zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    if not is_of_library(function.__code__):
        yield from _globals(function.__code__, function.__globals__, closure_of(function))
        return
    for variable in facts(function.__code__).globals:  # what other functions it calls use is not followed
        value = function.__globals__.get(variable)
        if type(value) in _CONTAINERS:
            yield variable, Table(value)
        elif type(value) in LOGGERS:
            yield variable, value
    if function is logging.getLogger:
        yield "logging.Logger.manager", logging.Logger.manager


_SINGLE_DISPATCH = functools.singledispatch(len).__code__  # type: ignore[attr-defined]
"""The code of all generic functions: what they remember of a class says nothing that the class does not."""


def _globals(code: types.CodeType, namespace: dict[str, Any], closure: Mapping[str, object]) -> Iterator[Named]:
    """The global variables that code names, and what it names of the modules among them."""
    seen = facts(code)
    for name in seen.globals:
        if name not in namespace and vars(builtins).get(name) is not _BUILTINS.get(name):
            yield name, Global(vars(builtins), name)
        else:
            yield name, Global(namespace, name)
    for use in (*seen.uses, *seen.sets):
        yield from _along(use, namespace, closure)


_BUILTINS = dict(vars(builtins))
"""What Python has for all modules, before anybody has added to it."""


def _along(use: Use, namespace: dict[str, Any], closure: Mapping[str, object]) -> Iterator[Named]:
    """The variables of modules that names lead to, and a module if they end there: then it is used as an object."""
    thing = first_of(use, namespace, closure)
    title = use.names[0]
    for name in use.names[1:]:
        if not is_a(thing, types.ModuleType):
            return
        if name == "__dict__":  # by which all variables of the module are reached
            yield title, thing
            return
        title = f"{title}.{name}".lstrip(".")
        place = Global(vars(thing), name)
        if name not in vars(thing) and "__getattr__" in vars(thing):
            yield title, Global(vars(thing), "__getattr__")
        yield title, place
        thing = place.value
    if isinstance(thing, types.ModuleType) and use.names[-1:] != ("",):
        yield title, thing


def user_functions(found: Iterable[object]) -> list[types.FunctionType]:
    """The functions among things that are not of Python's library."""
    return [each for each in found if isinstance(each, types.FunctionType) and not is_of_library(each.__code__)]


_OF_LOGGERS = ("parent", "handlers", "filters", "manager", "root")
_HAS_REFERENTS = 1 << 14
"""The flag of types whose objects say what they hold."""

_LEADING_AWAY = (types.ModuleType, types.FrameType)


def module_with(namespace: dict[str, Any]) -> types.ModuleType | None:
    """Returns the module whose variables a dictionary has; None if there is none."""
    name = namespace.get("__name__")
    module = sys.modules.get(name) if type(name) is str else None
    return module if is_a(module, types.ModuleType) and vars(module) is namespace else None


def class_attributes(kind: type) -> Iterator[Named]:
    """Yields what a class adds itself; of a class of Python's only containers, as its functions are known by name."""
    ignored = names_of_pythons(kind)
    for key, value in vars(kind).items():
        if key not in ignored and (is_user_class(kind) or type(value) in _CONTAINERS or type(value) in LOGGERS):
            yield f"{kind.__name__}.{key}", value


_CONTAINERS = HOLDING.keys() - {staticmethod, classmethod, functools.partial}


def _inside(name: str) -> str:
    """Returns the name of something in a container: however deep it is nested, the name does not grow with that."""
    return name if name.endswith("[...]") else f"{name}[...]"


def _leads_to_everything(thing: object) -> bool:
    """Returns whether it is one of the tables by which Python finds all modules."""
    return any(thing is each for each in (sys.modules, sys.meta_path, sys.path_hooks, sys.path_importer_cache))


def _parts_of_object(name: str, thing: Any) -> Iterator[Named]:
    kind = type(thing)
    if (
        _leads_to_everything(thing)
        or is_stream(thing)
        or (is_of_checker(kind) and not is_call(kind))
        or only_writes(thing)
    ):
        return
    yield kind.__name__, kind
    base = base_of(kind)
    if kind in LOGGERS:
        yield from ((f"{name}.{key}", vars(thing)[key]) for key in _OF_LOGGERS if key in vars(thing))
        return  # of a manager, what its loggers are set to is part of its contents: what they lead to is the process's
    if kind is dict and (module := module_with(thing)) is not None:
        yield module.__name__, module
        return
    if issubclass(base, dict):
        yield from ((_inside(name), key) for key in dict.keys(thing))
        pairs = list(dict.items(thing))
        yield from ((f"{name}[{key!r}]" if type(key) in PLAIN else _inside(name), value) for key, value in pairs)
    elif is_call(kind):  # what a thread runs: a function and its arguments
        yield from ((type(value).__name__, value) for _, value in attributes(thing) if not isinstance(value, tuple))
        yield from (("an argument of the thread", value) for value in thing.args)
        return
    elif is_seen(kind):
        yield from ((_inside(name), value) for value in held(thing))
    elif kind in WRAPPERS:
        names = dictionary_of(thing) or {}  # once anybody has asked for it, what it holds is no referent any more
        referents = [each for each in gc.get_referents(thing) if each is not names]
        yield from ((name or type(value).__name__, value) for value in referents if type(value) is not types.FrameType)
    elif kind.__flags__ & _HAS_REFERENTS:
        yield from ((name, each) for each in gc.get_referents(thing) if not isinstance(each, _LEADING_AWAY))
        return
    else:
        yield name, Kept(kind.__module__.partition(".")[0], kind)
        return
    # code of Python's own names the attributes of its objects, so that no code of the user has to
    is_named = is_user_class(kind) or not name or str(kind.__module__).startswith("logging")
    yield from ((f"{name}.{key}".lstrip(".") if is_named else name, value) for key, value in attributes(thing))
