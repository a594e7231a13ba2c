"""What thread code must not use: Python's own threads, locks and queues, clocks, and random numbers.

They do nothing in a model, or block the checker, or make the verdict a matter
of luck. Nobody could tell while the code runs, since a lock of Python blocks
everything; so it is read off the code, before it runs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from types import FunctionType, MethodDescriptorType, ModuleType, WrapperDescriptorType

from replay.code.facts import Use, facts
from replay.code.in_place import original
from replay.code.lines import is_installed, is_of_library
from replay.code.ordinary import STANDS_FOR
from replay.code.outside import LOCKS, SLEEP, silent
from replay.code.reachable import Named, is_user_class, stands_for
from replay.code.switch import INTERPRETS_ORDINARY
from replay.errors import ModelError

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
    """Raise ModelError if code that can reach this may use what a model cannot have; `where` if that has no line."""
    for name, thing in _used(found):
        if isinstance(thing, FunctionType):
            file = thing.__code__.co_filename
            for use in _uses(thing):
                used = stands_for(use, thing, into_classes=True)
                # Packages import os.path where they deal with files: a thread that uses numpy never comes there.
                if not (use.root == "import" and silent(used) and is_installed(file)):
                    _check(used, str(use), f"{file}:{use.line}")
        elif not isinstance(thing, type):
            _check(thing, name, where)


def look_past_classes(found: Collection[Named], where: str) -> None:
    """The same for a model that shares ordinary objects: what it must not use is refused when it is called.

    But not methods that go past the class of an object, and locks that nobody put one of the model in the place of.
    Interpreted code cannot go past what is shared.
    """
    if INTERPRETS_ORDINARY[0]:
        return
    for name, thing in _called(found):
        if isinstance(thing, FunctionType):
            for use in _uses(thing) if thing.__name__ not in (*_CONSTRUCTORS, *_PLAIN_FORMS) else ():
                _check_not_past_class(use, thing, f"{thing.__code__.co_filename}:{use.line}")
        elif type(thing).__module__ == "_thread" and not callable(thing):
            raise ModelError(
                f"thread code uses {name}, a lock that was made before the program ran: make it in __init__ or in the "
                "program function, or let a class or a module have it by its name",
                where,
            )


def _uses(function: FunctionType) -> Iterator[Use]:
    """What a function that is not of Python's library looks up, and those inside it."""
    if not is_of_library(function.__code__):
        yield from (part for use in facts(function.__code__).uses for part in use.beginnings())


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
