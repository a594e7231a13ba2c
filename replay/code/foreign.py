"""Things that thread code must not use: Python's own threads, locks and queues, clocks, and random numbers.

They do nothing in a model, or block the checker, or make the verdict a matter
of luck. Nobody could tell while the code runs, since a lock of Python blocks
everything; so it is read off the code, before it runs.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Collection, Iterator
from types import FunctionType, ModuleType

from replay.code.belonging import is_user_class
from replay.code.facts import Use, facts, has_with
from replay.code.lines import is_installed, is_library_file, is_of_checker_file, is_of_library
from replay.code.names import stands_for
from replay.code.outside import LOCKS, SLEEP, silent
from replay.code.reachable import Named
from replay.code.seen import FLAG_VALUES
from replay.code.stateless import LOOKS_BEHIND
from replay.errors import ModelError
from replay.interpreter.lookup import is_a
from replay.interpreter.versions import ANNOTATIONS_ARE_KEPT

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


def look_for_foreign(found: Collection[Named], where: str) -> None:
    """Raise ModelError if code that can reach this may use what a model cannot have; `where` if that has no line.

    What is unknown the interpreter refuses where it is called.
    """
    used = _used(found)
    _check_looks_behind(used, LOOKS_BEHIND | _OF_FUNCTIONS | {FLAG_VALUES, "loggerDict"})
    for name, thing in used:
        if isinstance(thing, FunctionType):
            file = thing.__code__.co_filename
            for use in _uses(thing):
                stood_for = stands_for(use, thing, into_classes=True)
                # Packages import os.path where they deal with files: a thread that uses numpy never comes there.
                if not (use.root == "import" and silent(stood_for) and is_installed(file)):
                    _check(stood_for, str(use), f"{file}:{use.line}")
        elif not isinstance(thing, type):
            _check(thing, name, where)


def look_past_classes(found: Collection[Named]) -> None:
    """Raise ModelError for executors that nobody shuts down, and for names that show more than code was given.

    For a model that shares ordinary objects: anything else that it must not use is refused when it is called.
    """
    _check_executors(found)
    _check_looks_behind(_used(found), _UNSEEN)


def _uses(function: FunctionType) -> Iterator[Use]:
    """Yields the names that a function and those inside it look up or set; none for code of Python or the checker."""
    if not (is_of_library(function.__code__) or is_of_checker_file(function.__code__.co_filename)):
        seen = facts(function.__code__)
        yield from (part for use in (*seen.uses, *seen.sets) for part in use.beginnings())


def _used(found: Collection[Named]) -> list[Named]:
    """Returns the things that code can reach, without methods and attributes that no code among these names.

    An object may have others, for the program that the model was made of.
    """
    names: set[str] = set()
    while True:
        used = [(name, thing) for name, thing in found if _is_named(name, names)]
        known = len(names)
        names.update(*(facts(thing.__code__).spelled for _, thing in used if isinstance(thing, FunctionType)))
        if len(names) == known:
            return used


def _is_named(name: str, names: set[str]) -> bool:
    """Returns whether code may use a thing: it is no attribute, or is among the names, or Python itself calls it."""
    attribute = _ATTRIBUTE.search(name)
    if attribute is None or attribute["name"] in names:
        return True
    if attribute["name"] in _CONSTRUCTORS:
        return attribute["owner"] in names
    return attribute["name"].startswith("__") and attribute["name"].endswith("__")


def _check(thing: object, name: str, where: str) -> None:
    """Raise ModelError if a model cannot have a thing. An object of a user's class is only what its methods use."""
    if is_user_class(type(thing)) and not is_a(thing, type):
        return
    if thing is sys.setrecursionlimit:
        raise ModelError(f"thread code uses {name}, which would hold for the checker as well: leave it out", where)
    if any(thing is each for each in _LOOKING_BEHIND):
        raise ModelError(_LOOKS_BEHIND.format(name), where)
    home = _home(thing)
    instead = silent(thing) or advice_on(thing)
    if instead:
        raise ModelError(f"thread code uses {name} of Python's {home}, which a model cannot have: {instead}", where)


_LOOKING_BEHIND = (globals, importlib.import_module, __import__)
_LOOKS_BEHIND = (
    "thread code uses {}, by which threads may share what mcr cannot see: name the functions, modules and objects "
    "themselves"
)


def advice_on(thing: object) -> str:
    """Returns what to write instead of a thing of Python's library; "" if a model may have it."""
    home = _home(thing)
    return _ADVICE.get(home, "") if _is_refused(thing, home) else ""


def advice_on_call(name: str) -> str:
    """Returns what to write instead of a call of a library function in Python, such as "threading.Thread.start"."""
    home = name.partition(".")[0]
    return "" if home in _ONLY or name.endswith(_ALLOWED) else _ADVICE.get(home, "")


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
    if not any("shutdown" in facts(each.__code__).spelled or has_with(each.__code__) for each in functions):
        raise ModelError(
            f"thread code uses {use}, and nothing shuts the executor down, as Python does when it ends: write "
            "`with ThreadPoolExecutor() as pool:`, or call its shutdown()",
            f"{maker.__code__.co_filename}:{use.line}",
        )


def _check_looks_behind(found: Collection[Named], hidden: frozenset[str]) -> None:
    """Refuse code that names one of these, which show more than it was given."""
    for _, thing in found:
        if isinstance(thing, FunctionType) and not is_library_file(thing.__code__.co_filename):
            name = min(facts(thing.__code__).spelled & hidden, default="")
            if name:
                raise ModelError(
                    _LOOKS_BEHIND.format(name),
                    f"{thing.__code__.co_filename}:{thing.__code__.co_firstlineno}",
                )


_OF_FUNCTIONS = frozenset({"__annotations__"})
_UNSEEN = frozenset({"__builtins__"}) | (frozenset() if ANNOTATIONS_ARE_KEPT else _OF_FUNCTIONS)
"""Names of which uses are not seen where ordinary objects are shared: from 3.14 on functions compute annotations."""


def _home(thing: object) -> str:
    """The module that a function, a class or an object comes from."""
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
