"""What thread code must not use: Python's own threads, locks and queues, clocks, and random numbers.

They do nothing in a model, or block the checker, or make the verdict a matter
of luck. Nobody could tell while the code runs, since a lock of Python blocks
everything; so it is read off the code, before it runs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from replay.code.bytecode import codes, instructions
from replay.code.facts import Use, facts
from replay.code.in_place import original
from replay.code.lines import is_installed, is_library_file, is_of_checker_file, is_of_library
from replay.code.ordinary import STANDS_FOR
from replay.code.outside import LOCKS, SLEEP, silent
from replay.code.reachable import Named, is_user_class, stands_for
from replay.code.stateless import is_stateless, looks_behind
from replay.code.switch import INTERPRETS_ORDINARY
from replay.errors import ModelError
from replay.world.anatomy import is_written_in_python

_QUEUES = "p.queue() is that of a model"
_LUCK = "p.choose() explores every choice"

_ADVICE = {
    "threading": LOCKS,
    "_thread": LOCKS,
    "multiprocessing": LOCKS,
    "concurrent": LOCKS,
    "queue": _QUEUES,
    "_queue": _QUEUES,
    "asyncio": _QUEUES,
    "time": SLEEP,
    "random": _LUCK,
    "secrets": _LUCK,
    "uuid": _LUCK,
    "datetime": SLEEP,
}
"""By module what to write instead."""

_ONLY = {
    "uuid": ("uuid1", "uuid4", "getnode"),
    "datetime": ("now", "utcnow", "today"),
}
"""Where not all of a module is refused: the names that are."""

_ALLOWED = ("Random", "strftime", "strptime", "gmtime", "struct_time")
"""What is as deterministic as its arguments."""


_ATTRIBUTE = re.compile(r"(?P<owner>\w*)\.(?P<name>\w+)(\[[^.]*\])?$")
"""How the name of something says that an object holds it: "self.lock", "self.locks[...]"."""

_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
"""Methods that Python calls where code calls their class."""


def look_for_foreign(found: Collection[Named], where: str, *, interpreted: bool) -> None:
    """Raise ModelError if code that can reach this may use what a model cannot have; `where` if that has no line.

    `interpreted`: the interpreter runs the code, which refuses what is unknown where it is called.
    """
    used = _used(found)
    _check_looks_behind(used, _OF_FUNCTIONS)
    for name, thing in used:
        if isinstance(thing, FunctionType):
            file = thing.__code__.co_filename
            for use in _uses(thing):
                stood_for = stands_for(use, thing, into_classes=True)
                # Packages import os.path where they deal with files: a thread that uses numpy never comes there.
                if not (use.root == "import" and silent(stood_for) and is_installed(file)):
                    _check(stood_for, str(use), f"{file}:{use.line}")
                    if not interpreted:
                        _check_known(stood_for, str(use), f"{file}:{use.line}")
        elif not isinstance(thing, type):
            _check(thing, name, where)


def look_past_classes(found: Collection[Named], where: str) -> None:
    """The same for a model that shares ordinary objects: what it must not use is refused when it is called.

    But not methods that go past the class of an object, and locks that nobody put one of the model in the place of.
    Interpreted code cannot go past what is shared.
    """
    _check_executors(found)
    if INTERPRETS_ORDINARY[0]:
        _check_looks_behind(_used(found), _OF_FUNCTIONS)
        return
    called = list(_called(found))
    _check_looks_behind(called, _NOT_IN_MEMORY)
    for name, thing in called:
        if isinstance(thing, FunctionType):
            for use in _uses(thing) if thing.__name__ not in (*_CONSTRUCTORS, *_PLAIN_FORMS) else ():
                line = f"{thing.__code__.co_filename}:{use.line}"
                _check_not_past_class(use, thing, line)
                _check_known(stands_for(use, thing, into_classes=True), str(use), line)
        elif type(thing).__module__ == "_thread" and not callable(thing):
            raise ModelError(
                f"thread code uses {name}, a lock that was made before the program ran: make it in __init__ or in the "
                "program function, or let a class or a module have it by its name",
                where,
            )


def _uses(function: FunctionType) -> Iterator[Use]:
    """What a function that is not of Python's library, or of the checker, looks up or sets, and those inside it."""
    if not (is_of_library(function.__code__) or is_of_checker_file(function.__code__.co_filename)):
        seen = facts(function.__code__)
        yield from (part for use in (*seen.uses, *seen.sets) for part in use.beginnings())


def _used(found: Collection[Named]) -> list[Named]:
    """What is left of what code can reach without the methods and attributes that none of the code that is left names.

    An object may have others, for the program that the model was made of.
    """
    names: set[str] = set()
    while True:
        used = [(name, thing) for name, thing in found if _is_named(name, names)]
        known = len(names)
        names.update(*(facts(thing.__code__).spelled for _, thing in used if isinstance(thing, FunctionType)))
        if len(names) == known:
            return used


