"""The foundations of a program: modules whose code its threads may run, values of the host that they may read.

A certificate and an answer that is kept are about all of it, so both bear digests of it. Code is followed by the names
in it. What Python itself has is left to its version, what installed packages have to the texts of their modules, and
what memory holds at first is told elsewhere.
"""

from __future__ import annotations

import ast
import contextlib
import copyreg
import functools
import hashlib
import inspect
import io
import marshal
import os
import sys
import textwrap
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from itertools import islice
from pathlib import Path
from types import CellType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType, UnionType
from typing import Any, NamedTuple, Protocol, cast

from replay.code.lines import is_installed
from replay.code.names import cell_contents
from replay.code.seen import attributes, held, is_seen
from replay.code.user_code import exploring
from replay.errors import CheckerError
from replay.frontend.declarations import Declarations
from replay.frontend.shared import Operations, Variable
from replay.frontend.threads import ThreadCall
from replay.world.anatomy import is_written_in_python, parts_of
from replay.world.operation import Location
from replay.world.remembering import while_there
from replay.world.values import NoValue


class AnyProgram(Protocol):
    """A program as it is needed here (`replay.frontend.program` has the class, whose fingerprints come from here)."""

    function: Callable[..., object]

    @property
    def place(self) -> str:
        """Its "file:line"."""

    def instance(self) -> Declarations:
        """A fresh instance; raises CheckerError if it cannot be set up."""


class Foundations(NamedTuple):
    """All that a program rests on.

    modules    those of users beside the program's own, by name
    values     digests, by names: "helper.LIMIT"; "thread 0" for what the code of a thread is bound to
    functions  those of users, by name, so that it can be told which has changed; several may have one name
    """

    modules: dict[str, ModuleType]
    values: dict[str, str]
    functions: dict[str, list[FunctionType]]

    def digests(self) -> dict[str, str]:
        """Digests of all of it, by names; of modules and functions, those of their texts as they are now."""
        texts = {f"module {name}": _file_digest(module) for name, module in self.modules.items()}
        texts |= {
            f"function {name}": digest("".join(map(_source, those)).encode()) for name, those in self.functions.items()
        }
        return texts | self.values

    def fingerprint(self) -> str:
        """A digest of all of it, blind to comments and layout; "" if that is nothing."""
        texts = {
            name: _file_digest(module) if is_installed(str(module.__file__)) else text_digest(module)
            for name, module in self.modules.items()
        }
        return digest(repr((texts, self.values)).encode()) if texts or self.values else ""


def foundations(program: AnyProgram) -> Foundations:
    """Returns what a program rests on; of one that cannot be set up, what its function names."""
    walk = _Walk(program.function.__module__)
    walk.follow(cast(FunctionType, program.function))
    try:
        silent = io.StringIO()
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent), exploring(program.place):
            instance = program.instance()
    except CheckerError:
        return walk.run()
    for number, code in enumerate(instance.threads):
        walk.name(f"thread {number}", code)
    if instance.final_code is not None:
        walk.name("final", instance.final_code)
    return walk.run()


def _file_digest(module: ModuleType) -> str:
    try:
        return digest(Path(str(module.__file__)).read_bytes())
    except OSError:
        return "gone"


def _source(function: FunctionType) -> str:
    try:
        return inspect.getsource(function)
    except OSError:
        return ""  # `text_digest` has it


def digest(text: bytes) -> str:
    """Returns what a text is known by."""
    return hashlib.sha256(text).hexdigest()[:16]


@while_there
def text_digest(thing: ModuleType | Callable[..., object]) -> str:
    """A digest of a text of Python, blind to comments and layout where it is whole statements."""
    try:
        # not `getsource` of a module: that asks the module for an attribute, which may run its `__getattr__`
        is_module = isinstance(thing, ModuleType)
        text = "".join(inspect.findsource(thing)[0]) if is_module else textwrap.dedent(inspect.getsource(thing))
    except OSError:  # it was typed where nobody keeps what is typed
        return digest(marshal.dumps(getattr(thing, "__code__", None)))
    with contextlib.suppress(SyntaxError):
        text = ast.dump(ast.parse(text))
    return digest(text.encode())


