"""What code can reach besides locations: one walk over the Python objects that its names lead to.

The walk knows functions, classes and instances, wrappers such as `partial` and bound methods, and containers. What it
does not know it asks the garbage collector for, since every object says to that what it holds.

It looks into what remembers the results of calls as well: `functools.cache`, `lru_cache` and `cached_property`. To
remember is no change that others could notice, who get the same where they ask themselves; unless it is one object for
all, and somebody changes that, or what they ask for depends on more than their arguments.
"""

from __future__ import annotations

import builtins
import functools
import gc
import io
import sys
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import Context, ContextVar
from typing import Any, NamedTuple

from replay.code.facts import Use, facts
from replay.code.lines import is_of_library
from replay.code.ordinary import MODULE_MARK, Shareable, class_of_shared
from replay.errors import ModelError
from replay.interpreter.frame import Frame
from replay.interpreter.generators import Generator
from replay.interpreter.views import locals_of
from replay.world.anatomy import is_cached_attribute
from replay.world.operation import Operation
from replay.world.values import NoValue


def results(thing: Any) -> Iterator[object]:
    """What something remembers; nothing if it is no cache."""
    if isinstance(thing, functools._lru_cache_wrapper):
        yield from _results_of_calls(thing)
    else:
        held: dict[str, object] = getattr(thing, "__dict__", {})
        yield from (value for key, value in held.items() if is_cached_attribute(type(thing), key))


def remembered_code(thing: Any) -> Iterator[types.CodeType]:
    """The code of the functions whose results something remembers."""
    if isinstance(thing, functools._lru_cache_wrapper):
        yield from _codes(thing.__wrapped__)
    else:
        found = (value for base in type(thing).__mro__ for value in vars(base).values())
        yield from (
            code for value in found if isinstance(value, functools.cached_property) for code in _codes(value.func)
        )


def _codes(function: Any) -> Iterator[types.CodeType]:
    """The code that a call runs first, in a frame of its own."""
    match function:
        case types.FunctionType():
            yield function.__code__
        case types.MethodType():
            yield from _codes(function.__func__)
        case functools.partial() | functools.partialmethod():
            yield from _codes(function.func)
        case type():
            yield from _codes(function.__init__)  # type: ignore[misc]  # its own, not of what it makes
        case _:
            yield from _codes(type(function).__call__) if not isinstance(function, _SLOTS) else ()


_SLOTS = (types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodWrapperType)
"""What is written in C, and has no code."""


def _results_of_calls(cache: functools._lru_cache_wrapper[Any]) -> list[object]:
    """They are values of its dictionary; those of a cache of limited size it holds itself, before that dictionary.

    Keys are of no interest: who can ask with an object has it already.
    """
    held = gc.get_referents(cache)
    place = max(at for at, value in enumerate(held) if type(value) is dict and value is not vars(cache))
    memory = held[place]
    if cache.cache_parameters()["maxsize"] is None:
        return list(memory.values())
    keys = {id(key) for key in memory}
    return [value for value in held[:place] if id(value) not in keys and not isinstance(value, type)]


PLAIN = (int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range, slice)
"""Values that nobody can change."""

_NOTHING_INSIDE = (
    *(Operation, types.ModuleType, types.CodeType, io.IOBase),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType),
)
"""Descriptions of ours, and what Python is made of. Files are for output: threads that read one are not looked at."""

_OURS = ("replay.", "mcr.")
"""Packages whose objects only describe locations."""

_HARMLESS = ("logging", "pathlib", "re", "typing", "abc", "_abc", "struct", "_struct", "weakref")
"""Modules of Python whose objects change by themselves, or not at all, and carry nothing between threads."""

Named = tuple[str, Any]
"""Something that code can reach, and how a program calls it."""


class Global(NamedTuple):
    """A global variable, of the module of the code or of one that it imports."""

    namespace: dict[str, Any]
    name: str

    @property
    def value(self) -> Any:
        return self.namespace.get(self.name)


IsMemory = Callable[[Global], bool]
"""Whether a global variable is memory, since the program shares its module."""


def nothing_is_memory(_: Global) -> bool:
    return False


def reachable(roots: Iterable[Named], is_memory: IsMemory = nothing_is_memory) -> dict[object, Named]:
    """What the roots lead to, themselves included, by identity, with the names under which they do.

    What a variable holds that is memory is left out. Raises ModelError for a weak proxy, which answers every question
    with what it stands for, or with an exception.
    """
    found: dict[object, Named] = {}
    todo = deque(roots)
    first = todo[0][1] if todo else None
    while todo:
        name, thing = todo.popleft()
        if type(thing) in weakref.ProxyTypes:
            where = str(getattr(first, "source", None) or place_of(first) or "")
            raise ModelError(f"code uses {name!r}, a weak proxy: give it the object, or a weakref.ref() to it", where)
        key = (id(thing.namespace), thing.name) if isinstance(thing, Global) else id(thing)
        if isinstance(thing, Global) and is_memory(thing):
            continue
        if key not in found and not _is_opaque(thing):
            found[key] = (name, thing)
            todo.extend(_parts(name, thing))
    return found