def _check_not_past_class(use: Use, function: FunctionType, where: str) -> None:
    """Refuse what would read or change a shared object or container where it holds nothing."""
    if len(use.names) != 2:
        return
    kind, method = use.names
    stood_for = stands_for(use._replace(names=(kind,)), function) if kind in _CONTAINERS else None
    held = vars(stood_for).get(method) if isinstance(stood_for, type) else None
    if kind in ("object", "type") and method in _PLAIN_FORMS:
        instead = _PLAIN_FORMS[method]
    elif isinstance(held, MethodDescriptorType | WrapperDescriptorType):
        instead = "call the method of the container itself"
    else:
        return
    raise ModelError(
        f"thread code uses {kind}.{method}, which goes past the class of an object that is shared: "
        f"write super().{method}(...) in the class, or {instead}",
        where,
    )


_CONTAINERS = ("list", "dict", "set", "deque", "OrderedDict", "defaultdict")


_PLAIN_FORMS = {
    "__setattr__": "setattr(...)",
    "__getattribute__": "getattr(...)",
    "__delattr__": "delattr(...)",
}


def _called(found: Collection[Named]) -> Iterator[Named]:
    """What is left of what code can reach if threads may come to it, which call some methods of no object."""
    for name, thing in _used(found):
        method = name.rpartition(".")[2]
        if method not in _UNCALLED and not (name.startswith("a default value of") and method in _CONSTRUCTORS):
            yield name, thing


_UNCALLED = (
    *("__repr__", "__str__", "__format__", "__del__", "__sizeof__", "__dir__", "__copy__", "__deepcopy__"),
    *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__init_subclass__"),
)
"""Methods for people and for files."""


def _is_named(name: str, names: set[str]) -> bool:
    """Whether something is no attribute, or one of these, or one that Python calls itself."""
    attribute = _ATTRIBUTE.search(name)
    if attribute is None or attribute["name"] in names:
        return True
    if attribute["name"] in _CONSTRUCTORS:
        return attribute["owner"] in names
    return attribute["name"].startswith("__") and attribute["name"].endswith("__")


def _check(thing: object, name: str, where: str) -> None:
    """Raise ModelError if a model cannot have a thing. An object of a user's class is only what its methods use."""
    if is_user_class(type(thing)) and not issubclass(type(thing), type):
        return
    if thing is sys.setrecursionlimit:
        raise ModelError(f"thread code uses {name}, which would hold for the checker as well: leave it out", where)
    thing = getattr(thing, STANDS_FOR, thing) if isinstance(thing, type) else thing
    home = _home(thing)
    instead = silent(thing) or advice_on(thing)
    if instead:
        raise ModelError(f"thread code uses {name} of Python's {home}, which a model cannot have: {instead}", where)


def advice_on(thing: object) -> str:
    """What to write instead of what a module of Python's holds that a model cannot have; "" if it may have it."""
    home = _home(thing)
    return _ADVICE.get(home, "") if _is_refused(thing, home) else ""


def advice_on_call(name: str) -> str:
    """The same for a function of Python's library that is written in Python, such as "threading.Thread.start"."""
    home = name.partition(".")[0]
    return "" if home in _ONLY or name.endswith(_ALLOWED) else _ADVICE.get(home, "")


def _check_known(thing: Any, name: str, where: str) -> None:
    """Refuse what is written in C, or of Python's library, and may keep something that no thread would see."""
    if not isinstance(thing, _CODE) or not _is_written_elsewhere(thing) or is_stateless(thing):
        return
    home, own = str(thing.__module__), str(thing.__qualname__)
    is_of_type = (thing.__module__ is None and thing.__self__ is not None) or home == "None"
    if home in _LOOKED_AT_ELSEWHERE or own in _KEEPS_NOTHING.get(home, ()) or is_of_type:
        return
    raise ModelError(
        f"thread code uses {name} of {home}, and what that keeps between its calls is not known, so that threads may "
        "share it unseen: call it in the program function, and give threads what it returns",
        where,
    )


_LOOKED_AT_ELSEWHERE = frozenset({
    "_io", "_random", "_socket", "_sqlite3", "_thread", "_weakref", "concurrent.futures._base",
    "concurrent.futures.thread", "glob", "io", "logging", "mmap", "nt", "os", "pathlib", "posix", "queue", "random",
    "secrets", "select", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "uuid",
    "weakref",
    # and those that keep nothing, or remember only what they would find again
    "_blake2", "_contextvars", "_hashlib", "_md5", "_sha1", "_sha2", "_sha3", "ast", "base64", "binascii", "colorsys",
    "difflib", "hashlib", "hmac", "html", "inspect", "ipaddress", "ntpath", "posixpath", "traceback", "unicodedata",
    "urllib.parse", "zlib",
})  # fmt: skip
"""Modules whose functions are refused with a sentence of their own, or where they are called (`replay.code.outside`),
and whose objects are looked at themselves."""