_ATOMS = frozenset((type(None), bool, int, float, complex, str, bytes, range, type(...), type(NotImplemented)))
"""Types whose text says all."""

_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_CACHED = type(functools.lru_cache(len))

_MADE = (
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__"),
    *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
)
"""Names that Python adds to a class, each version in its own way."""


def _is_own(module: str) -> bool:
    """Returns True for a module of this package."""
    return module.partition(".")[0] in _OWN


def _is_given(module: str) -> bool:
    """Returns True for a module of Python, or of this package."""
    return module.partition(".")[0] in _GIVEN


_OWN = frozenset(("mcr", "replay", "solvers"))
_GIVEN = sys.stdlib_module_names | _OWN


class _Walk:
    """Follows code by the names in it. `own` is the name of the program's module, which others know by no name."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._found = Foundations({}, {}, {})
        self._todo: deque[FunctionType | type] = deque()
        self._seen: dict[int, object] = {}
        self._named: dict[tuple[str, int], object] = {}
        self._passed: set[str] = set()
        """Modules that code was seen to name, while it is looked at."""

    def run(self) -> Foundations:
        """Go on to the end."""
        while self._todo:
            thing = self._todo.popleft()
            if isinstance(thing, type):
                self._look_at_class(thing)
            else:
                self._look_at_code(thing.__code__, thing.__globals__)
        modules, values, functions = self._found
        return Foundations(dict(sorted(modules.items())), dict(sorted(values.items())), dict(sorted(functions.items())))

    def name(self, name: str, value: object, home: str = "") -> None:
        """A value has a digest under this name; `home` is the module which has it: of a package, only plain values,
        as packages count and remember things. Several values may have one name."""
        if (name, id(value)) not in self._named and (type(value) in _ATOMS or not _is_in_package(home)):
            self._named[name, id(value)] = value
            lines = ([known] if (known := self._found.values.get(name)) else []) + [*_Writing(self).of(value)]
            self._found.values[name] = digest("\n".join(lines).encode("utf-8", "backslashreplace"))

    def title(self, thing: FunctionType | type) -> str:
        """Returns what a function or a class is called."""
        home = "" if thing.__module__ == self._own else f"{thing.__module__}."
        return f"{home}{thing.__qualname__}"

    def follow(self, thing: FunctionType | type) -> None:
        """Look at what a function or a class of users leads to."""
        home = str(thing.__module__)
        if id(thing) in self._seen or _is_given(home):
            return
        self._seen[id(thing)] = thing
        self._todo.append(thing)
        if isinstance(thing, FunctionType) and not _is_in_package(home):
            self._found.functions.setdefault(self.title(thing), []).append(thing)
        if isinstance(getattr(sys.modules.get(home), "__file__", None), str):
            self._note(sys.modules[home])
        elif isinstance(thing, FunctionType):
            self._found.values[f"text of {self.title(thing)}"] = text_digest(thing)

    def _note(self, module: ModuleType) -> None:
        if module.__name__ != self._own:
            self._found.modules[module.__name__] = module

    def _look_at_code(self, code: CodeType, names: Mapping[str, Any]) -> None:
        used = dict.fromkeys(_names(code))
        self._passed.clear()
        if not _OF_ENVIRONMENT.isdisjoint(used):
            self._bind_environment()
        home = "" if names.get("__name__") == self._own else f"{names.get('__name__', '')}."
        for name in used | _all_names(names, used, _OF_GLOBALS):
            if name.startswith("@"):
                continue  # pytest's, which writes assertions anew
            if name in names:
                self._meet(f"{home}{name}", names[name], used, str(names.get("__name__")))
            elif name in sys.modules:
                self._meet(name, sys.modules[name], used, "")  # imported by the code itself

    def _meet(self, name: str, value: Any, used: dict[str, None], home: str) -> None:
        """Code names something that a module has; what it names beside that may be in there."""
        if any(value is each for each in _ENVIRONMENT):
            self._bind_environment()
            return
        if isinstance(value, ModuleType):
            if value.__name__ not in (name, name.removeprefix(f"{home}.")):
                self.name(name, value, home)
            is_of_file = not _is_given(value.__name__) and isinstance(getattr(value, "__file__", None), str)
            if is_of_file and value.__name__ not in self._passed:
                self._passed.add(value.__name__)
                self._note(value)
                held = vars(value)
                for each in used | _all_names(held, used, _OF_OBJECTS):
                    if each in held:
                        self._meet(f"{value.__name__}.{each}", held[each], used, value.__name__)
            return
        if is_plain := isinstance(value, type) or (isinstance(value, FunctionType) and not _is_bound(value)):
            self.follow(value)
        if not is_plain or self.title(value) != name:
            self.name(name, value, home)

    def _bind_environment(self) -> None:
        """Code may read variables of the environment, which no thread changes: all have digests, and so has their
        order, as code may go through them."""
        if "environment" not in self._found.values:
            self._found.values["environment"] = digest("\0".join(os.environ).encode("utf-8", "surrogateescape"))
            for name, value in os.environ.items():
                self._found.values[f"environment {name}"] = digest(value.encode("utf-8", "surrogateescape"))

    def _look_at_class(self, kind: type) -> None:
        for base in (*kind.__bases__, type(kind)):
            self.follow(base)
        for name, value in [*vars(kind).items()]:
            if name not in _MADE:
                self._meet(f"{self.title(kind)}.{name}", value, {}, str(kind.__module__))


def _is_in_package(module: str) -> bool:
    """Returns True for a module that was installed, and not written beside the program."""
    return is_installed(str(getattr(sys.modules.get(module), "__file__", "")))


def _is_bound(function: FunctionType) -> bool:
    """Returns True if a function has more than its text says."""
    return bool(function.__closure__ or function.__defaults__ or function.__kwdefaults__ or vars(function))


_OF_OBJECTS = frozenset(("getattr", "vars", "__dict__", "__getattribute__", "attrgetter", "methodcaller"))
_OF_GLOBALS = frozenset(("globals", "eval", "exec"))
"""Names by which code reaches what it names in texts that it may make itself, in modules and in its own."""


def _all_names(held: Mapping[str, Any], used: dict[str, None], ways: frozenset[str]) -> dict[str, None]:
    """Returns the names in a module of which code may make texts, if it has a way to what they name."""
    return {} if ways.isdisjoint(used) else dict.fromkeys(name for name in held if name[:2] != "__")


def _names(code: CodeType) -> Iterator[str]:
    """Yields the names in code, and texts that may be names."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            yield constant