def place_of(function: object) -> str:
    """Returns "file:line" of a function, "" for anything else."""
    code = function.__code__ if type(function) is types.FunctionType else None
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def is_user_class(kind: type) -> bool:
    """Whether a class belongs to the model, or to a package that it uses, and not to Python or to us."""
    home = str(kind.__module__)
    return home.partition(".")[0] not in sys.stdlib_module_names and not home.startswith(_OURS)


def _is_opaque(thing: object) -> bool:
    """Whether there is nothing to look for inside."""
    kind = type(thing)
    if class_of_shared(kind) is not None or issubclass(kind, Shareable):
        return False
    if isinstance(thing, NoValue):
        return not thing.runs
    if kind is ContextVar:
        return _is_of_each_thread(thing)
    if kind in PLAIN or kind is bool or isinstance(thing, _NOTHING_INSIDE):
        return not isinstance(thing, io.StringIO | io.BytesIO)
    if isinstance(thing, type):
        return not is_user_class(thing)
    home = str(thing.__module__ if isinstance(thing, types.FunctionType) else kind.__module__)
    if home.startswith(_OURS):
        return kind.__name__ not in ("Call", "Global") and not issubclass(kind, Frame | Generator)
    return home.partition(".")[0] in _HARMLESS


def _is_of_each_thread(variable: Any) -> bool:
    """Whether threads share nothing by a context variable, of which each has a value: nobody can change its default."""
    try:
        default = Context().run(variable.get)
    except LookupError:
        return True
    return type(default) in PLAIN or type(default).__name__ == "PyCapsule"  # as numpy's, which nobody can change


def _parts(name: str, thing: Any) -> Iterator[Named]:
    """What a thing holds; of a shared object, which is memory, only its class."""
    if (shared := class_of_shared(type(thing))) is not None:
        yield from ((shared.__name__, kind) for kind in (shared, type(thing)))
        return
    if isinstance(thing, Shareable):
        return
    match thing:
        case Global():
            yield thing.name, thing.value
        case NoValue():
            yield from ((name, function) for function in thing.runs)
        case types.FunctionType():
            yield from _parts_of_function(name, thing)
        case types.FrameType():
            yield from thing.f_locals.items()
            yield from _globals(thing.f_code, thing.f_globals)
        case Frame():
            yield from [*locals_of(thing).items(), *(("", value) for value in thing.stack)]
            yield from _globals(thing.code, thing.globals)
        case Generator():
            yield name, thing.frame
        case types.MethodType():
            yield from (("self", thing.__self__), (name, thing.__func__))
        case types.BuiltinFunctionType():
            yield name, thing.__self__
        case functools.partial():
            yield name, thing.func
            arguments = (*thing.args, *thing.keywords.values(), *vars(thing).values())
            yield from ((f"an argument of {name or 'a partial'}", value) for value in arguments)
        case types.CellType():
            yield from ((name, value) for value in cell_contents(thing))
        case property():
            yield from ((name, function) for function in (thing.fget, thing.fset, thing.fdel))
        case staticmethod() | classmethod():
            yield name, thing.__func__
        case functools.cached_property():
            yield name, thing.func
        case functools._lru_cache_wrapper():
            yield from ((name if key == "__wrapped__" else f"{name}.{key}", value) for key, value in attributes(thing))
            yield from ((name, value) for value in results(thing))
        case type():
            yield from class_attributes(thing)
            yield from ((kind.__name__, kind) for kind in (*thing.__mro__[1:], type(thing)))
        case _:
            yield from _parts_of_object(name, thing)


def _parts_of_function(name: str, function: types.FunctionType) -> Iterator[Named]:
    cells = list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    default = f"a default value of {name if name.endswith(f'.{function.__name__}') else function.__name__}"
    yield from ((default, value) for value in function.__defaults__ or ())
    yield from ((default, value) for value in (function.__kwdefaults__ or {}).values())
    yield from ((f"{function.__name__}.{key}", value) for key, value in vars(function).items())
    if is_of_library(function.__code__):  # such as what `contextmanager` makes of a function of the model
        held = ((name, value) for name, cell in cells for value in cell_contents(cell))
        yield from ((name, value) for name, value in held if isinstance(value, types.FunctionType | type))
    else:
        yield from cells
        yield from _globals(function.__code__, function.__globals__)