_KEEPS_NOTHING = {
    "builtins": ("vars", "dir", "input", "open", "locals", "compile", "breakpoint"),
    "asyncio.coroutines": ("iscoroutine", "iscoroutinefunction"),
    "asyncio.events": ("new_event_loop",),
    "asyncio.tasks": ("ensure_future",),
    "_codecs": ("encode", "decode", "lookup"),
    "calendar": ("timegm",),
    "_pickle": ("dumps", "loads"),
    "multiprocessing.context": ("Process",),
    "numpy._core._multiarray_umath": ("_make_extobj", "_get_extobj_dict"),
    "numpy": ("array", "arange", "empty", "empty_like", "zeros", "fromiter", "frombuffer", "promote_types"),
    "signal": ("signal",),
    "urllib.request": ("urlopen",),
    "sys": ("getsizeof", "getrefcount", "exit"),
    "_warnings": ("warn", "warn_explicit"),
}
"""By module what keeps or shows something that no verdict depends on, or is refused where it is called. What it is
given is looked at itself."""


_CODE = (FunctionType, BuiltinFunctionType, MethodType, MethodDescriptorType, WrapperDescriptorType, type)


def _is_written_elsewhere(thing: Any) -> bool:
    """Whether code is none of the user, nor of a package written in Python, which is looked at itself."""
    if isinstance(thing, FunctionType | MethodType):
        return is_of_library(thing.__code__)
    return not isinstance(thing, type) or not (is_written_in_python(thing) and is_user_class(thing))


def _check_executors(found: Collection[Named]) -> None:
    """Refuse an executor that nobody shuts down: Python does so when it ends, and a model has no such end."""
    functions = [thing for _, thing in found if isinstance(thing, FunctionType) and not is_of_library(thing.__code__)]
    executor = getattr(sys.modules.get("concurrent.futures.thread"), "ThreadPoolExecutor", None)
    made = (
        (use, each)
        for each in functions
        for use in facts(each.__code__).uses
        if executor is not None and stands_for(use, each) is executor
    )
    use, maker = next(made, (None, None))
    if use is None or maker is None:
        return
    if not any("shutdown" in facts(each.__code__).spelled or _has_with(each.__code__) for each in functions):
        raise ModelError(
            f"thread code uses {use}, and nothing shuts the executor down, as Python does when it ends: write "
            "`with ThreadPoolExecutor() as pool:`, or call its shutdown()",
            f"{maker.__code__.co_filename}:{use.line}",
        )


def _has_with(code: CodeType) -> bool:
    return any(step.opname in ("BEFORE_WITH", "LOAD_SPECIAL") for each in codes(code) for step in instructions(each))


def _check_looks_behind(found: Collection[Named], more: frozenset[str]) -> None:
    """Refuse code that names what shows more than it was given, such as frames; `more` are further such names."""
    for _, thing in found:
        if isinstance(thing, FunctionType) and not is_library_file(thing.__code__.co_filename):
            names = facts(thing.__code__).spelled
            if hidden := looks_behind(names) or min(names & more, default=""):
                raise ModelError(
                    f"thread code uses {hidden}, by which threads may share what mcr cannot see: name the functions, "
                    "modules and objects themselves",
                    f"{thing.__code__.co_filename}:{thing.__code__.co_firstlineno}",
                )


_OF_FUNCTIONS = frozenset({"__annotations__"})
_NOT_IN_MEMORY = frozenset({"__annotations__", "__traceback__", "__context__"})
"""What exceptions lose when they go through memory."""


def _home(thing: object) -> str:
    """The module that a function, a class or an object comes from; of one that was changed in place, as before."""
    thing = original(thing)
    if isinstance(thing, ModuleType):
        return ""
    owner = getattr(thing, "__self__", None)
    if owner is not None and not isinstance(owner, ModuleType):
        thing = owner if isinstance(owner, type) else type(owner)
    elif not isinstance(thing, type) and not (callable(thing) and isinstance(getattr(thing, "__name__", None), str)):
        thing = type(thing)
    return str(getattr(thing, "__module__", "")).partition(".")[0]


def _is_refused(thing: object, home: str) -> bool:
    if (isinstance(thing, type) and issubclass(thing, BaseException)) or isinstance(thing, BaseException):
        return False
    name = getattr(thing, "__name__", "")
    if home in _ONLY:
        return name in _ONLY[home]
    if home in ("random", "time") and not callable(thing):
        return False  # an object with a seed of its own, a constant
    return name not in _ALLOWED