_OF_ENVIRONMENT = frozenset({"environ", "environb", "getenv", "getenvb"})
_ENVIRONMENT = tuple(vars(os)[name] for name in sorted(_OF_ENVIRONMENT) if name in vars(os))
"""Names in `os` by which code reads the environment, and what has them, whatever code calls it."""

_LINES = 200
"""Lines of the text of a member that tell it from others in its set."""


class _Writing:
    """Writes a value so that two have one text only if code can tell them apart by nothing but what memory holds."""

    def __init__(self, walk: _Walk, *, sorts: bool = False) -> None:
        """`sorts`: it only sorts the members of a set."""
        self._walk = walk
        self._sorts = sorts
        self._met: dict[int, int] = {}
        self._kept: list[object] = []

    def of(self, value: Any) -> Iterator[str]:
        """The lines of its text."""
        inside = [iter([("", value)])]  # values may be nested more deeply than functions may call each other
        while inside:
            name, part = next(inside[-1], (None, None))
            if name is None:
                inside.pop()
                yield "end"
                continue
            yield name
            kind = type(part)
            if kind in _ATOMS:
                yield f"{kind.__name__} {part!r}"
            elif id(part) in self._met:
                yield f"again {self._met[id(part)]}"
            else:
                self._met[id(part)] = len(self._met)
                self._kept.append(part)
                self._walk.follow(kind)
                yield self._walk.title(kind)
                inside.append(self._parts(kind, part))

    def _look(self, member: Any) -> str:
        """Returns what sorts the members of a set: how their text begins, in which sets inside are not sorted so."""
        kind = type(member)
        if kind in _ATOMS:
            return f"{kind.__name__} {member!r}"
        if not self._sorts:
            return "\n".join(islice(_Writing(self._walk, sorts=True).of(member), _LINES))
        parts = () if issubclass(kind, set | frozenset) else self._parts(kind, member)
        shown = (f"{name} {each!r}" for name, each in parts if type(each) in _ATOMS)
        return "\n".join((self._walk.title(kind), *shown))

    def _parts(self, kind: type, value: Any) -> Iterator[tuple[str, Any]]:
        if kind in (tuple, list):
            yield from (("", each) for each in value)
        elif issubclass(kind, set | frozenset):
            yield from (("", each) for each in sorted(held(value) if is_seen(kind) else [], key=self._look))
        elif kind is dict:
            for key, each in value.items():
                yield "key", key
                yield "", each
        elif kind is FunctionType:
            self._walk.follow(value)
            yield "of", self._walk.title(value)
            yield from (("default", each) for each in value.__defaults__ or ())
            yield from (value.__kwdefaults__ or {}).items()
            yield from zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
            yield from vars(value).items()
        elif kind is CellType:
            yield from (("", each) for each in cell_contents(value))
        elif kind is MethodType:
            yield from (("", value.__func__), ("of", value.__self__))
        elif kind is ThreadCall:
            yield from (("", value.function), ("", value.args), ("daemon", value.daemon))
        elif kind is functools.partial:
            yield from (("", value.func), ("", value.args), ("", value.keywords))
        elif kind in (staticmethod, classmethod):
            yield "", value.__func__
        elif kind is property:
            yield from (("", value.fget), ("", value.fset), ("", value.fdel))
        elif isinstance(value, type):
            self._walk.follow(value)
            yield "of", self._walk.title(value)
        elif kind is ModuleType:
            yield "", value.__name__
        elif issubclass(kind, Variable | Location):
            name, initial = value.location if kind is not Location else value
            yield name, initial
        elif issubclass(kind, NoValue | Operations):
            yield from (("runs", each) for each in getattr(value, "runs", ()))
            yield from attributes(value)
        elif _is_own(str(kind.__module__)):
            return  # `p`, and what it keeps
        elif _is_given(str(kind.__module__)) or not is_written_in_python(kind):
            yield from _parts_of_given(kind, value)
        elif _is_in_package(str(kind.__module__)):
            yield from ((name, each) for name, each in attributes(value) if type(each) in _ATOMS)
        else:
            yield from (("", each) for each in parts_of(value) or (held(value) if is_seen(kind) else ()))
            yield from attributes(value)


def _parts_of_given(kind: type, value: Any) -> Iterator[tuple[str, Any]]:
    """Yields what tells an object of a type of Python, or of one written in C, from others of that type: as far as
    Python itself takes it apart to copy it. Of locks, files, generators and the like nothing is told."""
    if kind is MappingProxyType:
        yield "", dict(value)
    elif kind in _VIEWS:
        yield "", dict(value.mapping)
    elif kind is memoryview:
        yield "", bytes(value)
    elif kind is ContextVar:
        yield from (("", value.name), ("", value.get(None)))
    elif kind is UnionType:
        yield "", value.__args__
    elif kind is _CACHED:
        yield "", value.__wrapped__
    else:
        made: Any = None
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")  # that a later version will not copy it any more
            take_apart = copyreg.dispatch_table.get(kind)
            made = take_apart(value) if take_apart else value.__reduce_ex__(4)
        parts = (made,) if isinstance(made, str) else (made or ())[1:]  # else the first is what makes it
        yield from (("", [*part] if hasattr(part, "__next__") else part) for part in parts)