def _globals(code: types.CodeType, namespace: dict[str, Any]) -> Iterator[Named]:
    """The global variables that code names, and what it names of the modules among them."""
    seen = facts(code)
    for name in seen.globals:
        if name.startswith("@"):  # what pytest makes of `assert` uses such; no source can
            continue
        yield name, Global(namespace, name)
        module = namespace.get(name)
        if isinstance(module, types.ModuleType) and not is_of_python(module):
            prefix = "" if name.endswith(MODULE_MARK) else f"{name}."
            parts = (part for part in seen.looked_up if part in vars(module))
            yield from ((f"{prefix}{part}", Global(vars(module), part)) for part in parts)


def is_of_python(module: types.ModuleType) -> bool:
    """Whether a module belongs to Python, or to us."""
    home = module.__name__
    return home.partition(".")[0] in sys.stdlib_module_names or f"{home}.".startswith(_OURS)


def cell_contents(cell: types.CellType) -> tuple[object, ...]:
    """What a closure's variable holds; nothing if nothing was assigned yet."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def closure_of(function: types.FunctionType) -> dict[str, object]:
    """The variables that a function closes over and that hold something, with what they hold."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: value for name, cell in cells for value in cell_contents(cell)}


def user_functions(found: Iterable[object]) -> list[types.FunctionType]:
    """The functions among things that are not of Python's library."""
    return [each for each in found if isinstance(each, types.FunctionType) and not is_of_library(each.__code__)]


UNKNOWN = object()
"""What names stand for that are bound only while code runs."""


def stands_for(use: Use, function: types.FunctionType, *, into_classes: bool = False) -> object:
    """What names stand for in a function, as far as modules and classes of Python go; `into_classes`, of users too.

    `UNKNOWN` if that is not known before the function runs.
    """
    first, *rest = use.names
    thing: Any = UNKNOWN
    match use.root:
        case "import":
            thing = sys.modules.get(first, UNKNOWN)
        case "global":
            thing = function.__globals__.get(first, getattr(builtins, first, UNKNOWN))
        case "free":
            thing = closure_of(function).get(first, UNKNOWN)
    for name in rest:
        is_opaque = isinstance(thing, type) and is_user_class(thing) and not into_classes
        if is_opaque or not isinstance(thing, types.ModuleType | type):
            break
        thing = getattr(thing, name, UNKNOWN)
    return thing


def class_attributes(kind: type) -> Iterator[Named]:
    """The attributes that a class adds itself, without those that Python keeps there for itself."""
    for key, value in vars(kind).items():
        if not (key.startswith("_") and key.endswith("_")) or isinstance(
            value, types.FunctionType | property | staticmethod
        ):
            yield f"{kind.__name__}.{key}", value


def _inside(name: str) -> str:
    """What something in a container is called: however deep it is nested, the name does not grow with that."""
    return name if name.endswith("[...]") else f"{name}[...]"


def _parts_of_object(name: str, thing: Any) -> Iterator[Named]:
    kind = type(thing)
    yield kind.__name__, kind
    if isinstance(thing, dict | types.MappingProxyType):
        yield from ((_inside(name), key) for key in thing)
        yield from ((f"{name}[{key!r}]" if type(key) in PLAIN else _inside(name), thing[key]) for key in list(thing))
    elif isinstance(thing, list | tuple | set | frozenset | deque):
        yield from ((_inside(name), value) for value in thing)
    elif str(kind.__module__).startswith(_OURS):  # what a thread runs: a function and its arguments
        yield from ((type(value).__name__, value) for _, value in attributes(thing) if not isinstance(value, tuple))
        yield from (("an argument of the thread", value) for value in thing.args)
        return
    elif not is_user_class(kind):
        names = getattr(thing, "__dict__", {})  # once anybody has asked for it, what it holds is no referent any more
        held = [
            value for value in gc.get_referents(thing) if value is not names and not isinstance(value, types.FrameType)
        ]
        yield from ((name or type(value).__name__, value) for value in [*held, *names.values()])
    yield from ((f"{name}.{key}" if name else key, value) for key, value in attributes(thing))


def attributes(thing: Any) -> Iterator[Named]:
    """What an object holds by name."""
    yield from getattr(thing, "__dict__", {}).items()
    for kind in type(thing).__mro__:
        for key, slot in vars(kind).items() if "__slots__" in vars(kind) else ():
            if isinstance(slot, types.MemberDescriptorType):
                try:
                    yield key, slot.__get__(thing)
                except AttributeError:  # nothing was assigned yet
                    continue
